// Which organisation accepts tokens, by its slug. Kept for a few seconds, also that there is none: a change
// counts after five seconds at most, and made-up slugs cost the catalog little.

import { gatewayError } from '@tollgate/contracts';
import type { McpSignIn__Output } from '@tollgate/contracts/node';
import { createBoundedCache, singleFlight } from '@tollgate/kit';

export interface SignIn {
  readonly version: number;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly scopes: readonly string[];
  readonly rules: readonly SignInRule[];
}

export interface SignInRule {
  readonly claim: string;
  readonly value: string;
  readonly keySha256: Buffer;
}

export interface SignIns {
  /**
   * Undefined: the organisation is unknown, or accepts no tokens.
   * @throws GatewayError `dependency_unavailable`, `overloaded`
   */
  of: (organisation: string) => Promise<SignIn | undefined>;
}

export interface SignInsDeps {
  fetch: (organisation: string) => Promise<McpSignIn__Output | undefined>;
  /** Monotonic milliseconds. */
  nowMs: () => number;
}

const MOST = 2_000;
const FRESH_MS = 5_000;
/** What is known goes on for this long while the catalog is away. */
const STALE_MS = 60_000;
/** Lookups of slugs that are not kept, in a second. */
const LOOKUPS_PER_SECOND = 50;
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

interface Entry {
  readonly signIn: SignIn | undefined;
  readonly atMs: number;
}

export function createSignIns({ fetch, nowMs }: SignInsDeps): SignIns {
  const known = createBoundedCache<string, Entry>({ max: MOST });
  const flight = singleFlight<SignIn | undefined>();
  let second = { startedMs: nowMs(), lookups: 0 };

  const countLookup = (): void => {
    if (nowMs() - second.startedMs >= 1_000) second = { startedMs: nowMs(), lookups: 0 };
    second.lookups += 1;
    if (second.lookups <= LOOKUPS_PER_SECOND) return;
    throw gatewayError('overloaded', undefined, { retryAfterMs: 1_000 });
  };

  const load = async (organisation: string, before: Entry | undefined) => {
    if (before === undefined) countLookup();
    try {
      const found = await fetch(organisation);
      const same = before?.signIn !== undefined && found?.version === before.signIn.version;
      const signIn = same ? before.signIn : found && signInOf(found);
      known.set(organisation, { signIn, atMs: nowMs() });
      return signIn;
    } catch (cause) {
      if (before !== undefined && nowMs() - before.atMs < STALE_MS) return before.signIn;
      throw gatewayError('dependency_unavailable', undefined, {
        cause,
        details: { dependency: 'catalog' },
      });
    }
  };

  return {
    of: async (organisation) => {
      if (!SLUG.test(organisation)) return undefined;
      const entry = known.get(organisation);
      if (entry !== undefined && nowMs() - entry.atMs < FRESH_MS) return entry.signIn;
      return flight(organisation, () => load(organisation, entry));
    },
  };
}

function signInOf({ version, issuer, audiences, scopes, rules }: McpSignIn__Output): SignIn {
  return {
    version,
    issuer,
    audiences,
    scopes,
    rules: rules.map(({ claim, value, keySha256 }) => ({
      claim,
      value,
      keySha256: Buffer.from(keySha256),
    })),
  };
}
