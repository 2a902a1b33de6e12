import { createBoundedCache, singleFlight } from '@tollgate/kit';

export interface ConfirmedKeys {
  /** Whether the key is valid; synchronous if that is cached. */
  confirm: (keySha256: Buffer) => boolean | Promise<boolean>;
}

export interface ConfirmedKeysDeps {
  /** Asks policy. Rejects if policy cannot answer. */
  ask: (keySha256: Buffer) => Promise<boolean>;
  /** Monotonic milliseconds. */
  nowMs: () => number;
}

const REMEMBERED_MS = 30_000;
const REMEMBERED_MOST = 10_000;

/**
 * Caches for a short time which keys policy has confirmed, so that a client with many large bodies
 * does not wait for a round trip before each. Only valid keys are cached: a new key works at once,
 * and made-up keys take no room.
 */
export function createConfirmedKeys({ ask, nowMs }: ConfirmedKeysDeps): ConfirmedKeys {
  const until = createBoundedCache<string, number>({ max: REMEMBERED_MOST });
  const flight = singleFlight<boolean>();

  const confirm = async (key: string, keySha256: Buffer): Promise<boolean> => {
    const valid = await ask(keySha256);
    if (valid) until.set(key, nowMs() + REMEMBERED_MS);
    else until.delete(key);
    return valid;
  };

  return {
    confirm: (keySha256) => {
      const key = keySha256.toString('latin1');
      const untilMs = until.get(key);
      if (untilMs !== undefined && nowMs() < untilMs) return true;
      return flight(key, () => confirm(key, keySha256));
    },
  };
}
