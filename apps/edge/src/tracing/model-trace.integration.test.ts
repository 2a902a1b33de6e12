import { unpackTrace } from '@tollgate/kit/tracing';

import { CANARY, screens } from '../screening/test-support/rules';
import { connection } from '../test-support/fake-catalog';
import { completion, delta, openSse } from '../test-support/fake-upstream';
import { candidate, chat, deny, routed, startHarness, until } from '../test-support/harness';
import {
  CALLER,
  CLIENT,
  named,
  parentOf,
  printed,
  SERVER,
  TRACE,
  useReceiver,
} from '../test-support/traces';

const SAMPLED = { traceparent: parentOf(TRACE), tracestate: 'vendor=1' };
const CHAT = '/v1/chat/completions';

type Harness = Awaited<ReturnType<typeof startHarness>>;

const { receiver, traced } = useReceiver(startHarness);

describe.each(['http/json', 'http/protobuf', 'grpc'] as const)('by %s', (protocol) => {
  const settings = () => ({
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_ENDPOINT: protocol === 'grpc' ? receiver().grpcUrl : receiver().httpUrl,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20cGs6c2s=',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });

  test('a request is one tree below the span of its caller', async () => {
    let cost = '';
    let settledBy = '';
    let told: Buffer = Buffer.alloc(0);
    const spans = await traced(settings(), async (h) => {
      h.upstream.script = (res) =>
        completion(res, {
          usage: {
            prompt_tokens: 10,
            completion_tokens: 5,
            prompt_tokens_details: { cached_tokens: 4 },
          },
        });
      await (await h.post(CHAT, chat({ temperature: 0.5 }), SAMPLED)).text();
      const settle = await h.settled();
      expect(settle.traceId).toBe(TRACE);
      cost = settle.costNanoUsd;
      settledBy = settle.spanId;
      told = h.policy.authorized[0]?.trace ?? told;
    });
    const server = named(spans, `POST ${CHAT}`);
    expect(server).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, kind: SERVER });
    expect(server.traceState).toBe('vendor=1');
    expect(server.schemaUrl).toBe('https://opentelemetry.io/schemas/gen-ai/0.1.0');
    expect(server.resource).toMatchObject({
      'service.name': 'tollgate-edge',
      'deployment.environment.name': 'test',
    });
    const authorize = named(spans, 'authorize');
    const attempt = named(spans, 'chat gpt-upstream');
    for (const child of [authorize, attempt, named(spans, 'settle')]) {
      expect(child).toMatchObject({ traceId: TRACE, parentSpanId: server.spanId });
      expect(child.startNano).toBeGreaterThanOrEqual(server.startNano);
      expect(child.endNano).toBeGreaterThanOrEqual(child.startNano);
    }
    expect(spans).toHaveLength(4);
    expect(unpackTrace(told)).toEqual({ traceId: TRACE, spanId: authorize.spanId, sampled: true });
    // The catalog's span is a child of it.
    expect(settledBy).toBe(named(spans, 'settle').spanId);
    expect(attempt.kind).toBe(CLIENT);
    expect(attempt.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-upstream',
      'gen_ai.request.temperature': 0.5,
      // With the cached ones, which are a class of their own in the record.
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.cache_read.input_tokens': 4,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.response.finish_reasons': ['stop'],
      'tollgate.cost_nano_usd': cost,
    });
    expect(receiver().requests[0]?.['authorization']).toBe('Basic cGs6c2s=');
  });
});

test('the costs of all attempts are that of the record', async () => {
  let cost = '';
  const spans = await traced({}, async (h) => {
    h.policy.decide = () => routed([candidate(), candidate({ modelId: 'model-2' })]);
    let calls = 0;
    h.upstream.script = (res) => {
      calls += 1;
      if (calls > 1) return completion(res, {});
      res.writeHead(500).end('{}');
      return undefined;
    };
    await (await h.post(CHAT, chat())).text();
    cost = (await h.settled()).costNanoUsd;
  });
  const attempts = spans.filter(({ kind }) => kind === CLIENT);
  expect(attempts.map(({ attributes }) => attributes['error.type'])).toEqual([
    'HTTP_500',
    undefined,
  ]);
  expect(attempts[1]?.attributes['tollgate.fallback_reason']).toBe('HTTP_500');
  const sum = attempts.reduce(
    (all, { attributes }) => all + BigInt(String(attributes['tollgate.cost_nano_usd'])),
    0n,
  );
  expect(sum.toString()).toBe(cost);
  expect(named(spans, `POST ${CHAT}`).attributes['tollgate.cost_nano_usd']).toBe(cost);
});

test.each<[string, (h: Harness) => Promise<unknown>, object]>([
  [
    'a wrong body',
    (h) => h.post(CHAT, '{'),
    { 'http.response.status_code': 400, 'error.type': 'invalid_request' },
  ],
  [
    'no key',
    (h) => fetch(h.edge.url + CHAT, { method: 'POST', body: '{}' }),
    { 'http.response.status_code': 401, 'error.type': 'missing_api_key' },
  ],
  [
    'a denial',
    (h) => {
      h.policy.decide = () => deny('rate_limit_exceeded');
      return h.post(CHAT, chat());
    },
    { 'http.response.status_code': 429, 'error.type': 'rate_limit_exceeded' },
  ],
  [
    'an error of the provider',
    (h) => {
      h.upstream.script = (res) => void res.writeHead(500).end('{}');
      return h.post(CHAT, chat());
    },
    { 'error.type': 'upstream_error' },
  ],
  [
    'policy away',
    async (h) => {
      await h.policy.stop();
      return h.post(CHAT, chat());
    },
    { 'http.response.status_code': 503, 'error.type': 'dependency_unavailable' },
  ],
  [
    'a client that left',
    async (h) => {
      const leaving = new AbortController();
      h.upstream.script = () => leaving.abort();
      await fetch(h.edge.url + CHAT, {
        method: 'POST',
        headers: { authorization: 'Bearer tg_test-key-0123456789' },
        body: JSON.stringify(chat()),
        signal: leaving.signal,
      }).catch(() => undefined);
    },
    { 'http.response.status_code': 499, 'tollgate.outcome': 'CLIENT_CLOSED' },
  ],
  [
    'a stream that breaks off',
    async (h) => {
      h.upstream.script = (res) => {
        openSse(res);
        res.write(delta('Hel'), () => res.destroy());
      };
      await (await h.post(CHAT, chat({ stream: true }))).text();
    },
    { 'http.response.status_code': 200, 'tollgate.outcome': 'PARTIAL' },
  ],
  [
    'a client that left a stream',
    async (h) => {
      const leaving = new AbortController();
      h.upstream.script = (res) => {
        openSse(res);
        res.write(delta('Hel'));
      };
      const body = JSON.stringify(chat({ stream: true }));
      const headers = { authorization: 'Bearer tg_test-key-0123456789' };
      const asked = { method: 'POST', headers, body, signal: leaving.signal };
      await fetch(h.edge.url + CHAT, asked);
      leaving.abort();
    },
    { 'http.response.status_code': 499, 'tollgate.outcome': 'CLIENT_CLOSED' },
  ],
  [
    'a request that a rule blocks',
    (h) => {
      screens(h, [{ action: 'BLOCK', where: ['INPUT'] }]);
      return h.post(CHAT, chat({ messages: [{ role: 'user', content: CANARY }] }));
    },
    { 'http.response.status_code': 403, 'error.type': 'content_blocked' },
  ],
])('%s has exactly one span of a server', async (what, ask, attributes) => {
  // Only then is the whole deadline waited for.
  const deadline = what === 'policy away' ? { POLICY_DEADLINE_MS: 500 } : {};
  const spans = await traced(deadline, async (h) => {
    await ask(h);
  });
  const servers = spans.filter(({ kind }) => kind === SERVER);
  expect(servers).toHaveLength(1);
  expect(servers[0]?.attributes).toMatchObject(attributes);
});

test('a caller that does not sample has no spans, and its trace in the record', async () => {
  const spans = await traced({}, async (h) => {
    await (await h.post(CHAT, chat(), { traceparent: parentOf(TRACE, '00') })).text();
    expect(await h.settled()).toMatchObject({ traceId: TRACE, spanId: '' });
    expect(h.policy.authorized[0]?.trace).toHaveLength(0);
  });
  expect(spans).toEqual([]);
  expect(receiver().requests).toEqual([]);
});

const RATIO = {
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0',
} as const;

test.each([
  ['a trusted caller has its requests traced', {}, undefined, 1],
  ['one that is not trusted has not', { TRACE_TRUST_CALLERS: false }, undefined, 0],
  ['whoever has no valid key has not', {}, 'invalid_api_key', 0],
])('%s', async (_what, over, code, servers) => {
  const spans = await traced({ ...RATIO, ...over }, async (h) => {
    if (code !== undefined) h.policy.decide = () => deny(code);
    await (await h.post(CHAT, chat(), SAMPLED)).text();
  });
  expect(spans.filter(({ kind }) => kind === SERVER)).toHaveLength(servers);
});

test('without an endpoint the trace of the caller is recorded, logged and told in errors', async () => {
  await traced({ OTEL_EXPORTER_OTLP_ENDPOINT: undefined }, async (h) => {
    await (await h.post(CHAT, chat(), SAMPLED)).text();
    expect((await h.settled()).traceId).toBe(TRACE);
    const bodies = [
      ['/v1/chat/completions', { trace_id: TRACE }],
      ['/v1/messages', { trace_id: TRACE }],
      [
        '/v1beta/models/m:generateContent',
        { error: { details: [{ metadata: { traceId: TRACE } }] } },
      ],
    ] as const;
    for (const [path, expected] of bodies) {
      expect(await (await h.post(path, '{', SAMPLED)).json()).toMatchObject(expected);
    }
    await until(() => h.log.filter((line) => line.includes('"request"')).length > 3, 'log lines');
    expect(h.log.filter((line) => line.includes(`"traceId":"${TRACE}"`))).toHaveLength(4);
  });
  expect(receiver().requests).toEqual([]);
});

test('vLLM is told the span of its own attempt, a vendor nothing', async () => {
  const received: unknown[] = [];
  const spans = await traced({}, async (h) => {
    const own = { providerId: 'vllm', providerType: 'PROVIDER_D', upstreamFormat: 'vllm' };
    h.catalog.connections.set('vllm:1', connection({ baseUrl: h.upstream.url, ...own }));
    h.policy.decide = () => routed([candidate(), candidate({ ...own, modelId: 'own' })]);
    h.upstream.script = (res, { headers }) => {
      received.push([headers['traceparent'], headers['tracestate']]);
      if (received.length > 1) return completion(res, {});
      res.writeHead(500).end('{}');
      return undefined;
    };
    await (await h.post('/v1/llm/chat', chat(), { ...SAMPLED, baggage: 'a=b' })).text();
  });
  const attempt = spans.find(({ attributes }) => attributes['gen_ai.provider.name'] === 'vllm');
  expect(received).toEqual([
    [undefined, undefined],
    [`00-${TRACE}-${attempt?.spanId}-01`, 'vendor=1'],
  ]);
});

test('a trace that begins here has the id of its request, and no text of it', async () => {
  let id = '';
  const spans = await traced({}, async (h) => {
    h.upstream.script = (res) => completion(res, {});
    const said = [{ role: 'user', content: 'the secret question' }];
    const response = await h.post(CHAT, chat({ messages: said }));
    id = response.headers.get('x-request-id') ?? '';
    await response.text();
  });
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([id.replaceAll('-', '')]));
  const all = printed(spans);
  expect(all).not.toContain('secret');
  expect(all).not.toContain('Hello');
});

test('a seed that is too long for a number leaves the request its trace', async () => {
  const spans = await traced({}, async (h) => {
    h.upstream.script = (res) => completion(res, {});
    const body = JSON.stringify(chat({ seed: 0 })).replace(
      '"seed":0',
      '"seed":12345678901234567890',
    );
    const answer = await h.post(CHAT, body);
    expect(answer.status).toBe(200);
    await answer.text();
  });
  expect(named(spans, 'chat gpt-upstream').attributes).not.toHaveProperty('gen_ai.request.seed');
});
