import { streamed } from '../test-support/fake-upstream';
import { chat, errorOf, KEY, startHarness, until, type Harness } from '../test-support/harness';

const SECRET = 'forget-everything-now';
let h: Harness;
beforeAll(async () => {
  h = await startHarness({
    CACHE_INVALIDATION_SECRET: SECRET,
    EDGE_CORS_ORIGINS: ['https://app.example'],
  });
  h.policy.validate = () => ({
    valid: true,
    subject: { organisationId: 'o1', organisationSlug: 'acme', apiKeyId: 'k1', apiKeyType: 'TEAM' },
    models: [
      {
        id: 'm1',
        name: 'family/small',
        type: 'chat',
        provider: 'provider_a',
        createdAtMs: 5_000,
        families: 'unified,openai,anthropic,gemini',
      },
    ],
    limits: [{ limitId: 'l1', kind: 'QUOTA', limit: '10', settled: '1', held: '2' }],
  });
});
beforeEach(() => h.reset());
afterAll(() => h.stop());
const bearer = (key = KEY) => ({ authorization: `Bearer ${key}` });

test('/health answers 200 while the process runs', async () => {
  expect(await (await h.get('/v1/health')).json()).toEqual({ status: 'ok' });
});

describe('healthz', () => {
  test('reports the database and the cache', async () => {
    const response = await h.get('/v1/healthz');
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      status: 'ok',
      checks: { database: { ok: true }, cache: { ok: true }, policy: { ok: true } },
    });
  });

  test('is 503 in both scopes if policy cannot decide, with the reason for operators only', async () => {
    const frozen = await startHarness();
    try {
      frozen.policy.serving = false;
      const response = await frozen.get('/v1/healthz');
      expect(response.status).toBe(503);
      expect(await response.json()).toEqual({
        status: 'unavailable',
        checks: {
          admission: { ok: true },
          cache: { ok: false },
          database: { ok: true },
          policy: { ok: false },
          sessions: { ok: true },
          settles: { ok: true },
        },
      });
      expect((await frozen.get('/v1/healthz?scope=serving')).status).toBe(503);
      expect((await frozen.ops('/readyz')).status).toBe(503);
      const whole = await frozen.ops('/healthz');
      expect(whole.status).toBe(503);
      expect(await whole.json()).toMatchObject({
        checks: { cache: { ok: false, message: 'away' } },
      });
      expect((await frozen.ops('/livez')).status).toBe(200);
    } finally {
      await frozen.stop();
    }
  });

  test('is 503 in both scopes without policy', async () => {
    const alone = await startHarness();
    try {
      await alone.policy.stop();
      await until(() => alone.log.some((line) => line.includes('session closed')), 'the loss');
      const all = await alone.get('/v1/healthz');
      expect(all.status).toBe(503);
      const text = await all.text();
      expect(JSON.parse(text)).toMatchObject({ checks: { database: { ok: false } } });
      expect(text).not.toContain(alone.policy.address);
      expect(text).not.toContain('message');
      expect((await alone.get('/v1/healthz?scope=serving')).status).toBe(503);
      const request = await alone.post('/v1/chat/completions', chat());
      expect(request.status).toBe(503);
      expect((await errorOf(request)).code).toBe('dependency_unavailable');
    } finally {
      await alone.stop();
    }
  });
});

test('metrics count requests', async () => {
  const read = async (wanted: string): Promise<number> => {
    const text = await (await h.ops('/metrics')).text();
    const parts = wanted.split(' ');
    const line = text.split('\n').find((row) => parts.every((part) => row.includes(part)));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  const counts = [
    'tollgate_edge_request_seconds_count route="/v1/chat/completions" status="200"',
    'tollgate_edge_decision_seconds_count outcome="allow"',
    'tollgate_edge_upstream_seconds_count provider="provider_a" outcome="OK"',
    'tollgate_edge_first_token_seconds_count provider="provider_a"',
  ];
  const before = await Promise.all(counts.map(read));
  const OUTPUT_TOKENS = 'tollgate_edge_tokens_total{ provider="provider_a" class="output"';
  const COST = 'tollgate_edge_cost_usd_total{ provider="provider_a"';
  const [tokensBefore, costBefore] = [await read(OUTPUT_TOKENS), await read(COST)];
  h.upstream.script = (res) => streamed(res, ['x']);
  await (await h.post('/v1/chat/completions', chat({ stream: true }))).text();
  await h.settled();
  await until(() => h.log.some((line) => line.includes('COMPLETED')), 'the end of the request');
  const after = await Promise.all(counts.map(read));
  expect(after).toEqual(before.map((count) => count + 1));
  expect(await read(OUTPUT_TOKENS)).toBeGreaterThan(tokensBefore);
  expect(await read(COST)).toBeGreaterThan(costBefore);
  expect(await read('tollgate_edge_policy_sessions_open{')).toBeGreaterThan(0);
  expect(await read('tollgate_edge_holds_in_flight{')).toBe(0);
  // Policy has the settle, but its acknowledgement may still be on its way.
  while ((await read('tollgate_edge_settle_queue_length{')) > 0)
    expect(h.policy.settled.length).toBe(1);
  expect(await read('tollgate_edge_policy_session_reconnects_total{')).toBe(0);
});

test('metrics are on the data plane only if configured', async () => {
  expect((await h.get('/metrics')).status).toBe(404);
  expect((await h.get('/readyz')).status).toBe(404);
  const open = await startHarness({ METRICS_ENABLED: true });
  try {
    for (const answer of [await open.get('/metrics'), await open.ops('/metrics')]) {
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('tollgate_edge_policy_sessions_open');
    }
  } finally {
    await open.stop();
  }
});

test('cache invalidation needs a configured secret', async () => {
  const closed = await startHarness({ CACHE_INVALIDATION_SECRET: undefined });
  try {
    expect((await closed.post('/v1/internal/cache/invalidate', {})).status).toBe(404);
  } finally {
    await closed.stop();
  }
});

describe('keys/validate', () => {
  test('returns the key’s owner, its models and its remaining limits', async () => {
    for (const response of [
      await h.post('/v1/keys/validate', ''),
      await fetch(`${h.edge.url}/v1/keys/validate`, {
        method: 'POST',
        body: JSON.stringify({ key: KEY }),
      }),
    ]) {
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({
        valid: true,
        apiKey: { id: 'k1', type: 'TEAM', expiresAt: null },
        organisation: { id: 'o1', slug: 'acme' },
        models: [{ name: 'family/small', type: 'chat', provider: 'provider_a' }],
        limits: [{ id: 'l1', limit: 10, settled: 1, held: 2 }],
      });
    }
  });

  test('is 401 without a key, or with an invalid one', async () => {
    const none = await fetch(`${h.edge.url}/v1/keys/validate`, { method: 'POST' });
    expect((await errorOf(none)).code).toBe('missing_api_key');
    const { validate } = h.policy;
    h.policy.validate = () => ({
      valid: false,
      denial: { code: 'invalid_api_key', message: 'no' },
    });
    const wrong = await h.post('/v1/keys/validate', '');
    expect(wrong.status).toBe(401);
    expect((await errorOf(wrong)).message).toBe('no');
    expect((await h.get('/v1/models', bearer())).status).toBe(401);
    h.policy.validate = validate;
  });
});

describe('models', () => {
  const model = { id: 'family/small', object: 'model', created: 5, owned_by: 'provider_a' };

  test('lists the models granted to the key, as SDKs read them', async () => {
    expect(await (await h.get('/v1/models', bearer())).json()).toMatchObject({
      object: 'list',
      data: [model],
    });
    expect((await h.get('/v1/models')).status).toBe(401);
  });

  test.each(['family/small', 'family%2Fsmall'])('returns one of them by name: %s', async (name) => {
    expect(await (await h.get(`/v1/models/${name}`, bearer())).json()).toMatchObject(model);
  });

  test('are listed in the format of each family’s SDKs', async () => {
    const messages = { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' };
    expect(await (await h.get('/v1/models', messages)).json()).toMatchObject({
      data: [{ type: 'model', id: 'family/small' }],
      has_more: false,
      first_id: 'family/small',
    });
    for (const path of ['/v1/models', '/v1beta/models']) {
      expect(await (await h.get(path, { 'x-goog-api-key': KEY })).json()).toMatchObject({
        models: [{ name: 'models/family/small' }],
      });
    }
    expect(await (await h.get(`/v1beta/models/family/small?key=${KEY}`)).json()).toMatchObject({
      name: 'models/family/small',
    });
    const unknown = await h.get('/v1beta/models/other', { 'x-goog-api-key': KEY });
    expect(await unknown.json()).toMatchObject({
      error: {
        code: 404,
        details: expect.arrayContaining([expect.objectContaining({ reason: 'model_not_found' })]),
      },
    });
  });

  test.each(['vllm', 'provider_d'])('of %s are only those that it may serve', async (name) => {
    const path = `/v1/${name}/models`;
    expect(await (await h.get(path, bearer())).json()).toEqual({ object: 'list', data: [] });
    const posted = await h.post(path, '', bearer());
    expect(await posted.json()).toEqual({ object: 'list', data: [] });
    const validate = h.policy.validate;
    const own = { name: 'own', type: 'chat', provider: 'provider_d', contextTokens: 8 };
    h.policy.validate = () => ({
      valid: true,
      models: [{ ...own, families: 'unified,vllm' }],
    });
    expect(await (await h.get(path, bearer())).json()).toMatchObject({
      data: [{ id: 'own', object: 'model', max_model_len: 8 }],
    });
    h.policy.validate = validate;
  });

  test('are only those that a route of the family can use', async () => {
    const { validate } = h.policy;
    const one = (name: string, type: string, families: string) => ({ name, type, families });
    h.policy.validate = () => ({
      valid: true,
      models: [
        one('talks', 'chat', 'unified,openai,anthropic,gemini'),
        one('embeds', 'embeddings', 'gemini,vllm'),
        one('draws', 'image', 'none'),
        one('said-by-nobody', 'chat', ''),
      ],
    });
    const named = async (path: string, headers: Record<string, string>) => {
      const body = (await (await h.get(path, headers)).json()) as {
        data?: { id: string }[];
        models?: { name: string }[];
      };
      return body.data?.map(({ id }) => id) ?? body.models?.map(({ name }) => name.slice(7));
    };
    const messages = { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' };
    const generate = { 'x-goog-api-key': KEY };
    expect(await named('/v1/models', bearer())).toEqual(['talks', 'embeds', 'said-by-nobody']);
    expect(await named('/v1/vllm/models', bearer())).toEqual(['embeds', 'said-by-nobody']);
    expect(await named('/v1/models', messages)).toEqual(['talks', 'said-by-nobody']);
    expect(await named('/v1beta/models', generate)).toEqual(['talks', 'embeds', 'said-by-nobody']);
    expect(await (await h.get('/v1beta/models/embeds', generate)).json()).toMatchObject({
      supportedGenerationMethods: ['embedContent', 'batchEmbedContents'],
    });
    expect((await h.get('/v1/models/draws', bearer())).status).toBe(404);
    h.policy.validate = validate;
  });

  test('is 404 for a name that is not granted', async () => {
    const response = await h.get('/v1/models/other', bearer());
    expect(response.status).toBe(404);
    expect((await errorOf(response)).code).toBe('model_not_found');
  });
});

describe('cache/invalidate', () => {
  const forget = (body: unknown, key = SECRET) =>
    h.post('/v1/internal/cache/invalidate', body, bearer(key));
  const organisationId = '01990000-0000-7000-8000-000000000001';

  test('tells policy what to invalidate', async () => {
    const response = await forget({ organisationId });
    expect(await response.json()).toEqual({ dropped: 1 });
    expect(h.policy.invalidated.at(-1)).toMatchObject({ organisationId });
    expect((await forget('')).status).toBe(200);
    expect(h.policy.invalidated.at(-1)).toMatchObject({ organisationId: '' });
  });

  test('is 401 with a wrong secret, and 400 for an invalid body', async () => {
    expect((await forget({}, 'wrong')).status).toBe(401);
    expect((await forget({}, '')).status).toBe(401);
    expect((await forget({ organisation: 'x' })).status).toBe(400);
  });
});

describe('CORS', () => {
  const preflight = (origin: string) =>
    fetch(`${h.edge.url}/v1/chat/completions`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-headers': 'authorization' },
    });

  test('allows pages of the configured origins only', async () => {
    const allowed = await preflight('https://app.example');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(allowed.headers.get('access-control-allow-headers')).toBe('authorization');
    const other = await preflight('https://evil.example');
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    const answer = await h.get('/v1/health', { origin: 'https://app.example' });
    expect(answer.headers.get('access-control-expose-headers')).toContain('x-tollgate-cost-usd');
  });
});

test('on shutdown a running request is answered and settled first', async () => {
  const leaving = await startHarness({ DRAIN_MS: 15_000 });
  let release: () => void = () => undefined;
  leaving.upstream.script = (res) => {
    release = () => streamed(res, ['late']);
  };
  const answer = leaving.post('/v1/chat/completions', chat({ stream: true }));
  await until(() => leaving.upstream.received.length === 1, 'the upstream to be called');
  const stopped = leaving.stop();
  release();
  expect(await (await answer).text()).toContain('late');
  await stopped;
  expect(leaving.policy.settled).toMatchObject([{ outcome: 'COMPLETED' }]);
});
