import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { startSimulator, type Simulator } from '@tollgate/simulator';

import { sealedFor } from './test-support/fake-directory';
import {
  begin,
  COMMANDS,
  HEADERS,
  INITIALIZE,
  post,
  startRig,
  stdioServer,
  until,
  type Rig,
} from './test-support/rig';

// Official clients of both eras, through the runner, with servers of the official SDK.

let rig: Rig;
let simulator: Simulator;
beforeAll(async () => {
  [rig, simulator] = await Promise.all([
    startRig(COMMANDS, { RUNNER_MAX_SESSIONS_PER_KEY: '100' }),
    startSimulator(),
  ]);
  const sse = { transport: 'SSE', version: 1, auth: { type: 'NONE' } };
  rig.directory.connections.set('old', {
    ...sse,
    serverId: 'old',
    url: `${simulator.url}/mcp/old/sse`,
  });
  rig.directory.connections.set('guarded', {
    ...sse,
    serverId: 'guarded',
    url: `${simulator.url}/mcp/guarded/sse`,
    auth: { type: 'HEADER', header: 'Authorization', template: 'Bearer {{secret}}' },
    secret: sealedFor('guarded', 'hunter2'),
  });
  rig.directory.connections.set('away', { ...sse, serverId: 'away', url: 'http://10.1.2.3/sse' });
});
afterAll(async () => {
  await rig.stop();
  await simulator.stop();
});

const MODERN: VersionNegotiationMode = { pin: '2026-07-28' };

async function connect(
  server: string,
  mode: VersionNegotiationMode,
  principal = 'key-1',
): Promise<Client> {
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities, versionNegotiation: { mode } },
  );
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant' as const,
    model: 'test-model',
    content: { type: 'text' as const, text: 'Paris' },
  }));
  const headers = { 'x-tollgate-principal': principal };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(rig.url(server)), { requestInit: { headers } }),
  );
  return client;
}

function textOf(result: CallToolResult): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : part.type)).join();
}

const CASES: [string, string, VersionNegotiationMode][] = [
  ['a legacy client of a STDIO server', 'sdk', 'legacy'],
  ['a modern client of a STDIO server', 'sdk', MODERN],
  ['a client that finds out, of a STDIO server', 'sdk', 'auto'],
  ['a legacy client of an SSE server', 'old', 'legacy'],
  ['a client that finds out, of an SSE server', 'old', 'auto'],
];

describe.each(CASES)('%s', (_, server, mode) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(server, mode);
  });
  afterAll(() => client.close());

  test('lists and calls tools', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('sim_echo');
    const result = await client.callTool({ name: 'test_simple_text' });
    expect(textOf(result)).not.toBe('');
  });

  test('gets progress', async () => {
    const seen: number[] = [];
    const slow = { name: 'sim_slow', arguments: { ms: 30, steps: 3 } };
    await client.callTool(slow, { onprogress: ({ progress }) => void seen.push(progress) });
    expect(seen.slice(0, 2)).toEqual([1, 2]);
  });

  test('gets the results of calls at once, each its own', async () => {
    const calls = Array.from({ length: 8 }, (_, n) =>
      client.callTool({ name: 'sim_echo', arguments: { text: `call ${n}` } }),
    );
    const texts = (await Promise.all(calls)).map((result) => JSON.stringify(result));
    for (const [n, text] of texts.entries()) expect(text).toContain(`call ${n}`);
  });

  test('cancels a call', async () => {
    const abort = new AbortController();
    const held = client.callTool({ name: 'sim_hold' }, { signal: abort.signal });
    setImmediate(() => abort.abort());
    await expect(held).rejects.toThrow();
    expect(textOf(await client.callTool({ name: 'test_simple_text' }))).not.toBe('');
  });
});

test.each([
  ['sdk', 'STDIO'],
  ['old', 'SSE'],
])('a legacy server (%s) asks its client in the middle of a call', async (server) => {
  const client = await connect(server, 'legacy');
  const asked = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'Hi' } });
  expect(textOf(asked)).toContain('Paris');
  await client.close();
});

test('a legacy client hears of changes', async () => {
  const client = await connect('sdk', 'legacy');
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
  });
  await client.callTool({ name: 'test_trigger_tool_change' });
  await changed;
  await client.close();
});

test('modern clients of one key share a process, those of another key do not', async () => {
  const pidOf = async (principal: string): Promise<unknown> => {
    const client = await connect('sdk', MODERN, principal);
    const { pid } = JSON.parse(textOf(await client.callTool({ name: 'sim_process' }))) as {
      pid: number;
    };
    await client.close();
    return pid;
  };
  const [first, second, other] = [await pidOf('one'), await pidOf('one'), await pidOf('two')];
  expect(second).toBe(first);
  expect(other).not.toBe(first);
});

test('a subscription of a modern client has the client’s own id', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  };
  const listen = { notifications: { toolsListChanged: true }, _meta: meta };
  const answer = await post(rig.url('sdk'), {
    id: 'my-subscription',
    method: 'subscriptions/listen',
    params: listen,
  });
  let text = '';
  const decoder = new TextDecoder();
  const reader = answer.body?.getReader();
  while (!text.includes('subscriptionId')) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) break;
    text += decoder.decode(value);
  }
  expect(text).toContain('"io.modelcontextprotocol/subscriptionId":"my-subscription"');
  await reader?.cancel();
});

test('a stream of a legacy session is resumed after its last event', async () => {
  const url = rig.url('sdk');
  expect(INITIALIZE.params.protocolVersion).toBe('2025-11-25');
  const session = { 'mcp-session-id': await begin(url) };
  await post(url, { method: 'notifications/initialized' }, session);
  const call = {
    id: 7,
    method: 'tools/call',
    params: { name: 'sim_slow', arguments: { ms: 1_500, steps: 2 }, _meta: { progressToken: 1 } },
  };
  const first = await post(url, call, session);
  const reader = first.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  const id = /^id: (.+)$/m.exec(Buffer.from(value ?? []).toString())?.[1] ?? '';
  await reader?.cancel();
  const resumed = await fetch(url, { headers: { ...HEADERS, ...session, 'last-event-id': id } });
  const text = await resumed.text();
  expect(text).toContain('"id":7');
  expect(text).toContain('"result"');
  const foreign = { ...HEADERS, ...session, 'last-event-id': '9-999999' };
  expect((await fetch(url, { headers: foreign })).status).toBe(400);
});

test('the secret of an SSE server is sent as its row says', async () => {
  const client = await connect('guarded', 'legacy');
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await client.close();
  const seen = await fetch(`${simulator.url}/_sim/mcp/requests?server=guarded`);
  const { data } = (await seen.json()) as {
    data: { method: string; headers: Record<string, string> }[];
  };
  expect(data.map(({ method, headers }) => [method, headers['authorization']])).toEqual([
    ['GET', 'Bearer hunter2'],
    ...data.slice(1).map(() => ['POST', 'Bearer hunter2']),
  ]);
});

/** An SSE server that takes the token `issued`, and a token endpoint that issues these tokens, then the last one again. */
async function withTokenServer(
  serverId: string,
  tokens: readonly string[],
  use: (asked: readonly string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  const endpoint = createServer((request, response) => {
    request.resume();
    const token = tokens[asked.length] ?? tokens.at(-1);
    asked.push(request.headers.authorization ?? '');
    response.setHeader('content-type', 'application/json');
    response.end(`{"access_token":"${token}","token_type":"Bearer","expires_in":3600}`);
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { port } = endpoint.address() as AddressInfo;
  rig.directory.connections.set(serverId, {
    serverId,
    version: 1,
    transport: 'SSE',
    url: `${simulator.url}/mcp/sim-bearer-issued/sse`,
    auth: {
      type: 'OAUTH_CLIENT_CREDENTIALS',
      tokenUrl: `http://127.0.0.1:${port}/token`,
      clientId: 'runner',
    },
    secret: sealedFor(serverId, 'hunter2'),
  });
  try {
    await use(asked);
  } finally {
    endpoint.close();
  }
}

test('all sessions of an SSE server share one token of its token endpoint', () =>
  withTokenServer('issued', ['issued'], async (asked) => {
    const clients = await Promise.all(
      [1, 2, 3].map((n) => connect('issued', 'legacy', `key-${n}`)),
    );
    for (const client of clients) {
      expect((await client.listTools()).tools.length).toBeGreaterThan(0);
      await client.close();
    }
    expect(asked).toEqual([`Basic ${Buffer.from('runner:hunter2').toString('base64')}`]);
  }));

test('a token that an SSE server refuses is replaced, and the request sent again', () =>
  withTokenServer('renewed', ['revoked', 'issued'], async (asked) => {
    const client = await connect('renewed', 'legacy', 'key');
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
    expect(asked).toHaveLength(2);
  }));

test('an SSE server at an address that is not allowed is not reached', async () => {
  const answer = await post(rig.url('away'), {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-03-26' },
  });
  expect([answer.status, await answer.text()]).toEqual([
    502,
    expect.stringContaining('not allowed to connect'),
  ]);
});

test('a server of the stateful revisions alone is found out, and its probe leaves nothing', async () => {
  rig.directory.connections.set('legacy', stdioServer('small', { serverId: 'legacy' }));
  const before = rig.runner.sessions.size();
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const probe = { id: 1, method: 'server/discover', params: { _meta: meta } };
  expect((await post(rig.url('legacy'), probe)).status).toBe(404);
  await until('the probed process is gone', () => rig.runner.sessions.size() === before);
});

test('this transport is the one that the simulator serves without the runner too', async () => {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new SSEClientTransport(new URL(`${simulator.url}/mcp/old/sse`)));
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await client.close();
});
