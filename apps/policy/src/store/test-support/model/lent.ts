import type { State } from './state';

// Floats as other calls of the model see them.

/** What floats have of a window. */
export function lentOf(data: State, limitId: string, start: number, end: number): bigint {
  let sum = 0n;
  for (const { parts } of data.floats.values()) {
    const part = parts.get(limitId);
    if (part?.start === start && part.end === end) sum += part.amount;
  }
  return sum;
}

/** A refusal by these limits, which wants back what floats have free of them. */
export function denied({ data, now }: { data: State; now: number }, refused: string[]) {
  let lent = false;
  for (const { parts } of data.floats.values()) {
    for (const limitId of refused) {
      const part = parts.get(limitId);
      const { start = 0, end = 0 } = data.counters.get(limitId) ?? {};
      if (part?.start !== start || part.end !== end || part.free === 0n) continue;
      data.wanted.set(limitId, now + 1_000);
      lent = true;
    }
  }
  return { limitIds: refused, lent: lent || undefined };
}
