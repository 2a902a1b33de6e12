import { rest } from '@tollgate/contracts';
import { z } from 'zod';

// What a page asks the console's server to do with an MCP server, and its answers. The console's server
// holds the key and speaks MCP with the gateway.

/** The most tools that are listed. */
export const MAX_TOOLS = 500;

const IDENTIFIER = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const server = z.string().max(63).regex(IDENTIFIER);

export const mcpQuestion = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('tools'), server }),
  z.strictObject({
    action: z.literal('call'),
    server,
    tool: z.string().min(1).max(rest.MCP_NAME_MAX),
    arguments: z.record(z.string(), z.unknown()),
  }),
]);
export type McpQuestion = z.output<typeof mcpQuestion>;

/** Of the gateway's answer; null: it gave none. */
const requestId = z.string().nullable();

const tool = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  inputSchema: z.record(z.string(), z.unknown()),
});
export type ListedTool = z.output<typeof tool>;

const tools = z.object({
  kind: z.literal('tools'),
  protocolVersion: z.string().nullable(),
  tools: z.array(tool),
  /** The server has more tools than are listed. */
  truncated: z.boolean(),
  requestId,
});
export type ToolsAnswer = z.output<typeof tools>;

const call = z.object({
  kind: z.literal('call'),
  /** Blocks of the result: text, image, audio, resource, resource_link, or later kinds. */
  content: z.array(z.record(z.string(), z.unknown())),
  structuredContent: z.unknown().optional(),
  /** The tool reports that it failed. */
  isError: z.boolean(),
  requestId,
  costUsd: z.string().nullable(),
  durationMs: z.number(),
});
export type CallAnswer = z.output<typeof call>;

const failure = z.object({
  kind: z.literal('failure'),
  /** A code of the gateway or the console; `rpc_error` when only a JSON-RPC error came. */
  code: z.string(),
  message: z.string(),
  /** Of the JSON-RPC error; null: there was none. */
  rpcCode: z.number().nullable(),
  /** HTTP status of the gateway; null: it gave none. */
  status: z.number().nullable(),
  requestId,
});
export type McpFailure = z.output<typeof failure>;

export const mcpAnswer = z.discriminatedUnion('kind', [tools, call, failure]);
export type McpAnswer = z.output<typeof mcpAnswer>;

/**
 * Asks the console's server. A refusal and a lost connection are failures too; rejects only when
 * aborted.
 */
export async function askMcp(
  organisationId: string,
  question: McpQuestion,
  signal: AbortSignal,
): Promise<McpAnswer> {
  try {
    const response = await fetch(
      `/api/organisations/${encodeURIComponent(organisationId)}/playground/mcp`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(question),
        signal,
      },
    );
    return answerIn(response.status, await response.text());
  } catch (error) {
    if (signal.aborted) throw error;
    return failureOf('unreachable', 'The connection was lost.', null);
  }
}

/** An answer of the console's server, or its refusal in the catalog's format. */
export function answerIn(status: number, text: string): McpAnswer {
  const value = jsonOf(text);
  const answer = mcpAnswer.safeParse(value);
  if (answer.success) return answer.data;
  const refusal = rest.errorBody.safeParse(value);
  if (refusal.success) {
    const { code, message } = refusal.data.error;
    return failureOf(code, message, status);
  }
  return failureOf(
    'unexpected_answer',
    'The console’s server gave an answer that this page does not understand. Reload the page.',
    status,
  );
}

function failureOf(code: string, message: string, status: number | null): McpFailure {
  return { kind: 'failure', code, message, rpcCode: null, status, requestId: null };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: a proxy in front of the console responded. The schemas refuse it.
    return undefined;
  }
}
