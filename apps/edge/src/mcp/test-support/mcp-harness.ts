// An edge with one MCP server behind it, whose answers a test scripts.

import type { ServerResponse } from 'node:http';
import type { McpConnection, McpTarget } from '@tollgate/contracts/node';

import type { EdgeDeps } from '../../app';
import type { Config } from '../../config';
import type { Received } from '../../test-support/fake-upstream';
import { KEY, startHarness } from '../../test-support/harness';

export const SERVER_ID = '01990000-0000-7000-8000-00000000abcd';
export const SERVER = 'files';
export const PATH = `/v1/mcp/${SERVER}`;
export const HELD_NANO_USD = '2000000';

export type McpHarness = Awaited<ReturnType<typeof startMcpHarness>>;

export async function startMcpHarness(over: Partial<Config> = {}, deps: EdgeDeps = {}) {
  const harness = await startHarness(over, deps);
  const { catalog, edge, policy, upstream } = harness;

  // The edge keeps a connection for as long as no newer version is asked for.
  let version = 0;
  /** Changes how the server is reached, and what policy says of it. */
  const serve = (
    over: McpConnection = {},
    allowed: McpTarget = {},
    decision: object = {},
  ): void => {
    version += 1;
    const mcp = target({ connectionVersion: version, ...allowed });
    policy.mcpServers.set(SERVER, mcp);
    policy.decide = () => ({ allow: { heldNanoUsd: HELD_NANO_USD, mcp, ...decision } });
    const url = `${upstream.url}/mcp?tenant=7`;
    catalog.mcpConnections.set(SERVER_ID, connection(url, { version, ...over }));
  };
  const prepare = (): void => {
    serve();
    upstream.script = (res, received) => result(res, received, { content: [] });
  };
  prepare();

  return {
    ...harness,
    serve,
    reset: async () => {
      await harness.reset();
      prepare();
    },
    /** Sends one JSON-RPC message. */
    rpc: (message: object, headers: Record<string, string> = {}, init: RequestInit = {}) =>
      fetch(edge.url + PATH, {
        method: 'POST',
        headers: { ...clientHeaders(), ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        ...init,
      }),
    /** Sends a request with another method. */
    bare: (method: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
      fetch(edge.url + PATH, {
        method,
        headers: { authorization: `Bearer ${KEY}`, accept: 'text/event-stream', ...headers },
        ...init,
      }),
  };
}

export function clientHeaders(): Record<string, string> {
  return {
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  };
}

export const CALL = { id: 7, method: 'tools/call', params: { name: 'sum', arguments: { a: 1 } } };
export const INITIALIZE = {
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
  },
};

function target(over: McpTarget): McpTarget {
  return { serverId: SERVER_ID, identifier: SERVER, rules: [], pins: [], ...over };
}

function connection(url: string, over: McpConnection): McpConnection {
  return {
    serverId: SERVER_ID,
    identifier: SERVER,
    transport: 'STREAMABLE_HTTP',
    url,
    headers: { 'x-tenant': 'house' },
    connectTimeoutMs: 5_000,
    idleTimeoutMs: 30_000,
    auth: { type: 'NONE' },
    ...over,
  };
}

/** A JSON answer to the request that came. */
export function result(res: ServerResponse, { body }: Received, value: object, headers = {}): void {
  res.writeHead(200, { 'content-type': 'application/json', ...headers });
  res.end(JSON.stringify({ jsonrpc: '2.0', id: body['id'], result: value }));
}

export function openEvents(res: ServerResponse, headers = {}): void {
  res.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  res.flushHeaders();
}

export function event(message: object): string {
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
}

export interface RpcErrorBody {
  jsonrpc: string;
  id: string | number | null;
  error: {
    code: number;
    message: string;
    data: { code: string; requestId: string; param?: string };
  };
}

export async function rpcErrorOf(response: Response): Promise<RpcErrorBody> {
  return (await response.json()) as RpcErrorBody;
}
