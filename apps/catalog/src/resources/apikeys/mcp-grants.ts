import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import { withinMcpReach } from './visible-mcp-servers';

/**
 * Grants of MCP servers to keys, and which servers a caller may grant. Follows the rules for
 * models.
 */

const granted = z.array(z.object({ apiKeyId: z.string(), mcpServerId: z.string() }));

/** Server ids by key, in order of creation. */
export async function serversOf(
  db: EntityManager,
  apiKeyIds: readonly string[],
): Promise<Map<string, string[]>> {
  if (apiKeyIds.length === 0) return new Map();
  const rows = granted.parse(
    await db.query(
      `SELECT api_key_id AS "apiKeyId", mcp_server_id AS "mcpServerId" FROM api_key_mcp_access
       WHERE api_key_id = ANY($1::uuid[]) ORDER BY mcp_server_id`,
      [apiKeyIds],
    ),
  );
  const servers = new Map<string, string[]>();
  for (const { apiKeyId, mcpServerId } of rows) {
    servers.set(apiKeyId, [...(servers.get(apiKeyId) ?? []), mcpServerId]);
  }
  return servers;
}

/** Replaces the servers of a key. */
export async function setServers(
  tx: EntityManager,
  organisationId: string,
  apiKeyId: string,
  mcpServerIds: readonly string[],
): Promise<void> {
  await tx.query(
    `DELETE FROM api_key_mcp_access WHERE api_key_id = $1 AND mcp_server_id <> ALL($2::uuid[])`,
    [apiKeyId, mcpServerIds],
  );
  await tx.query(
    `INSERT INTO api_key_mcp_access (organisation_id, api_key_id, mcp_server_id)
     SELECT $1, $2, unnest($3::uuid[]) ON CONFLICT DO NOTHING`,
    [organisationId, apiKeyId, mcpServerIds],
  );
}

/**
 * Refuses servers that the caller may not grant: a user only those that they have. Existing grants
 * may stay.
 */
export async function assertServersGrantable(
  call: Pick<Call, 'db' | 'organisation' | 'access'>,
  ids: readonly string[],
  present: readonly string[] = [],
): Promise<void> {
  const added = ids.filter((id) => !present.includes(id));
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
  throw invalid(`mcpServerIds[${refused}]`, message);
}
