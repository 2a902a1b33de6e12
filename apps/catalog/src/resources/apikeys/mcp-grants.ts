import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import { createGrantRows } from './grant-rows';
import { withinMcpReach } from './visible-mcp-servers';

/**
 * Grants of MCP servers to keys, and which servers a caller may grant. Follows the rules for
 * models.
 */

export const mcpGrantRows = createGrantRows('api_key_mcp_access', 'mcp_server_id');

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
