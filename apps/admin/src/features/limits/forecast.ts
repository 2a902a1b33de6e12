import { formatUsd, parseUsd } from '@tollgate/contracts';

type Spending = {
  readonly spentUsd: string;
  readonly windowStart: string;
  readonly windowEnd: string;
};

/** Before this much of a window is over, what it has spent says nothing of its end. */
const TELLING_PART = 0.05;

/**
 * What the window will have spent at its end if it goes on as it did so far, in US dollars;
 * undefined while that cannot be told yet.
 */
export function forecastUsd(spending: Spending, nowMs: number): string | undefined {
  const startMs = Date.parse(spending.windowStart);
  const lengthMs = Date.parse(spending.windowEnd) - startMs;
  const goneMs = Math.min(nowMs - startMs, lengthMs);
  if (goneMs < lengthMs * TELLING_PART) return undefined;
  const spent = parseUsd(spending.spentUsd, { allowNegative: true });
  return formatUsd((spent * BigInt(lengthMs)) / BigInt(Math.round(goneMs)));
}

/** 0 to 1 and beyond: a limit of nothing is used up from the start. */
export function usedPart(amount: string, limit: string): number {
  const whole = parseUsd(limit);
  if (whole === 0n) return 1;
  return Number((parseUsd(amount, { allowNegative: true }) * 10_000n) / whole) / 10_000;
}
