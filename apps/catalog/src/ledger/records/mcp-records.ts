import type { Tx } from '../../db';
import { insertStatement, instantText } from './column-arrays';
import type { LedgerEntry } from './entry';
import type { McpDetails } from './mcp-entry';

interface McpRow {
  entry: LedgerEntry;
  mcp: McpDetails;
}

const insertMcpRows = insertStatement<McpRow>('ledger-insert-mcp-records', 'mcp_usage_record', [
  ['id', 'uuid', ({ entry }) => entry.requestId],
  ['organisation_id', 'uuid', ({ entry }) => entry.dimensions.organisationId],
  ['team_id', 'uuid', ({ entry }) => entry.dimensions.teamId],
  ['user_id', 'uuid', ({ entry }) => entry.dimensions.userId],
  ['api_key_id', 'uuid', ({ entry }) => entry.dimensions.apiKeyId],
  ['mcp_server_id', 'uuid', ({ mcp }) => mcp.serverId],
  ['mcp_server', 'text', ({ mcp }) => mcp.identifier],
  ['method', 'text', ({ mcp }) => mcp.method],
  ['name', 'text', ({ mcp }) => mcp.name],
  ['mode', 'text', ({ entry }) => entry.mode],
  ['outcome', 'text', ({ entry }) => entry.outcome],
  ['http_status', 'integer', ({ entry }) => entry.details.httpStatus],
  ['error_code', 'text', ({ entry }) => entry.details.errorCode],
  ['json_rpc_error_code', 'integer', ({ mcp }) => mcp.rpcErrorCode],
  ['is_error', 'boolean', ({ mcp }) => mcp.isError],
  ['protocol_version', 'text', ({ mcp }) => mcp.protocolVersion],
  ['result_type', 'text', ({ mcp }) => mcp.resultType],
  ['latency_ms', 'integer', ({ entry }) => entry.details.latencyMs],
  ['first_byte_ms', 'integer', ({ entry }) => entry.details.firstTokenMs],
  ['request_bytes', 'bigint', ({ mcp }) => mcp.requestBytes],
  ['response_bytes', 'bigint', ({ mcp }) => mcp.responseBytes],
  ['cost_nano_usd', 'bigint', ({ entry }) => entry.amounts.cost_nano_usd],
  ['client_request_id', 'text', ({ entry }) => entry.details.clientRequestId],
  ['trace_id', 'text', ({ mcp }) => mcp.traceId],
  [
    'session_sha256',
    'bytea',
    ({ mcp }) => (mcp.sessionSha256 === null ? null : `\\x${mcp.sessionSha256}`),
  ],
  ['called_at', 'timestamptz', ({ entry }) => instantText(entry.authorisedAtMs)],
]);

/**
 * Inserts what only requests to MCP servers have, for entries whose usage record this transaction has
 * inserted. So there is one such row for each of these usage records.
 */
export async function insertMcpRecords(tx: Tx, entries: readonly LedgerEntry[]): Promise<void> {
  const rows = entries.flatMap((entry): McpRow[] =>
    entry.mcp === null ? [] : [{ entry, mcp: entry.mcp }],
  );
  if (rows.length > 0) await tx.query(insertMcpRows(rows));
}
