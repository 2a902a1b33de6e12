import type { rest } from '@tollgate/contracts';
import { In, type EntityManager } from 'typeorm';

import { McpUsageRecord } from '../../ledger/records/mcp-usage-record.entity';

export type McpTarget = NonNullable<rest.UsageRecord['mcp']>;

/** What those of these requests that went to MCP servers asked for, by request id. */
export async function mcpTargetsOf(
  db: EntityManager,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, McpTarget>> {
  if (requestIds.length === 0) return new Map();
  const rows = await db.find(McpUsageRecord, {
    select: { id: true, mcpServerId: true, mcpServer: true, method: true, name: true },
    where: { id: In([...requestIds]) },
  });
  return new Map(
    rows.map(({ id, mcpServerId: serverId, mcpServer: server, method, name }) => [
      id,
      { serverId, server, method, name },
    ]),
  );
}

/** The requests of these records that went to MCP servers. */
export function mcpRequestsOf(
  records: readonly { readonly id: string; readonly mcpServerId: string | null }[],
): string[] {
  return records.flatMap(({ id, mcpServerId }) => (mcpServerId === null ? [] : [id]));
}
