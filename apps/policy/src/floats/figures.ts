import type { Hold } from '../store';
import type { MemoryHold, ShardMemory } from './memory';

// What operators and the catalog are told of the memory.

export interface FloatFigures {
  /** Requests in memory. */
  readonly holds: number;
  /** Counters of which something is lent. */
  readonly counters: number;
}

export function figuresOf(memories: Iterable<ShardMemory>): FloatFigures {
  let [holds, counters] = [0, 0];
  for (const memory of memories) {
    holds += memory.holds.size;
    for (const { cap } of memory.counters.values()) if (cap > 0n) counters += 1;
  }
  return { holds, counters };
}

/** Decided before an instant, as ordinary holds, by shard. */
export function holdsBefore(
  memories: Iterable<ShardMemory>,
  decidedBeforeMs: number,
  count: number,
): Map<number, Hold[]> {
  const found = new Map<number, Hold[]>();
  for (const { shard, holds: inMemory } of memories) {
    const holds: Hold[] = [];
    // In the order of the decisions.
    for (const hold of inMemory.values()) {
      if (hold.decidedAtMs >= decidedBeforeMs || holds.length >= count) break;
      if (hold.state !== 'ENDING') holds.push(asHeld(hold));
    }
    if (holds.length > 0) found.set(shard, holds);
  }
  return found;
}

function asHeld({ requestId, authorisedAtMs, leaseUntilMs, step, ticketText }: MemoryHold): Hold {
  const ended = { endedAtMs: 0, seq: 0 };
  return { requestId, state: 'HELD', authorisedAtMs, leaseUntilMs, step, ticketText, ...ended };
}
