const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** The last 24 hours in whole hours, so that the query stays cached. */
export function lastDay(nowMs: number): { from: string; to: string } {
  const endMs = Math.ceil((nowMs + 1) / HOUR_MS) * HOUR_MS;
  return {
    from: new Date(endMs - DAY_HOURS * HOUR_MS).toISOString(),
    to: new Date(endMs).toISOString(),
  };
}
