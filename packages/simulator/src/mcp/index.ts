// MCP servers to test a gateway against, on the official SDK: /mcp/:name is a server of its own for each
// name, in both eras; /mcp alone is the server `default`. /mcp/:name/sse and /mcp/:name/messages are
// the transport of 2024-11-05. stdio.ts is the same server as a program.
//
// What a server has: tools/, prompts.ts, resources.ts. How to make it misbehave: directives.ts, carried
// out by faults.ts and write-response.ts. What tests read and do beside it: control.ts.

import type { IncomingMessage, ServerResponse } from 'node:http';

import { readBody, sendBody } from '../http';
import { createRing } from '../received';
import { createCallCounts } from './calls';
import { control, type Books, type ReceivedMcpRequest, type Running } from './control';
import { readMcpDirectives } from './directives';
import { createEndpoint, type Leg } from './endpoint';
import { messagesOf, parseJson } from './messages';
import { createUpstream } from './upstream';

export type { CallCount } from './calls';
export type { ReceivedMcpRequest } from './control';

export interface Mcp {
  /** Undefined: the path is none of its own. */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> | undefined;
  close(): Promise<void>;
}

const SERVER_PATH = /^\/mcp(?:\/([^/]+)(\/sse|\/messages)?)?\/?$/;
const CONTROL_PATH = /^\/_sim\/mcp(\/.+)$/;
/** Limits of servers, whose names clients choose. */
const MAX_SERVERS = 1_000;
const MAX_NAME = 200;

export function createMcp(keptRequests: number): Mcp {
  const servers = new Map<string, Running>();
  const books: Books = {
    counts: createCallCounts(),
    received: createRing<ReceivedMcpRequest>(keptRequests),
    serverOf(name) {
      const known = servers.get(name);
      if (known !== undefined) return known;
      if (servers.size >= MAX_SERVERS || name.length > MAX_NAME) return undefined;
      const upstream = createUpstream(name, readMcpDirectives(name, undefined), books.counts);
      const running = { upstream, endpoint: createEndpoint(upstream) };
      servers.set(name, running);
      return running;
    },
  };

  return {
    serve(request, response, path, query) {
      const [match, name = 'default', leg = ''] = SERVER_PATH.exec(path) ?? [];
      if (match !== undefined)
        return serveServer(books, request, response, decodeURIComponent(name), leg as Leg);
      const below = CONTROL_PATH.exec(path)?.[1];
      if (below === undefined) return undefined;
      request.resume();
      const server = query.get('server') ?? undefined;
      const found = control(books, request.method ?? '', below, server);
      if (found !== undefined) sendBody(response, 200, JSON.stringify(found));
      else sendBody(response, 404, '{"error":"not found"}');
      return Promise.resolve();
    },
    async close() {
      await Promise.all([...servers.values()].map(({ endpoint }) => endpoint.close()));
    },
  };
}

async function serveServer(
  { counts, received, serverOf }: Books,
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
  leg: Leg,
): Promise<void> {
  const running = serverOf(name);
  const bytes = await readBody(request);
  if (running === undefined) return sendBody(response, 503, '{"error":"too many servers"}');
  if (bytes === undefined) return sendBody(response, 413, '{"error":"the body is too large"}');
  const { headers, method = '', url = '' } = request;
  const body = parseJson(bytes);
  const messages = bytes.length === 0 ? [{ method, name: '' }] : messagesOf(body);
  const kept = body ?? bytes.toString('utf8');
  received.keep({ server: name, method, path: url, headers, body: kept }, bytes.length);
  for (const message of messages) counts.count(name, message.method, message.name, 'received');
  await running.endpoint.serve(request, response, leg, { bytes, body, messages });
}
