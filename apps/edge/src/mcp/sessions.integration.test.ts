import { createHash } from 'node:crypto';

import { KEY, until } from '../test-support/harness';
import {
  CALL,
  clientHeaders,
  event,
  HELD_NANO_USD,
  INITIALIZE,
  openEvents,
  PATH,
  result,
  rpcErrorOf,
  startMcpHarness,
  type McpHarness,
} from './test-support/mcp-harness';

const UPSTREAM_SESSION = '5f9c1d9e-6ce5-4c0f-9f4b-3f1f5d0e2a11';
const SESSION = 'mcp-session-id';

let edge: McpHarness;

beforeAll(async () => {
  edge = await startMcpHarness();
});
afterAll(() => edge.stop());
beforeEach(async () => {
  await edge.reset();
  edge.upstream.script = (res, received) =>
    result(res, received, { protocolVersion: '2025-06-18' }, { [SESSION]: UPSTREAM_SESSION });
});

/** Begins a session, and returns the id that the client gets. */
async function initialise(): Promise<string> {
  const response = await edge.rpc(INITIALIZE);
  await response.text();
  const id = response.headers.get(SESSION) ?? '';
  await until(() => edge.policy.settled.length > 0, 'the settle of initialize');
  edge.policy.settled.length = 0;
  edge.upstream.received.length = 0;
  return id;
}

test('a client gets an id of its own, and the server the one that it gave', async () => {
  const id = await initialise();
  expect(id).toMatch(/^[\x21-\x7e]{1,400}$/);
  expect(id).not.toContain(UPSTREAM_SESSION);
  const response = await edge.rpc(CALL, { [SESSION]: id });
  expect(response.headers.get(SESSION)).toBe(id);
  expect(edge.upstream.received[0]?.headers[SESSION]).toBe(UPSTREAM_SESSION);
});

test('records tell the session by a hash, and the revision that the server chose', async () => {
  await (await edge.rpc(INITIALIZE)).text();
  const settled = await edge.settled();
  const hash = createHash('sha256').update(UPSTREAM_SESSION).digest();
  expect(settled.mcp).toMatchObject({ protocolVersion: '2025-06-18', sessionSha256: hash });
});

test('another edge, such as the one after a restart, opens the session', async () => {
  const id = await initialise();
  const other = await edge.start();
  try {
    const response = await fetch(other.url + PATH, {
      method: 'POST',
      headers: { ...clientHeaders(), [SESSION]: id },
      body: JSON.stringify({ jsonrpc: '2.0', ...CALL }),
    });
    expect(response.status).toBe(200);
    expect(edge.upstream.received[0]?.headers[SESSION]).toBe(UPSTREAM_SESSION);
  } finally {
    await other.stop();
  }
});

test.each([
  [
    'another key',
    (id: string) => ({ [SESSION]: id, authorization: 'Bearer tg_another-key-01234567' }),
  ],
  ['a changed id', (id: string) => ({ [SESSION]: `${id.slice(0, -3)}AAA` })],
  ['the id of the server itself', () => ({ [SESSION]: UPSTREAM_SESSION })],
])('%s: 404, so that the client initialises again', async (_what, headers) => {
  const id = await initialise();
  const response = await edge.rpc(CALL, headers(id));
  expect(response.status).toBe(404);
  expect(await rpcErrorOf(response)).toMatchObject({
    id: 7,
    error: { code: -32_001, data: { code: 'mcp_session_not_found' } },
  });
  expect(edge.upstream.received).toEqual([]);
  // Nothing was sent, so nothing is paid.
  expect(await edge.settled()).toMatchObject({ cancelled: true });
});

test('a session of an earlier version of the connection is 404', async () => {
  const id = await initialise();
  edge.serve();
  expect((await edge.rpc(CALL, { [SESSION]: id })).status).toBe(404);
  expect(edge.upstream.received).toEqual([]);
});

test('a session that the server has forgotten is 404 in its own words', async () => {
  const id = await initialise();
  edge.upstream.script = (res) => {
    res.writeHead(404, { 'content-type': 'application/json' });
    res.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
  };
  const response = await edge.rpc(CALL, { [SESSION]: id });
  expect(response.status).toBe(404);
  expect(await response.text()).toContain('Session not found');
  expect(await edge.settled()).toMatchObject({
    outcome: 'FAILED',
    errorCode: 'mcp_session_not_found',
    httpStatus: 404,
    costNanoUsd: '0',
  });
});

test('the modern era has no sessions: the header is ignored both ways', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await edge.rpc(
    { ...CALL, params: { ...CALL.params, _meta } },
    {
      [SESSION]: 'no session of ours',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'sum',
    },
  );
  expect(response.status).toBe(200);
  expect(response.headers.get(SESSION)).toBeNull();
  expect(edge.upstream.received[0]?.headers[SESSION]).toBeUndefined();
});

test('a call that its client gives up by a notification does not keep its hold', async () => {
  const id = await initialise();
  edge.upstream.script = (res, { body }) => {
    // As servers do: a call that was given up is never answered.
    if (body['method'] === 'tools/call') openEvents(res);
    else res.writeHead(202).end();
  };
  const controller = new AbortController();
  const { signal } = controller;
  await edge.rpc(CALL, { [SESSION]: id }, { signal });
  const cancel = { method: 'notifications/cancelled', params: { requestId: CALL.id } };
  // Another session has requests with the same ids.
  await edge.rpc(cancel);
  expect(edge.policy.settled).toEqual([]);
  expect((await edge.rpc(cancel, { [SESSION]: id })).status).toBe(202);
  expect(await edge.settled()).toMatchObject({
    outcome: 'CLIENT_CLOSED',
    costNanoUsd: HELD_NANO_USD,
    httpStatus: 200,
  });
  expect(edge.upstream.received[0]?.aborted).toBe(false);
  controller.abort();
  await until(() => edge.upstream.received[0]?.aborted === true, 'the stream to end');
  expect(edge.policy.settled).toHaveLength(1);
});

test('so does a call that is given up before its answer begins', async () => {
  const id = await initialise();
  let release: () => void = () => undefined;
  edge.upstream.script = (res, received) => {
    if (received.body['method'] === 'tools/call') release = () => result(res, received, {});
    else res.writeHead(202).end();
  };
  const asked = edge.rpc(CALL, { [SESSION]: id });
  await until(() => edge.upstream.received.length > 0, 'the call');
  const params = { requestId: CALL.id };
  await edge.rpc({ method: 'notifications/cancelled', params }, { [SESSION]: id });
  expect(await edge.settled()).toMatchObject({
    outcome: 'CLIENT_CLOSED',
    cancelled: false,
    costNanoUsd: HELD_NANO_USD,
  });
  // A server that answers all the same is heard.
  release();
  expect((await asked).status).toBe(200);
  expect(edge.policy.settled).toHaveLength(1);
});

test('an event stream is resumed where it ended, without a hold', async () => {
  const id = await initialise();
  edge.upstream.script = (res) => {
    openEvents(res);
    res.end(event({ method: 'notifications/tools/list_changed' }));
  };
  const response = await edge.bare('GET', { [SESSION]: id, 'last-event-id': '41' });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('list_changed');
  expect(edge.upstream.received[0]).toMatchObject({
    method: 'GET',
    headers: { [SESSION]: UPSTREAM_SESSION, 'last-event-id': '41' },
  });
  expect(edge.policy.authorized).toHaveLength(1);
});

test('a silent event stream has no idle timeout', async () => {
  // Also the time limit of the first byte.
  edge.serve({ idleTimeoutMs: 2_000 });
  const id = await initialise();
  let finish = (): void => undefined;
  edge.upstream.script = (res) => {
    openEvents(res);
    finish = () => res.end(event({ method: 'notifications/late' }));
  };
  const response = await edge.bare('GET', { [SESSION]: id });
  // Longer than the timeout, which undici checks each second.
  setTimeout(finish, 4_000);
  expect(await response.text()).toContain('late');
});

test.each([200, 405])(
  'the end of a session is passed on, and its answer %d too',
  async (status) => {
    const id = await initialise();
    edge.upstream.script = (res) => {
      res.writeHead(status, status === 405 ? { allow: 'POST, GET' } : {}).end();
    };
    const response = await edge.bare('DELETE', { [SESSION]: id });
    expect(response.status).toBe(status);
    expect(response.headers.get('allow')).toBe(status === 405 ? 'POST, GET' : null);
    expect(edge.upstream.received[0]).toMatchObject({
      method: 'DELETE',
      headers: { [SESSION]: UPSTREAM_SESSION },
    });
  },
);

test.each(['GET', 'DELETE'])('%s of a server that is not granted is 403', async (method) => {
  edge.policy.mcpServers.clear();
  const response = await edge.bare(method);
  expect(response.status).toBe(403);
  expect(await rpcErrorOf(response)).toMatchObject({
    error: { data: { code: 'mcp_access_denied' } },
  });
  expect(edge.upstream.received).toEqual([]);
});

test.each([
  [
    'a revoked key',
    () => edge.policy.strangers.add(createHash('sha256').update(KEY).digest('hex')),
    'invalid_api_key',
  ],
  ['a withdrawn grant', () => edge.policy.mcpServers.clear(), 'mcp_access_denied'],
])('%s ends running calls at the next confirmation', async (_what, withdraw, code) => {
  edge.upstream.script = (res) => {
    openEvents(res);
    res.write(event({ method: 'notifications/progress', params: {} }));
  };
  const response = await edge.rpc(CALL);
  const before = edge.policy.confirmed;
  withdraw();
  expect(await response.text()).toContain(`"code":"${code}"`);
  // One may have been under way.
  expect(edge.policy.confirmed - before).toBeLessThanOrEqual(2);
  expect(await edge.settled()).toMatchObject({ outcome: 'PARTIAL', errorCode: code });
  await until(() => edge.upstream.received[0]?.aborted === true, 'the call to be aborted');
});

test('a revoked key ends a stream that nobody waits for, without an error', async () => {
  edge.upstream.script = (res) => openEvents(res);
  const response = await edge.bare('GET');
  edge.policy.mcpServers.clear();
  expect(await response.text()).toBe('');
});

test('an edge that stops ends event streams at once', async () => {
  const other = await startMcpHarness({ DRAIN_MS: 50_000 });
  other.upstream.script = (res) => openEvents(res);
  const response = await other.bare('GET');
  const startedMs = performance.now();
  const stopping = other.stop();
  expect(await response.text()).toBe('');
  await stopping;
  expect(performance.now() - startedMs).toBeLessThan(other.config.DRAIN_MS);
});

test('a key has a limit of open streams', async () => {
  const bounded = await startMcpHarness({ MCP_STREAMS_PER_KEY: 1 });
  try {
    bounded.upstream.script = (res) => openEvents(res);
    const controller = new AbortController();
    await bounded.bare('GET', {}, { signal: controller.signal });
    const second = await bounded.bare('GET');
    expect(second.status).toBe(429);
    expect(second.headers.get('retry-after')).toBe('1');
    expect(await rpcErrorOf(second)).toMatchObject({
      error: { data: { code: 'rate_limit_exceeded' } },
    });
    controller.abort();
    await until(() => bounded.upstream.received[0]?.aborted === true, 'the stream to end');
    bounded.upstream.script = (res) => {
      res.writeHead(202).end();
    };
    expect((await bounded.rpc({ method: 'notifications/x' })).status).toBe(202);
  } finally {
    await bounded.stop();
  }
});

test('notifications of a key have a rate', async () => {
  const bounded = await startMcpHarness({ MCP_MESSAGES_PER_MINUTE: 2 });
  try {
    bounded.upstream.script = (res) => {
      res.writeHead(202).end();
    };
    const notify = () => bounded.rpc({ method: 'notifications/progress' });
    expect((await notify()).status).toBe(202);
    expect((await notify()).status).toBe(202);
    const third = await notify();
    expect(third.status).toBe(429);
    expect(await rpcErrorOf(third)).toMatchObject({
      id: null,
      error: { data: { code: 'rate_limit_exceeded' } },
    });
    expect(bounded.upstream.received).toHaveLength(2);
  } finally {
    await bounded.stop();
  }
});
