import type { SessionReply } from '@tollgate/contracts/node';

/** What a caller is told of losses. It takes again the holds that it has at that moment. */
export interface SessionNews {
  readonly reopened: (shard: number, epoch: number) => void;
  /** The holds of this float are to be adopted. */
  readonly adopt: (floatId: string) => void;
  /** One more answer waits to be written. */
  readonly queued: () => void;
  /** A turn of the event loop has ended: whatever was decided before the news has queued its answer. */
  readonly endTurn: () => void;
  /** The news that goes with the next frame, which has this many answers. */
  readonly with: (
    answers: number,
  ) => Pick<SessionReply, 'reopenedShards' | 'reopenedEpochs' | 'adoptFloats'>;
}

interface News {
  /** The number of answers that are written before it. */
  after: number;
}

/** Answers that were waiting when the news came may be from before it, so they are written first. */
export function createSessionNews(): SessionNews {
  /** Answers so far, and those of them that were written. */
  let [queued, written] = [0, 0];
  const reopened = new Map<number, News & { readonly epoch: number }>();
  const adopt = new Map<string, News>();
  let isFresh = false;

  function due<K, N extends News>(waiting: Map<K, N>): [K, N][] {
    const found = [...waiting].filter(([, { after }]) => after <= written);
    for (const [key] of found) waiting.delete(key);
    return found;
  }

  return {
    reopened: (shard, epoch) => {
      reopened.set(shard, { epoch, after: Number.POSITIVE_INFINITY });
      isFresh = true;
    },
    adopt: (floatId) => {
      adopt.set(floatId, { after: Number.POSITIVE_INFINITY });
      isFresh = true;
    },
    queued: () => {
      queued += 1;
    },
    endTurn: () => {
      if (!isFresh) return;
      isFresh = false;
      for (const news of [...reopened.values(), ...adopt.values()])
        if (news.after > queued) news.after = queued;
    },
    with: (answers) => {
      written += answers;
      const again = reopened.size > 0 ? due(reopened) : [];
      const lost = adopt.size > 0 ? due(adopt) : [];
      return {
        reopenedShards: again.map(([shard]) => shard),
        reopenedEpochs: again.map(([, { epoch }]) => epoch),
        ...(lost.length > 0 ? { adoptFloats: lost.map(([floatId]) => floatId) } : {}),
      };
    },
  };
}
