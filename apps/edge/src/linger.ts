import { RETIRED } from '@tollgate/kit';

/**
 * A client's next request on an open connection of a replaced worker arrives within this time, or
 * finds the connection closed.
 */
export const RETIRED_LINGER_MS = 5_000;

/** How long a process that stops for this reason serves connections without a request. */
export function lingerMsOf(reason: string, configuredMs: number): number {
  return reason === RETIRED ? Math.max(configuredMs, RETIRED_LINGER_MS) : configuredMs;
}
