// The transport of 2024-11-05, HTTP+SSE: a GET opens a stream whose first event names the address to POST
// messages to, and every answer comes on that stream. The SDK no longer has its server side.

import { randomUUID } from 'node:crypto';
import {
  parseJSONRPCMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';

import { createMcpServer } from './server';
import { listenerOf, refusal } from './sessions';
import type { McpUpstream } from './upstream';

export interface SseStreams {
  /** Answers with the stream. `messagesPath` is what its first event names. */
  open(messagesPath: string): Promise<Response>;
  post(sessionId: string, body: unknown): Response;
  forget(): number;
}

/** Limit of streams per server. */
const MAX_STREAMS = 1_000;

export function createSseStreams(upstream: McpUpstream): SseStreams {
  const streams = new Map<string, Transport>();

  return {
    async open(messagesPath) {
      if (streams.size >= MAX_STREAMS) return refusal(503, -32_000, 'Too many streams');
      const sessionId = randomUUID();
      const subscriptions = new Set<string>();
      const server = createMcpServer(upstream, subscriptions);
      const stopListening = upstream.listen(listenerOf(server, subscriptions));
      const endpoint = `${messagesPath}?sessionId=${sessionId}`;
      const { body, transport } = createStream(endpoint, () => {
        streams.delete(sessionId);
        stopListening();
      });
      streams.set(sessionId, transport);
      await server.connect(transport);
      const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
      return new Response(body, { headers });
    },
    post(sessionId, body) {
      const transport = streams.get(sessionId);
      if (transport === undefined) return refusal(404, -32_001, 'Session not found');
      let message: JSONRPCMessage;
      try {
        message = parseJSONRPCMessage(body);
      } catch {
        return refusal(400, -32_700, 'Parse error: Invalid JSON-RPC message');
      }
      transport.onmessage?.(message);
      return new Response('Accepted', { status: 202 });
    },
    forget() {
      const { size } = streams;
      for (const transport of streams.values()) void transport.close();
      return size;
    },
  };
}

/** A transport that writes to the stream it comes with. `gone` is called when either side ends it. */
function createStream(
  endpoint: string,
  gone: () => void,
): { body: ReadableStream; transport: Transport } {
  const encoder = new TextEncoder();
  const event = (name: string, data: string): Uint8Array =>
    encoder.encode(`event: ${name}\ndata: ${data}\n\n`);
  let controller: ReadableStreamDefaultController | undefined;
  const transport: Transport = {
    start: () => Promise.resolve(),
    send(message) {
      controller?.enqueue(event('message', JSON.stringify(message)));
      return Promise.resolve();
    },
    close() {
      controller?.close();
      return ended();
    },
  };
  const ended = (): Promise<void> => {
    controller = undefined;
    gone();
    transport.onclose?.();
    return Promise.resolve();
  };
  const body = new ReadableStream({
    start(started) {
      controller = started;
      controller.enqueue(event('endpoint', endpoint));
    },
    cancel: ended,
  });
  return { body, transport };
}
