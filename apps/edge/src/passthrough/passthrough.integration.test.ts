import { request } from 'node:http';
import { passthroughCost } from '@tollgate/contracts';
import type { AuthorizeReply, AuthorizeRequest__Output } from '@tollgate/contracts/node';

import { connection, PROVIDER_SECRET as SECRET } from '../test-support/fake-catalog';
import { deny, errorOf, KEY, startHarness, until, type Harness } from '../test-support/harness';

const rule = {
  method: 'POST',
  path: '/v1/voices/*',
  callNanoUsd: '10000000',
  requestMegabyteNanoUsd: '1000000000',
  responseMegabyteNanoUsd: '2000000000',
  maxRequestBytes: 1_000,
  maxResponseBytes: 2_000,
};

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ BODY_LIMIT_BYTES: 100_000 });
});
afterAll(() => harness.stop());
beforeEach(async () => {
  await harness.reset();
  harness.policy.decide = () => allowed();
  harness.catalog.connections.set('provider-1:1', connection({ baseUrl: base() }));
});

const base = () => harness.upstream.url.replace('/v1', '/base');

function allowed(over: Partial<typeof rule> = {}): AuthorizeReply {
  return {
    allow: {
      heldNanoUsd: '15000000',
      passthrough: {
        providerId: 'provider-1',
        providerName: 'voices',
        providerType: 'CUSTOM',
        upstreamFormat: 'openai',
        connectionVersion: 1,
        region: 'eu',
        rule: { ...rule, ...over },
      },
    },
  };
}

const PATH = '/v1/passthrough/voices/v1/voices/anna';

function send(init: RequestInit = {}, path = PATH): Promise<Response> {
  const { headers, ...rest } = init;
  return fetch(harness.edge.url + path, {
    method: 'POST',
    ...rest,
    headers: { authorization: `Bearer ${KEY}`, ...(headers as Record<string, string>) },
  });
}

const cost = (requestBytes: number, responseBytes: number): string =>
  passthroughCost(rule, requestBytes, responseBytes).toString();

test('bytes go both ways, and their price is settled', async () => {
  harness.upstream.script = (res) => {
    res.writeHead(201, {
      'content-type': 'audio/mpeg',
      'content-length': 5,
      etag: '"1"',
      'set-cookie': 'a=b',
      'x-ratelimit-remaining-requests': '1',
      'x-request-id': 'upstream-req-1',
    });
    res.end('sound');
  };
  const answer = await send(
    { body: 'a text', headers: { 'content-type': 'text/x-own' } },
    `${PATH}?speed=2`,
  );
  expect(answer.status).toBe(201);
  expect(await answer.text()).toBe('sound');
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'audio/mpeg',
    'content-length': '5',
    etag: '"1"',
    'cache-control': 'no-store',
    'x-tollgate-provider': 'voices',
    'x-tollgate-held-usd': '0.015',
    'x-tollgate-upstream-request-id': 'upstream-req-1',
  });
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(answer.headers.get('x-ratelimit-remaining-requests')).toBeNull();
  expect(harness.policy.authorized).toMatchObject([
    {
      operation: 'passthrough',
      route: '/v1/passthrough/:provider/*path',
      model: '',
      passthrough: {
        provider: 'voices',
        method: 'POST',
        path: '/v1/voices/anna',
        requestBytes: 6,
        unknownLength: false,
      },
    },
  ]);
  const [received] = harness.upstream.received;
  expect(received).toMatchObject({ method: 'POST', path: '/base/v1/voices/anna?speed=2' });
  expect(received?.raw.toString()).toBe('a text');
  expect(await harness.settled()).toMatchObject({
    outcome: 'COMPLETED',
    costNanoUsd: cost(6, 5),
    units: { request_byte: '6', response_byte: '5' },
    requestBytes: 6,
    responseBytes: 5,
    usageQuality: 'EXACT',
    httpStatus: 201,
    providerId: 'provider-1',
    modelId: '',
    regions: 'eu',
    upstreamRequestId: 'upstream-req-1',
  });
});

test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('%s is passed through', async (method) => {
  const answer = await send({ method });
  expect(answer.status).toBe(200);
  expect(harness.policy.authorized[0]?.passthrough).toMatchObject({ method, requestBytes: 0 });
  expect(harness.upstream.received[0]?.method).toBe(method);
});

test('the provider gets its own credential, and none of the client', async () => {
  await send({
    body: 'x',
    headers: {
      accept: 'audio/*',
      cookie: 'session=1',
      'x-api-key': 'client-secret',
      'x-forwarded-for': '10.0.0.1',
      'x-own': 'yes',
      'openai-beta': 'v2',
      'x-tollgate-tags': 'a=b',
      'idempotency-key': 'mine',
    },
  });
  const headers = harness.upstream.received[0]?.headers ?? {};
  expect(headers).toMatchObject({
    authorization: `Bearer ${SECRET}`,
    accept: 'audio/*',
    'openai-beta': 'v2',
    'content-length': '1',
  });
  expect(headers['idempotency-key']).toMatch(/^[0-9a-f]{64}$/);
  for (const name of ['cookie', 'x-api-key', 'x-forwarded-for', 'x-own', 'x-tollgate-tags']) {
    expect(headers[name]).toBeUndefined();
  }
});

test.each([
  ['authorization', `Bearer ${KEY}`],
  ['x-api-key', KEY],
  ['api-key', KEY],
  ['x-goog-api-key', KEY],
])('the API key may come in %s', async (name, value) => {
  const answer = await fetch(harness.edge.url + PATH, { headers: { [name]: value } });
  expect(answer.status).toBe(200);
});

test('without a key nothing is asked or read', async () => {
  const answer = await fetch(harness.edge.url + PATH, { method: 'POST', body: 'x' });
  expect(answer.status).toBe(401);
  expect(harness.policy.authorized).toEqual([]);
});

test('a refusal of policy is answered, and the provider is not called', async () => {
  harness.policy.decide = () => deny('passthrough_denied');
  const answer = await send({ body: 'x' });
  expect(answer.status).toBe(403);
  expect((await errorOf(answer)).code).toBe('passthrough_denied');
  expect(harness.upstream.received).toEqual([]);
});

test('a decision that screening applies is not followed', async () => {
  const { allow } = allowed();
  harness.policy.decide = () => ({
    allow: { ...allow, screening: [{ policyId: 'p', version: 1 }] },
  });
  expect((await send({ body: 'x' })).status).toBe(403);
  expect(harness.upstream.received).toEqual([]);
  expect(await harness.settled()).toMatchObject({ cancelled: true });
});

/** As it is: fetch would normalise the path. */
function raw(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<number>((resolve, reject) => {
    const { hostname, port } = new URL(harness.edge.url);
    const own = { authorization: `Bearer ${KEY}`, ...headers };
    const sent = request({ hostname, port, path, method, headers: own }, (res) => {
      res.resume();
      resolve(res.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

test.each([
  '/v1/passthrough/voices/v1/../admin',
  '/v1/passthrough/voices/v1/%2e%2e/admin',
  '/v1/passthrough/voices/v1%2fadmin',
  '/v1/passthrough/voices//other.example/',
  '/v1/passthrough/voices/v1\\admin',
  '/v1/passthrough/voices',
  '/v1/passthrough/voices/v1?key=1',
])('%s is refused before policy is asked', async (path) => {
  expect(await raw(path)).toBe(400);
  expect(harness.policy.authorized).toEqual([]);
  expect(harness.upstream.received).toEqual([]);
});

test('a WebSocket is refused in clear words', async () => {
  const headers = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
  };
  expect(await raw(PATH, headers)).toBe(426);
  expect(harness.policy.authorized).toEqual([]);
});

test('a body of unknown length is held at the most, and refused beyond it', async () => {
  const chunked = (bytes: number) =>
    ({
      body: new Blob(['a'.repeat(bytes)]).stream(),
      duplex: 'half',
    }) as RequestInit;
  expect((await send(chunked(900))).status).toBe(200);
  expect(harness.policy.authorized[0]?.passthrough).toMatchObject({ unknownLength: true });
  await until(() => harness.policy.settled.length === 1, 'the settle');
  expect(harness.policy.settled[0]?.units['request_byte']).toBe('900');
  const refused = await send(chunked(1_001));
  expect(refused.status).toBe(400);
  expect(await errorOf(refused)).toMatchObject({ details: { limitBytes: 1_000 } });
  expect(harness.upstream.received).toHaveLength(1);
  await until(() => harness.policy.settled.length === 2, 'both settles');
  expect(harness.policy.settled[1]).toMatchObject({ cancelled: true });
});

test.each([
  [400, 'upstream_rejected', 'FAILED'],
  [404, 'upstream_rejected', 'FAILED'],
  [429, 'upstream_rate_limited', 'FAILED'],
  [503, 'upstream_error', 'FAILED'],
])('an error %d of the provider is passed on and costs nothing', async (status, code, outcome) => {
  harness.upstream.script = (res) => {
    res.writeHead(status, { 'content-type': 'text/plain', 'retry-after': '7' });
    res.end('no');
  };
  const answer = await send({ body: 'x' });
  expect(answer.status).toBe(status);
  expect(await answer.text()).toBe('no');
  expect(answer.headers.get('retry-after')).toBe('7');
  expect(harness.upstream.received).toHaveLength(1);
  expect(await harness.settled()).toMatchObject({
    outcome,
    errorCode: code,
    costNanoUsd: '0',
    httpStatus: status,
  });
});

test.each([
  [429, null, 'false'],
  [503, null, 'false'],
  // A job that is polled.
  [202, '3600', null],
])('a long wait of an answer %d: retry-after %s', async (status, wait, retry) => {
  harness.upstream.script = (res) => {
    res.writeHead(status, { 'content-type': 'text/plain', 'retry-after': '3600' });
    res.end('later');
  };
  const answer = await send({ body: 'x' });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('retry-after')).toBe(wait);
  expect(answer.headers.get('x-should-retry')).toBe(retry);
});

test('a redirect is not followed, and its place is not told', async () => {
  harness.upstream.script = (res) => {
    res.writeHead(302, { location: 'https://other.example/?secret' });
    res.end();
  };
  const answer = await send({ body: 'x', redirect: 'manual' });
  expect(answer.status).toBe(302);
  expect(answer.headers.get('location')).toBeNull();
  expect(harness.upstream.received).toHaveLength(1);
});

test('an answer that declares more than the rule allows is refused, and paid for', async () => {
  harness.upstream.script = (res) => {
    res.writeHead(200, { 'content-length': 2_001 });
    res.end('a'.repeat(2_001));
  };
  const answer = await send({ body: 'x' });
  expect(answer.status).toBe(502);
  expect(await errorOf(answer)).toMatchObject({ details: { limitBytes: 2_000 } });
  expect(await harness.settled()).toMatchObject({
    outcome: 'FAILED',
    errorCode: 'upstream_error',
    usageQuality: 'ESTIMATED',
    costNanoUsd: cost(1, 2_000),
  });
});

test('an answer is cut where it exceeds the rule', async () => {
  let go: () => void = () => undefined;
  harness.upstream.script = (res) => {
    res.writeHead(200);
    res.write('a'.repeat(1_500));
    go = () => res.write('a'.repeat(1_000));
  };
  const answer = await send({ body: 'x' });
  expect(answer.status).toBe(200);
  go();
  await expect(answer.text()).rejects.toThrow();
  expect(await harness.settled()).toMatchObject({
    outcome: 'PARTIAL',
    errorCode: 'upstream_error',
    costNanoUsd: cost(1, 2_000),
  });
});

test('an answer that the provider breaks off is cut, and what came is paid for', async () => {
  let go: () => void = () => undefined;
  harness.upstream.script = (res) => {
    res.writeHead(200, { 'content-length': 100 });
    res.write('half');
    go = () => res.destroy();
  };
  const answer = await send({ body: 'x' });
  go();
  await expect(answer.text()).rejects.toThrow();
  expect(await harness.settled()).toMatchObject({
    outcome: 'PARTIAL',
    costNanoUsd: cost(1, 4),
    units: { request_byte: '1', response_byte: '4' },
  });
});

test('a client that leaves pays for the call and for the bytes that came', async () => {
  harness.upstream.script = (res) => {
    res.writeHead(200);
    res.write('half');
  };
  const leave = new AbortController();
  const answer = await send({ body: 'x', signal: leave.signal });
  await answer.body?.getReader().read();
  leave.abort();
  expect(await harness.settled()).toMatchObject({
    outcome: 'CLIENT_CLOSED',
    usageQuality: 'ESTIMATED',
    costNanoUsd: cost(1, 4),
  });
  await until(() => harness.upstream.received[0]?.aborted === true, 'the call to end');
});

test('a client that leaves before the answer pays for the call', async () => {
  let asked = false;
  harness.upstream.script = () => {
    asked = true;
  };
  const leave = new AbortController();
  const answer = send({ body: 'xyz', signal: leave.signal }).catch(() => undefined);
  await until(() => asked, 'the call');
  leave.abort();
  await answer;
  expect(await harness.settled()).toMatchObject({
    outcome: 'CLIENT_CLOSED',
    httpStatus: 499,
    costNanoUsd: cost(3, 0),
  });
});

test('a provider that cannot be reached costs nothing', async () => {
  harness.policy.decide = () => {
    const { allow } = allowed();
    return { allow: { ...allow, passthrough: { ...allow?.passthrough, providerId: 'gone' } } };
  };
  harness.catalog.connections.set(
    'gone:1',
    connection({ providerId: 'gone', baseUrl: 'http://127.0.0.1:1' }),
  );
  const answer = await send({ body: 'x' });
  expect(answer.status).toBe(502);
  expect(await harness.settled()).toMatchObject({ cancelled: true });
});

test('the provider key is masked in what it echoes', async () => {
  harness.upstream.script = (res, { headers }) => {
    res.writeHead(200, { etag: String(headers.authorization) });
    res.end(`you sent ${headers.authorization}`);
  };
  const answer = await send({ body: 'x' });
  expect(await answer.text()).toBe(`you sent Bearer ${'*'.repeat(SECRET.length)}`);
  expect(answer.headers.get('etag')).not.toContain(SECRET);
});

test('events are passed on one by one', async () => {
  let go: () => void = () => undefined;
  harness.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.flushHeaders();
    go = () => res.end('data: 1\n\n');
  };
  const answer = await send({ body: 'x' });
  expect(answer.headers.get('x-accel-buffering')).toBe('no');
  go();
  expect(await answer.text()).toBe('data: 1\n\n');
});

test('a dry run asks policy and calls nothing', async () => {
  harness.policy.dryRun = (asked: AuthorizeRequest__Output) => ({
    allow: { heldNanoUsd: '15000000' },
    checks: [
      { name: 'key', passed: true },
      { name: 'passthrough', passed: asked.passthrough?.path === '/v1/voices/anna' },
    ],
    hold: { nanoUsd: '15000000' },
  });
  const answer = await send({ body: 'x', headers: { 'x-tollgate-dry-run': 'true' } });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    decision: 'allow',
    checks: [
      { check: 'key', passed: true },
      { check: 'passthrough', passed: true },
    ],
  });
  expect(harness.policy.authorized).toEqual([]);
  expect(harness.upstream.received).toEqual([]);
});

test('metrics and the log name the provider and the rule, not the path', async () => {
  await (await send({ body: 'xy' })).text();
  await harness.settled();
  const metrics = await (await harness.ops('/metrics')).text();
  expect(metrics).toMatch(
    /tollgate_edge_passthrough_request_seconds_count\{[^}]*provider="CUSTOM"[^}]*outcome="COMPLETED"/,
  );
  expect(metrics).toMatch(/tollgate_edge_passthrough_bytes_total\{[^}]*direction="request"/);
  expect(metrics).not.toContain('anna');
  const line = harness.log.find((text) => text.includes('"passthroughRule"'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    passthroughRule: 'POST /v1/voices/*',
    providerId: 'provider-1',
    requestBytes: 2,
  });
  expect(line).not.toContain('anna');
});
