import type { ServerResponse } from 'node:http';

import { connection } from '../test-support/fake-catalog';
import {
  delta,
  errorAnswer,
  openSse,
  role,
  stop,
  streamed,
  usageChunk,
} from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  chat,
  errorOf,
  routed,
  startHarness,
  until,
  type Harness,
} from '../test-support/harness';

/** Timeout for slow upstreams; a busy machine needs some of it to reach the upstream. */
const SHORT_MS = 1_000;

let h: Harness;
beforeAll(async () => {
  h = await startHarness({ RESPONSE_LIMIT_BYTES: 50_000 });
  const provider = (providerId: string, over: object) =>
    h.catalog.connections.set(
      `${providerId}:1`,
      connection({ providerId, baseUrl: h.upstream.url, ...over }),
    );
  provider('dead', { baseUrl: 'http://127.0.0.1:1/v1' });
  provider('impatient', { firstByteTimeoutMs: SHORT_MS, idleTimeoutMs: SHORT_MS });
  provider('hurried', { timeoutMs: SHORT_MS });
  provider('private', { baseUrl: 'http://10.1.2.3/v1' });
  provider('metadata', { baseUrl: 'http://169.254.169.254/v1' });
  provider('by-name', { baseUrl: `http://localhost:${new URL(h.upstream.url).port}/v1` });
  const sealed = connection({ baseUrl: h.upstream.url }).secrets ?? [];
  provider('stolen', { secrets: sealed.map((secret) => ({ ...secret, apiKeyId: 'other' })) });
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const via = (...providers: string[]) => {
  h.policy.decide = () =>
    allow(
      providers.map((providerId, index) => candidate({ providerId, modelId: `model-${index}` })),
    );
};
const post = (over: object = {}) => h.post('/v1/chat/completions', chat(over));

describe('a refusal of the upstream', () => {
  test.each([
    [400, 400, 'upstream_rejected'],
    [401, 502, 'provider_auth_failed'],
    [402, 502, 'provider_auth_failed'],
    [403, 502, 'provider_auth_failed'],
    [404, 404, 'upstream_rejected'],
    [413, 413, 'upstream_rejected'],
    [422, 422, 'upstream_rejected'],
    [429, 429, 'upstream_rate_limited'],
    [500, 502, 'upstream_error'],
    [503, 502, 'upstream_error'],
    [302, 502, 'upstream_error'],
  ])('%i becomes %i %s', async (upstream, status, code) => {
    h.upstream.script = (res) => errorAnswer(res, upstream, { location: 'http://evil.example/' });
    // A refused key may be quoted in part, which no mask finds.
    const words =
      upstream === 401 || upstream === 403 ? 'credentials' : `upstream says ${upstream}`;
    const response = await post();
    expect(response.status).toBe(status);
    expect(response.headers.get('x-tollgate-error-code')).toBe(code);
    expect(await h.settled()).toMatchObject({
      cancelled: false,
      outcome: 'FAILED',
      costNanoUsd: '0',
      usageQuality: 'EXACT',
      httpStatus: status,
      errorCode: code,
      modelId: 'model-1',
      attempts: [
        {
          outcome: `HTTP_${upstream}`,
          httpStatus: upstream,
          message: expect.stringContaining(words),
        },
      ],
    });
    expect(h.upstream.received).toHaveLength(1);
  });

  test('keeps its message and its own retry-after', async () => {
    h.upstream.script = (res) => errorAnswer(res, 429, { 'retry-after': '7' });
    const response = await post();
    expect(response.headers.get('retry-after')).toBe('7');
    expect((await errorOf(response)).message).toBe('upstream says 429');
  });
});

describe('an upstream without a valid answer', () => {
  test.each<[string, (res: ServerResponse) => void, string]>([
    ['garbage', (res) => void res.end('<html>oops</html>'), 'INVALID_RESPONSE'],
    ['half of an answer', (res) => half(res), 'EARLY_END'],
    ['a reset before the head', (res) => void res.destroy(), 'NETWORK'],
    [
      'an unknown content-encoding',
      (res) => void res.writeHead(200, zipped('lzma')).end('?'),
      'INVALID_RESPONSE',
    ],
    [
      'a malformed compressed body',
      (res) => void res.writeHead(200, zipped('gzip')).end('?'),
      'INVALID_RESPONSE',
    ],
  ])('%s is 502', async (_name, script, outcome) => {
    h.upstream.script = script;
    const response = await post();
    expect(response.status).toBe(502);
    expect((await errorOf(response)).code).toBe('upstream_error');
    expect(await h.settled()).toMatchObject({
      outcome: 'FAILED',
      costNanoUsd: '0',
      attempts: [{ outcome }],
    });
  });

  test('that is unreachable is 502', async () => {
    via('dead');
    const response = await post();
    expect(response.status).toBe(502);
    expect(JSON.stringify(await errorOf(response))).not.toContain('127.0.0.1');
    const [attempt] = (await h.settled()).attempts ?? [];
    expect(attempt).toMatchObject({ outcome: 'NETWORK' });
    expect(attempt?.message).not.toBe('');
    expect(attempt?.message).not.toContain('127.0.0.1');
  });

  test.each([
    ['impatient', 'no first byte', () => undefined],
    ['impatient', 'silence within the answer', (res: ServerResponse) => half(res, 'open')],
  ])('%s: %s is upstream_timeout', async (provider, _name, script) => {
    via(provider);
    h.upstream.script = script;
    const response = await post();
    expect(response.status).toBe(502);
    expect((await errorOf(response)).code).toBe('upstream_timeout');
    expect(await h.settled()).toMatchObject({
      outcome: 'FAILED',
      usageQuality: 'UNKNOWN',
      attempts: [{ outcome: 'TIMEOUT' }],
    });
    await until(() => h.upstream.received[0]?.aborted === true, 'the upstream to be let go');
  });
});

describe('answers ended by the operator’s own limits are charged for the known usage', () => {
  const tooMuch = (res: ServerResponse, status = 200) =>
    void res.writeHead(status).end('x'.repeat(60_000));

  test.each<[string, string, (res: ServerResponse) => void, string]>([
    ['an answer that is too large', 'provider-1', (res) => tooMuch(res), 'TOO_LARGE'],
    ['an answer that takes too long', 'hurried', drip, 'TIMEOUT'],
    ['an answer that does not start in time', 'hurried', () => undefined, 'TIMEOUT'],
  ])('%s', async (_name, provider, script, outcome) => {
    via(provider);
    h.upstream.script = script;
    expect((await post()).status).toBe(502);
    const settled = await h.settled();
    expect(settled).toMatchObject({
      outcome: 'FAILED',
      usageQuality: 'ESTIMATED',
      attempts: [{ outcome, costNanoUsd: settled.costNanoUsd }],
    });
    expect(settled.usage?.input).toBeGreaterThan(0);
    expect(Number(settled.costNanoUsd)).toBeGreaterThan(0);
  });

  test('a stream before its first output is charged', async () => {
    h.policy.decide = () => routed([candidate({})]);
    h.upstream.script = (res) => {
      openSse(res);
      res.end(`: ${'x'.repeat(60_000)}`);
    };
    expect((await post({ stream: true })).status).toBe(502);
    const settled = await h.settled();
    expect(settled).toMatchObject({
      usageQuality: 'ESTIMATED',
      attempts: [{ outcome: 'TOO_LARGE' }],
    });
    expect(Number(settled.costNanoUsd)).toBeGreaterThan(0);
  });

  test('a refusal is not charged, whatever its length', async () => {
    h.upstream.script = (res) => tooMuch(res, 500);
    expect((await post()).status).toBe(502);
    expect(await h.settled()).toMatchObject({
      costNanoUsd: '0',
      attempts: [{ outcome: 'TOO_LARGE' }],
    });
  });
});

describe('a stream that fails', () => {
  const begun = role() + delta('half an');

  test('before its first byte is an ordinary error', async () => {
    h.upstream.script = (res) => {
      openSse(res);
      res.end(`data: {"error":{"message":"overloaded","type":"server_error"}}\n\n`);
    };
    const response = await post({ stream: true });
    expect(response.status).toBe(502);
    expect(await h.settled()).toMatchObject({
      outcome: 'FAILED',
      attempts: [{ outcome: 'UPSTREAM_ERROR' }],
    });
  });

  test.each<[string, (res: ServerResponse) => void, string]>([
    ['ends without its terminal event', (res) => void res.end(begun + stop()), 'EARLY_END'],
    ['is cut', (res) => void res.write(begun, () => res.destroy()), 'EARLY_END'],
    ['turns into garbage', (res) => void res.end(`${begun}data: {"cho\n\n`), 'INVALID_RESPONSE'],
    [
      'sends an error event',
      (res) => void res.end(`${begun}data: {"error":{"message":"overloaded"}}\n\n`),
      'UPSTREAM_ERROR',
    ],
  ])('because it %s ends in an error, and is PARTIAL', async (_name, script, outcome) => {
    h.upstream.script = (res) => {
      openSse(res);
      script(res);
    };
    const response = await post({ stream: true });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain('half an');
    const events = text.trim().split('\n\n');
    expect(events.at(-1)).toContain('"code":"upstream_error"');
    expect(text).not.toContain('[DONE]');
    expect(await h.settled()).toMatchObject({
      cancelled: false,
      outcome: 'PARTIAL',
      errorCode: 'upstream_error',
      costNanoUsd: '0',
      usageQuality: 'UNKNOWN',
      attempts: [{ outcome }],
    });
  });

  test('after its usage was reported is charged by that usage', async () => {
    h.upstream.script = (res) => {
      openSse(res);
      res.end(begun + stop() + usageChunk());
    };
    await (await post({ stream: true })).text();
    expect(await h.settled()).toMatchObject({
      outcome: 'PARTIAL',
      usageQuality: 'EXACT',
      costNanoUsd: '20000',
    });
  });

  test('by falling silent is aborted', async () => {
    via('impatient');
    h.upstream.script = (res) => {
      openSse(res);
      res.write(begun);
    };
    const text = await (await post({ stream: true })).text();
    expect(text).toContain('"code":"upstream_timeout"');
    expect((await h.settled()).outcome).toBe('PARTIAL');
  });

  test('by growing too large is aborted', async () => {
    h.upstream.script = (res) => {
      openSse(res);
      res.write(begun);
      for (let n = 0; n < 60; n += 1) res.write(delta('x'.repeat(1_000)));
    };
    const text = await (await post({ stream: true })).text();
    expect(text).toContain('larger than 50000 bytes');
    const settled = await h.settled();
    // The upstream is not at fault, and bills its output.
    expect(settled).toMatchObject({ outcome: 'PARTIAL', usageQuality: 'ESTIMATED' });
    expect(settled.attempts).toMatchObject([{ outcome: 'TOO_LARGE' }]);
    expect(settled.usage?.output).toBeGreaterThan(1_000);
  });
});

describe('several candidates', () => {
  test('the next one answers if the first fails, and every attempt is recorded', async () => {
    via('dead', 'provider-1');
    const response = await post();
    expect(response.status).toBe(200);
    expect(await h.settled()).toMatchObject({
      outcome: 'COMPLETED',
      modelId: 'model-1',
      attempts: [
        { modelId: 'model-0', outcome: 'NETWORK' },
        { modelId: 'model-1', outcome: 'OK' },
      ],
    });
  });

  test('a stream moves on until its first byte is sent', async () => {
    via('provider-1', 'provider-1');
    h.upstream.script = (res) => {
      if (h.upstream.received.length > 1) return streamed(res, ['ok']);
      openSse(res);
      res.end(': only a remark\n');
    };
    const text = await (await post({ stream: true })).text();
    expect(text).toContain('ok');
    expect((await h.settled()).attempts).toHaveLength(2);
  });

  test('a refusal of the request is final', async () => {
    via('provider-1', 'provider-1');
    h.upstream.script = (res) => errorAnswer(res, 400);
    expect((await post()).status).toBe(400);
    expect(h.upstream.received).toHaveLength(1);
  });
});

describe('a provider that may not or cannot be called', () => {
  test.each(['private', 'metadata'])('%s address: refused when the socket connects', async (id) => {
    via(id);
    const response = await post();
    expect(response.status).toBe(400);
    expect((await errorOf(response)).code).toBe('provider_misconfigured');
    await h.settled();
  });

  test('a host name is checked by its resolved address', async () => {
    via('by-name');
    expect((await post()).status).toBe(200);
    const strict = await startHarness({ UPSTREAM_ALLOWED_CIDRS: [] });
    try {
      const { port } = new URL(h.upstream.url);
      strict.catalog.connections.set(
        'provider-1:1',
        connection({ baseUrl: `http://localhost:${port}/v1` }),
      );
      const response = await strict.post('/v1/chat/completions', chat());
      expect((await errorOf(response)).code).toBe('provider_misconfigured');
      expect(h.upstream.received).toHaveLength(1);
    } finally {
      await strict.stop();
    }
  });

  test('a port of the gateway itself is refused, although its address is allowed', async () => {
    const ports = [
      h.config.CATALOG_GRPC_ADDRESS,
      h.config.POLICY_GRPC_ADDRESSES[0],
      '127.0.0.1:5432',
    ];
    const codes: unknown[] = [];
    for (const [n, address] of ports.entries()) {
      for (const host of ['127.0.0.1', 'localhost']) {
        const id = `own-${host}-${n}`;
        const baseUrl = `http://${address?.replace('127.0.0.1', host)}/v1`;
        h.catalog.connections.set(`${id}:1`, connection({ baseUrl }));
        via(id);
        codes.push((await errorOf(await post())).code);
      }
    }
    expect(codes).toEqual(Array(6).fill('provider_misconfigured'));
  });

  test.each(['unknown', 'stolen'])('%s material: 400, and the hold is cancelled', async (id) => {
    via(id);
    const response = await post();
    expect(response.status).toBe(400);
    expect((await errorOf(response)).code).toBe('provider_misconfigured');
    expect((await h.settled()).cancelled).toBe(true);
  });

  test('without catalog a new connection is 503, and known ones continue', async () => {
    expect((await post()).status).toBe(200);
    await h.reset();
    h.catalog.away = true;
    try {
      expect((await post()).status).toBe(200);
      await h.reset();
      via('never-seen');
      const response = await post();
      expect(response.status).toBe(503);
      expect((await errorOf(response)).details).toEqual({ dependency: 'catalog' });
      expect((await h.settled()).cancelled).toBe(true);
    } finally {
      h.catalog.away = false;
    }
  });

  test('an operation that the provider’s format lacks is 400', async () => {
    h.policy.decide = () => allow([candidate({ upstreamFormat: 'gemini' })]);
    const response = await h.post('/v1/moderations', { model: 'house-model', input: 'Hi' });
    const error = await errorOf(response);
    expect(response.status).toBe(400);
    expect(error).toMatchObject({ code: 'unsupported_model', param: 'model' });
    expect(error.message).toContain('moderation');
    expect((await h.settled()).cancelled).toBe(true);
  });
});

test('the cloud-hosted variant has its own path and header', async () => {
  const { origin } = new URL(h.upstream.url);
  h.catalog.connections.set(
    'cloud:1',
    connection({
      providerId: 'cloud',
      providerType: 'PROVIDER_F',
      baseUrl: origin,
      apiVersion: '2025-01-01',
      headers: { 'X-Extra': 'yes', Host: 'evil.example' },
    }),
  );
  h.policy.decide = () =>
    allow([
      candidate({ providerId: 'cloud', providerType: 'PROVIDER_F', upstreamModel: 'my dep' }),
    ]);
  expect((await post()).status).toBe(200);
  const [received] = h.upstream.received;
  expect(received?.path).toBe(
    '/openai/deployments/my%20dep/chat/completions?api-version=2025-01-01',
  );
  expect(received?.headers['api-key']).toBe('sk-upstream-secret-0123456789');
  expect(received?.headers.authorization).toBeUndefined();
  expect(received?.headers['x-extra']).toBe('yes');
  expect(received?.headers.host).not.toContain('evil');
});

function zipped(encoding: string) {
  return { 'content-type': 'application/json', 'content-encoding': encoding };
}

function half(res: ServerResponse, then: 'cut' | 'open' = 'cut'): void {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  res.write('{"id":"chatcmpl-1"', () => {
    if (then === 'cut') res.destroy();
  });
}

/** Sends a little at short intervals, forever. */
function drip(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => res.write(' '), 20);
  res.on('close', () => clearInterval(timer));
}
