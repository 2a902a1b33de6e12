// The spans of a request to an MCP server.

import type { FinishedSpan, FinishedTrace, SpanAttributes } from '@tollgate/kit/tracing';

import { MCP_PATH } from '../routes';
import { ERROR_TYPE, GEN_AI, MCP } from '../tracing/conventions';
import {
  costAttributes,
  isKnownKey,
  serverSpan,
  stepSpans,
  subjectAttributes,
  type EndedAt,
} from '../tracing/server-span';
import type { McpExchange } from './exchange';

/** Undefined: the request is not traced. */
export function mcpTrace(ended: EndedAt, exchange: McpExchange): FinishedTrace | undefined {
  const { ending, req, trace } = exchange;
  if (!trace || (trace.asked && !isKnownKey(exchange, ending.errorCode))) return undefined;
  const message = messageAttributes(exchange);
  const server = serverSpan(ended, exchange, trace, {
    name: nameOf(exchange) ?? `${req.method ?? 'POST'} ${MCP_PATH}`,
    route: MCP_PATH,
    ending,
    attributes: [...message, ...requestAttributes(exchange)],
  });
  const spans: FinishedSpan[] = [server, ...stepSpans(ended, trace)];
  if (trace.call) {
    const startMs = server.endMs - (ended.nowMs - trace.call.startMs);
    const error = failureOf(exchange);
    spans.push({
      name: server.name,
      kind: 'CLIENT',
      spanId: trace.call.spanId,
      parentSpanId: trace.spanId,
      startMs,
      endMs: Math.min(server.endMs, startMs + ending.upstreamMs),
      attributes: [...message, ...(trace.call.content?.attributes() ?? []), [ERROR_TYPE, error]],
      error,
    });
  }
  return { traceId: trace.traceId, state: trace.state, spans };
}

const NAME_CHARACTERS = 256;

/** The URI of a resource is not in the name: there are too many. */
function nameOf({ message }: McpExchange): string | undefined {
  if (message === undefined || message.kind === 'response') return undefined;
  const named = message.kind === 'request' && !isResource(message.method) ? message.name : '';
  return `${message.method} ${named}`.trim().slice(0, NAME_CHARACTERS);
}

function isResource(method: string): boolean {
  return method.startsWith('resources/');
}

function messageAttributes(exchange: McpExchange): SpanAttributes {
  const { ending, message, protocolVersion, rpcId, server } = exchange;
  const { response } = ending;
  const named = message?.kind === 'request' ? message : undefined;
  const isTool = named?.method === 'tools/call';
  const name = named?.name.slice(0, NAME_CHARACTERS) || undefined;
  return [
    [MCP.method, message?.kind === 'response' ? undefined : message?.method],
    [MCP.revision, response?.protocolVersion || protocolVersion || undefined],
    [MCP.rpcId, rpcId === undefined ? undefined : String(rpcId).slice(0, NAME_CHARACTERS)],
    [MCP.rpcStatus, response?.errorCode === undefined ? undefined : String(response.errorCode)],
    [MCP.resource, named && isResource(named.method) ? name : undefined],
    [GEN_AI.tool, isTool ? name : undefined],
    [GEN_AI.operation, isTool ? MCP.executeTool : undefined],
    ['tollgate.mcp.server', server.slice(0, NAME_CHARACTERS)],
  ];
}

function requestAttributes({ allow, ending, screening, used }: McpExchange): SpanAttributes {
  const cost = used && ending.charged ? allow?.heldNanoUsd || '0' : '0';
  return [
    ...subjectAttributes(allow?.subject ?? undefined),
    ['tollgate.held_nano_usd', allow?.heldNanoUsd || undefined],
    ...costAttributes(BigInt(cost)),
    ['tollgate.screening', screening?.evidence() || undefined],
  ];
}

function failureOf({ ending }: McpExchange): string | undefined {
  const { errorCode, response } = ending;
  if (response?.isError) return MCP.toolError;
  if (response?.errorCode !== undefined) return String(response.errorCode);
  return errorCode || undefined;
}
