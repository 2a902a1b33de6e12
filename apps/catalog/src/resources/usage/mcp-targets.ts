import type { rest } from '@tollgate/contracts';
import { In, type EntityManager } from 'typeorm';

import { McpUsageRecord } from '../../ledger/records/mcp-usage-record.entity';
import type { UsageRecord } from '../../ledger/records/usage-record.entity';

export type McpTarget = NonNullable<rest.UsageRecord['mcp']>;

/** What those of these records that are of MCP servers asked for, by the id of the record. */
export async function mcpTargetsOf(
  db: EntityManager,
  records: readonly UsageRecord[],
): Promise<ReadonlyMap<string, McpTarget>> {
  const ids = records.flatMap(({ id, mcpServerId }) => (mcpServerId === null ? [] : [id]));
  if (ids.length === 0) return new Map();
  const rows = await db.find(McpUsageRecord, {
    select: { id: true, mcpServerId: true, mcpServer: true, method: true, name: true },
    where: { id: In(ids) },
  });
  return new Map(
    rows.map(({ id, mcpServerId: serverId, mcpServer: server, method, name }) => [
      id,
      { serverId, server, method, name },
    ]),
  );
}
