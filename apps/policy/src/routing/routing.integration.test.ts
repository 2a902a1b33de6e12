import { emptyUsage } from '@tollgate/contracts';
import type { PolicyClient } from '@tollgate/contracts/node';
import { callUnary } from '@tollgate/kit';

import { decodeTicket } from '../holds/ticket';
import { limit, price, settled } from '../test-support/contexts';
import { eventually, startRig, type Rig } from '../test-support/rig';
import { candidateModel } from './test-support/policies';
import { leftOut, routedKeys, tried } from './test-support/routed-keys';

// Routed requests, sent like an edge does, on policies that share a Redis.

let rig: Rig;
let more: PolicyClient[];
beforeAll(async () => {
  rig = await startRig({ UPSTREAM_BREAKER_FAILURES: '3', UPSTREAM_BREAKER_OPEN_MS: '600000' });
  more = [];
  for (let n = 0; n < 3; n += 1) more.push((await rig.another()).client);
});
afterAll(async () => {
  await rig.stop();
});

const { key, report } = routedKeys(() => rig, 'routed');
const some = (count: number) => Array.from({ length: count }, (_, n) => candidateModel(n));

describe('a policy applies', () => {
  const models = some(2);
  const other = candidateModel(7, { name: 'other' });
  const compat = { family: 'openai', route: '/v1/chat/completions', model: 'model-0' };

  test('to its own name and its candidates’; another model is used alone', async () => {
    const { authorize } = key(models, {}, { models: [...models, other] });
    expect(tried(await authorize())).toEqual(['m0', 'm1']);
    expect(tried(await authorize({ model: 'model-1' }))).toEqual(['m1', 'm0']);
    const alone = await authorize({ model: 'other' });
    expect(alone.allow?.routing).toBeNull();
    expect(alone.allow?.candidates).toMatchObject([
      { modelId: 'm7', estimateNanoUsd: '', timeouts: null, probe: false },
    ]);
  });

  test('to no other route, unless the organisation says so, and to no continued response', async () => {
    const off = await key(models).authorize(compat);
    expect([tried(off), off.allow?.routing]).toEqual([['m0'], null]);
    const { authorize } = key(models, {}, { routeCompatRequests: true });
    expect(tried(await authorize(compat))).toEqual(['m0', 'm1']);
    const continued = await authorize({ ...compat, previousResponseId: 'resp_1' });
    expect(continued.denial?.code).toBe('invalid_request');
  });

  test('to no new conversation, which stays where it is made', async () => {
    const { authorize } = key(models, {}, { routeCompatRequests: true });
    const create = { ...compat, route: '/v1/conversations', operation: 'conversation_create' };
    const made = await authorize(create);
    expect([tried(made), made.allow?.routing]).toEqual([['m0'], null]);
  });

  test('only while the organisation’s switch is on', async () => {
    const { authorize } = key(models, {}, { routingEnabled: false });
    expect((await authorize()).denial?.code).toBe('model_not_found');
    expect(tried(await authorize({ model: 'model-0' }))).toEqual(['m0']);
  });

  test('with its triggers and times, each candidate with its own', async () => {
    const timeouts = { attemptMs: 9_000, connectMs: 0, firstTokenMs: 800, idleMs: 0 };
    const candidates = [
      { modelId: 'm0', priority: 1, weight: 1, timeouts: { ...timeouts, attemptMs: 50 } },
      { modelId: 'm1', priority: 2, weight: 1, timeouts: null },
    ];
    const settings = { triggers: ['any'], totalTimeoutMs: 20_000, retries: 2, hedgeAfterMs: 300 };
    const { authorize } = key(models, { ...settings, timeouts, candidates });
    const { allow } = await authorize();
    expect(allow?.routing).toMatchObject({ ...settings, policyId: 'policy-1' });
    expect(allow?.candidates.map((candidate) => candidate.timeouts)).toEqual([
      { ...timeouts, attemptMs: 50 },
      timeouts,
    ]);
  });
});

describe('round robin', () => {
  test('over four policies gives each candidate as many requests as any other, but for one', async () => {
    const { request } = key(some(3), { strategy: 'round_robin' });
    const clients = [rig.client, ...more];
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        callUnary(clients[n % 4] ?? rig.client, 'authorize', request(), { deadlineMs: 15_000 }),
      ),
    );
    const counts = ['m0', 'm1', 'm2'].map(
      (modelId) => replies.filter((reply) => tried(reply)?.[0] === modelId).length,
    );
    expect(counts.toSorted((a, b) => a - b)).toEqual([16, 17, 17]);
  });

  test('counts no request that was refused, or asked again', async () => {
    const limits = [limit({ limitId: 'rr-budget', limit: '50000000' })];
    const { authorize, request } = key(some(2), { strategy: 'round_robin' }, { limits });
    const firsts: unknown[] = [];
    for (let n = 0; n < 4; n += 1) {
      const one = request();
      const reply = await rig.authorize(one);
      firsts.push(tried(reply)?.[0]);
      expect(tried(await rig.authorize(one))).toEqual(tried(reply));
      const tooMuch = await authorize({ maxOutputTokens: 90_000 });
      expect(tooMuch.denial?.code).toBe('budget_exceeded');
    }
    expect(firsts).toEqual(['m0', 'm1', 'm0', 'm1']);
  });
});

test('lowest cost goes by what the request would cost with each', async () => {
  const dear = { steps: [{ ...price().steps[0], output: '9000000000' }] };
  const models = [
    candidateModel(0, { prices: [price({ ...dear, priceId: 'dear' } as never)] }),
    candidateModel(1),
  ];
  const { authorize } = key(models, { strategy: 'lowest_cost' });
  const { allow } = await authorize();
  expect(allow?.candidates.map(({ modelId }) => modelId)).toEqual(['m1', 'm0']);
  expect(allow?.candidates.map(({ estimateNanoUsd }) => estimateNanoUsd)).toEqual([
    '200000',
    '550000',
  ]);
  // One of them will answer: the dearest is held, once.
  expect(allow?.heldNanoUsd).toBe('550000');
});

describe('a candidate is left out', () => {
  test('with the reason', async () => {
    const models = [
      candidateModel(0),
      candidateModel(1, { granted: false }),
      candidateModel(2, { type: 'embeddings' }),
      candidateModel(3, { contextTokens: 50 }),
      candidateModel(4, { providerActive: false }),
      candidateModel(5, { capabilities: 'tools' }),
      candidateModel(6, { capabilities: 'none' }),
      candidateModel(7, { capabilities: 'tools,vision' }),
    ];
    const candidates = [...models.keys(), 9].map((place) => ({
      modelId: `m${String(place)}`,
      priority: 1,
      weight: 1,
      timeouts: null,
    }));
    const { authorize } = key(models, { candidates });
    const reply = await authorize({ requiredCapabilities: 'tools,vision' });
    expect(tried(reply)).toEqual(['m0', 'm7']);
    expect(leftOut(reply)).toEqual({
      m1: 'not_granted',
      m2: 'operation',
      m3: 'context_window',
      m4: 'provider_inactive',
      m5: 'capability_vision',
      m6: 'capability_tools',
      m9: 'model_unavailable',
    });
    expect(tried(await authorize())).toEqual(['m0', 'm5', 'm6', 'm7']);
  });

  test('without a price where money is counted, and when its own limit is reached', async () => {
    const limits = [
      limit({ limitId: 'of-0', scopeType: 'MODEL', scopeId: 'm0', limit: '300000' }),
      limit({ limitId: 'of-1', scopeType: 'MODEL', scopeId: 'm1', limit: '900000' }),
    ];
    const models = [candidateModel(0), candidateModel(1), candidateModel(2, { prices: [] })];
    const paid = await key(models, {}, { limits: [limit({ limitId: 'paid' })] }).authorize();
    expect(leftOut(paid)).toEqual({ m2: 'no_price' });
    const { authorize, request } = key(models, {}, { limits });
    const first = request();
    const reply = await rig.authorize(first);
    expect(tried(reply)).toEqual(['m0', 'm1', 'm2']);
    const second = await authorize();
    expect(tried(second)).toEqual(['m1', 'm2']);
    expect(leftOut(second)).toEqual({ m0: 'limit_reached' });
    // Usage of the second candidate is charged only to it.
    const { limits: left } = await rig.settle(
      settled(first.requestId, reply.allow?.holdToken ?? Buffer.alloc(0), {
        modelId: 'm1',
        providerId: 'p1',
      }),
    );
    const spent = Object.fromEntries(left.map((one) => [one.limitId, one.settled]));
    expect(spent).toEqual({ 'of-0': '0', 'of-1': '140000' });
    expect(tried(await authorize())).toEqual(['m0', 'm1', 'm2']);
  });
});

describe('of what limits leave, a request has the candidates that fit', () => {
  // 200,000 nano-USD and 550,000 for 50 tokens of output; without a bound 1,100 tokens against 5,100.
  const dear = { steps: [{ ...price().steps[0], output: '9000000000' }] };
  const models = [
    candidateModel(0, {
      prices: [price({ ...dear, priceId: 'dear' } as never)],
      defaultMaxOutputTokens: 5_000,
    }),
    candidateModel(1, { defaultMaxOutputTokens: 1_000 }),
  ];

  test.each([
    ['a budget', { limit: '300000' }, {}],
    ['a budget that clamps', { limit: '300000', clamp: true }, {}],
    ['a quota', { kind: 'QUOTA', metric: 'TOKENS', limit: '2000' }, { maxOutputTokens: 0 }],
    ['a rate', { kind: 'RATE_TOKENS', metric: '', limit: '2000' }, { maxOutputTokens: 0 }],
  ] as [string, object, { maxOutputTokens?: number }][])(
    '%s leaves out the dear one only',
    async (name, changes, asked) => {
      const limits = [limit({ limitId: `fits-${name}`, ...changes })];
      const { authorize } = key(models, {}, { limits });
      const reply = await authorize(asked);
      expect([tried(reply), leftOut(reply)]).toEqual([['m1'], { m0: 'limit_reached' }]);
      expect(reply.allow).toMatchObject({ clamped: false });
      expect(reply.allow?.candidates[0]?.maxOutputTokens).toBe(
        asked.maxOutputTokens === 0 ? 1_000 : 50,
      );
      expect(reply.allow?.heldNanoUsd).toBe(asked.maxOutputTokens === 0 ? '2100000' : '200000');
    },
  );

  test('none, and it is refused with what the cheapest would need', async () => {
    const limits = [limit({ limitId: 'fits-none', limit: '350000' })];
    const { authorize } = key(models, {}, { limits });
    expect(tried(await authorize())).toEqual(['m1']);
    const { denial } = await authorize();
    expect(denial?.code).toBe('budget_exceeded');
    expect(denial?.message).toContain('this request needs $0.0002');
    expect(JSON.parse(denial?.detailsJson ?? '')).toMatchObject({
      routingPolicy: { id: 'policy-1', name: 'any-chat' },
      leftOut: [
        { modelId: 'm0', modelName: 'model-0', reason: 'limit_reached' },
        { modelId: 'm1', modelName: 'model-1', reason: 'limit_reached' },
      ],
    });
  });

  test('none as it is, and each is lowered to what is left for it', async () => {
    const clamped = async (limitId: string, left: string) => {
      const limits = [limit({ limitId, limit: left, clamp: true })];
      const { allow } = await key(models, {}, { limits }).authorize();
      const bounds = allow?.candidates.map((one) => [one.modelId, one.maxOutputTokens]);
      return { clamped: allow?.clamped, held: allow?.heldNanoUsd, bounds };
    };
    // 100,000 are the input's.
    expect(await clamped('clamps-both', '150000')).toEqual({
      clamped: true,
      held: '150000',
      bounds: [
        ['m0', 5],
        ['m1', 25],
      ],
    });
    expect(await clamped('clamps-one', '105000')).toEqual({
      clamped: true,
      held: '104000',
      bounds: [['m1', 2]],
    });
  });

  test('those whose own limit is reached are left out beside those that a common one refuses', async () => {
    const limits = [
      limit({ limitId: 'common', limit: '300000' }),
      limit({ limitId: 'own', scopeType: 'MODEL', scopeId: 'm1', limit: '100000' }),
    ];
    const three = [...models, candidateModel(2)];
    const { authorize } = key(three, {}, { limits });
    const reply = await authorize();
    expect([tried(reply), leftOut(reply)]).toEqual([
      ['m2'],
      { m0: 'limit_reached', m1: 'limit_reached' },
    ]);
  });
});

describe('a pin', () => {
  const models = [
    candidateModel(0),
    candidateModel(1, { providerType: 'PROVIDER_B', providerLabel: 'provider_b' }),
  ];

  test('is never overridden: a named model of another provider is 400', async () => {
    const { authorize } = key(models);
    const mismatch = await authorize({ model: 'model-0', providerPin: 'provider_b' });
    expect(mismatch.denial?.code).toBe('provider_mismatch');
    const kept = await authorize({ model: 'model-1', providerPin: 'anthropic' });
    expect([tried(kept), leftOut(kept)]).toEqual([['m1'], { m0: 'provider_pin' }]);
    expect(tried(await authorize({ providerPin: 'provider_a' }))).toEqual(['m0']);
    const none = await authorize({ providerPin: 'provider_c' });
    expect(none.denial?.code).toBe('provider_mismatch');
  });
});

test.each([
  ['model_access_denied', { granted: false }, {}],
  ['unsupported_model', { capabilities: 'tools' }, { requiredCapabilities: 'vision' }],
  ['unsupported_model', { contextTokens: 10 }, {}],
  ['provider_misconfigured', { providerActive: false }, {}],
  ['provider_mismatch', {}, { providerPin: 'provider_d' }],
])('where none is left it is %s', async (code, changes, request) => {
  const { authorize } = key([candidateModel(0, changes), candidateModel(1, changes)]);
  const { denial } = await authorize(request);
  expect(denial?.code).toBe(code);
  const details = JSON.parse(denial?.detailsJson ?? '') as { leftOut: unknown[] };
  expect(details.leftOut).toHaveLength(2);
});

describe('attempts that are reported', () => {
  const failure = { outcome: 'HTTP_503' };

  test('open a breaker for every policy, and the catalog hears of it', async () => {
    const { authorize, request, organisationId } = key(some(2));
    await report(organisationId, 'm0', [failure, failure, { outcome: 'HTTP_400' }]);
    expect(tried(await authorize())).toEqual(['m0', 'm1']);
    await report(organisationId, 'm0', [failure]);
    const reply = await eventually('the breaker is open', async () => {
      const [client = rig.client] = more;
      const asked = await callUnary(client, 'authorize', request(), { deadlineMs: 15_000 });
      expect(tried(asked)).toEqual(['m1']);
      return asked;
    });
    expect(leftOut(reply)).toEqual({ m0: 'breaker_open' });
    await eventually('the catalog knows', () => {
      const [heard] = rig.catalog.upstreams.filter((one) => one.organisationId === organisationId);
      expect(heard).toMatchObject({
        modelId: 'm0',
        state: 'OPEN',
        reason: 'HTTP_503',
        attempts: 4,
        failures: 3,
      });
    });
    await report(organisationId, 'm1', [failure, failure, failure]);
    await eventually('none is left', async () => {
      const { denial } = await authorize();
      expect(denial?.code).toBe('upstream_error');
      expect(denial?.retryAfterMs).toBeGreaterThan(0);
    });
  });

  test('let what asks for a pause rest: when all do, it is 429 with their wait', async () => {
    const { authorize, organisationId } = key(some(2));
    const limited = { outcome: 'HTTP_429', retryAfterMs: 200_000 };
    await report(organisationId, 'm0', [limited]);
    await eventually('the first rests', async () => {
      expect(leftOut(await authorize())).toEqual({ m0: 'cooldown' });
    });
    await report(organisationId, 'm1', [limited]);
    await eventually('both rest', async () => {
      const { denial } = await authorize();
      expect(denial?.code).toBe('upstream_rate_limited');
      expect(denial?.retryAfterMs).toBeLessThanOrEqual(200_000);
    });
  });
});

test('a step of a stream is held at the price of the candidate that streams', async () => {
  const dear = { steps: [{ ...price().steps[0], output: '9000000000' }] };
  const models = [
    candidateModel(0, { prices: [price({ ...dear, priceId: 'dear' } as never)] }),
    candidateModel(1),
  ];
  const { request } = key(models, {}, { limits: [limit({ limitId: 'steps' })] });
  const held = async (modelId: string) => {
    const one = request({ stream: true });
    const { allow } = await rig.authorize(one);
    const grown = await callUnary(
      rig.client,
      'extend',
      {
        requestId: one.requestId,
        holdToken: allow?.holdToken ?? Buffer.alloc(0),
        modelId,
        addOutputTokens: 100,
      },
      { deadlineMs: 15_000 },
    );
    const { limits } = await rig.settle({
      requestId: one.requestId,
      holdToken: grown.holdToken,
      cancelled: true,
    });
    expect(limits[0]?.held).toBe('0');
    // A hold token is sixteen bytes of MAC, two instants, and the ticket.
    const body = grown.holdToken.toString('utf8', 16);
    const { heldNanoUsd } = decodeTicket(body.replace(/^\d+\.\d+\./, ''));
    return heldNanoUsd - BigInt(allow?.heldNanoUsd ?? '');
  };
  expect(await held('m0')).toBe(900_000n);
  expect(await held('m1')).toBe(200_000n);
});

const further = (requestId: string, holdToken: Buffer | undefined) =>
  callUnary(
    rig.client,
    'extend',
    {
      requestId,
      holdToken: holdToken ?? Buffer.alloc(0),
      modelId: 'm1',
      addInputTokens: 100,
      addOutputTokens: 50,
      addNanoUsd: '200000',
    },
    { deadlineMs: 15_000 },
  );

test('a further attempt is held with its own input and cost', async () => {
  const limits = [
    limit({ limitId: 'money', limit: '500000' }),
    limit({ limitId: 'in', kind: 'QUOTA', metric: 'TOKENS_IN', limit: '1000' }),
    // The answering model is charged with both attempts.
    limit({ limitId: 'its-own', scopeType: 'MODEL', scopeId: 'm1', limit: '600000' }),
    limit({ limitId: 'the-first', scopeType: 'MODEL', scopeId: 'm0', limit: '600000' }),
    limit({ limitId: 'the-next', scopeType: 'MODEL', scopeId: 'm2', limit: '300000' }),
    // One attempt of its model is held from the start, and there is no room for two.
    limit({
      limitId: 'its-rate',
      kind: 'RATE_TOKENS',
      metric: '',
      period: '',
      scopeType: 'MODEL',
      scopeId: 'm1',
      limit: '200',
    }),
  ];
  const { request } = key(some(3), {}, { limits });
  const one = request();
  const { allow } = await rig.authorize(one);
  const grown = await further(one.requestId, allow?.holdToken);
  expect(grown.granted).toBe(true);
  const refused = await further(one.requestId, grown.holdToken);
  expect(refused.denial?.code).toBe('budget_exceeded');
  const held = Object.fromEntries(
    refused.denial?.limits.map((state) => [state.limitId, state.held]) ?? [],
  );
  expect(held).toEqual({
    money: '400000',
    in: '200',
    'its-own': '400000',
    'the-first': '400000',
    'the-next': '200000',
    'its-rate': '0',
  });
});

test('a further attempt is refused where its model’s budget could not pay for the whole request', async () => {
  // An id of its own: the catalog has booked what others spent under a limit that it knows.
  const whole = limit({ limitId: 'whole', scopeType: 'MODEL', scopeId: 'm1', limit: '300000' });
  const { request } = key(some(2), {}, { limits: [whole] });
  const one = request();
  const { allow } = await rig.authorize(one);
  const { granted, denial } = await further(one.requestId, allow?.holdToken);
  expect([granted, denial?.code, denial?.limitId]).toEqual([false, 'budget_exceeded', 'whole']);
});

test('rates of a model count what it was asked for, whoever answered; the rest is the answering model’s', async () => {
  const ofModel = (modelId: string, limitId: string, kind: string) =>
    limit({
      limitId: `${limitId}-${modelId}`,
      kind,
      metric: '',
      scopeType: 'MODEL',
      scopeId: modelId,
      period: '',
      limit: '1000',
    });
  const limits = ['m0', 'm1', 'm2'].flatMap((modelId) => [
    ofModel(modelId, 'tokens', 'RATE_TOKENS'),
    ofModel(modelId, 'requests', 'RATE_REQUESTS'),
    limit({ limitId: `money-${modelId}`, scopeType: 'MODEL', scopeId: modelId }),
  ]);
  const { request } = key(some(3), {}, { limits });
  const one = request();
  const { allow } = await rig.authorize(one);
  const used = { ...emptyUsage(), input: 100 };
  const attempt = (modelId: string, output: number) => ({
    modelId,
    providerId: modelId.replace('m', 'p'),
    usage: { ...used, output },
  });
  const settle = settled(one.requestId, allow?.holdToken ?? Buffer.alloc(0), {
    modelId: 'm1',
    providerId: 'p1',
    usage: { ...used, input: 200, output: 25 },
    attempts: [attempt('m0', 5), attempt('m1', 20)] as never,
  });
  const { limits: left } = await rig.settle(settle);
  expect(Object.fromEntries(left.map((state) => [state.limitId, state.settled]))).toEqual({
    'tokens-m0': '105',
    'tokens-m1': '120',
    'tokens-m2': '0',
    'requests-m0': '1',
    'requests-m1': '1',
    'requests-m2': '0',
    'money-m0': '0',
    'money-m1': '140000',
    'money-m2': '0',
  });
});
