import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';

// MCP clients as applications use them: the official client, and requests of the stateless revision
// without a client's help.

/** Each era of the protocol, as the official client names it. */
export const ERAS = [
  ['legacy', 'legacy'],
  ['modern', { pin: '2026-07-28' }],
] as const satisfies readonly (readonly [string, VersionNegotiationMode])[];

export type Mode = VersionNegotiationMode;

const RECONNECTION = {
  initialReconnectionDelay: 10,
  maxReconnectionDelay: 100,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 20,
};

export function transportTo(url: string, key: string): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    reconnectionOptions: RECONNECTION,
  });
}

/** A client that answers every request of a server. */
export function answeringClient(mode: Mode): Client {
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const client = new Client(
    { name: 'e2e', version: '1' },
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

export async function connect(url: string, key: string, mode: Mode): Promise<Client> {
  const client = answeringClient(mode);
  await client.connect(transportTo(url, key));
  return client;
}

export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON-RPC response; undefined: the answer has none. */
  readonly message: RpcMessage | undefined;
}

export interface RpcMessage {
  readonly id?: number | string | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

export interface RpcOptions {
  /** Added to the headers of the revision, or instead of them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Null: the message has none. */
  readonly id?: number | string | null;
  /** As in the revisions with sessions. */
  readonly legacy?: boolean;
}

/** One request, of the stateless revision unless it is `legacy`; never throws for a status. */
export async function rpc(
  url: string,
  key: string | undefined,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  { headers = {}, id = 1, legacy = false, signal }: RpcOptions = {},
): Promise<RpcAnswer> {
  const sent = legacy ? params : { ...params, _meta: META };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(legacy ? { 'mcp-protocol-version': '2025-11-25' } : headersOf(method, params)),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: id ?? undefined, method, params: sent }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const messages = type.startsWith('text/event-stream') ? eventsOf(text) : [text];
  const parsed = messages.filter((one) => one !== '').map((one) => JSON.parse(one) as RpcMessage);
  const message = parsed.find((one) => 'result' in one || 'error' in one);
  return { status: response.status, headers: response.headers, message };
}

function headersOf(method: string, { name }: Readonly<Record<string, unknown>>) {
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  };
}

/** The data of each event. */
function eventsOf(text: string): string[] {
  return text
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    )
    .filter((data) => data !== '');
}

/** A tool call of the stateless revision. */
export function callTool(
  url: string,
  key: string,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  options?: RpcOptions,
): Promise<RpcAnswer> {
  return rpc(url, key, 'tools/call', { name, arguments: args }, options);
}

interface CallCount {
  readonly server: string;
  readonly method: string;
  readonly name: string;
  readonly received: number;
  readonly started: number;
  readonly finished: number;
  readonly cancelled: number;
}

/** The simulator's own count of what its server received. */
export async function countsOf(simulatorUrl: string, server: string): Promise<CallCount[]> {
  const response = await fetch(
    `${simulatorUrl}/_sim/mcp/calls?server=${encodeURIComponent(server)}`,
  );
  return ((await response.json()) as { data: CallCount[] }).data;
}

/** Tool calls that began at the simulator's server. */
export async function startedCalls(simulatorUrl: string, server: string): Promise<number> {
  const counts = await countsOf(simulatorUrl, server);
  return counts
    .filter(({ method }) => method === 'tools/call')
    .reduce((sum, { started }) => sum + started, 0);
}

/** Triggers an action at the simulator's server: `release`, `change`, `touch`, `forget`. */
export async function act(simulatorUrl: string, action: string, server: string): Promise<void> {
  const query = `server=${encodeURIComponent(server)}`;
  const response = await fetch(`${simulatorUrl}/_sim/mcp/${action}?${query}`, { method: 'POST' });
  if (!response.ok) throw new Error(`${action}: ${String(response.status)}`);
}
