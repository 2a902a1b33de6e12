// The request to an MCP server: the client's own bytes, few of its headers, and none of its credentials.

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { gatewayError } from '@tollgate/contracts';

import { traceHeaders } from '../../tracing';
import type { RunningCall, UpstreamAnswer, UpstreamCall } from '../../upstream/call';
import { SESSION_HEADER } from '../connect';
import { isEndless, type ConnectedExchange } from '../exchange';
import type { McpGateway } from '../gateway';
import { withTraceparent } from '../message/trace-context';
import { runnerPlace, type Place } from './runner';

/** Everything else stays here: credentials, cookies, addresses, and whatever a proxy has added. */
const FORWARDED = [
  'accept',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'traceparent',
  'tracestate',
] as const;
const PARAM_PREFIX = 'mcp-param-';
const PARAMS_MOST = 64;

export interface CallTarget extends Place {
  /** What the server is authenticated with; kept to tell which of them were refused. */
  authHeaders: Readonly<Record<string, string>>;
}

/**
 * @throws GatewayError `provider_auth_failed`, `dependency_unavailable`
 */
async function placeOf(gateway: McpGateway, exchange: ConnectedExchange): Promise<CallTarget> {
  const { principal, session, upstream } = exchange;
  if (upstream.transport === 'STREAMABLE_HTTP') {
    const authHeaders = await gateway.connections.authHeaders(upstream);
    const { agent, origin, path } = upstream;
    return { agent, origin, path, headers: { ...upstream.headers, ...authHeaders }, authHeaders };
  }
  const place = runnerPlace(gateway.runner, upstream, {
    runnerUrl: session?.runnerUrl ?? '',
    principal: principalName(principal),
  });
  return { ...place, authHeaders: {} };
}

/** A call with its answer, whose body has not been read. */
export interface Called {
  running: RunningCall;
  answer: UpstreamAnswer;
}

/** Calls once more if the server refused a token that may have been withdrawn before its time. */
export async function callWithCredentials(
  gateway: McpGateway,
  exchange: ConnectedExchange,
  call: (place: CallTarget) => Promise<Called>,
): Promise<Called> {
  const place = await placeOf(gateway, exchange);
  const called = await call(place);
  if (called.answer.status !== 401) return called;
  if (!gateway.connections.refused(exchange.upstream, place.authHeaders)) return called;
  // The server did nothing.
  called.running.abort();
  return call(await placeOf(gateway, exchange));
}

/** The same for all requests of an API key, or of a person with a token, and of no use elsewhere. */
function principalName(principal: Buffer): string {
  return createHash('sha256').update('tollgate mcp principal').update(principal).digest('hex');
}

/** @throws GatewayError `invalid_request` naming the header */
export function buildUpstreamCall(exchange: ConnectedExchange, place: Place): UpstreamCall {
  const { maskedHeaders, req, session, upstream } = exchange;
  const { body, headers: traced } = tracedCall(exchange);
  const headers: Record<string, string> = {
    ...forwarded(req.headers),
    ...maskedHeaders,
    ...traced,
    'user-agent': 'tollgate',
    ...place.headers,
  };
  if (session) headers[SESSION_HEADER] = session.upstreamId;
  // A stream of whatever the server has to tell may be silent for hours.
  const silentMs = isEndless(exchange) ? 0 : upstream.idleTimeoutMs;
  return {
    dispatcher: place.agent,
    origin: place.origin,
    method: req.method === 'GET' || req.method === 'DELETE' ? req.method : 'POST',
    path: place.path,
    headers,
    body: body.length > 0 ? body : '',
    connectTimeoutMs: upstream.connectTimeoutMs,
    firstByteTimeoutMs: upstream.idleTimeoutMs,
    idleTimeoutMs: silentMs,
    // The bytes are not kept, and a stream may go on for as long as its client reads.
    responseLimitBytes: Number.POSITIVE_INFINITY,
  };
}

/** The server's parent is the span of this call, not the caller's. */
function tracedCall({ body, message, trace }: ConnectedExchange) {
  if (!trace?.call) return { body, headers: {} };
  const { spanId } = trace.call;
  const params = message?.kind === 'request' ? message.params : {};
  const context = { traceId: trace.traceId, spanId, sampled: true };
  return { body: withTraceparent(body, params, context), headers: traceHeaders(trace, spanId) };
}

function forwarded(headers: IncomingHttpHeaders): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of FORWARDED) {
    const value = headers[name];
    if (value !== undefined) found[name] = String(value);
  }
  let params = 0;
  for (const name in headers) {
    if (!name.startsWith(PARAM_PREFIX)) continue;
    params += 1;
    if (params > PARAMS_MOST) {
      const text = `${name}: at most ${PARAMS_MOST} headers can have the prefix ${PARAM_PREFIX}`;
      throw gatewayError('invalid_request', text, { param: name });
    }
    found[name] = String(headers[name]);
  }
  return found;
}
