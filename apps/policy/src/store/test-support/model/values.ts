import { isValueCounter } from '@tollgate/contracts';

import type { LedgerEntry, SeedCounter } from '../..';

// What is known of a missing counter: that one of a value is zero, or what the stream adds to the catalog's total.

/** As in the scripts. */
const SKEW_MS = 60_000;
const VALUE_FRESH_MS = 24 * 3_600_000;

/** Whatever counted in such a window of a value has created the counter, and it cannot have expired yet. */
export function startsAtZero(born: number, start: number, now: number): boolean {
  return start >= born + SKEW_MS && now - start < VALUE_FRESH_MS;
}

/** What entries after a position add to a window. Those of values name it; others match by dimension and instant. */
export function streamRemainder(
  stream: readonly LedgerEntry[],
  { limitId, metric, scopeId, scopeType, windowEndMs: end, windowStartMs: start }: SeedCounter,
  position: number,
): bigint {
  let sum = 0n;
  for (const e of stream) {
    if (e.late || e.mode === 'CANCELLED' || e.seq <= position) continue;
    if (isValueCounter(limitId)) {
      for (const t of e.touched) {
        const same = t.windowStartMs === start && t.windowEndMs === end;
        if (t.limitId === limitId && same) sum += t.amount;
      }
      continue;
    }
    const matches = (e.dimensions as Record<string, string>)[scopeType] === scopeId;
    if (matches && e.authorisedAtMs >= start && e.authorisedAtMs < end) sum += e.usage[metric];
  }
  return sum;
}
