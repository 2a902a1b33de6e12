// Rules about models apply to each route of the table, those about parameters to each that takes some.

import type { Candidate } from '@tollgate/contracts/node';

import { ROUTES, type Route } from '../routes';
import { bodyFor, form, pathFor, sound } from '../test-support/bodies';
import {
  candidate,
  chat,
  errorOf,
  MODEL,
  routed,
  startHarness,
  type Harness,
} from '../test-support/harness';
import { screens } from './test-support/rules';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const rows = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);
const send = (route: Route, body = bodyFor(route)) =>
  h.send(pathFor(route), body, {}, route.method);

/** The provider whose operation it is. */
function upstreamOf({ family }: Route): Candidate {
  return family === 'vllm' ? { providerType: 'PROVIDER_D', upstreamFormat: 'vllm' } : {};
}

const MODELS = { kind: 'MODELS', where: ['INPUT'], mode: 'DENY', models: [MODEL] };

describe.each(rows)('%s', (_, route) => {
  test('a denied model is not asked, costs nothing, and has a record', async () => {
    screens(h, [MODELS], upstreamOf(route));
    const response = await send(route);
    expect(response.status).toBe(403);
    const text = await response.text();
    expect(text).toContain('content_blocked');
    expect(text).toContain('house/one');
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(response.headers.get('x-tollgate-screening')).toMatch(
      /^house\/one;v=\d+;in=input;action=block;hits=1$/,
    );
    expect(h.upstream.received).toHaveLength(0);
    expect(await h.settled()).toMatchObject({
      cancelled: false,
      costNanoUsd: '0',
      errorCode: 'content_blocked',
      outcome: 'FAILED',
      screening: expect.stringContaining('house/one'),
    });
  });
});

const taking = rows.filter(([, { method, model }]) => {
  return method === 'POST' && (model.in !== 'stored' || model.body === true);
});

/** The same body with one field more. */
function withField(route: Route, name: string, value: string): object {
  const hears = route.operation === 'transcription' || route.operation === 'translation';
  const body = hears ? form({ model: MODEL, file: sound() }) : bodyFor(route);
  if (!(body instanceof FormData)) return { ...body, [name]: value };
  body.append(name, value);
  return body;
}

describe.each(taking)('parameters of %s', (_, route) => {
  test('a forbidden one is refused by name', async () => {
    const parameters = [{ name: 'house_field', presence: 'FORBIDDEN' }];
    screens(h, [{ kind: 'PARAMETERS', where: ['INPUT'], parameters }], upstreamOf(route));
    const response = await send(route, withField(route, 'house_field', 'x'));
    expect(response.status).toBe(403);
    const text = await response.text();
    expect(text).toContain('house_field: must not be sent (screening rule house/one)');
    expect(h.upstream.received).toHaveLength(0);
    expect(await h.settled()).toMatchObject({ errorCode: 'content_blocked', costNanoUsd: '0' });
  });
});

const BOUND = {
  kind: 'PARAMETERS',
  where: ['INPUT'],
  parameters: [{ name: 'max_tokens', maximum: 100 }],
};
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];

describe('a bound of max_tokens', () => {
  test.each([
    ['/v1/chat/completions', chat({ max_tokens: 101 })],
    ['/v1/chat/completions', chat({ max_completion_tokens: 101 })],
    ['/v1/llm/chat', chat({ max_tokens: 101 })],
    ['/v1/responses', { model: MODEL, input: 'Hi', max_output_tokens: 101 }],
    ['/v1/messages', chat({ max_tokens: 101 })],
    ['/v1/completions', { model: MODEL, prompt: 'Hi', max_tokens: 101 }],
    [
      `/v1beta/models/${MODEL}:generateContent`,
      { contents, generationConfig: { maxOutputTokens: 101 } },
    ],
    [
      `/v1beta/models/${MODEL}:streamGenerateContent`,
      { contents, generation_config: { max_output_tokens: 101 } },
    ],
  ])('holds at %s with %j', async (path, body) => {
    screens(h, [BOUND]);
    const response = await h.post(path, body);
    expect(response.status).toBe(403);
    expect(await response.text()).toMatch(/[mM]ax[A-Za-z_]*: must be at most 100/);
    expect(h.upstream.received).toHaveLength(0);
  });

  test('names the field in the error, and lets others pass', async () => {
    screens(h, [BOUND]);
    const error = await errorOf(
      await h.post('/v1/chat/completions', chat({ max_completion_tokens: 101 })),
    );
    expect(error).toMatchObject({ code: 'content_blocked', param: 'max_completion_tokens' });
    expect((await h.post('/v1/chat/completions', chat({ max_tokens: 100 }))).status).toBe(200);
  });

  test('is noted by a rule that observes', async () => {
    screens(h, [{ ...BOUND, action: 'OBSERVE' }]);
    const response = await h.post('/v1/chat/completions', chat({ max_tokens: 101 }));
    expect(response.status).toBe(200);
    expect(response.headers.get('x-tollgate-screening')).toContain('action=observe;hits=1');
  });
});

test('a stream that the path asks for is a parameter too', async () => {
  const parameters = [{ name: 'stream', presence: 'FORBIDDEN' }];
  screens(h, [{ kind: 'PARAMETERS', where: ['INPUT'], parameters }]);
  const path = (method: string) => `/v1beta/models/${MODEL}:${method}`;
  expect((await h.post(path('streamGenerateContent'), { contents })).status).toBe(403);
  await h.reset();
  screens(h, [{ kind: 'PARAMETERS', where: ['INPUT'], parameters }]);
  expect((await h.post(path('generateContent'), { contents })).status).toBe(200);
});

test('of a field that is sent twice the one that was judged is sent', async () => {
  screens(h, [BOUND], { upstreamModel: MODEL });
  const twice = `{"model":"${MODEL}","prompt":"Hi","max_tokens":5000,"max_tokens":50}`;
  expect((await h.post('/v1/completions', twice)).status).toBe(200);
  expect(h.upstream.received[0]?.raw.toString()).not.toContain('5000');
});

test('a field of a form that is sent twice is judged twice', async () => {
  const parameters = [{ name: 'temperature', maximum: 0.5 }];
  screens(h, [{ kind: 'PARAMETERS', where: ['INPUT'], parameters }]);
  const body = form({ model: MODEL, file: sound(), temperature: '0.1' });
  body.append('temperature', '0.9');
  const response = await h.send('/v1/audio/transcriptions', body);
  expect(await response.text()).toContain('temperature: must be at most 0.5');
});

test('a rule’s own message is what the client reads', async () => {
  screens(h, [{ ...MODELS, message: 'Ask the platform team.' }]);
  const error = await errorOf(await h.post('/v1/chat/completions', chat()));
  expect(error).toMatchObject({ message: 'Ask the platform team.', param: 'model' });
});

describe('with a routing policy', () => {
  const one = candidate({ modelId: 'one', modelName: 'one', upstreamModel: 'up-one' });
  const two = candidate({
    modelId: 'two',
    modelName: 'two',
    upstreamModel: 'up-two',
    estimateNanoUsd: '77',
  });
  const route = (rule: object, ...candidates: Candidate[]) => {
    screens(h, [{ ...MODELS, models: ['one'], ...rule }]);
    const { allow: screened } = h.policy.decide({} as never);
    h.policy.decide = () => {
      const { allow } = routed(candidates);
      return { allow: { ...allow, screening: screened?.screening ?? [] } };
    };
  };
  const asked = () => h.upstream.received.map(({ body }) => body['model']);

  test('a denied candidate is left out, and the hold covers the next', async () => {
    route({}, one, two);
    const response = await h.post('/v1/llm/chat', chat({ model: 'auto' }));
    expect(response.status).toBe(200);
    expect(response.headers.get('x-tollgate-screening')).toContain('action=block;changed=1');
    expect(asked()).toEqual(['up-two']);
    expect(h.policy.extended).toMatchObject([{ modelId: 'two', addNanoUsd: '77' }]);
  });

  test('a denied fallback is not reached', async () => {
    route({}, two, one);
    h.upstream.script = (res) => {
      res.writeHead(500);
      res.end('{}');
    };
    const response = await h.post('/v1/llm/chat', chat({ model: 'auto' }));
    expect(response.status).toBeGreaterThanOrEqual(500);
    expect(asked()).toEqual(['up-two']);
    expect(h.policy.extended).toHaveLength(0);
  });

  test('without an allowed candidate the request is refused', async () => {
    route({ mode: 'ALLOW', models: ['three*'] }, one, two);
    expect((await h.post('/v1/llm/chat', chat({ model: 'auto' }))).status).toBe(403);
    expect(asked()).toEqual([]);
  });

  test('an allowed candidate that no limit covers is not called', async () => {
    route({}, one, two);
    h.policy.extend = () => ({ granted: false, denial: { code: 'budget_exceeded' } });
    const error = await errorOf(await h.post('/v1/llm/chat', chat({ model: 'auto' })));
    expect(error.code).toBe('budget_exceeded');
    expect(asked()).toEqual([]);
    expect(await h.settled()).toMatchObject({ cancelled: false, costNanoUsd: '0' });
  });

  test('a rule that observes leaves none out', async () => {
    route({ action: 'OBSERVE' }, one, two);
    await h.post('/v1/llm/chat', chat({ model: 'auto' }));
    expect(asked()).toEqual(['up-one']);
    expect((await h.settled()).screening).toContain('action=observe;changed=1');
  });
});

test('rules of a kind that this edge does not know are refused, and nothing is sent', async () => {
  screens(h, [{ action: 'OBSERVE' }]);
  for (const policy of h.catalog.screeningPolicies.values()) {
    const rules = JSON.parse(policy.rulesJson ?? '[]') as object[];
    policy.rulesJson = JSON.stringify(
      rules.map((rule) => ({ ...rule, kind: 'OF_A_LATER_RELEASE' })),
    );
  }
  const error = await errorOf(await h.post('/v1/chat/completions', chat()));
  expect(error).toMatchObject({ code: 'dependency_unavailable' });
  expect(h.upstream.received).toHaveLength(0);
  expect(await h.settled()).toMatchObject({ cancelled: true });
});
