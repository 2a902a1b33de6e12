// The gateway's own question to a server, in the session of a client: which tools it has.

import { gatewayError } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import type { JsonObject } from '../../formats';
import { isObject, objectOf } from '../../formats/json';
import { createSseReader, parseEventObject } from '../../formats/sse';
import { startCall, type UpstreamAnswer } from '../../upstream/call';
import { UpstreamFailure } from '../../upstream/failure';
import { SESSION_HEADER } from '../connect';
import type { ConnectedExchange } from '../exchange';
import { LIST_BYTES } from '../filter';
import type { McpGateway } from '../gateway';
import { bodyKindOf, failureError, refusalOf } from './answer-verdict';
import { callWithCredentials, type CallTarget } from './upstream-call';

/** For one page of the list. */
const PAGE_MS = 15_000;
const META_PREFIX = 'io.modelcontextprotocol/';

/**
 * Sends `tools/list`; resolves with the result of the response. `params`: of the client's request.
 * @throws GatewayError `mcp_session_not_found`, `upstream_error`, `provider_auth_failed`, …
 */
export async function askTools(
  gateway: McpGateway,
  exchange: ConnectedExchange,
  params: JsonObject,
  cursor: string | undefined,
): Promise<unknown> {
  const id = uuidv7();
  const body = question(id, params, cursor);
  const { answer, running } = await callWithCredentials(gateway, exchange, async (place) => {
    const running = startCall(buildQuestion(exchange, place, body));
    try {
      return { answer: await running.answer, running };
    } catch (error) {
      throw error instanceof UpstreamFailure ? failureError(error) : error;
    }
  });
  try {
    const { headers, status } = answer;
    if (status === 404 && exchange.session) throw gatewayError('mcp_session_not_found');
    const refusal = refusalOf(status, headers, 'request');
    if (refusal) throw refusal;
    const response = await readResponse(answer, id);
    if (status >= 400 || !response || !('result' in response)) throw unlisted();
    return response['result'];
  } finally {
    running.abort();
  }
}

function question(id: string, { _meta }: JsonObject, cursor: string | undefined): Buffer {
  // In the modern era each request names the revision and what the client can do.
  const kept = Object.entries(objectOf(_meta) ?? {}).filter(([name]) =>
    name.startsWith(META_PREFIX),
  );
  const params = {
    ...(cursor === undefined ? {} : { cursor }),
    ...(kept.length > 0 ? { _meta: Object.fromEntries(kept) } : {}),
  };
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params }));
}

function buildQuestion(
  { modern, req, session, upstream }: ConnectedExchange,
  place: CallTarget,
  body: Buffer,
) {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'user-agent': 'tollgate',
    ...place.headers,
  };
  const revision = req.headers['mcp-protocol-version'];
  if (revision !== undefined) headers['mcp-protocol-version'] = String(revision);
  if (modern) headers['mcp-method'] = 'tools/list';
  if (session) headers[SESSION_HEADER] = session.upstreamId;
  return {
    dispatcher: place.agent,
    origin: place.origin,
    path: place.path,
    headers,
    body,
    connectTimeoutMs: upstream.connectTimeoutMs,
    firstByteTimeoutMs: Math.min(upstream.idleTimeoutMs, PAGE_MS),
    idleTimeoutMs: Math.min(upstream.idleTimeoutMs, PAGE_MS),
    totalTimeoutMs: PAGE_MS,
    responseLimitBytes: LIST_BYTES,
  };
}

/** Resolves with the response of this id, as soon as it has arrived; undefined: there is none. */
function readResponse(answer: UpstreamAnswer, id: string): Promise<JsonObject | undefined> {
  const isResponse = (message: unknown): message is JsonObject =>
    isObject(message) && message['id'] === id && !('method' in message);
  return new Promise((resolve, reject) => {
    const fail = (failure: UpstreamFailure): void => reject(failureError(failure));
    if (bodyKindOf(answer.headers) === 'events') {
      const reader = createSseReader(LIST_BYTES);
      const data = (chunk: Buffer): boolean => {
        // The limit of the answer is below that of an event, so that no event outgrows its own.
        reader.push(chunk, ({ data = '' }) => {
          const message = parseEventObject(data);
          if (isResponse(message)) resolve(message);
          return true;
        });
        return true;
      };
      return answer.read({ data, end: () => resolve(undefined), fail });
    }
    const chunks: Buffer[] = [];
    return answer.read({
      data: (chunk) => chunks.push(chunk) > 0,
      end: () => {
        const message = parseEventObject(Buffer.concat(chunks).toString('utf8'));
        resolve(isResponse(message) ? message : undefined);
      },
      fail,
    });
  });
}

function unlisted() {
  const text =
    'The called tool is pinned, and the MCP server did not list its tools, so that its definition could not be compared.';
  return gatewayError('upstream_error', text);
}
