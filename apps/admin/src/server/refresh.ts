import { createBoundedCache, singleFlight, type Clock } from '@tollgate/kit';

import type { Tokens } from './session';

/** Requests with the old token get the new tokens for this long. */
const REMEMBER_MS = 10_000;
const REMEMBERED = 10_000;

/**
 * New tokens for a refresh token; undefined when the session has ended. Throws when the catalog is
 * not reachable.
 */
export type Refresh = (refreshToken: string) => Promise<Tokens | undefined>;

/**
 * Exchanges a refresh token once, even for concurrent requests: a second exchange would look like
 * token theft.
 */
export function createRefresh(deps: { exchange: Refresh; clock: Clock }): Refresh {
  const { exchange, clock } = deps;
  const once = singleFlight<Tokens | undefined>();
  const recent = createBoundedCache<string, { tokens: Tokens; atMs: number }>({ max: REMEMBERED });

  return async (refreshToken) => {
    const known = recent.get(refreshToken);
    if (known !== undefined) {
      const ageMs = clock.now() - known.atMs;
      if (ageMs < REMEMBER_MS) return known.tokens;
      recent.delete(refreshToken);
    }
    return once(refreshToken, async () => {
      const tokens = await exchange(refreshToken);
      if (tokens !== undefined) recent.set(refreshToken, { tokens, atMs: clock.now() });
      return tokens;
    });
  };
}
