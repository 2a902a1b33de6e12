import type { Settle } from './settles';

// A cancellation has no ledger number, so the booked mark does not cover it. Redis may lose its
// last second or two (append-only file) and restore the hold, which would be charged when its lease
// expires. For this long the cancellation can be repeated.
const KEPT_MS = 60_000;
const KEPT_MOST = 4_096;

/** Acknowledged cancellations that may have to be repeated, the latest ones. */
export interface Cancellations {
  add: (settle: Settle) => void;
  /** Removes those of the shards, and returns the ones that are young enough. */
  take: (shards: readonly number[]) => Settle[];
}

export function createCancellations(nowMs: () => number): Cancellations {
  let kept: { settle: Settle; atMs: number }[] = [];
  return {
    add: (settle) => {
      const now = nowMs();
      kept.push({ settle, atMs: now });
      const old = kept.findIndex(({ atMs }) => now - atMs <= KEPT_MS);
      kept.splice(0, Math.max(old, kept.length - KEPT_MOST));
    },
    take: (shards) => {
      const oldest = nowMs() - KEPT_MS;
      const taken = kept.filter(({ settle }) => shards.includes(settle.shard));
      kept = kept.filter(({ settle }) => !shards.includes(settle.shard));
      return taken.filter(({ atMs }) => atMs >= oldest).map(({ settle }) => settle);
    },
  };
}
