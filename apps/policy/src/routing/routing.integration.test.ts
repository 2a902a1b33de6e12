import type {
  AttemptReport,
  AuthorizeReply__Output,
  PolicyClient,
  SessionReply__Output,
  SessionRequest,
} from '@tollgate/contracts/node';
import { callUnary, openStream } from '@tollgate/kit';

import { SUBJECT, ask, limit, price, settled, sha256 } from '../test-support/contexts';
import { type Rig, eventually, startRig } from '../test-support/rig';
import { candidateModel, routedContext } from './test-support/policies';

// Routed requests as an edge asks for them, on policies that share a Redis.

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

type Model = ReturnType<typeof candidateModel>;
type Context = ReturnType<typeof routedContext>;

// Every case has an organisation of its own, and a key of that.
let cases = 0;
function key(
  models: readonly Model[],
  policy: Parameters<typeof routedContext>[1] = {},
  changes: Partial<Context> = {},
) {
  cases += 1;
  const keySha256 = sha256(`routed ${String(cases)}`);
  const organisationId = `org/${String(cases)}`;
  const subject = { ...SUBJECT, organisationId, apiKeyId: `key/${String(cases)}` };
  const limits = (changes.limits ?? []).map((one) =>
    one.scopeType === 'ORGANISATION' ? { ...one, scopeId: organisationId } : one,
  );
  rig.catalog.putKey(keySha256, routedContext(models, policy, { subject, ...changes, limits }));
  const request = (more: Parameters<typeof ask>[0] = {}) =>
    ask({ keySha256, model: 'any-chat', ...more });
  return {
    organisationId,
    request,
    authorize: (more: Parameters<typeof ask>[0] = {}) => rig.authorize(request(more)),
  };
}

const some = (count: number) => Array.from({ length: count }, (_, n) => candidateModel(n));
const tried = ({ allow }: AuthorizeReply__Output) =>
  allow?.candidates.map(({ modelId }) => modelId);
const leftOut = ({ allow }: AuthorizeReply__Output) =>
  Object.fromEntries(
    (allow?.routing?.leftOut ?? []).map(({ modelId, reason }) => [modelId, reason]),
  );

/** Reports attempts as an edge does; resolves when the policy has them all. */
async function report(organisationId: string, modelId: string, reports: AttemptReport[]) {
  const before = await attempts();
  const session = openStream(rig.client, 'session');
  session.on('data', (_frame: SessionReply__Output) => {});
  session.on('error', () => {});
  const providerId = modelId.replace('m', 'p');
  const frame: SessionRequest = {
    items: [],
    attempts: reports.map((one) => ({ organisationId, modelId, providerId, ...one })),
  };
  session.write(frame);
  await eventually('the reports are taken', async () => {
    expect(await attempts()).toBe(before + reports.length);
  });
  session.end();
}

async function attempts(): Promise<number> {
  const lines = (await rig.metric('tollgate_policy_attempts_total')).split('\n');
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1) || 0), 0);
}

describe('a policy applies', () => {
  const models = some(2);
  const other = candidateModel(7, { name: 'other' });

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
    const compat = { family: 'openai', route: '/v1/chat/completions', model: 'model-0' };
    const off = await key(models).authorize(compat);
    expect([tried(off), off.allow?.routing]).toEqual([['m0'], null]);
    const { authorize } = key(models, {}, { routeCompatRequests: true });
    expect(tried(await authorize(compat))).toEqual(['m0', 'm1']);
    const continued = await authorize({ ...compat, previousResponseId: 'resp_1' });
    expect(continued.denial?.code).toBe('invalid_request');
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
    // What the second candidate has answered is charged to it alone.
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

test('a further attempt is held with its own input and cost', async () => {
  const limits = [
    limit({ limitId: 'money', limit: '500000' }),
    limit({ limitId: 'in', kind: 'QUOTA', metric: 'TOKENS_IN', limit: '1000' }),
  ];
  const { request } = key(some(2), {}, { limits });
  const one = request();
  const { allow } = await rig.authorize(one);
  const extend = (holdToken: Buffer | undefined) =>
    callUnary(
      rig.client,
      'extend',
      {
        requestId: one.requestId,
        holdToken: holdToken ?? Buffer.alloc(0),
        modelId: 'm1',
        addInputTokens: 100,
        addOutputTokens: 50,
        addNanoUsd: '200000',
      },
      { deadlineMs: 15_000 },
    );
  const grown = await extend(allow?.holdToken);
  expect(grown.granted).toBe(true);
  const refused = await extend(grown.holdToken);
  expect(refused.denial?.code).toBe('budget_exceeded');
  const held = Object.fromEntries(
    refused.denial?.limits.map((state) => [state.limitId, state.held]) ?? [],
  );
  expect(held).toEqual({ money: '400000', in: '200' });
});
