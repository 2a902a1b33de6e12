import { z } from 'zod';

import { OUTCOMES } from '../enums';
import { endpoint } from './endpoint';
import { givenInstant, id, instant, listQuery, page, usdAmount } from './fields';
import { RECORD_MODES, recordAdjustment } from './usage';
import { USAGE_EXPORT_DAYS } from './usage-exports';

/**
 * Requests to MCP servers, one record each. The usage record of the same id has what is billed; these
 * have what only such requests have.
 */

const mcpRecordFields = {
  id: id.meta({
    description: "The request id from the gateway's answer; also of the usage record.",
  }),
  organisationId: id,
  teamId: id.nullable(),
  userId: id.nullable(),
  apiKeyId: id,
  mcpServerId: id,
  mcpServer: z.string().meta({ description: "The server's identifier when it was called." }),
  method: z.string().meta({ description: 'JSON-RPC method.' }),
  name: z
    .string()
    .nullable()
    .meta({ description: 'Tool, prompt or URI of the resource; null: the method names none.' }),
  mode: z.enum(RECORD_MODES),
  outcome: z
    .enum(OUTCOMES)
    .nullable()
    .meta({ description: 'Null: unknown, because the hold was abandoned.' }),
  httpStatus: z.int(),
  errorCode: z.string().nullable().meta({ description: 'Error code of the gateway.' }),
  jsonRpcErrorCode: z
    .int()
    .nullable()
    .meta({ description: 'Code of the JSON-RPC error in the answer; null: it was a result.' }),
  isError: z.boolean().meta({ description: 'Whether the result of the tool has isError.' }),
  protocolVersion: z
    .string()
    .nullable()
    .meta({ description: 'Revision of the protocol, such as "2025-11-25"; null: unknown.' }),
  resultType: z
    .string()
    .nullable()
    .meta({ description: 'resultType of the result, such as "input_required"; null: none.' }),
  latencyMs: z.int(),
  firstByteMs: z
    .int()
    .nullable()
    .meta({ description: "Until the first byte of the server's answer; null: unknown." }),
  requestBytes: z.int(),
  responseBytes: z.int(),
  costUsd: usdAmount.meta({ description: 'As first booked; adjustments come on top.' }),
  clientRequestId: z.string().nullable(),
  traceId: z.string().nullable().meta({ description: 'From the traceparent of the request.' }),
  sessionSha256: z
    .string()
    .nullable()
    .meta({ description: 'Digest of the session id at the server, in hexadecimal; null: none.' }),
  calledAt: instant,
};

export const mcpUsageRecord = z.object(mcpRecordFields).meta({ id: 'McpUsageRecord' });
export type McpUsageRecord = z.output<typeof mcpUsageRecord>;

export const mcpUsageRecordDetail = z
  .object({ ...mcpRecordFields, adjustments: z.array(recordAdjustment) })
  .meta({ id: 'McpUsageRecordDetail' });
export type McpUsageRecordDetail = z.output<typeof mcpUsageRecordDetail>;

const mcpRecordFilters = {
  mcpServerId: id.optional(),
  teamId: id.optional(),
  userId: id.optional(),
  apiKeyId: id.optional(),
  method: z.string().min(1).max(128).optional(),
  name: z
    .string()
    .min(1)
    .max(2048)
    .optional()
    .meta({ description: 'A tool, a prompt or the URI of a resource, as it was called.' }),
  outcome: z.enum(OUTCOMES).optional(),
  isError: z.enum(['true', 'false']).optional(),
};

const root = '/api/organisations/:organisationId/usage/mcp-records';
const tag = 'Usage';

export const listMcpUsageRecords = endpoint({
  id: 'listMcpUsageRecords',
  tag,
  summary: 'Requests to MCP servers, newest first',
  method: 'GET',
  path: root,
  access: 'usage.read',
  query: listQuery(['calledAt'], {
    from: givenInstant.optional().meta({ description: 'Called at this instant or later.' }),
    to: givenInstant.optional().meta({ description: 'Called before this instant.' }),
    ...mcpRecordFilters,
  }),
  response: page(mcpUsageRecord),
});

export const exportMcpUsageRecords = endpoint({
  id: 'exportMcpUsageRecords',
  tag,
  summary: `Requests to MCP servers as CSV, oldest first: at most ${USAGE_EXPORT_DAYS} days for each export`,
  method: 'GET',
  path: `${root}/export`,
  access: 'usage.read',
  query: z.strictObject({
    from: givenInstant.optional().meta({ description: 'Absent: 30 days before `to`.' }),
    to: givenInstant.optional().meta({ description: 'Absent: now.' }),
    ...mcpRecordFilters,
  }),
  response: z.string(),
  produces: 'text/csv',
});

export const getMcpUsageRecord = endpoint({
  id: 'getMcpUsageRecord',
  tag,
  summary: 'One request to an MCP server with its adjustments',
  method: 'GET',
  path: `${root}/:mcpRecordId`,
  access: 'usage.read',
  response: mcpUsageRecordDetail,
});
