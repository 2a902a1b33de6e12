// Dry runs cost work and no money. Each edge counts them for itself, so that they write nothing.

import { gatewayError } from '@tollgate/contracts';
import { createBoundedCache } from '@tollgate/kit';

export interface DryRunRate {
  /**
   * Before the work, and without counting: made-up keys take no room.
   * @throws GatewayError `rate_limit_exceeded` with the time until the next one may be sent
   */
  check: (keySha256: Buffer) => void;
  /** Counts one of a key that exists. @throws as `check` */
  take: (keySha256: Buffer) => void;
}

/** Keys that are forgotten first have not asked for the longest time. */
const KEYS_MOST = 10_000;
const MINUTE_MS = 60_000;

/** A bucket that fills steadily: a burst may be as large as what fits into a minute. */
export function createDryRunRate(deps: {
  perMinute: number;
  /** Monotonic milliseconds. */
  nowMs: () => number;
}): DryRunRate {
  const { nowMs, perMinute } = deps;
  const eachMs = MINUTE_MS / perMinute;
  /** By key: when its bucket is full again. */
  const fullAtMs = createBoundedCache<string, number>({ max: KEYS_MOST });
  const next = (key: string): number => {
    const now = nowMs();
    const atMs = Math.max(fullAtMs.get(key) ?? now, now) + eachMs;
    const overMs = atMs - now - MINUTE_MS;
    // Sums of fractions are off by less than a microsecond.
    if (overMs <= 0.001) return atMs;
    const text = `This API key sends more than ${perMinute} dry runs in a minute. Wait a little and send it again.`;
    throw gatewayError('rate_limit_exceeded', text, {
      retryAfterMs: overMs,
      details: { resource: 'dry runs', limit: perMinute },
    });
  };
  return {
    check: (keySha256) => void next(keySha256.toString('latin1')),
    take: (keySha256) => {
      const key = keySha256.toString('latin1');
      fullAtMs.set(key, next(key));
    },
  };
}
