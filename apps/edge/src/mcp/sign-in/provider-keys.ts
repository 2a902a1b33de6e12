// The public keys of identity providers, found through the issuer's own metadata. Addresses follow the same
// rules as those of providers: none in private networks, no redirects, bounded sizes and times.

import { gatewayError, type GatewayError } from '@tollgate/contracts';
import { createBoundedCache, isLoopback, singleFlight } from '@tollgate/kit';
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';

import type { Agents } from '../../upstream/agents';
import { smallCall } from '../../upstream/small-call';

export interface ProviderKeys {
  /**
   * `keyId`: of the token; undefined: it names none. A provider's keys are read again for an unknown one, but
   * not more often than every half minute.
   * @throws GatewayError `dependency_unavailable`
   */
  of: (issuer: string, keyId: string | undefined) => Promise<JWTVerifyGetKey>;
}

export interface ProviderKeysDeps {
  readonly agents: Agents;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
}

const MOST_ISSUERS = 500;
const MOST_KEYS = 100;
const LIMITS = {
  connectMs: 5_000,
  answerMs: 5_000,
  totalMs: 10_000,
  answerBytes: 256 * 1024,
} as const;
/** Keys are read again after this time. */
const FRESH_MS = 600_000;
/** Known keys go on for this long while their provider is away. */
const STALE_MS = 3_600_000;
const AGAIN_MS = 30_000;

interface Entry {
  readonly get: JWTVerifyGetKey;
  readonly ids: ReadonlySet<string>;
  readonly atMs: number;
}

const metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(MOST_KEYS) });

export function createProviderKeys(deps: ProviderKeysDeps): ProviderKeys {
  const { nowMs } = deps;
  const known = createBoundedCache<string, Entry>({ max: MOST_ISSUERS });
  const triedMs = createBoundedCache<string, { atMs: number; error: GatewayError | undefined }>({
    max: MOST_ISSUERS,
  });
  const flight = singleFlight<JWTVerifyGetKey>();

  const load = async (issuer: string, before: Entry | undefined): Promise<JWTVerifyGetKey> => {
    try {
      const keys = await readKeys(deps.agents, issuer);
      const ids = new Set(keys.keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid])));
      const entry = { get: createLocalJWKSet(keys), ids, atMs: nowMs() };
      known.set(issuer, entry);
      triedMs.set(issuer, { atMs: nowMs(), error: undefined });
      return entry.get;
    } catch (cause) {
      const error = away(cause);
      triedMs.set(issuer, { atMs: nowMs(), error });
      if (before !== undefined && nowMs() - before.atMs < STALE_MS) return before.get;
      throw error;
    }
  };

  return {
    of: async (issuer, keyId) => {
      const entry = known.get(issuer);
      const has = entry !== undefined && (keyId === undefined || entry.ids.has(keyId));
      if (has && nowMs() - entry.atMs < FRESH_MS) return entry.get;
      const last = triedMs.get(issuer);
      if (last !== undefined && nowMs() - last.atMs < AGAIN_MS) {
        if (entry !== undefined && nowMs() - entry.atMs < STALE_MS) return entry.get;
        throw last.error ?? away(new Error('the keys are too old'));
      }
      return flight(issuer, () => load(issuer, entry));
    },
  };
}

function away(cause: unknown): GatewayError {
  const text = "The organisation's identity provider could not be asked for its keys. Retry later.";
  return gatewayError('dependency_unavailable', text, {
    cause,
    details: { dependency: 'identity_provider' },
    retryAfterMs: 5_000,
  });
}

async function readKeys(agents: Agents, issuer: string): Promise<JSONWebKeySet> {
  const { jwks_uri: url } = await readMetadata(agents, issuer);
  assertSafe(url);
  return keySet.parse(await readJson(agents, new URL(url)));
}

/** OpenID Connect Discovery first, then RFC 8414, whose path comes before that of the issuer. */
async function readMetadata(agents: Agents, issuer: string): Promise<z.output<typeof metadata>> {
  assertSafe(issuer);
  const base = new URL(issuer);
  const path = base.pathname.replace(/\/$/, '');
  const places = [
    `${path}/.well-known/openid-configuration`,
    `/.well-known/oauth-authorization-server${path}`,
  ];
  let failure: unknown;
  for (const place of places) {
    try {
      const found = metadata.parse(await readJson(agents, new URL(place, base.origin)));
      if (found.issuer !== issuer) throw new Error('the metadata is of another issuer');
      return found;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function assertSafe(url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''))) return;
  throw new Error('an address of the identity provider does not begin with https://');
}

async function readJson(agents: Agents, url: URL): Promise<unknown> {
  const { agent, release } = agents.open(url.origin, LIMITS.connectMs);
  const call = { method: 'GET' as const, headers: {}, body: '', limits: LIMITS };
  try {
    const { answer, body } = await smallCall({ dispatcher: agent, url, ...call });
    if (answer.status !== 200) throw new Error(`${url.pathname}: status ${answer.status}`);
    return JSON.parse(body.toString('utf8')) as unknown;
  } finally {
    release();
  }
}
