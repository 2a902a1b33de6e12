import { SHARDS } from '@tollgate/contracts';
import type { Entry } from '@tollgate/contracts/node';
import { TransientMap } from '@tollgate/kit';

import type { Written } from '../holds';

/**
 * Entries that this process has just written, so that their drainer need not read them from the
 * stream. The stream has all of them: what is missing here is read there.
 */
export interface RecentEntries {
  /** Shards that this process drains from now on; nothing is kept of others. */
  readonly claim: (shards: readonly number[]) => void;
  readonly note: (shard: number, seq: number, written: Written) => void;
  /**
   * The entries after a position of an epoch, at most `max`. Empty unless everything that is known
   * after it follows without a gap: between entries of other processes a run would be short, and a
   * small batch costs the catalog as much as a large one.
   */
  readonly after: (
    shard: number,
    epoch: number,
    position: number,
    max: number,
  ) => { seq: number; entry: Entry }[];
}

interface Recent {
  readonly epoch: number;
  readonly entries: TransientMap<number, Written>;
  lastSeq: number;
}

/** While the catalog is away, entries beyond these limits are read from the stream later. */
const ENTRIES_MAX = 5_000;
const CHARACTERS_MAX = 16_000_000;

export function createRecentEntries(
  limits: { readonly entries: number; readonly characters: number } = {
    entries: ENTRIES_MAX,
    characters: CHARACTERS_MAX,
  },
): RecentEntries {
  const shards: (Recent | undefined)[] = Array.from({ length: SHARDS }, () => undefined);
  let claimed: ReadonlySet<number> = new Set();
  const kept = { entries: 0, characters: 0 };

  const remove = ({ entries }: Recent, seq: number): void => {
    const written = entries.get(seq);
    if (written === undefined) return;
    entries.delete(seq);
    kept.entries -= 1;
    kept.characters -= written.size;
  };

  const removeUpTo = (recent: Recent, position: number): void => {
    for (const seq of recent.entries.keys()) if (seq <= position) remove(recent, seq);
  };

  const drop = (shard: number): void => {
    const recent = shards[shard];
    if (recent !== undefined) removeUpTo(recent, recent.lastSeq);
    shards[shard] = undefined;
  };

  // Numbers of another epoch mean other entries.
  const ofEpoch = (shard: number, epoch: number): Recent => {
    const known = shards[shard];
    if (known?.epoch === epoch) return known;
    drop(shard);
    const recent: Recent = { epoch, entries: new TransientMap(), lastSeq: 0 };
    shards[shard] = recent;
    return recent;
  };

  return {
    claim: (mine) => {
      claimed = new Set(mine);
      for (const [shard, recent] of shards.entries()) {
        if (recent !== undefined && !claimed.has(shard)) drop(shard);
      }
    },
    note: (shard, seq, written) => {
      if (!claimed.has(shard) || written.epoch < (shards[shard]?.epoch ?? 0)) return;
      const recent = ofEpoch(shard, written.epoch);
      recent.lastSeq = Math.max(recent.lastSeq, seq);
      if (kept.entries >= limits.entries) return;
      if (kept.characters + written.size > limits.characters) return;
      recent.entries.set(seq, written);
      kept.entries += 1;
      kept.characters += written.size;
    },
    after: (shard, epoch, position, max) => {
      const recent = shards[shard];
      if (recent?.epoch !== epoch) return [];
      removeUpTo(recent, position);
      const { entries, lastSeq } = recent;
      if (entries.size === 0 || entries.size !== lastSeq - position) return [];
      const run: { seq: number; entry: Entry }[] = [];
      for (let seq = position + 1; seq <= lastSeq && run.length < max; seq += 1) {
        const written = entries.get(seq);
        if (written !== undefined) run.push({ seq, entry: written.entry() });
      }
      return run;
    },
  };
}
