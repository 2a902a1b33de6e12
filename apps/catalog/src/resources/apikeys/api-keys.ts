import { defaultTrust, restError, type rest } from '@tollgate/contracts';
import { newApiKey } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { EntityManager } from 'typeorm';

import { ApiKey } from '../../entities/api-key.entity';
import { reaches } from '../../rest/access';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { conflict } from '../../rest/field-errors';
import { assertRoutingPolicy } from '../routing-policies/find-routing-policy';
import { assertMayAdminister, ordinaryFields } from './administered-fields';
import { assertExpiry } from './expiry';
import { assertOwner } from './key-owner';
import {
  mcpGrantsByKey,
  mcpGrantsOf,
  replaceMcpGrants,
  representGrants,
  wantedGrants,
} from './mcp-grants';
import { modelGrantRows } from './model-grant-rows';
import { assertPassthroughProviders } from './passthrough-grants';
import { assertGrantable } from './single-model-grants';
import {
  assertStandingGrantable,
  setStandingGrants,
  standingGrantsOf,
} from './standing-model-grants';

type Granted = Pick<rest.ApiKey, 'modelIds' | 'modelGrants' | 'mcpServerIds' | 'mcpGrants'>;

export function represent(row: ApiKey, granted: Granted, nowMs: number): rest.ApiKey {
  return {
    id: row.id,
    organisationId: row.organisationId,
    name: row.name,
    type: row.type,
    status: statusOf(row, nowMs),
    preview: row.preview,
    teamId: row.teamId,
    userId: row.userId,
    ...granted,
    routingPolicyId: row.routingPolicyId,
    allowedRegions: row.allowedRegions,
    passthroughProviderIds: row.passthroughProviderIds,
    trustedAttribution: row.trustedAttribution ?? defaultTrust(row.type),
    responseCache: row.responseCache,
    keepBodies: row.keepBodies,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

function statusOf(row: ApiKey, nowMs: number): rest.ApiKeyStatus {
  if (row.status === 'REVOKED') return 'REVOKED';
  return row.expiresAt !== null && row.expiresAt.getTime() <= nowMs ? 'EXPIRED' : 'ACTIVE';
}

export async function get(call: Call<typeof rest.getApiKey>): Promise<rest.ApiKey> {
  return withGrants(call, await findKey(call, call.params.apiKeyId));
}

export async function create(call: Call<typeof rest.createApiKey>): Promise<rest.ApiKeyWithSecret> {
  const { db, organisation, body, nowMs } = call;
  const owner = await assertOwner(call, body);
  assertExpiry(body.expiresAt ?? null, nowMs);
  assertMayAdminister(call, body, ordinaryFields(body.type));
  await assertGrantable(call, body.modelIds);
  await assertStandingGrantable(call, body.modelGrants);
  const { mcpServerIds } = body;
  const servers = await wantedGrants(
    call,
    body.mcpGrants.length > 0 ? { grants: body.mcpGrants } : { mcpServerIds },
    [],
  );
  await assertRoutingPolicy(call, body.routingPolicyId);
  await assertPassthroughProviders(call, body.passthroughProviderIds);
  const id = uuidv7();
  const { key, preview, sha256 } = newApiKey();
  await db.insert(ApiKey, {
    id,
    organisationId: organisation.id,
    name: body.name,
    type: body.type,
    ...owner,
    routingPolicyId: body.routingPolicyId,
    allowedRegions: body.allowedRegions,
    passthroughProviderIds: body.passthroughProviderIds,
    trustedAttribution: body.trustedAttribution ?? null,
    responseCache: body.responseCache,
    keepBodies: body.keepBodies,
    keySha256: sha256,
    preview,
    expiresAt: body.expiresAt === undefined ? null : new Date(body.expiresAt),
    createdBy: call.actor.id,
  });
  await modelGrantRows.replace(db, organisation.id, id, body.modelIds);
  await setStandingGrants(db, organisation.id, id, body.modelGrants);
  await replaceMcpGrants(db, organisation.id, id, servers);
  const after = await withGrants(call, await findKey(call, id));
  call.changed({
    action: 'apikey.create',
    organisationId: organisation.id,
    target: { type: 'apikey', id },
    after,
    // The data plane may have cached this key as unknown if it was tried before it existed.
    news: [{ kind: 'API_KEY', organisationId: organisation.id, keySha256: sha256 }],
  });
  return { ...after, key };
}

export async function update(call: Call<typeof rest.updateApiKey>): Promise<rest.ApiKey> {
  const { db, organisation, nowMs } = call;
  const row = await findKey(call, call.params.apiKeyId, true);
  const before = await withGrants(call, row);
  call.expectMatch(before);
  assertUsable(row);
  const { modelIds, modelGrants, mcpServerIds, mcpGrants, expiresAt, ...fields } = definedFields(
    call.body,
  );
  if (modelIds !== undefined) {
    await assertGrantable(call, modelIds, before.modelIds);
    await modelGrantRows.replace(db, organisation.id, row.id, modelIds);
  }
  if (modelGrants !== undefined) {
    await assertStandingGrantable(call, modelGrants, before.modelGrants);
    await setStandingGrants(db, organisation.id, row.id, modelGrants);
  }
  if (mcpServerIds !== undefined || mcpGrants !== undefined) {
    const present = await mcpGrantsOf(db, row.id);
    const servers = await wantedGrants(call, { mcpServerIds, grants: mcpGrants }, present);
    await replaceMcpGrants(db, organisation.id, row.id, servers);
  }
  if (expiresAt !== undefined) assertExpiry(expiresAt, nowMs);
  assertMayAdminister(call, fields, before);
  if (fields.routingPolicyId !== undefined) await assertRoutingPolicy(call, fields.routingPolicyId);
  const { passthroughProviderIds: called = [] } = fields;
  await assertPassthroughProviders(call, called, before.passthroughProviderIds);
  await db.update(
    ApiKey,
    { id: row.id },
    {
      ...fields,
      ...(expiresAt === undefined
        ? {}
        : { expiresAt: expiresAt === null ? null : new Date(expiresAt) }),
      updatedAt: new Date(nowMs),
    },
  );
  const after = await withGrants(call, await findKey(call, row.id));
  noteChange(call, 'apikey.update', row, before, after);
  return after;
}

export async function revoke(call: Call<typeof rest.revokeApiKey>): Promise<rest.ApiKey> {
  const { db, nowMs } = call;
  const row = await findKey(call, call.params.apiKeyId, true);
  const before = await withGrants(call, row);
  call.expectMatch(before);
  if (row.status === 'REVOKED') return before;
  await db.update(ApiKey, { id: row.id }, { status: 'REVOKED', revokedAt: new Date(nowMs) });
  const after = await withGrants(call, await findKey(call, row.id));
  noteChange(call, 'apikey.revoke', row, before, after);
  return after;
}

export async function rotate(call: Call<typeof rest.rotateApiKey>): Promise<rest.ApiKeyWithSecret> {
  const { db, organisation } = call;
  const row = await findKey(call, call.params.apiKeyId, true);
  const before = await withGrants(call, row);
  assertUsable(row);
  const { key, preview, sha256 } = newApiKey();
  await db.update(ApiKey, { id: row.id }, { keySha256: sha256, preview });
  const after = await withGrants(call, await findKey(call, row.id));
  noteChange(call, 'apikey.rotate', row, before, after, [
    { kind: 'API_KEY', organisationId: organisation.id, keySha256: sha256 },
  ]);
  return { ...after, key };
}

type InOrganisation = Pick<Call, 'db' | 'organisation' | 'access' | 'nowMs'>;

/** A key of the organisation within the caller's reach, or 404. Locked when `lock` is set. */
export async function findKey(call: InOrganisation, id: string, lock = false): Promise<ApiKey> {
  const found = await call.db.findOne(ApiKey, {
    where: { id, organisationId: call.organisation.id, kind: 'NORMAL' },
    ...(lock ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (found === null || !reaches(call.access, found)) throw restError('not_found');
  return found;
}

export async function withGrants(
  call: { db: EntityManager; nowMs: number },
  row: ApiKey,
): Promise<rest.ApiKey> {
  return represent(row, (await grantedTo(call.db, [row]))(row), call.nowMs);
}

export async function grantedTo(
  db: EntityManager,
  keys: readonly ApiKey[],
): Promise<(key: ApiKey) => Granted> {
  const ids = keys.map(({ id }) => id);
  const models = await modelGrantRows.byKey(db, ids);
  const standing = await standingGrantsOf(db, ids);
  const servers = await mcpGrantsByKey(db, ids);
  return ({ id }) => {
    const { mcpServerIds, grants: mcpGrants } = representGrants(servers.get(id) ?? []);
    return {
      modelIds: models.get(id) ?? [],
      modelGrants: standing.get(id) ?? [],
      mcpServerIds,
      mcpGrants,
    };
  };
}

export function noteChange(
  call: Pick<Call, 'changed'>,
  action: string,
  row: ApiKey,
  before: rest.ApiKey,
  after: rest.ApiKey,
  more: Parameters<Call['changed']>[0]['news'] = [],
): void {
  const { id, organisationId, keySha256 } = row;
  call.changed({
    action,
    organisationId,
    target: { type: 'apikey', id },
    before,
    after,
    news: [{ kind: 'API_KEY', organisationId, keySha256 }, ...more],
  });
}

export function assertUsable(row: ApiKey): void {
  if (row.status === 'REVOKED') throw conflict('status', 'a revoked key cannot be changed');
}
