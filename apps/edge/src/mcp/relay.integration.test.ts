import { KEY, until } from '../test-support/harness';
import {
  CALL,
  event,
  HELD_NANO_USD,
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
beforeEach(() => edge.reset());

test('a call is authorised by its body, passed on byte for byte, and paid for', async () => {
  const raw =
    '{ "jsonrpc":"2.0","id":7, "method":"tools/call","params":{"name":"sum","big":12345678901234567890}}';
  const response = await edge.rpc({}, { 'x-request-id': 'mine' }, { body: raw });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 7, result: { content: [] } });
  expect(response.headers.get('x-tollgate-held-usd')).toBe('0.002');

  const [received] = edge.upstream.received;
  expect(received?.raw.toString()).toBe(raw);
  expect(received).toMatchObject({ method: 'POST', path: '/v1/mcp?tenant=7' });

  const [asked] = edge.policy.authorized;
  expect(asked).toMatchObject({
    operation: 'mcp_call',
    mcp: { server: 'files', method: 'tools/call', name: 'sum' },
    model: '',
    family: '',
    clientRequestId: 'mine',
    route: '/v1/mcp/:identifier',
  });
  expect(response.headers.get('x-request-id')).toBe(asked?.requestId);
  expect(await edge.settled()).toMatchObject({
    requestId: asked?.requestId,
    cancelled: false,
    outcome: 'COMPLETED',
    costNanoUsd: HELD_NANO_USD,
    httpStatus: 200,
    errorCode: '',
    mcp: {
      rpcErrorCode: 0,
      isError: false,
      protocolVersion: '2025-11-25',
      requestBytes: raw.length,
      responseBytes: JSON.stringify({ jsonrpc: '2.0', id: 7, result: { content: [] } }).length,
    },
  });
});

test('few headers of the client go on, and none of its credentials', async () => {
  await edge.rpc(CALL, {
    'x-api-key': 'tg_other',
    cookie: 'session=1',
    'x-forwarded-for': '10.0.0.1',
    'mcp-param-region': 'eu',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  });
  const [received] = edge.upstream.received;
  expect(Object.keys(received?.headers ?? {}).sort()).toEqual([
    'accept',
    'connection',
    'content-length',
    'content-type',
    'host',
    'mcp-param-region',
    'mcp-protocol-version',
    'traceparent',
    'user-agent',
    'x-tenant',
  ]);
  expect(JSON.stringify(received?.headers)).not.toContain(KEY);
  expect((await edge.settled()).mcp?.traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
});

test.each([
  ['a tool that failed', { result: { content: [], isError: true } }, 'COMPLETED', '', true],
  [
    'an error of the request',
    { error: { code: -32_602, message: 'no' } },
    'COMPLETED',
    'upstream_rejected',
    false,
  ],
  [
    'an error of the server',
    { error: { code: -32_603, message: 'no' } },
    'FAILED',
    'upstream_error',
    false,
  ],
])('%s: who pays', async (_what, over, outcome, errorCode, paid) => {
  edge.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ jsonrpc: '2.0', id: 7, ...over }));
  };
  await (await edge.rpc(CALL)).text();
  expect(await edge.settled()).toMatchObject({
    outcome,
    errorCode,
    costNanoUsd: paid ? HELD_NANO_USD : '0',
    mcp: { isError: paid, rpcErrorCode: 'error' in over ? over.error.code : 0 },
  });
});

test('failures are paid for where the server says so', async () => {
  edge.serve({}, { chargeFailures: true });
  edge.upstream.script = (res) => {
    res.writeHead(500).end();
  };
  expect((await edge.rpc(CALL)).status).toBe(502);
  expect((await edge.settled()).costNanoUsd).toBe(HELD_NANO_USD);
});

test('a stream is passed on with requests of the server, and ends with its response', async () => {
  edge.upstream.script = (res) => {
    openEvents(res);
    res.write(event({ method: 'notifications/progress', params: { progress: 1 } }));
    res.write(event({ id: 7, method: 'elicitation/create', params: {} }));
    res.end(event({ id: 7, result: { content: [], isError: true } }));
  };
  const response = await edge.rpc(CALL);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  const text = await response.text();
  expect(text.match(/^data: /gm)).toHaveLength(3);
  expect(await edge.settled()).toMatchObject({
    outcome: 'COMPLETED',
    stream: true,
    costNanoUsd: HELD_NANO_USD,
    mcp: { isError: true, responseBytes: text.length },
  });
});

test('the head of a silent stream arrives before its first event', async () => {
  let release: () => void = () => undefined;
  edge.upstream.script = (res, received) => {
    openEvents(res);
    release = () => res.end(event({ id: received.body['id'], result: {} }));
  };
  const response = await edge.rpc(CALL);
  expect(response.status).toBe(200);
  release();
  expect(await response.text()).toContain('"result":{}');
});

test('ten megabytes pass', async () => {
  const text = 'x'.repeat(10 * 1024 * 1024);
  edge.upstream.script = (res, received) => result(res, received, { content: [{ text }] });
  const body = (await (await edge.rpc(CALL)).json()) as { result: { content: { text: string }[] } };
  expect(body.result.content[0]?.text).toHaveLength(text.length);
  expect((await edge.settled()).mcp?.responseBytes).toBeGreaterThan(text.length);
});

test('a client that does not read holds up its server, not the memory of the edge', async () => {
  const block = Buffer.alloc(64 * 1024, 'x');
  const blocks = 1_024;
  let sent = 0;
  let lastMs = performance.now();
  edge.upstream.script = async (res, received) => {
    openEvents(res);
    res.write('data: "');
    for (; sent < blocks; sent += 1) {
      if (!res.write(block)) await new Promise((resolve) => res.once('drain', resolve));
      lastMs = performance.now();
    }
    res.end(`"\n\n${event({ id: received.body['id'], result: {} })}`);
  };
  const response = await edge.rpc(CALL);
  await until(() => performance.now() - lastMs > 300, 'the server to be held up');
  // The sockets between them hold some megabytes.
  expect(sent).toBeLessThan(blocks / 2);
  expect(await response.text()).toContain('"result":{}');
  expect(await edge.settled()).toMatchObject({ outcome: 'COMPLETED' });
});

test.each([
  [401, 502, 'provider_auth_failed', -32_013],
  [403, 502, 'provider_auth_failed', -32_013],
  [307, 502, 'upstream_error', -32_011],
  [500, 502, 'upstream_error', -32_011],
  [429, 429, 'upstream_rate_limited', -32_015],
])('a server that answers %d: the client reads %d', async (given, status, code, rpcCode) => {
  edge.upstream.script = (res) => {
    res.writeHead(given, {
      location: 'http://169.254.169.254/',
      'www-authenticate': 'Bearer realm="theirs"',
      'retry-after': '3',
    });
    res.end('{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"their words"}}');
  };
  const response = await edge.rpc(CALL);
  expect(response.status).toBe(status);
  expect(response.headers.get('www-authenticate')).toBeNull();
  expect(response.headers.get('retry-after')).toBe(given === 429 ? '3' : null);
  const body = await rpcErrorOf(response);
  expect(body).toMatchObject({ id: 7, error: { code: rpcCode, data: { code } } });
  expect(body.error.message).not.toContain('their words');
  expect(edge.upstream.received).toHaveLength(1);
  expect(await edge.settled()).toMatchObject({
    outcome: 'FAILED',
    costNanoUsd: '0',
    httpStatus: status,
  });
});

test.each([400, 404, 405, 406])('a refusal with the status %d is passed on', async (status) => {
  const said = '{"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"their words"}}';
  edge.upstream.script = (res) => {
    res.writeHead(status, { 'content-type': 'application/json' }).end(said);
  };
  const response = await edge.rpc(CALL);
  expect(response.status).toBe(status);
  expect(await response.text()).toBe(said);
  expect(await edge.settled()).toMatchObject({
    outcome: 'FAILED',
    errorCode: 'upstream_rejected',
    httpStatus: status,
    costNanoUsd: '0',
    mcp: { rpcErrorCode: -32_022 },
  });
});

test('an answer that is neither JSON nor events is refused', async () => {
  edge.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  };
  const response = await edge.rpc(CALL);
  expect(response.status).toBe(502);
  expect(await rpcErrorOf(response)).toMatchObject({ error: { data: { code: 'upstream_error' } } });
});

test('a stream that breaks off ends with an error message', async () => {
  edge.upstream.script = (res) => {
    openEvents(res);
    res.write(event({ method: 'notifications/progress', params: {} }));
    res.write('event: message\ndata: {"jsonrpc"', () => res.destroy());
  };
  const text = await (await edge.rpc(CALL)).text();
  const last = text.split('\n\n').at(-2) ?? '';
  expect(last).toContain('event: message\ndata: {"jsonrpc":"2.0","id":7,"error":{"code":-32011');
  expect(await edge.settled()).toMatchObject({
    outcome: 'PARTIAL',
    errorCode: 'upstream_error',
    httpStatus: 200,
    costNanoUsd: '0',
  });
});

test('a document that breaks off is not ended as if it were whole', async () => {
  edge.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.write('{"jsonrpc":"2.0","id":7,"result":{"a":', () => res.destroy());
  };
  const response = await edge.rpc(CALL);
  await expect(response.text()).rejects.toThrow();
  expect(await edge.settled()).toMatchObject({ outcome: 'PARTIAL', costNanoUsd: '0' });
});

test('a stream that ends without a response says so', async () => {
  edge.upstream.script = (res) => {
    openEvents(res);
    res.end(event({ method: 'notifications/progress', params: {} }));
  };
  expect(await (await edge.rpc(CALL)).text()).toContain('"code":"upstream_error"');
  expect(await edge.settled()).toMatchObject({ outcome: 'PARTIAL', errorCode: 'upstream_error' });
});

test('a stream that its server ends so that it is resumed is complete and paid for', async () => {
  edge.upstream.script = (res) => {
    openEvents(res);
    res.end('id: 1\ndata: \n\n');
  };
  expect(await (await edge.rpc(CALL)).text()).toBe('id: 1\ndata: \n\n');
  expect(await edge.settled()).toMatchObject({ outcome: 'COMPLETED', costNanoUsd: HELD_NANO_USD });
});

test('a server that cannot be reached is not paid, and nothing is recorded', async () => {
  edge.serve({ url: 'http://127.0.0.1:1/' });
  const response = await edge.rpc(CALL);
  expect(response.status).toBe(502);
  expect(await response.text()).toContain('The MCP server could not be reached.');
  expect(await edge.settled()).toMatchObject({ cancelled: true, errorCode: 'upstream_error' });
});

test('a server that stays silent is given up after its idle timeout', async () => {
  edge.serve({ idleTimeoutMs: 300 });
  edge.upstream.script = (res) => {
    openEvents(res);
    res.write(event({ method: 'notifications/progress', params: {} }));
  };
  expect(await (await edge.rpc(CALL)).text()).toContain('"code":"upstream_timeout"');
  expect(await edge.settled()).toMatchObject({ outcome: 'PARTIAL', errorCode: 'upstream_timeout' });
});

test('a client that leaves ends the call, which is paid for', async () => {
  edge.upstream.script = (res) => openEvents(res);
  const controller = new AbortController();
  await edge.rpc(CALL, {}, { signal: controller.signal });
  controller.abort();
  expect(await edge.settled()).toMatchObject({
    outcome: 'CLIENT_CLOSED',
    costNanoUsd: HELD_NANO_USD,
    httpStatus: 200,
  });
  await until(() => edge.upstream.received[0]?.aborted === true, 'the call to be aborted');
});

test('a client that leaves before the answer begins ends the call as well', async () => {
  edge.upstream.script = () => undefined;
  const controller = new AbortController();
  const asked = edge.rpc(CALL, {}, { signal: controller.signal });
  await until(() => edge.upstream.received.length > 0, 'the call');
  controller.abort();
  await expect(asked).rejects.toThrow();
  expect(await edge.settled()).toMatchObject({ outcome: 'CLIENT_CLOSED', httpStatus: 499 });
  await until(() => edge.upstream.received[0]?.aborted === true, 'the call to be aborted');
});

test('a client that leaves with its response in hand has had a complete answer', async () => {
  edge.upstream.script = (res, { body }) => {
    openEvents(res);
    res.write(event({ id: body['id'], result: {} }));
  };
  const controller = new AbortController();
  const response = await edge.rpc(CALL, {}, { signal: controller.signal });
  await response.body?.getReader().read();
  controller.abort();
  expect(await edge.settled()).toMatchObject({ outcome: 'COMPLETED', costNanoUsd: HELD_NANO_USD });
});

test('a notification is passed on without a hold or a record', async () => {
  edge.upstream.script = (res) => {
    res.writeHead(202).end();
  };
  const response = await edge.rpc({ method: 'notifications/initialized' });
  expect(response.status).toBe(202);
  expect(await response.text()).toBe('');
  expect(edge.upstream.received).toHaveLength(1);
  expect(edge.policy.authorized).toEqual([]);
  expect(edge.policy.settled).toEqual([]);
});

test.each(['2025-11-25', '2026-07-28'])(
  'a call without an id is refused in revision %s, and its server gets nothing',
  async (revision) => {
    const { method, params } = CALL;
    const headers = { 'mcp-protocol-version': revision };
    const response = await edge.rpc({ method, params }, headers);
    expect(response.status).toBe(400);
    expect(await rpcErrorOf(response)).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: {
        message: expect.stringMatching(/^id: is required/),
        data: { code: 'invalid_request', param: 'id' },
      },
    });
    expect(edge.upstream.received).toEqual([]);
  },
);

test('the answer of a client to a request of the server is passed on', async () => {
  edge.upstream.script = (res) => {
    res.writeHead(202).end();
  };
  expect((await edge.rpc({ id: 3, result: { action: 'accept' } })).status).toBe(202);
  expect(edge.upstream.received[0]?.body).toMatchObject({ id: 3, result: { action: 'accept' } });
  expect(edge.policy.authorized).toEqual([]);
});

test.each([
  ['without a key', { authorization: '' }, 401, 'missing_api_key'],
  ['of a page elsewhere', { origin: 'https://evil.example' }, 403, 'mcp_access_denied'],
  ['with text', { 'content-type': 'text/plain' }, 400, 'invalid_request'],
])('a request %s is refused', async (_what, headers, status, code) => {
  const response = await edge.rpc(CALL, headers);
  expect(response.status).toBe(status);
  expect(await rpcErrorOf(response)).toMatchObject({ jsonrpc: '2.0', error: { data: { code } } });
  expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
  expect(edge.upstream.received).toEqual([]);
});

test('the key may be in x-api-key', async () => {
  const response = await edge.rpc(CALL, { authorization: '', 'x-api-key': KEY });
  expect(response.status).toBe(200);
});

test('a batch is refused in words of its own', async () => {
  const response = await edge.rpc({}, {}, { body: ` [${JSON.stringify(CALL)}]` });
  expect(response.status).toBe(400);
  expect((await rpcErrorOf(response)).error.message).toContain('batch');
});

test('a body of more than four megabytes is refused, and one of nearly four passes', async () => {
  const padded = (bytes: number) => ({ ...CALL, params: { name: 'sum', x: 'x'.repeat(bytes) } });
  expect((await edge.rpc(padded(4 * 1024 * 1024))).status).toBe(400);
  expect(edge.upstream.received).toEqual([]);
  expect((await edge.rpc(padded(4 * 1024 * 1024 - 1_000))).status).toBe(200);
});

test.each(['PUT', 'PATCH', 'OPTIONS'])('%s is not a method of the path', async (method) => {
  const response = await edge.bare(method);
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('POST, GET, DELETE');
});

test('a refusal of policy has the request id, its headers and the id of the message', async () => {
  edge.policy.decide = () => ({
    denial: {
      code: 'rate_limit_exceeded',
      message: 'slower',
      retryAfterMs: 2_000,
      detailsJson: '{"limit":"5"}',
      limits: [{ kind: 'RATE_REQUESTS', limit: '5', settled: '5', held: '0', mode: 'HARD' }],
    },
  });
  const response = await edge.rpc({ ...CALL, id: 'abc' });
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('2');
  expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('0');
  expect(await rpcErrorOf(response)).toEqual({
    jsonrpc: '2.0',
    id: 'abc',
    error: {
      code: -32_007,
      message: 'slower',
      data: {
        code: 'rate_limit_exceeded',
        requestId: response.headers.get('x-request-id'),
        details: { limit: '5' },
      },
    },
  });
  expect(edge.policy.settled).toEqual([]);
});

test('headers of the modern era that contradict the body are refused with its own code', async () => {
  const params = {
    ...CALL.params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'other',
  };
  const response = await edge.rpc({ ...CALL, params }, headers);
  expect(response.status).toBe(400);
  expect(await rpcErrorOf(response)).toMatchObject({ id: 7, error: { code: -32_020 } });
  expect(edge.policy.authorized).toEqual([]);
  expect((await edge.rpc({ ...CALL, params }, { ...headers, 'mcp-name': 'sum' })).status).toBe(200);
});

test('requests are counted by kind and outcome, with their bytes', async () => {
  await (await edge.rpc(CALL)).text();
  await (await edge.rpc({ id: 1, method: 'made/up' })).text();
  const text = await (await edge.ops('/metrics')).text();
  expect(text).toMatch(
    /tollgate_edge_mcp_request_seconds_count\{.*class="call",outcome="COMPLETED".*\} \d/,
  );
  expect(text).toMatch(
    /tollgate_edge_mcp_request_seconds_count\{.*class="other",outcome="COMPLETED".*\} \d/,
  );
  expect(text).toMatch(/tollgate_edge_mcp_bytes_total\{.*direction="response".*\} \d/);
  expect(text).not.toContain('made/up');
  expect(text).toMatch(/tollgate_edge_mcp_streams_open\{?.*\}? 0/);
});

test('a long call renews its lease', async () => {
  edge.serve({}, {}, { leaseMs: 900 });
  let release: () => void = () => undefined;
  edge.upstream.script = (res, received) => {
    release = () => result(res, received, {});
  };
  const asked = edge.rpc(CALL);
  await until(() => edge.policy.extended.length >= 2, 'two renewals');
  release();
  expect((await asked).status).toBe(200);
  const settled = await edge.settled();
  expect(settled.holdToken.toString()).toMatch(/:\d+$/);
});
