import { createBoundedCache, singleFlight, type Clock } from '@tollgate/kit';
import type { Tokens } from './session';

/** For so long requests that were on their way with the old token get the new ones too. */
const REMEMBER_MS = 10_000;
const REMEMBERED = 10_000;

/** New tokens for a refresh token; undefined when the session has ended. Throws when nobody can say. */
export type Refresh = (refreshToken: string) => Promise<Tokens | undefined>;

/**
 * A refresh token is exchanged once, however many requests of a page come with it at the same time
 * or shortly after: a second exchange would look like a stolen token.
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
