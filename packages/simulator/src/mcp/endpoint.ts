// One MCP server over HTTP: checks host and token in that order, applies faults, and serves the request
// by the era it is of.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';

import { headerOf } from '../family';
import { watchClient } from '../http';
import { readMcpDirectives, type McpDirectives } from './directives';
import { faultBefore, faultsApply } from './faults';
import { foreignHost } from './host';
import { readLoosely } from './loose';
import type { McpMessage } from './messages';
import { createMcpServer } from './server';
import { createSessions, refusal } from './sessions';
import { createSseStreams } from './sse';
import type { McpUpstream } from './upstream';
import { writeResponse } from './write-response';

/** The last part of the path: nothing for Streamable HTTP, the others for HTTP+SSE. */
export type Leg = '' | '/sse' | '/messages';

export interface Incoming {
  bytes: Buffer;
  /** Parsed; undefined if it is missing or not JSON. */
  body: unknown;
  messages: readonly McpMessage[];
}

export interface Endpoint {
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    leg: Leg,
    incoming: Incoming,
  ): Promise<void>;
  /** Forgets all sessions, as a restart does; says how many there were. */
  forget(): number;
  close(): Promise<void>;
}

export function createEndpoint(upstream: McpUpstream): Endpoint {
  const { json, legacy, modern } = upstream.directives;
  const sessions = createSessions(upstream);
  const streams = createSseStreams(upstream);
  const handler = createMcpHandler(() => createMcpServer(upstream), {
    legacy: 'reject',
    responseMode: json ? 'json' : 'auto',
  });
  const stopListening = upstream.listen({
    toolsChanged: () => handler.notify.toolsChanged(),
    promptsChanged: () => handler.notify.promptsChanged(),
    resourceUpdated: (uri) => handler.notify.resourceUpdated(uri),
  });
  let failures = 0;

  async function answer(web: Request, leg: Leg, body: unknown): Promise<Response> {
    const url = new URL(web.url);
    if (leg === '/sse' && web.method === 'GET')
      return streams.open(url.pathname.replace(/\/sse$/, '/messages'));
    if (leg === '/messages' && web.method === 'POST')
      return streams.post(url.searchParams.get('sessionId') ?? '', body);
    if (leg !== '') return refusal(405, -32_000, 'Method not allowed.');
    const isLegacy = legacy === true || (modern !== true && (await isLegacyRequest(web)));
    return isLegacy ? sessions.handle(web, body) : handler.fetch(web);
  }

  return {
    async serve(request, response, leg, { messages, ...received }) {
      const { headers, socket } = request;
      const client = watchClient(response);
      const directives = readMcpDirectives(upstream.name, headerOf(request, 'x-sim-directives'));
      const failsYet = (): boolean => {
        if (failures >= (directives['fail-first'] ?? 0)) return false;
        failures += 1;
        return true;
      };
      const faulty = faultsApply(directives, messages);
      const fault =
        refusalOf(directives, socket.localAddress, headers) ??
        (faulty ? await faultBefore(directives, response, client, failsYet) : undefined);
      if (fault === 'gone') return;
      const { body, bytes } = directives.loose ? looseReading(received) : received;
      const source = fault ?? (await answer(webRequest(request, response, bytes), leg, body));
      await writeResponse(source, response, client, faulty ? directives : {});
    },
    forget: () => sessions.forget() + streams.forget(),
    async close() {
      stopListening();
      sessions.forget();
      streams.forget();
      upstream.release();
      await handler.close();
    },
  };
}

function refusalOf(
  { bearer }: McpDirectives,
  localAddress: string | undefined,
  headers: IncomingHttpHeaders,
): Response | undefined {
  const foreign = foreignHost(localAddress, headers);
  if (foreign !== undefined) return refusal(403, -32_000, foreign);
  if (bearer === undefined || headers.authorization === `Bearer ${bearer}`) return undefined;
  const response = refusal(401, -32_000, 'Unauthorized');
  const metadata = `http://${headers.host ?? ''}/.well-known/oauth-protected-resource`;
  response.headers.set('www-authenticate', `Bearer resource_metadata="${metadata}", scope="mcp"`);
  return response;
}

function looseReading({ body, bytes }: Pick<Incoming, 'body' | 'bytes'>) {
  const message = readLoosely(body);
  return message ? { body: message, bytes: Buffer.from(JSON.stringify(message)) } : { body, bytes };
}

/** The request as the SDK takes it. Its signal aborts when the client leaves. */
function webRequest(request: IncomingMessage, response: ServerResponse, bytes: Buffer): Request {
  const { headers: given, method = 'GET', url = '/' } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const leaving = new AbortController();
  response.on('close', () => leaving.abort());
  return new Request(`http://${given.host ?? 'localhost'}${url}`, {
    method,
    headers,
    signal: leaving.signal,
    ...(bytes.length > 0 && { body: new Uint8Array(bytes) }),
  });
}
