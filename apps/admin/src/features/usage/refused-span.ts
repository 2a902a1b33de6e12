import { rest } from '@tollgate/contracts';

import type { Span } from './range';

const HOUR_MS = 3_600_000;
const KEPT_MS = rest.REFUSED_DAYS * 24 * HOUR_MS;

/** The part of a period from which refused requests are still kept. Undefined: the period is older, or has not begun. */
export function keptOf({ startMs, endMs }: Span, nowMs: number): Span | undefined {
  const kept = {
    startMs: Math.max(startMs, nowMs - KEPT_MS),
    // Refused requests are counted by the hour, and the current hour is not over.
    endMs: Math.min(endMs, Math.ceil(nowMs / HOUR_MS) * HOUR_MS),
  };
  return kept.startMs < kept.endMs ? kept : undefined;
}
