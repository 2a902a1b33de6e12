import {
  CALL,
  event,
  openEvents,
  result,
  rpcErrorOf,
  startMcpHarness,
  type McpHarness,
} from './test-support/mcp-harness';

let edge: McpHarness;

beforeAll(async () => {
  edge = await startMcpHarness();
});
afterAll(() => edge.stop());
beforeEach(async () => {
  await edge.reset();
  edge.serve({}, { rules: [{ tools: { allowed: ['read_*'], denied: ['read_secret'] } }] });
});

const LIST = { id: 1, method: 'tools/list', params: {} };
const PAGE = {
  tools: [{ name: 'read_a' }, { name: 'write' }, { name: 'read_secret' }, { name: 'read_b' }],
  nextCursor: 'page-2',
  cacheScope: 'public',
  ttlMs: 1_000,
};
const FILTERED = {
  ...PAGE,
  tools: [{ name: 'read_a' }, { name: 'read_b' }],
  cacheScope: 'private',
};

test('a list has only what the rules allow', async () => {
  edge.upstream.script = (res, received) => result(res, received, PAGE);
  const response = await edge.rpc(LIST);
  expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: FILTERED });
  expect(await edge.settled()).toMatchObject({ outcome: 'COMPLETED', httpStatus: 200 });
});

test('a list in a stream is filtered as well, and other events are not', async () => {
  const notice = event({ method: 'notifications/message', params: { data: 'write' } });
  edge.upstream.script = (res, { body }) => {
    openEvents(res);
    res.write(notice);
    res.end(event({ id: body['id'], result: PAGE }));
  };
  const text = await (await edge.rpc(LIST)).text();
  expect(text.startsWith(notice)).toBe(true);
  const [data = ''] = /\{.*"tools".*\}/.exec(text) ?? [];
  expect(JSON.parse(data)).toEqual({ jsonrpc: '2.0', id: 1, result: FILTERED });
});

test('a list that a resumed stream repeats is filtered', async () => {
  edge.upstream.script = (res) => {
    openEvents(res);
    res.end(event({ id: 1, result: PAGE }));
  };
  const text = await (await edge.bare('GET', { 'last-event-id': '3' })).text();
  expect(text).toContain('read_a');
  expect(text).not.toContain('read_secret');
});

test('a list that cannot be read is not passed on', async () => {
  edge.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end('{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read_secret"}');
  };
  const response = await edge.rpc(LIST);
  expect(response.status).toBe(502);
  const body = await rpcErrorOf(response);
  expect(body).toMatchObject({ id: 1, error: { data: { code: 'upstream_error' } } });
  expect(JSON.stringify(body)).not.toContain('read_secret');
  expect(await edge.settled()).toMatchObject({ outcome: 'FAILED', errorCode: 'upstream_error' });
});

test('without rules a list is passed on byte for byte', async () => {
  edge.serve();
  const odd =
    '{"jsonrpc":"2.0", "id":1,"result":{"tools":[ {"name":"write","big":12345678901234567890} ]}}';
  edge.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end(odd);
  };
  expect(await (await edge.rpc(LIST)).text()).toBe(odd);
});

test('results of tools are never changed', async () => {
  edge.upstream.script = (res, received) => result(res, received, PAGE);
  expect(await (await edge.rpc(CALL)).json()).toMatchObject({ result: PAGE });
});
