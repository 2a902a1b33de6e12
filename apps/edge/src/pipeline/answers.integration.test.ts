import { gzipSync } from 'node:zlib';
import OpenAI from 'openai';

import { connection } from '../test-support/fake-catalog';
import {
  chunk,
  completion,
  delta,
  DONE,
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
  KEY,
  MODEL,
  startHarness,
  type Harness,
} from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

describe('a unary answer', () => {
  test('is the upstream’s own bytes, unknown fields included, and is charged once', async () => {
    h.upstream.script = (res) => completion(res, { extra: { surprise: { kept: true } } });
    const response = await h.post('/v1/chat/completions', chat());
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: 'Hello there' } }],
      surprise: { kept: true },
    });
    expect(await h.settled()).toMatchObject({
      cancelled: false,
      outcome: 'COMPLETED',
      usage: { input: 10, output: 5 },
      usageQuality: 'EXACT',
      costNanoUsd: '20000',
      modelId: 'model-1',
      providerId: 'provider-1',
      priceId: 'price-1',
      httpStatus: 200,
      errorCode: '',
      stopReason: 'stop',
      stream: false,
      upstreamRequestId: 'upstream-req-1',
      responseId: 'chatcmpl-1',
      attempts: [{ outcome: 'OK', httpStatus: 200, costNanoUsd: '20000' }],
    });
  });

  test('of the unified route has the fields of the normalised response', async () => {
    const response = await h.post('/v1/llm/chat', chat());
    expect(await response.json()).toMatchObject({
      provider: 'provider_a',
      content: 'Hello there',
      input_tokens: 10,
      output_tokens: 5,
    });
    expect((await h.settled()).costNanoUsd).toBe('20000');
  });

  test.each([
    '/v1/chat/completions',
    '/v1/chat/completions?api-version=1',
    '/v1/chat/completions/',
    '/V1/Chat/Completions',
  ])('%s is the same route', async (path) => {
    const response = await h.post(path, chat());
    expect(response.status).toBe(200);
    expect(h.policy.authorized[0]?.route).toBe('/v1/chat/completions');
  });

  test('has headers with its cost, its provider and the remaining limits', async () => {
    const limit = { settled: '0', held: '0', scopeType: 'API_KEY', scopeId: 'k', mode: 'HARD' };
    h.policy.decide = () =>
      allow(
        [candidate({ modelName: 'modèle' })],
        [
          { ...limit, limitId: 'b', kind: 'BUDGET', limit: '5000000000', settled: '1000000000' },
          { ...limit, limitId: 'b2', kind: 'BUDGET', limit: '900000000000' },
          { ...limit, limitId: 'r', kind: 'RATE_REQUESTS', limit: '60', held: '1' },
          { ...limit, limitId: 't', kind: 'RATE_TOKENS', limit: '1000', settled: '2000' },
        ],
      );
    const { headers } = await h.post('/v1/chat/completions', chat());
    expect(headers.get('x-tollgate-cost-usd')).toBe('0.00002');
    expect(headers.get('x-tollgate-model')).toBe('mod%C3%A8le');
    expect(headers.get('x-tollgate-provider')).toBe('provider_a');
    expect(headers.get('x-tollgate-budget-remaining-usd')).toBe('3.99998');
    expect(headers.get('x-ratelimit-limit-requests')).toBe('60');
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('59');
    expect(headers.get('x-ratelimit-remaining-tokens')).toBe('0');
    expect(headers.get('x-tollgate-soft-exceeded')).toBeNull();
    expect(headers.get('x-tollgate-clamped')).toBeNull();
  });

  test('has headers with the held amount, passed soft limits and the lowered bound', async () => {
    const soft = { settled: '9', held: '1', scopeType: 'TEAM', scopeId: 't', mode: 'SOFT' };
    const decision = allow(
      [candidate()],
      [{ ...soft, limitId: 'b', kind: 'BUDGET', period: 'DAILY', limit: '5' }],
    );
    h.policy.decide = () => ({
      allow: { ...decision.allow, softExceeded: ['b'], clamped: true, heldNanoUsd: '1500000000' },
    });
    const { status, headers } = await h.post('/v1/chat/completions', chat());
    expect(status).toBe(200);
    expect(headers.get('x-tollgate-held-usd')).toBe('1.50');
    expect(headers.get('x-tollgate-soft-exceeded')).toBe('BUDGET;scope=TEAM;period=DAILY;id="b"');
    expect(headers.get('x-tollgate-clamped')).toBe('max_output_tokens');
  });

  test('has the gateway’s request id under every header name, and passes on the client’s own', async () => {
    const { headers } = await h.post('/v1/chat/completions', chat(), { 'x-request-id': 'mine-1' });
    const id = headers.get('x-tollgate-request-id');
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('x-request-id')).toBe(id);
    expect(headers.get('request-id')).toBe(id);
    expect(h.policy.authorized[0]).toMatchObject({ requestId: id, clientRequestId: 'mine-1' });
    await h.post('/v1/chat/completions', chat(), { 'x-request-id': 'x'.repeat(129) });
    expect(h.policy.authorized[1]?.clientRequestId).toBe('');
  });

  test('without usage is charged by an estimate, and marked', async () => {
    h.upstream.script = (res) => completion(res, { usage: null });
    const response = await h.post('/v1/chat/completions', chat());
    expect(response.status).toBe(200);
    const settled = await h.settled();
    expect(settled.usageQuality).toBe('ESTIMATED');
    // `Hi` and the tokens around it; `Hello there`.
    expect(settled.usage).toMatchObject({ input: 7, output: 2 });
    expect(Number(settled.costNanoUsd)).toBeGreaterThan(0);
  });

  test('may be compressed', async () => {
    h.upstream.script = (res) => {
      const body = JSON.stringify({
        id: 'z',
        object: 'chat.completion',
        model: 'm',
        choices: [
          { index: 0, message: { role: 'assistant', content: 'zip' }, finish_reason: 'stop' },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      });
      res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      res.end(gzipSync(body));
    };
    const response = await h.post('/v1/chat/completions', chat());
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.json()).toMatchObject({ id: 'z' });
  });
});

describe('a streamed answer', () => {
  test('hides unrequested usage, and has its cost before its end', async () => {
    // Delayed, so that the latency is above zero on any machine.
    h.upstream.script = (res) => void setTimeout(() => streamed(res, ['Hel', 'lo']), 5);
    const asked = { 'x-tollgate-stream-cost': 'true' };
    const response = await h.post('/v1/chat/completions', chat({ stream: true }), asked);
    const text = await response.text();
    expect(h.upstream.received[0]?.body['stream_options']).toEqual({ include_usage: true });
    expect(text).not.toContain('"usage":{');
    expect(text.endsWith(`: x-tollgate-cost-usd: 0.00002\n\n${DONE}`)).toBe(true);
    const settled = await h.settled();
    expect(settled).toMatchObject({
      outcome: 'COMPLETED',
      stream: true,
      usage: { input: 10, output: 5 },
      usageQuality: 'EXACT',
    });
    expect(settled.firstTokenMs).toBeGreaterThan(0);
  });

  test('keeps requested usage', async () => {
    h.upstream.script = (res) => streamed(res, ['Hello']);
    const body = chat({ stream: true, stream_options: { include_usage: true } });
    const text = await (await h.post('/v1/chat/completions', body)).text();
    expect(text).toContain('"usage":{"prompt_tokens":10');
  });

  test('of the unified route consists of the same chunks', async () => {
    h.upstream.script = (res) => streamed(res, ['Hel', 'lo']);
    const text = await (
      await h.post('/v1/llm/chat', chat({ stream: true, include_usage: true }))
    ).text();
    expect(text).toContain('"delta":{"content":"lo"}');
    expect(text).toContain('"usage":{');
    expect(text.endsWith(DONE)).toBe(true);
  });

  test('without usage is charged by an estimate', async () => {
    h.upstream.script = (res) => {
      openSse(res);
      res.end(role() + delta('some words of an answer') + stop() + DONE);
    };
    await (await h.post('/v1/chat/completions', chat({ stream: true }))).text();
    const settled = await h.settled();
    expect(settled.usageQuality).toBe('ESTIMATED');
    expect(settled.usage?.output).toBeGreaterThanOrEqual(5);
  });

  test('arrives event by event, wherever its bytes were cut', async () => {
    h.upstream.script = async (res) => {
      openSse(res);
      const bytes = Buffer.from(role() + delta('Grüße 👋') + stop() + usageChunk() + DONE);
      for (let at = 0; at < bytes.length; at += 7) {
        res.write(bytes.subarray(at, at + 7));
        await new Promise((resolve) => setImmediate(resolve));
      }
      res.end();
    };
    const text = await (await h.post('/v1/chat/completions', chat({ stream: true }))).text();
    expect(text).toContain('Grüße 👋');
    expect(text.endsWith(DONE)).toBe(true);
  });

  test('may be compressed', async () => {
    h.upstream.script = (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      res.end(gzipSync(role() + delta('packed') + stop() + usageChunk() + DONE));
    };
    const text = await (await h.post('/v1/chat/completions', chat({ stream: true }))).text();
    expect(text).toContain('packed');
    expect((await h.settled()).outcome).toBe('COMPLETED');
  });
});

describe('the upstream request', () => {
  test('has the gateway’s own URL, key and timeouts, which a client cannot set', async () => {
    const overrides = {
      base_url: 'http://evil.example',
      api_key: 'sk-client',
      timeout: 1,
      upstream_model: 'other',
    };
    await h.post('/v1/chat/completions?api-version=1&key=k', chat(overrides), {
      cookie: 'session=secret',
      'x-api-key': 'client-key',
      'api-key': 'client-key',
      'x-forwarded-host': 'evil.example',
      'x-goog-api-key': 'client-key',
      'x-gemini-api-key': 'client-key',
      'openai-beta': 'assistants=v2',
      host: 'evil.example',
    });
    const [received] = h.upstream.received;
    expect(received?.path).toBe('/v1/chat/completions');
    expect(received?.headers.authorization).toBe('Bearer sk-upstream-secret-0123456789');
    expect(received?.body['model']).toBe('gpt-upstream');
    expect(received?.headers['openai-beta']).toBe('assistants=v2');
    expect(Object.keys(received?.headers ?? {}).sort()).toEqual(
      [
        'accept',
        'authorization',
        'connection',
        'content-length',
        'content-type',
        'host',
        'openai-beta',
        'user-agent',
      ].sort(),
    );
    expect(JSON.stringify(received?.headers)).not.toContain('client');
    expect(JSON.stringify(received?.headers)).not.toContain(KEY);
  });

  test.each<[string, object, string | null]>([
    ['/v1/chat/completions', chat(), '4096'],
    ['/v1/chat/completions', chat({ stream: true }), '4096'],
    ['/v1/llm/chat', chat(), '4096'],
    ['/v1/chat/completions', chat({ max_tokens: 9 }), null],
    ['/v1/chat/completions', chat({ max_completion_tokens: 9 }), null],
    ['/v1/embeddings', { model: MODEL, input: 'Hi' }, null],
  ])('an added bound is reported: %s %j', async (path, body, bound) => {
    h.policy.decide = ({ maxOutputTokens }) =>
      allow([candidate({ maxOutputTokens: maxOutputTokens || 4_096 })]);
    h.upstream.script = (res, { body: asked }) =>
      asked['stream'] ? streamed(res, ['Hi']) : completion(res, {});
    const response = await h.post(path, body);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-tollgate-max-output-tokens')).toBe(bound);
    await response.text();
  });

  test.each([
    ['openai', 'PROVIDER_A', undefined],
    ['anthropic', 'PROVIDER_B', 8_000],
  ] as const)('a bound that is only held is not sent to %s', async (format, type, sent) => {
    const held = { maxOutputTokens: 8_000, outputBoundUnsent: true };
    h.policy.decide = () =>
      allow([candidate({ providerType: type, upstreamFormat: format, ...held })]);
    const response = await h.post('/v1/llm/chat', chat());
    expect(response.headers.get('x-tollgate-max-output-tokens')).toBe(
      sent === undefined || response.status !== 200 ? null : String(sent),
    );
    await response.text();
    const [received] = h.upstream.received;
    expect(received?.body['model']).toBe('gpt-upstream');
    expect(received?.body['max_tokens'] ?? received?.body['max_completion_tokens']).toBe(sent);
  });

  test('a client’s organisation and project are forwarded unless the provider has its own', async () => {
    const headers = { 'openai-organization': 'org-1', 'openai-project': 'p-1' };
    await h.post('/v1/chat/completions', chat(), headers);
    expect(h.upstream.received[0]?.headers).toMatchObject(headers);
    await h.reset();
    const own = { baseUrl: h.upstream.url, headers: { 'OpenAI-Organization': 'ours' } };
    const providerId = 'with-organisation';
    h.catalog.connections.set(`${providerId}:1`, connection({ ...own, providerId }));
    h.policy.decide = () => allow([candidate({ providerId })]);
    await h.post('/v1/chat/completions', chat(), headers);
    expect(h.upstream.received[0]?.headers).toMatchObject({
      'openai-organization': 'ours',
      'openai-project': 'p-1',
    });
  });

  test.each(['base_url', 'api_key', 'timeout', 'model_override'])(
    'the unified route refuses %s by name',
    async (field) => {
      const response = await h.post('/v1/llm/chat', chat({ [field]: 'x' }));
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(field);
      expect(h.upstream.received).toHaveLength(0);
    },
  );

  test('has the held output bound', async () => {
    h.policy.decide = () => allow([candidate({ maxOutputTokens: 77 })]);
    await h.post('/v1/chat/completions', chat({ max_tokens: 100 }));
    expect(h.policy.authorized[0]?.maxOutputTokens).toBe(100);
    expect(h.upstream.received[0]?.body['max_tokens']).toBe(77);
  });

  test('fields that the target lacks are reported, or refused if the client is strict', async () => {
    const body = chat({ top_k: 3 });
    const lenient = await h.post('/v1/llm/chat', body);
    expect(lenient.status).toBe(200);
    expect(lenient.headers.get('x-tollgate-dropped')).toBe('top_k');
    await h.settled();
    await h.reset();
    const strict = await h.post('/v1/llm/chat', body, { 'x-tollgate-strict': 'true' });
    expect(strict.status).toBe(400);
    expect((await h.settled()).cancelled).toBe(true);
  });
});

describe('the openai SDK, with only another base URL', () => {
  const client = () => new OpenAI({ baseURL: `${h.edge.url}/v1`, apiKey: KEY, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Hi' }];

  test('gets an answer', async () => {
    const answer = await client().chat.completions.create({ model: MODEL, messages });
    expect(answer.choices[0]?.message.content).toBe('Hello there');
    expect(answer.usage?.total_tokens).toBe(15);
  });

  test('gets a stream, with usage on request', async () => {
    h.upstream.script = (res) => streamed(res, ['Hel', 'lo']);
    const stream = await client().chat.completions.create({
      model: MODEL,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let tokens = 0;
    for await (const part of stream) {
      text += part.choices[0]?.delta.content ?? '';
      tokens += part.usage?.total_tokens ?? 0;
    }
    expect([text, tokens]).toEqual(['Hello', 15]);
  });

  test('raises an error of the stream', async () => {
    h.upstream.script = (res) => {
      openSse(res);
      res.write(role() + delta('half'));
      res.end(chunk({}).slice(0, 20));
    };
    const stream = await client().chat.completions.create({ model: MODEL, messages, stream: true });
    const read = async (): Promise<void> => {
      for await (const part of stream) expect(part.choices).toHaveLength(1);
    };
    await expect(read()).rejects.toMatchObject({ code: 'upstream_error' });
  });
});
