import { createHash } from 'node:crypto';
import { rest } from '@tollgate/contracts';
import { createBoundedCache, singleFlight, type Clock } from '@tollgate/kit';

import type { RestClient } from '../api/rest-client';

/** A key close to expiry could fail within a conversation. */
const EARLY_MS = 60_000;
const KEPT = 5_000;

export interface PlaygroundKey {
  readonly key: string;
  readonly modelIds: readonly string[];
  readonly madeAtMs: number;
  readonly expiresAtMs: number;
}

export interface PlaygroundKeys {
  /** The cached key of this session and organisation, or a new one. @throws ApiError */
  get(access: string, organisationId: string): Promise<PlaygroundKey>;
  /** Forgets a key that the gateway rejected. */
  drop(access: string, organisationId: string): void;
}

/**
 * The playground's temporary keys, in memory only. The access token is the cache key, so nobody can
 * find another user's key.
 */
export function createPlaygroundKeys(deps: {
  clock: Clock;
  clientFor: (access: string) => RestClient;
}): PlaygroundKeys {
  const { clock, clientFor } = deps;
  const keys = createBoundedCache<string, PlaygroundKey>({ max: KEPT });
  const once = singleFlight<PlaygroundKey>();

  const mint = async (access: string, organisationId: string): Promise<PlaygroundKey> => {
    const params = { organisationId };
    const made = await clientFor(access).call(rest.createPlaygroundKey, { params });
    const madeAtMs = clock.now();
    const expiresAtMs = made.expiresAt === null ? madeAtMs : Date.parse(made.expiresAt);
    return { key: made.key, modelIds: made.modelIds, madeAtMs, expiresAtMs };
  };

  return {
    get: async (access, organisationId) => {
      const name = nameOf(access, organisationId);
      const known = keys.get(name);
      if (known !== undefined && known.expiresAtMs - EARLY_MS > clock.now()) return known;
      return once(name, async () => {
        const key = await mint(access, organisationId);
        keys.set(name, key);
        return key;
      });
    },
    drop: (access, organisationId) => {
      keys.delete(nameOf(access, organisationId));
    },
  };
}

function nameOf(access: string, organisationId: string): string {
  return createHash('sha256').update(`${organisationId} ${access}`).digest('hex');
}
