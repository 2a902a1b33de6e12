import type { rest } from '@tollgate/contracts';
import { In } from 'typeorm';

import { ApiKey } from '../../entities/api-key.entity';
import { McpSignIn } from '../../entities/mcp-sign-in.entity';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';

/** Which tokens of an identity provider stand for which API keys at MCP servers. */

type Reading = Pick<Call, 'db' | 'organisation'>;

export async function get(call: Call<typeof rest.getMcpSignIn>): Promise<rest.McpSignIn> {
  return represent(await find(call));
}

export async function set(call: Call<typeof rest.setMcpSignIn>): Promise<rest.McpSignIn> {
  const { body, db, nowMs, organisation } = call;
  const found = await find(call, true);
  const before = represent(found);
  call.expectMatch(before);
  await assertKeys(call, body.rules, found?.rules ?? []);
  const row = { ...body, organisationId: organisation.id, updatedAt: new Date(nowMs) };
  await db.upsert(McpSignIn, row, ['organisationId']);
  const after = represent(await find(call));
  noteChange(call, found === null ? 'create' : 'update', { before, after });
  return after;
}

export async function remove(call: Call<typeof rest.deleteMcpSignIn>): Promise<void> {
  const before = represent(await find(call, true));
  call.expectMatch(before);
  const { affected } = await call.db.delete(McpSignIn, { organisationId: call.organisation.id });
  if (affected === 0) return;
  noteChange(call, 'delete', { before });
}

function find({ db, organisation }: Reading, locked = false): Promise<McpSignIn | null> {
  return db.findOne(McpSignIn, {
    where: { organisationId: organisation.id },
    ...(locked ? { lock: { mode: 'pessimistic_write' as const } } : {}),
  });
}

/** A rule that stays may name a key that has been revoked since. */
async function assertKeys(
  { db, organisation }: Reading,
  rules: rest.McpSignInPut['rules'],
  present: rest.McpSignInPut['rules'],
): Promise<void> {
  const known = new Set(present.map(({ apiKeyId }) => apiKeyId));
  const ids = rules.map(({ apiKeyId }) => apiKeyId).filter((id) => !known.has(id));
  const found = await db.find(ApiKey, {
    select: { id: true },
    where: { id: In(ids), organisationId: organisation.id, kind: 'NORMAL', status: 'ACTIVE' },
  });
  const usable = new Set([...known, ...found.map(({ id }) => id)]);
  for (const [at, { apiKeyId }] of rules.entries()) {
    if (usable.has(apiKeyId)) continue;
    throw invalid(`rules[${at}].apiKeyId`, 'is no active API key of this organisation');
  }
}

function noteChange(
  call: Pick<Call, 'changed' | 'organisation'>,
  verb: 'create' | 'update' | 'delete',
  states: { before: rest.McpSignIn; after?: rest.McpSignIn },
): void {
  const { id } = call.organisation;
  call.changed({
    action: `mcp-sign-in.${verb}`,
    organisationId: id,
    target: { type: 'mcp-sign-in', id },
    ...states,
  });
}

function represent(row: McpSignIn | null): rest.McpSignIn {
  return {
    issuer: row?.issuer ?? null,
    audiences: row?.audiences ?? [],
    scopes: row?.scopes ?? [],
    rules: row?.rules ?? [],
    updatedAt: row?.updatedAt.toISOString() ?? null,
  };
}
