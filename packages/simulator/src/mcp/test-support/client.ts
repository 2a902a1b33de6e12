// The official client, connected to a server of the simulator, and the simulator's own count.

import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';

import type { CallCount, ReceivedMcpRequest } from '..';

export type Mode = VersionNegotiationMode;

export const MODERN: Mode = { pin: '2026-07-28' };
export const ERAS = [
  ['legacy', 'legacy' as Mode],
  ['modern', MODERN],
] as const;

const RECONNECTION = {
  initialReconnectionDelay: 10,
  maxReconnectionDelay: 100,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 5,
};

/** A client that answers whatever it is asked. */
export function answeringClient(mode: Mode): Client {
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', () => ({
    action: 'accept' as const,
    content: { name: 'Ada', response: 'yes', ok: true, color: 'blue', context: 'here' },
  }));
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant' as const,
    model: 'test-model',
    content: { type: 'text' as const, text: 'Paris' },
  }));
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///home' }] }));
  return client;
}

export async function connect(url: string, mode: Mode, transport?: Transport): Promise<Client> {
  const client = answeringClient(mode);
  await client.connect(transport ?? httpTransport(url));
  return client;
}

export function httpTransport(
  url: string,
  headers: Record<string, string> = {},
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    reconnectionOptions: RECONNECTION,
  });
}

export function textOf(result: CallToolResult): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : part.type)).join();
}

async function read<T>(url: string, path: string, server: string): Promise<T[]> {
  const response = await fetch(`${url}/_sim/mcp/${path}?server=${encodeURIComponent(server)}`);
  return ((await response.json()) as { data: T[] }).data;
}

export const callsOf = (url: string, server: string): Promise<CallCount[]> =>
  read(url, 'calls', server);

export const requestsOf = (url: string, server: string): Promise<ReceivedMcpRequest[]> =>
  read(url, 'requests', server);

export async function act(url: string, action: string, server: string): Promise<unknown> {
  const path = `/_sim/mcp/${action}?server=${encodeURIComponent(server)}`;
  return (await fetch(`${url}${path}`, { method: 'POST' })).json();
}

/** Repeats a look until it finds something. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
    // The simulator runs in this process, and gets its turn.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
