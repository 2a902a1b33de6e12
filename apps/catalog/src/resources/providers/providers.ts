import { mayDeclareResponses, rest, vendorByType, type UpstreamFormat } from '@tollgate/contracts';
import { checkBaseUrl, type AddressRules } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import { In, type EntityManager } from 'typeorm';

import { publishConnection } from '../../directory/connections';
import { freedName } from '../../entities/freed-name';
import { Model } from '../../entities/model.entity';
import { ProviderApiKey } from '../../entities/provider-api-key.entity';
import { Provider } from '../../entities/provider.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { conflict, invalid } from '../../rest/field-errors';
import { idKey, likePattern, readPage } from '../../rest/paging';
import { ApiKeyModelGrant } from '../apikeys/api-key-model-grant.entity';
import { forgetProvider } from '../apikeys/passthrough-grants';
import { bySpend, joinMonthSpend, monthSpendOf } from '../spend/month-spend';
import { checkCloudUrl, checkSecret } from './cloud-checks';
import { findProvider, type ProviderDeps } from './find-provider';
import { shownRule } from './passthrough-rules';
import { insertKey, PROVIDER_KEYS_SHOWN, representKey } from './provider-keys';

function represent(row: Provider, keys: readonly ProviderApiKey[]): rest.Provider {
  return {
    id: row.id,
    organisationId: row.organisationId,
    name: row.name,
    type: row.type,
    upstreamFormat: row.upstreamFormat,
    baseUrl: row.baseUrl,
    apiVersion: row.apiVersion,
    nativeResponses: row.nativeResponses,
    region: row.region,
    headers: row.headers,
    timeoutMs: row.timeoutMs,
    connectTimeoutMs: row.connectTimeoutMs,
    firstByteTimeoutMs: row.firstByteTimeoutMs,
    idleTimeoutMs: row.idleTimeoutMs,
    passthroughRules: row.passthroughRules.map(shownRule),
    status: row.status === 'ACTIVE' ? 'ACTIVE' : 'DISABLED',
    connectionVersion: row.connectionVersion,
    apiKeys: keys.map(representKey),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export async function list(
  call: Call<typeof rest.listProviders>,
): Promise<rest.PageOf<rest.ListedProvider>> {
  const { query, db } = call;
  const rows = db
    .createQueryBuilder(Provider, 'provider')
    .where(`provider.organisationId = :organisationId AND provider.status <> 'ARCHIVED'`, {
      organisationId: call.organisation.id,
    });
  if (query.type !== undefined) rows.andWhere('provider.type = :type', { type: query.type });
  if (query.status !== undefined) {
    rows.andWhere('provider.status = :status', { status: query.status });
  }
  if (query.search !== undefined) {
    rows.andWhere('provider.name ILIKE :search', { search: likePattern(query.search) });
  }
  joinMonthSpend(rows, call, { owner: 'provider_id', id: 'provider.id' });
  const id = idKey<Provider>('provider.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    total: query.total,
    sort: query.sort ?? 'name',
    id,
    keys: {
      createdAt: id,
      name: { column: 'provider.name', of: (row) => row.name },
      spentUsd: bySpend<Provider>(),
    },
  });
  const ids = page.rows.map((row) => row.id);
  const spent = await monthSpendOf(call, 'provider_id', ids);
  const keys = await db.find(ProviderApiKey, {
    where: { providerId: In(ids), status: In(PROVIDER_KEYS_SHOWN) },
    order: { id: 'ASC' },
  });
  const data = page.rows.map((row) => ({
    ...represent(
      row,
      keys.filter((key) => key.providerId === row.id),
    ),
    spentUsd: spent(row.id),
  }));
  return { data, nextCursor: page.nextCursor, matching: page.matching };
}

export async function get(call: Call<typeof rest.getProvider>): Promise<rest.Provider> {
  return withKeys(call.db, await findProvider(call, call.params.providerId));
}

export async function create(
  call: Call<typeof rest.createProvider>,
  deps: ProviderDeps,
): Promise<rest.Provider> {
  const { db, organisation } = call;
  const { apiKey, apiKeys, passthroughRules, upstreamFormat, ...settings } = call.body;
  const id = uuidv7();
  const format = formatOf(settings.type, upstreamFormat);
  checkDeclared(settings, { type: settings.type, upstreamFormat: format });
  const baseUrl = checkedBaseUrl(settings.baseUrl, deps.addressRules);
  const checked = { organisationId: organisation.id, type: settings.type, baseUrl };
  checkCloudUrl(checked);
  if (apiKey !== undefined) checkSecret(checked, apiKey, deps);
  for (const [at, key] of apiKeys.entries()) {
    checkSecret(checked, key.apiKey, deps, `apiKeys.${at}.apiKey`);
  }
  await db.insert(Provider, {
    id,
    organisationId: organisation.id,
    ...settings,
    passthroughRules: passthroughRules.map(rest.storedRule),
    baseUrl,
    upstreamFormat: format,
  });
  const single = apiKey === undefined ? [] : [{ name: 'default', apiKey, weight: 1 }];
  for (const key of [...single, ...apiKeys]) {
    await insertKey(db, deps.keyRing, { organisationId: organisation.id, providerId: id }, key);
  }
  await publishConnection(db, id);
  const after = await withKeys(db, await findProvider(call, id));
  call.changed({
    action: 'provider.create',
    organisationId: organisation.id,
    target: { type: 'provider', id },
    after,
    news: [{ kind: 'PROVIDER', organisationId: organisation.id }],
  });
  return after;
}

export async function update(
  call: Call<typeof rest.updateProvider>,
  deps: ProviderDeps,
): Promise<rest.Provider> {
  const { db, organisation, body } = call;
  const id = call.params.providerId;
  const before = await withKeys(db, await findProvider(call, id, true));
  call.expectMatch(before);
  const { passthroughRules, ...patch } = definedFields(body);
  checkDeclared(patch, before);
  if (patch.baseUrl !== undefined) {
    patch.baseUrl = checkedBaseUrl(patch.baseUrl, deps.addressRules);
    checkCloudUrl({ type: before.type, baseUrl: patch.baseUrl });
    // A stored key is write-only, so changing the origin must not send it elsewhere.
    if (before.apiKeys.length > 0 && !sameOrigin(patch.baseUrl, before.baseUrl)) {
      throw invalid(
        'baseUrl',
        'the stored keys are for another host: add a new provider, or delete the keys first',
      );
    }
  }
  // The next version has the new region; what was stored through earlier ones stays in the old one.
  const moved = patch.region !== undefined && patch.region !== before.region;
  const regionFromVersion = before.connectionVersion + 1;
  const rules = passthroughRules && { passthroughRules: passthroughRules.map(rest.storedRule) };
  await db.update(
    Provider,
    { id },
    { ...patch, ...rules, ...(moved ? { regionFromVersion } : {}) },
  );
  await publishConnection(db, id);
  const after = await withKeys(db, await findProvider(call, id));
  call.changed({
    action: 'provider.update',
    organisationId: organisation.id,
    target: { type: 'provider', id },
    before,
    after,
    news: [{ kind: 'PROVIDER', organisationId: organisation.id }],
  });
  return after;
}

/** Keeps the row for records that name it, deletes its secrets, and frees its name. */
export async function remove(call: Call<typeof rest.deleteProvider>): Promise<void> {
  const { db, organisation } = call;
  const id = call.params.providerId;
  const row = await findProvider(call, id, true);
  const before = await withKeys(db, row);
  call.expectMatch(before);
  const models = await db
    .createQueryBuilder(Model, 'model')
    .where(`model.providerId = :id AND model.status <> 'ARCHIVED'`, { id })
    .getCount();
  if (models > 0) throw conflict('providerId', `${models} models still use this provider`);
  await db.delete(ProviderApiKey, { providerId: id });
  await db.delete(ApiKeyModelGrant, { providerId: id });
  await forgetProvider(db, organisation.id, id);
  await db.update(Provider, { id }, { status: 'ARCHIVED', name: freedName(row.name, id) });
  await publishConnection(db, id);
  call.changed({
    action: 'provider.delete',
    organisationId: organisation.id,
    target: { type: 'provider', id },
    before,
    news: [{ kind: 'PROVIDER', organisationId: organisation.id }],
  });
}

async function withKeys(db: EntityManager, row: Provider): Promise<rest.Provider> {
  const keys = await db.find(ProviderApiKey, {
    where: { providerId: row.id, status: In(PROVIDER_KEYS_SHOWN) },
    order: { id: 'ASC' },
  });
  return represent(row, keys);
}

function checkDeclared(
  { nativeResponses }: { nativeResponses?: boolean },
  { type, upstreamFormat }: Pick<rest.Provider, 'type' | 'upstreamFormat'>,
): void {
  if (!nativeResponses || mayDeclareResponses(type, upstreamFormat)) return;
  throw invalid(
    'nativeResponses',
    'may be true only for a provider of type CUSTOM with format openai',
  );
}

/** Whether two URLs have the same scheme, host and port. */
function sameOrigin(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

/** Removes a trailing slash, so that paths can be appended. */
export function checkedBaseUrl(baseUrl: string, addressRules: AddressRules): string {
  const verdict = checkBaseUrl(baseUrl, addressRules);
  if (!verdict.ok) throw invalid('baseUrl', verdict.reason);
  return baseUrl.replace(/\/+$/, '');
}

export function formatOf(
  type: rest.ProviderCreate['type'],
  chosen?: UpstreamFormat,
): UpstreamFormat {
  const { formats, upstreamFormat: own } = vendorByType(type);
  if (own === null && chosen !== undefined && !formats.includes(chosen)) {
    throw invalid('upstreamFormat', `a provider of type ${type} uses ${formats.join(' or ')}`);
  }
  if (own === null && chosen === undefined) {
    throw invalid('upstreamFormat', `a provider of type ${type} needs one`);
  }
  if (own !== null && chosen !== undefined && chosen !== own) {
    throw invalid('upstreamFormat', `a provider of type ${type} uses format ${own}`);
  }
  return own ?? chosen ?? 'openai';
}
