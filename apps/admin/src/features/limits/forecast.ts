import { FORECAST_FROM_PART, formatUsd, parseUsd } from '@tollgate/contracts';

interface Spending {
  readonly spentUsd: string;
  readonly windowStart: string;
  readonly windowEnd: string;
}

/**
 * The projected spending at the window's end in US dollars, at the current pace; undefined while it
 * is too early to tell.
 */
export function forecastUsd(spending: Spending, nowMs: number): string | undefined {
  const startMs = Date.parse(spending.windowStart);
  const lengthMs = Date.parse(spending.windowEnd) - startMs;
  const goneMs = Math.min(nowMs - startMs, lengthMs);
  if (goneMs < lengthMs * FORECAST_FROM_PART) return undefined;
  const spent = parseUsd(spending.spentUsd, { allowNegative: true });
  return formatUsd((spent * BigInt(lengthMs)) / BigInt(Math.round(goneMs)));
}

/** The used part, above 1 when exceeded. A limit of zero is used up from the start. */
export function usedPart(amount: string, limit: string): number {
  const whole = parseUsd(limit);
  if (whole === 0n) return 1;
  return Number((parseUsd(amount, { allowNegative: true }) * 10_000n) / whole) / 10_000;
}
