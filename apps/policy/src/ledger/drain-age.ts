/** How long the entries of this policy's shards have waited for the catalog. */
export interface DrainAge {
  /** Notes the newest and the booked number of a shard. */
  see: (shard: number, position: { readonly seq: number; readonly booked: number }) => void;
  /** Forgets the shards that are not among these. */
  keep: (shards: readonly number[]) => void;
  /** Milliseconds that the oldest entry has waited at least; 0: none waits. */
  oldestMs: () => number;
}

/**
 * An age is known from the looks at a shard alone: an entry that was the newest at one look and is not booked
 * at a later one has waited that long. The true age is larger by up to one pause between looks.
 */
export function createDrainAge(nowMs: () => number): DrainAge {
  const marks = new Map<number, { seq: number; sinceMs: number }>();
  return {
    see: (shard, { seq, booked }) => {
      if (seq <= booked) return void marks.delete(shard);
      const mark = marks.get(shard);
      // A number that falls is that of another epoch.
      if (mark && mark.seq > booked && mark.seq <= seq) return;
      marks.set(shard, { seq, sinceMs: nowMs() });
    },
    keep: (shards) => {
      const ours = new Set(shards);
      for (const shard of marks.keys()) if (!ours.has(shard)) marks.delete(shard);
    },
    oldestMs: () => {
      let sinceMs = nowMs();
      const now = sinceMs;
      for (const mark of marks.values()) sinceMs = Math.min(sinceMs, mark.sinceMs);
      return now - sinceMs;
    },
  };
}
