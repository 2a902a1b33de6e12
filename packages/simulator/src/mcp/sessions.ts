// The stateful revisions of one MCP server, 2024-11-05 to 2025-11-25: a server of the SDK per session.

import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
  type McpServer,
} from '@modelcontextprotocol/server';

import { createEventStore } from './event-store';
import { createMcpServer } from './server';
import type { ChangeListener, McpUpstream } from './upstream';

export interface Sessions {
  /** Serves one request. `body` is parsed; undefined if it is missing or not JSON. */
  handle(request: Request, body: unknown): Promise<Response>;
  /** Forgets all sessions, as a restart does; says how many there were. */
  forget(): number;
}

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  requests: number;
  stopListening: () => void;
}

/** Limit of sessions per server; the oldest is forgotten. */
const MAX_SESSIONS = 1_000;
/** What clients are asked to wait before they resume a stream. */
const RETRY_MS = 250;
const SESSION_HEADER = 'mcp-session-id';

export function createSessions(upstream: McpUpstream): Sessions {
  const sessions = new Map<string, Session>();
  const { json = false, 'forget-after': forgetAfter = Infinity } = upstream.directives;

  function drop(id: string): void {
    const session = sessions.get(id);
    if (session === undefined) return;
    sessions.delete(id);
    session.stopListening();
    void session.transport.close();
  }

  async function open(request: Request, body: unknown): Promise<Response> {
    const subscriptions = new Set<string>();
    const server = createMcpServer(upstream, subscriptions);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventStore(),
      retryInterval: RETRY_MS,
      enableJsonResponse: json,
      onsessioninitialized(id) {
        const [oldest] = sessions.keys();
        if (sessions.size >= MAX_SESSIONS && oldest !== undefined) drop(oldest);
        const stopListening = upstream.listen(listenerOf(server, subscriptions));
        sessions.set(id, { transport, requests: 0, stopListening });
      },
      onsessionclosed: drop,
    });
    await server.connect(transport);
    return transport.handleRequest(request, { parsedBody: body });
  }

  return {
    async handle(request, body) {
      const id = request.headers.get(SESSION_HEADER);
      if (id === null && isInitializeRequest(body)) return open(request, body);
      if (id === null) return refusal(400, -32_000, 'Bad Request: Mcp-Session-Id is required');
      const session = sessions.get(id);
      if (session === undefined) return refusal(404, -32_001, 'Session not found');
      session.requests += 1;
      if (session.requests > forgetAfter) {
        drop(id);
        return refusal(404, -32_001, 'Session not found');
      }
      return session.transport.handleRequest(request);
    },
    forget() {
      const { size } = sessions;
      for (const id of sessions.keys()) drop(id);
      return size;
    },
  };
}

/** Tells the client of one connection by notifications, of resources those that it subscribed to. */
export function listenerOf(server: McpServer, subscriptions: Set<string>): ChangeListener {
  return {
    toolsChanged: () => server.sendToolListChanged(),
    promptsChanged: () => server.sendPromptListChanged(),
    resourceUpdated(uri) {
      if (subscriptions.has(uri)) void server.server.sendResourceUpdated({ uri });
    },
  };
}

export function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
