import { formatUsd } from '@tollgate/contracts';
import type { LimitState__Output } from '@tollgate/contracts/node';

/** The kinds of rate limit that SDKs know headers for. */
const RATES: Readonly<Record<string, string>> = {
  RATE_REQUESTS: 'requests',
  RATE_TOKENS: 'tokens',
};

/**
 * What is left of the tightest limits, for the client to pace itself by. `freedNanoUsd` is what every
 * budget gets back when the request settles: its hold less its cost, where that is known already.
 */
export function limitHeaders(
  limits: readonly LimitState__Output[],
  nowMs: number,
  freedNanoUsd = 0n,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const least = new Map<string, bigint>();
  for (const limit of limits) {
    const rate = RATES[limit.kind];
    if (rate === undefined && limit.kind !== 'BUDGET') continue;
    const left = remaining(limit, rate === undefined ? freedNanoUsd : 0n);
    const known = least.get(limit.kind);
    if (known !== undefined && known <= left) continue;
    least.set(limit.kind, left);
    if (rate === undefined) {
      headers['x-tollgate-budget-remaining-usd'] = formatUsd(left);
      continue;
    }
    headers[`x-ratelimit-limit-${rate}`] = limit.limit;
    headers[`x-ratelimit-remaining-${rate}`] = left.toString();
    headers[`x-ratelimit-reset-${rate}`] = wait(limit.resetsAtMs - nowMs);
  }
  return headers;
}

function remaining(limit: LimitState__Output, freed: bigint): bigint {
  const left = amount(limit.limit) - amount(limit.settled) - amount(limit.held) + freed;
  return left > 0n ? left : 0n;
}

function amount(text: string): bigint {
  return text === '' ? 0n : BigInt(text);
}

/** As SDKs' users know it: `45ms`, `1.5s`, `6m0s`. */
function wait(ms: number): string {
  if (ms <= 0) return '0s';
  if (ms < 1_000) return `${Math.ceil(ms)}ms`;
  if (ms < 60_000) return `${Math.ceil(ms / 100) / 10}s`;
  const seconds = Math.ceil(ms / 1_000);
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
