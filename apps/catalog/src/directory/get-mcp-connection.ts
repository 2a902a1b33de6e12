import type { rest } from '@tollgate/contracts';
import type { McpAuth, McpConnection } from '@tollgate/contracts/node';
import type { Pool } from 'pg';

import { mcpAuthOf, type McpServer } from '../entities/mcp-server.entity';
import { sealedSecret, type SealedColumns } from './sealed-secret';

interface ConnectionRow extends SealedColumns {
  organisation_id: string;
  identifier: string;
  transport: McpServer['transport'];
  url: string | null;
  command: string | null;
  headers: Record<string, string>;
  auth: rest.McpAuth | null;
  connect_timeout_ms: number;
  idle_timeout_ms: number;
  connection_version: number;
  region: string | null;
}

/**
 * How to reach an MCP server now, with its sealed secret; undefined when there is none. Only the current
 * version is kept. A disabled server has one too, for its test: policy decides who may use it.
 */
export async function getMcpConnection(
  pool: Pool,
  serverId: string,
): Promise<McpConnection | undefined> {
  const { rows } = await pool.query<ConnectionRow>({
    name: 'directory-get-mcp-connection',
    text: `SELECT s.organisation_id, s.identifier, s.transport, s.url, s.command, s.headers, s.auth,
        s.connect_timeout_ms, s.timeout_ms AS idle_timeout_ms, s.connection_version, s.region,
        s.secret_key_id, s.secret_nonce, s.secret_ciphertext, s.secret_tag
      FROM mcp_server s WHERE s.id = $1 AND s.status <> 'ARCHIVED'`,
    values: [serverId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { transport, auth, secret_key_id: secretKeyId } = row;
  return {
    serverId,
    version: row.connection_version,
    organisationId: row.organisation_id,
    identifier: row.identifier,
    transport,
    url: row.url ?? '',
    command: row.command ?? '',
    headers: row.headers,
    connectTimeoutMs: row.connect_timeout_ms,
    idleTimeoutMs: row.idle_timeout_ms,
    auth: authMessage(mcpAuthOf({ transport, auth, secretKeyId })),
    secret: sealedSecret(row),
    region: row.region ?? '',
  };
}

function authMessage(auth: rest.McpAuth): McpAuth {
  if (auth.type !== 'OAUTH_CLIENT_CREDENTIALS') return auth;
  return { ...auth, scope: auth.scope ?? '', resource: auth.resource ?? '' };
}
