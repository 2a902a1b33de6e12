// How many connections there may be, those included whose key is not known yet.

import { gatewayError } from '@tollgate/contracts';

export interface PlaceLimits {
  /** Connections of the process. */
  most: number;
  /** Connections of one key. */
  perKey: number;
}

export interface Places {
  /**
   * Takes a place. Returns what gives it back.
   * @throws GatewayError `overloaded`, `rate_limit_exceeded`
   */
  take: (key: string) => () => void;
  /** No more places are given. */
  stop: () => void;
  /** Resolves when all are given back. */
  empty: () => Promise<void>;
}

const RETRY_AFTER_MS = 1_000;

export function createPlaces({ most, perKey }: PlaceLimits): Places {
  const byKey = new Map<string, number>();
  let taken = 0;
  let stopped = false;
  let onEmpty = (): void => undefined;

  const giveBack = (key: string): void => {
    taken -= 1;
    const left = (byKey.get(key) ?? 1) - 1;
    if (left > 0) byKey.set(key, left);
    else byKey.delete(key);
    if (taken === 0) onEmpty();
  };

  return {
    take: (key) => {
      const ofKey = byKey.get(key) ?? 0;
      if (stopped || taken >= most) throw full();
      if (ofKey >= perKey) throw fullForKey(perKey);
      taken += 1;
      byKey.set(key, ofKey + 1);
      return () => giveBack(key);
    },
    stop: () => {
      stopped = true;
    },
    empty: async () => {
      if (taken === 0) return;
      await new Promise<void>((resolve) => {
        onEmpty = resolve;
      });
    },
  };
}

function full() {
  return gatewayError('overloaded', undefined, {
    retryAfterMs: RETRY_AFTER_MS,
    details: { resource: 'WebSocket connections' },
  });
}

function fullForKey(most: number) {
  const text = `This API key has ${most} open WebSocket connections, which is the limit. Close one, or send POST requests.`;
  return gatewayError('rate_limit_exceeded', text, {
    retryAfterMs: RETRY_AFTER_MS,
    details: { resource: 'WebSocket connections', limit: most },
  });
}
