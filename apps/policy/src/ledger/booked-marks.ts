import { SHARDS } from '@tollgate/contracts';
import type { BookedMark } from '@tollgate/contracts/node';

import type { Epochs } from '../holds';
import type { ShardMeta, Store } from '../store';

export interface BookedMarksDeps {
  readonly store: Pick<Store, 'readMeta'>;
  readonly epochs: Epochs;
  /** An open shard has no meta any more, or another server process holds it. */
  readonly onLost: (shard: number, epoch: number | null) => void;
}

/**
 * The booked position of each shard's ledger, as far as this process knows. Edges keep every close
 * until its number is booked, including closes of shards that another policy drains.
 */
export interface BookedMarks {
  readonly advance: (shard: number, epoch: number, booked: number) => void;
  /**
   * A close with this number waits to be booked: the shard's position is polled often until then.
   */
  readonly awaitSeq: (shard: number, seq: number) => void;
  /** Reads the marks that are awaited, or those of all shards that were ever open. */
  readonly refresh: (which: 'awaited' | 'all') => Promise<void>;
  /** Every known mark. */
  readonly all: () => BookedMark[];
  readonly subscribe: (listener: (mark: BookedMark) => void) => () => void;
}

interface Mark {
  epoch: number;
  booked: number;
  awaited: number;
}

export function createBookedMarks(deps: BookedMarksDeps): BookedMarks {
  const bookedMarks = new Map<number, Mark>();
  const listeners = new Set<(mark: BookedMark) => void>();

  const markOf = (shard: number): Mark => {
    const known = bookedMarks.get(shard);
    if (known !== undefined) return known;
    const fresh: Mark = { epoch: 0, booked: -1, awaited: 0 };
    bookedMarks.set(shard, fresh);
    return fresh;
  };

  const advance: BookedMarks['advance'] = (shard, epoch, position) => {
    const mark = markOf(shard);
    if (epoch < mark.epoch || (epoch === mark.epoch && position <= mark.booked)) return;
    mark.epoch = epoch;
    mark.booked = position;
    for (const listener of listeners) listener({ shard, epoch, booked: position });
  };

  const hear = (shard: number, meta: ShardMeta | null): void => {
    if (meta === null) {
      const epoch = deps.epochs.of(shard);
      if (epoch !== 0) deps.onLost(shard, null);
    } else if (!meta.sameServer || meta.epoch < deps.epochs.of(shard)) {
      deps.onLost(shard, meta.epoch);
    } else {
      deps.epochs.learn(shard, meta.epoch);
      advance(shard, meta.epoch, meta.booked);
    }
  };

  const refresh: BookedMarks['refresh'] = async (which) => {
    const shards: number[] = [];
    for (let shard = 0; shard < SHARDS; shard += 1) {
      const mark = bookedMarks.get(shard);
      if (which === 'all' || (mark !== undefined && mark.awaited > mark.booked)) shards.push(shard);
    }
    await Promise.all(shards.map(async (shard) => hear(shard, await deps.store.readMeta(shard))));
  };

  return {
    advance,
    awaitSeq: (shard, seq) => {
      const mark = markOf(shard);
      mark.awaited = Math.max(mark.awaited, seq);
    },
    refresh,
    all: () =>
      [...bookedMarks]
        .filter(([, mark]) => mark.epoch > 0)
        .map(([shard, { epoch, booked }]) => ({ shard, epoch, booked })),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
