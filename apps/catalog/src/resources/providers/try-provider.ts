import { restError, type rest } from '@tollgate/contracts';
import { openSecret, secretContext } from '@tollgate/contracts/node';
import type { EntityManager } from 'typeorm';

import { ProviderApiKey } from '../../entities/provider-api-key.entity';
import type { Provider } from '../../entities/provider.entity';
import type { Call } from '../../rest/call';
import { conflict } from '../../rest/field-errors';
import { findProvider, type ProviderDeps } from './find-provider';
import { checkedBaseUrl, formatOf } from './providers';
import { askUpstream, type AskLimits, type Upstream } from './upstream/ask-upstream';
import { testWays } from './upstream/model-lists';

/** Tests a provider by asking its upstream for the first page of models. */

const TEST = { timeoutMs: 10_000, maxPages: 1, maxModels: 10_000 } as const;

/** Limit of concurrent calls to upstreams in this process, over all callers. */
const MOST_AT_ONCE = 16;
let atOnce = 0;

/** An upstream with one saved key or none. Never logged: it holds the secret. */
export interface KeyedUpstream {
  readonly keyId: string | null;
  readonly keyName: string | null;
  readonly upstream: Upstream;
}

export async function testProvider(
  call: Call<typeof rest.testProvider>,
  deps: ProviderDeps,
): Promise<rest.ProviderTest> {
  const provider = await findProvider(call, call.params.providerId);
  const keys = await keysFor(call.db, provider, call.body.keyId);
  // A provider whose keys are all disabled is not tested without a key.
  if (keys.length === 0 && (await hasKeys(call.db, provider.id))) {
    throw conflict('keyId', 'the provider has no active key; name the one to try');
  }
  return testAll(keyedUpstreams(deps, provider, keys), deps);
}

export async function testDraft(
  call: Call<typeof rest.testProviderDraft>,
  deps: ProviderDeps,
): Promise<rest.ProviderTest> {
  const { type, upstreamFormat, baseUrl, apiKey, ...settings } = call.body;
  const upstream: Upstream = {
    ...settings,
    type,
    upstreamFormat: formatOf(type, upstreamFormat),
    baseUrl: checkedBaseUrl(baseUrl, deps.addressRules),
    secret: apiKey ?? null,
  };
  return testAll([{ keyId: null, keyName: null, upstream }], deps);
}

/** The key named, whatever its status, or every active one. */
export async function keysFor(
  db: EntityManager,
  provider: Provider,
  keyId: string | undefined,
): Promise<ProviderApiKey[]> {
  const where = { providerId: provider.id };
  if (keyId === undefined) {
    return db.find(ProviderApiKey, { where: { ...where, status: 'ACTIVE' }, order: { id: 'ASC' } });
  }
  const found = await db.findOneBy(ProviderApiKey, { ...where, id: keyId });
  if (found === null || found.status === 'REVOKED') throw restError('not_found');
  return [found];
}

export function hasKeys(db: EntityManager, providerId: string): Promise<boolean> {
  return db.existsBy(ProviderApiKey, { providerId });
}

/** The provider with each of its keys, or without one when it has none. */
export function keyedUpstreams(
  deps: ProviderDeps,
  provider: Provider,
  keys: readonly ProviderApiKey[],
): KeyedUpstream[] {
  const { type, upstreamFormat, apiVersion, headers, connectTimeoutMs } = provider;
  // The rules may have changed since it was saved.
  const baseUrl = checkedBaseUrl(provider.baseUrl, deps.addressRules);
  const settings = { type, upstreamFormat, baseUrl, apiVersion, headers, connectTimeoutMs };
  if (keys.length === 0) {
    return [{ keyId: null, keyName: null, upstream: { ...settings, secret: null } }];
  }
  return keys.map((key) => ({
    keyId: key.id,
    keyName: key.name,
    upstream: {
      ...settings,
      secret: openSecret(deps.keyRing, key, secretContext(provider.id, key.id)),
    },
  }));
}

/** Takes slots for calls to upstreams, or throws 429; releases them afterwards. */
export async function withUpstreamSlots<T>(places: number, work: () => Promise<T>): Promise<T> {
  if (atOnce + places > MOST_AT_ONCE && atOnce > 0) throw restError('too_many_requests');
  atOnce += places;
  try {
    return await work();
  } finally {
    atOnce -= places;
  }
}

async function testAll(
  upstreams: readonly KeyedUpstream[],
  deps: ProviderDeps,
): Promise<rest.ProviderTest> {
  const limits = { ...TEST, addressRules: deps.addressRules };
  const results = await withUpstreamSlots(upstreams.length, () =>
    Promise.all(upstreams.map((one) => testOne(one, limits))),
  );
  return { ok: results.every(({ ok }) => ok), results };
}

async function testOne(
  { keyId, keyName, upstream }: KeyedUpstream,
  limits: AskLimits,
): Promise<rest.KeyTest> {
  const startedMs = performance.now();
  const ways = testWays(upstream.type, upstream.upstreamFormat);
  const asked = await askUpstream(upstream, ways, limits);
  const latencyMs = Math.round(performance.now() - startedMs);
  const models = asked.ok ? asked.models.length : null;
  const failure = asked.ok ? null : asked.failure;
  return { keyId, keyName, ok: asked.ok, latencyMs, models, failure };
}
