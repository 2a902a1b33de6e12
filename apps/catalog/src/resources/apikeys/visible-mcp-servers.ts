import type { SelectQueryBuilder } from 'typeorm';

import { McpServer } from '../../entities/mcp-server.entity';
import type { Call } from '../../rest/call';
import { KEY_OF_SELF } from './standing-model-grants';

/** The parameters of `KEY_OF_SELF`. */
export function selfParameters({ access, nowMs }: Pick<Call, 'access' | 'nowMs'>) {
  const { userId: selfId, teamIds } = access;
  return { selfId, selfTeamIds: [...teamIds], now: new Date(nowMs) };
}

/**
 * MCP servers that the caller sees: for users, those granted to their own keys or their teams'
 * keys.
 */
export function withinMcpReach(
  call: Pick<Call, 'db' | 'organisation' | 'access' | 'nowMs'>,
  alias: string,
): SelectQueryBuilder<McpServer> {
  const { db, organisation, access } = call;
  const rows = db
    .createQueryBuilder(McpServer, alias)
    .where(`${alias}.organisationId = :organisationId AND ${alias}.status <> 'ARCHIVED'`, {
      organisationId: organisation.id,
    });
  if (access.reach !== 'self') return rows;
  return rows.andWhere(
    `EXISTS (SELECT FROM api_key_mcp_access a JOIN api_key k ON k.id = a.api_key_id
      WHERE a.mcp_server_id = ${alias}.id AND ${KEY_OF_SELF})`,
    selfParameters(call),
  );
}
