import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import type { ApiKey } from '../../entities/api-key.entity';
import type { Call } from '../../rest/call';
import { conflict, invalid } from '../../rest/field-errors';
import { findKey } from '../apikeys/api-keys';
import {
  mcpGrantsOf,
  replaceMcpGrants,
  representGrants,
  wantedGrants,
} from '../apikeys/mcp-grants';
import { storedRulesOf } from '../apikeys/mcp-rules';
import { findServer } from './mcp-servers';

/** Grants of MCP servers to keys: rows of api_key_mcp_access. */

const servers = z.array(z.object({ id: z.string() }));

export async function getKeyServers(
  call: Call<typeof rest.getApiKeyMcpServers>,
): Promise<rest.McpGrants> {
  const key = await findKey(call, call.params.apiKeyId);
  return representGrants(await mcpGrantsOf(call.db, key.id));
}

export async function setKeyServers(
  call: Call<typeof rest.setApiKeyMcpServers>,
): Promise<rest.McpGrants> {
  const { db, organisation, body } = call;
  const key = await findKey(call, call.params.apiKeyId, true);
  const present = await mcpGrantsOf(db, key.id);
  const before = representGrants(present);
  call.expectMatch(before);
  if (key.status === 'REVOKED') throw conflict('status', 'a revoked key cannot be changed');
  const wanted = await wantedGrants(call, body, present, 'grants');
  await replaceMcpGrants(db, organisation.id, key.id, wanted);
  const after = representGrants(await mcpGrantsOf(db, key.id));
  noteGrants(call, key, before, after);
  return after;
}

const found = z.array(z.object({ id: z.string(), teamId: z.string().nullable() }));
const granted = z.array(z.object({ id: z.string(), sha256: z.instanceof(Buffer) }));

export async function addGrants(
  call: Call<typeof rest.addMcpGrants>,
): Promise<{ added: number; apiKeyIds: string[] }> {
  const { db, organisation, body } = call;
  const server = await findServer(call, call.params.mcpServerId, true);
  const apiKeyIds = await keysMeant(call);
  const rules = storedRulesOf(body);
  const added = granted.parse(
    await db.query(
      `WITH made AS (
         INSERT INTO api_key_mcp_access (organisation_id, api_key_id, mcp_server_id, rules)
         SELECT $1, unnest($2::uuid[]), $3, $4::jsonb ON CONFLICT DO NOTHING RETURNING api_key_id)
       SELECT k.id, k.key_sha256 AS sha256 FROM made JOIN api_key k ON k.id = made.api_key_id`,
      [organisation.id, apiKeyIds, server.id, JSON.stringify(rules)],
    ),
  );
  if (added.length > 0) {
    call.changed({
      action: 'mcp-server.grant',
      organisationId: organisation.id,
      target: { type: 'mcp-server', id: server.id },
      after: { apiKeyIds: added.map(({ id }) => id).toSorted(), rules },
      news: [{ kind: 'API_KEY', organisationId: organisation.id }],
    });
  }
  return { added: added.length, apiKeyIds };
}

/** Ids of the keys named, and of the active keys that charge the named teams. */
async function keysMeant(call: Call<typeof rest.addMcpGrants>): Promise<string[]> {
  const { db, organisation, body } = call;
  await assertTeams(call);
  // Locked for sharing, so that none is revoked before the grant commits.
  const keys = found.parse(
    await db.query(
      `SELECT id, team_id AS "teamId" FROM api_key
       WHERE organisation_id = $1 AND kind = 'NORMAL' AND status = 'ACTIVE'
         AND (id = ANY($2::uuid[]) OR team_id = ANY($3::uuid[]))
       ORDER BY id LIMIT $4 FOR SHARE`,
      [organisation.id, body.apiKeyIds, body.teamIds, rest.MCP_GRANT_MAX_KEYS + 1],
    ),
  );
  if (keys.length > rest.MCP_GRANT_MAX_KEYS) {
    throw invalid(
      'teamIds',
      `they have more than ${rest.MCP_GRANT_MAX_KEYS} keys; grant fewer teams at a time`,
    );
  }
  const present = new Set(keys.map(({ id }) => id));
  const missing = body.apiKeyIds.findIndex((id) => !present.has(id));
  if (missing !== -1) {
    throw invalid(`apiKeyIds[${missing}]`, 'no such active key in this organisation');
  }
  return [...present];
}

async function assertTeams(call: Call<typeof rest.addMcpGrants>): Promise<void> {
  const { db, organisation, body } = call;
  if (body.teamIds.length === 0) return;
  const rows = await db.query(
    `SELECT id FROM team WHERE organisation_id = $1 AND status = 'ACTIVE' AND id = ANY($2::uuid[])`,
    [organisation.id, body.teamIds],
  );
  const present = new Set(servers.parse(rows).map(({ id }) => id));
  const missing = body.teamIds.findIndex((id) => !present.has(id));
  if (missing !== -1) throw invalid(`teamIds[${missing}]`, 'no such team in this organisation');
}

function noteGrants(
  call: Pick<Call, 'changed'>,
  { id, organisationId, keySha256 }: ApiKey,
  before: rest.McpGrants,
  after: rest.McpGrants,
): void {
  call.changed({
    action: 'apikey.set-mcp-servers',
    organisationId,
    target: { type: 'apikey', id },
    before: { ...before },
    after: { ...after },
    news: [{ kind: 'API_KEY', organisationId, keySha256 }],
  });
}
