import { canonicalJson, rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import type { StoredMcpRules } from '../../entities/mcp-server.entity';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import { ApiKeyMcpAccess } from './api-key-mcp-access.entity';
import { storedRulesOf, wholeRulesOf, widerKind } from './mcp-rules';
import { KEY_OF_SELF } from './standing-model-grants';
import { selfParameters, withinMcpReach } from './visible-mcp-servers';

/**
 * Grants of MCP servers to keys, and which of them a caller may give. Servers follow the rules for
 * models: a user gives only those that they have. Rules are compared with the user's own grants of
 * the same server: each kind of a new rule set must lie within one of those grants.
 */

export interface StoredMcpGrant {
  readonly mcpServerId: string;
  readonly rules: StoredMcpRules;
}

/** A body's way of naming grants: at most one of the two. */
export interface WantedMcpGrants {
  readonly mcpServerIds?: readonly string[] | undefined;
  readonly grants?: readonly rest.McpGrantInput[] | undefined;
}

const names = z.object({ allowed: z.array(z.string()), denied: z.array(z.string()) });
const storedRules = z
  .object({ tools: names, prompts: names, resources: names })
  .partial()
  .transform(storedRulesOf);
const storedGrant = z.object({ mcpServerId: z.string(), rules: storedRules });
const keysGrants = z.array(storedGrant.extend({ apiKeyId: z.string() }));

/** By key, in order of the servers' creation. */
export async function mcpGrantsByKey(
  db: EntityManager,
  apiKeyIds: readonly string[],
): Promise<Map<string, StoredMcpGrant[]>> {
  if (apiKeyIds.length === 0) return new Map();
  const rows = keysGrants.parse(
    await db.query(
      `SELECT api_key_id AS "apiKeyId", mcp_server_id AS "mcpServerId", rules
       FROM api_key_mcp_access WHERE api_key_id = ANY($1::uuid[]) ORDER BY mcp_server_id`,
      [apiKeyIds],
    ),
  );
  return Map.groupBy(rows, ({ apiKeyId }) => apiKeyId);
}

export async function mcpGrantsOf(db: EntityManager, apiKeyId: string): Promise<StoredMcpGrant[]> {
  return (await mcpGrantsByKey(db, [apiKeyId])).get(apiKeyId) ?? [];
}

export function representGrants(grants: readonly StoredMcpGrant[]): rest.McpGrants {
  return {
    mcpServerIds: grants.map(({ mcpServerId }) => mcpServerId),
    grants: grants.map(({ mcpServerId, rules }) => ({ mcpServerId, ...wholeRulesOf(rules) })),
  };
}

/** Makes these the only grants of the key. */
export async function replaceMcpGrants(
  tx: EntityManager,
  organisationId: string,
  apiKeyId: string,
  grants: readonly StoredMcpGrant[],
): Promise<void> {
  const ids = grants.map(({ mcpServerId }) => mcpServerId);
  await tx.query(
    `DELETE FROM api_key_mcp_access WHERE api_key_id = $1 AND mcp_server_id <> ALL($2::uuid[])`,
    [apiKeyId, ids],
  );
  await tx.query(
    `INSERT INTO api_key_mcp_access (organisation_id, api_key_id, mcp_server_id, rules)
     SELECT $1, $2, * FROM unnest($3::uuid[], $4::jsonb[])
     ON CONFLICT (api_key_id, mcp_server_id) DO UPDATE SET rules = excluded.rules`,
    [organisationId, apiKeyId, ids, grants.map(({ rules }) => JSON.stringify(rules))],
  );
}

type Granting = Pick<Call, 'db' | 'organisation' | 'access' | 'nowMs'>;

/**
 * The grants that a body asks for, refused where the caller may not give them. Servers that are
 * named without rules keep those of their present grant; new ones get the caller's own, and
 * everything from callers who may grant everything. `field` is the body's name for grants.
 */
export async function wantedGrants(
  call: Granting,
  wanted: WantedMcpGrants,
  present: readonly StoredMcpGrant[],
  field: 'grants' | 'mcpGrants' = 'mcpGrants',
): Promise<StoredMcpGrant[]> {
  const before = new Map(present.map(({ mcpServerId, rules }) => [mcpServerId, rules]));
  const { mcpServerIds, grants } = wanted;
  if (grants === undefined) {
    const ids = mcpServerIds ?? [];
    await assertServersGrantable(call, ids, before, (at) => `mcpServerIds[${at}]`);
    const own = await ownGrants(call, ids);
    return ids.map((mcpServerId) => ({
      mcpServerId,
      rules: before.get(mcpServerId) ?? widestOf(own.get(mcpServerId) ?? []),
    }));
  }
  const ids = grants.map(({ mcpServerId }) => mcpServerId);
  await assertServersGrantable(call, ids, before, (at) => `${field}[${at}].mcpServerId`);
  const after = grants.map((grant) => ({
    mcpServerId: grant.mcpServerId,
    rules: storedRulesOf(grant),
  }));
  await assertRulesGrantable(call, after, before, field);
  return after;
}

type RulesByServer = ReadonlyMap<string, StoredMcpRules>;

/** Refuses servers that the caller may not grant. Those of existing grants may stay. */
async function assertServersGrantable(
  call: Granting,
  ids: readonly string[],
  before: RulesByServer,
  pathOf: (at: number) => string,
): Promise<void> {
  const added = ids.filter((id) => !before.has(id));
  if (added.length === 0) return;
  const rows = await withinMcpReach(call, 'server')
    .andWhere('server.id = ANY(:ids::uuid[])', { ids: added })
    .setLock('pessimistic_read')
    .getMany();
  const allowed = new Set(rows.map(({ id }) => id));
  const refused = ids.findIndex((id) => added.includes(id) && !allowed.has(id));
  if (refused === -1) return;
  const message =
    call.access.reach === 'self'
      ? 'none of your keys and teams has this MCP server'
      : 'no such MCP server in this organisation';
  throw invalid(pathOf(refused), message);
}

/** Refuses rules that are wider than the caller's own. Those of existing grants may stay. */
async function assertRulesGrantable(
  call: Granting,
  after: readonly StoredMcpGrant[],
  before: RulesByServer,
  field: string,
): Promise<void> {
  if (call.access.reach !== 'self') return;
  const own = await ownGrants(
    call,
    after.map(({ mcpServerId }) => mcpServerId),
  );
  for (const [at, { mcpServerId, rules }] of after.entries()) {
    const earlier = before.get(mcpServerId);
    if (earlier !== undefined && canonicalJson(earlier) === canonicalJson(rules)) continue;
    const wider = (own.get(mcpServerId) ?? []).map((each) => widerKind(rules, each));
    if (wider.includes(undefined)) continue;
    const kind = wider[0] ?? 'tools';
    throw invalid(`${field}[${at}].${kind}`, 'allows more than your own keys and teams may use');
  }
}

/** Rules of the grants that a user has of these servers, by server, the oldest first. */
async function ownGrants(
  call: Granting,
  mcpServerIds: readonly string[],
): Promise<Map<string, StoredMcpRules[]>> {
  if (call.access.reach !== 'self' || mcpServerIds.length === 0) return new Map();
  const rows = await call.db
    .createQueryBuilder(ApiKeyMcpAccess, 'a')
    .innerJoin('api_key', 'k', 'k.id = a.apiKeyId')
    .where(`a.mcpServerId = ANY(:mcpServerIds::uuid[]) AND ${KEY_OF_SELF}`, {
      mcpServerIds,
      ...selfParameters(call),
    })
    .orderBy('a.createdAt')
    .addOrderBy('a.apiKeyId')
    .getMany();
  const byServer = Map.groupBy(rows, ({ mcpServerId }) => mcpServerId);
  return new Map([...byServer].map(([id, own]) => [id, own.map(({ rules }) => rules)]));
}

/** Everything when one of them allows it or there is none, else the oldest. */
function widestOf(own: readonly StoredMcpRules[]): StoredMcpRules {
  return own.find((rules) => Object.keys(rules).length === 0) ?? own[0] ?? {};
}

/** What a playground key of the caller gets: all servers in reach, with the caller's own rules. */
export async function playgroundGrants(call: Granting): Promise<StoredMcpGrant[]> {
  const rows = await withinMcpReach(call, 'server')
    .andWhere(`server.status = 'ACTIVE'`)
    .orderBy('server.id')
    .limit(rest.MCP_GRANTS_MAX)
    .getMany();
  return wantedGrants(call, { mcpServerIds: rows.map(({ id }) => id) }, []);
}
