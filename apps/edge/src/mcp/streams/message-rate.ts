// A rate for what policy does not count: notifications, responses of clients, and the opening of streams.
// Each edge counts for itself, so that no message waits for Redis.

import { gatewayError } from '@tollgate/contracts';
import { createBoundedCache } from '@tollgate/kit';

export interface MessageRate {
  /** @throws GatewayError `rate_limit_exceeded` with the time until the next one may be sent */
  take: (keySha256: Buffer) => void;
}

export interface MessageRateDeps {
  perMinute: number;
  /** Monotonic milliseconds. */
  nowMs: () => number;
}

/** Keys that are forgotten first have not sent anything for the longest time. */
const KEYS_MOST = 10_000;
const MINUTE_MS = 60_000;

/** A bucket that fills steadily: a burst may be as large as what fits into a minute. */
export function createMessageRate({ perMinute, nowMs }: MessageRateDeps): MessageRate {
  const eachMs = MINUTE_MS / perMinute;
  /** By key: when its bucket is full again. */
  const fullAtMs = createBoundedCache<string, number>({ max: KEYS_MOST });
  return {
    take: (keySha256) => {
      const key = keySha256.toString('latin1');
      const now = nowMs();
      const next = Math.max(fullAtMs.get(key) ?? now, now) + eachMs;
      const overMs = next - now - MINUTE_MS;
      // Sums of fractions are off by less than a microsecond.
      if (overMs <= 0.001) return fullAtMs.set(key, next);
      const text = `This API key sends more than ${perMinute} notifications, responses and streams to MCP servers in a minute. Wait a little and send it again.`;
      throw gatewayError('rate_limit_exceeded', text, {
        retryAfterMs: overMs,
        details: { resource: 'mcp messages', limit: perMinute },
      });
    },
  };
}
