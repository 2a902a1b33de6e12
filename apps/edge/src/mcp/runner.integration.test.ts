import { startFakeUpstream, type FakeUpstream } from '../test-support/fake-upstream';
import { KEY } from '../test-support/harness';
import {
  CALL,
  INITIALIZE,
  result,
  rpcErrorOf,
  SERVER_ID,
  startMcpHarness,
  type McpHarness,
} from './test-support/mcp-harness';

const SESSION = 'mcp-session-id';
const TOKEN = 'service-token-of-the-edge';

let first: FakeUpstream;
let second: FakeUpstream;
let edge: McpHarness;

const originOf = ({ url }: FakeUpstream): string => new URL(url).origin;

beforeAll(async () => {
  [first, second] = await Promise.all([startFakeUpstream(), startFakeUpstream()]);
  edge = await startMcpHarness({
    RUNNER_URL: `${originOf(first)}/`,
    RUNNER_HOSTS: [new URL(second.url).host],
    INTERNAL_TOKEN: TOKEN,
    // The rules for providers do not concern the gateway's own parts.
    UPSTREAM_ALLOWED_CIDRS: [],
  });
});
afterAll(() => Promise.all([edge.stop(), first.stop(), second.stop()]));
beforeEach(async () => {
  await edge.reset();
  edge.serve({ transport: 'STDIO', url: '', command: 'files' });
  for (const runner of [first, second]) {
    runner.received.length = 0;
    runner.script = (res, received) => result(res, received, {});
  }
});

test('a server without HTTP is called through the runner, with the service token', async () => {
  expect((await edge.rpc(CALL)).status).toBe(200);
  const [received] = first.received;
  const version = edge.catalog.mcpConnections.get(SERVER_ID)?.version;
  expect(received).toMatchObject({
    method: 'POST',
    path: `/v1/servers/${SERVER_ID}/${String(version)}`,
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const principal = String(received?.headers['x-tollgate-principal']);
  expect(principal).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.stringify(received?.headers)).not.toContain(KEY);

  await edge.rpc(CALL);
  await edge.rpc(CALL, { authorization: 'Bearer tg_another-key-01234567' });
  const principals = first.received.map(({ headers }) => headers['x-tollgate-principal']);
  expect(principals[1]).toBe(principal);
  expect(principals[2]).not.toBe(principal);
});

test('requests of a session go to the replica that began it', async () => {
  first.script = (res, received) =>
    result(res, received, {}, { [SESSION]: 'child-1', 'x-tollgate-runner': originOf(second) });
  const begun = await edge.rpc(INITIALIZE);
  const id = begun.headers.get(SESSION) ?? '';
  expect(begun.headers.get('x-tollgate-runner')).toBeNull();
  expect((await edge.rpc(CALL, { [SESSION]: id })).status).toBe(200);
  expect(first.received).toHaveLength(1);
  expect(second.received[0]).toMatchObject({ headers: { [SESSION]: 'child-1' } });
});

test('a replica that names itself by a foreign address is not believed', async () => {
  first.script = (res, received) =>
    result(res, received, {}, { [SESSION]: 'child-1', 'x-tollgate-runner': 'http://evil.example' });
  const response = await edge.rpc(INITIALIZE);
  expect(response.status).toBe(503);
  expect(response.headers.get(SESSION)).toBeNull();
  expect(await rpcErrorOf(response)).toMatchObject({
    error: { data: { code: 'dependency_unavailable', details: { dependency: 'runner' } } },
  });
});

test.each([
  ['server_ended', 502, 502, 'upstream_error'],
  ['server_refused', 502, 400, 'provider_misconfigured'],
  ['server_busy', 503, 503, 'overloaded'],
  ['server_silent', 504, 502, 'upstream_timeout'],
  ['too_many_sessions', 429, 429, 'rate_limit_exceeded'],
  ['invalid_request', 400, 400, 'invalid_request'],
])('the refusal %s with %d is told in its words', async (word, given, status, code) => {
  first.script = (res) => {
    const headers = { 'retry-after': '2', 'x-tollgate-refusal': word };
    res.writeHead(given, { 'content-type': 'application/json', ...headers });
    res.end('{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"no command of this name"}}');
  };
  const response = await edge.rpc(CALL);
  expect(response.status).toBe(status);
  expect(await rpcErrorOf(response)).toMatchObject({
    id: 7,
    error: { message: 'no command of this name', data: { code } },
  });
  expect((await edge.settled()).cancelled).toBe(!code.startsWith('upstream_'));
});

test('a session that the runner does not have is the same to clients as any lost session', async () => {
  first.script = (res) => {
    res.writeHead(404, { 'x-tollgate-refusal': 'session_not_found' }).end('{}');
  };
  const response = await edge.rpc(CALL);
  expect(response.status).toBe(404);
  expect(await rpcErrorOf(response)).toMatchObject({
    error: { data: { code: 'mcp_session_not_found' } },
  });
});

test('an error of the server with 404 is passed on as it is', async () => {
  const text = '{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no such method"}}';
  first.script = (res) => {
    res.writeHead(404, { 'content-type': 'application/json' }).end(text);
  };
  const response = await edge.rpc(CALL);
  expect({ status: response.status, text: await response.text() }).toEqual({ status: 404, text });
});

test.each([401, 403, 502, 503, 504])('%d from before the runner is a dependency', async (given) => {
  first.script = (res) => {
    res.writeHead(given).end();
  };
  const response = await edge.rpc(CALL);
  expect(response.status).toBe(503);
  expect(await rpcErrorOf(response)).toMatchObject({
    error: { data: { code: 'dependency_unavailable', details: { dependency: 'runner' } } },
  });
});

test('a runner whose catalog is away names the catalog', async () => {
  first.script = (res) => {
    res.writeHead(503, { 'x-tollgate-refusal': 'catalog_unavailable' }).end('{}');
  };
  const response = await edge.rpc(CALL);
  expect(await rpcErrorOf(response)).toMatchObject({
    error: { data: { code: 'dependency_unavailable', details: { dependency: 'catalog' } } },
  });
});

test('without a runner the refusal says what is missing, and nothing is paid', async () => {
  const alone = await startMcpHarness();
  try {
    alone.serve({ transport: 'SSE', url: 'http://example.com/sse' });
    const response = await alone.rpc(CALL);
    expect(response.status).toBe(503);
    expect((await rpcErrorOf(response)).error.message).toContain('RUNNER_URL');
    expect(await alone.settled()).toMatchObject({ cancelled: true });
  } finally {
    await alone.stop();
  }
});
