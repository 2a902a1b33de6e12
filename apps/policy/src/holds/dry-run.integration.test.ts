import type {
  AuthorizeReply__Output,
  AuthorizeRequest__Output,
  DryRunReply__Output,
} from '@tollgate/contracts/node';
import { callUnary } from '@tollgate/kit';
import fc from 'fast-check';

import { candidateModel } from '../routing/test-support/policies';
import { routedKeys } from '../routing/test-support/routed-keys';
import {
  ask,
  context,
  limit,
  mcpAsk,
  mcpServer,
  model,
  settled,
  sha256,
  SUBJECT,
} from '../test-support/contexts';
import { shardKeys } from '../test-support/redis-keys';
import { eventually, FLOATS, startRig, unaryCalls, type Rig } from '../test-support/rig';

// A dry run says what authorize would answer, and changes nothing.

type Limits = Parameters<typeof limit>[0][];
type Changes = Parameters<typeof context>[0];

describe.each(FLOATS)('with floats $FLOATS', (floats) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({
      ...floats,
      UPSTREAM_BREAKER_FAILURES: '3',
      UPSTREAM_BREAKER_OPEN_MS: '100',
      UPSTREAM_BREAKER_FORGET_MS: '3600000',
      UPSTREAM_PROBE_MS: '3600000',
    });
  });
  afterAll(async () => {
    await rig.stop();
  });
  const { key: routedKey, report } = routedKeys(() => rig, `dry-${floats.FLOATS}`);

  let cases = 0;
  /** A key of an organisation of its own. */
  function newKey(limits: Limits = [], changes: Changes = {}) {
    cases += 1;
    const own = (id: string): string => `dry-${id}/${floats.FLOATS}/${String(cases)}`;
    const keySha256 = sha256(own('key'));
    const subject = { ...SUBJECT, organisationId: own('org'), apiKeyId: own('key') };
    const rows = limits.map((row, i) =>
      limit({ limitId: own(`limit${String(i)}`), scopeId: subject.organisationId, ...row }),
    );
    const models = [model({ modelId: own('model') })];
    rig.catalog.putKey(keySha256, context({ subject, models, limits: rows, ...changes }));
    return { keySha256, apiKeyId: subject.apiKeyId };
  }

  const dryRun = (request: AuthorizeRequest__Output): Promise<DryRunReply__Output> =>
    callUnary(rig.client, 'dryRun', request, { deadlineMs: 15_000 });
  const real = (request: AuthorizeRequest__Output): Promise<AuthorizeReply__Output> =>
    unaryCalls(rig.client).authorize(request);

  /** Nothing waits for background work: no ledger entry, and no end that is not reported. */
  const quiet = () =>
    eventually('the background work is done', async () => {
      const keys = Object.entries(await shardKeys(rig.redis.url));
      const busy = keys.filter(([key]) => key.endsWith('}:ended'));
      if (busy.length > 0) throw new Error(JSON.stringify(busy));
      for (const [key, value] of keys) {
        if (!key.endsWith('}:meta')) continue;
        const flat = String(value).split(',');
        const of = (field: string) => flat[flat.indexOf(field) + 1];
        expect(of('booked')).toBe(of('seq'));
      }
    });

  /** Asks twice, and fails if anything in Redis has changed. */
  async function unchanged(request: AuthorizeRequest__Output): Promise<DryRunReply__Output> {
    // Reads the key and seeds its counters, which are caches.
    await dryRun(request);
    await quiet();
    const before = await shardKeys(rig.redis.url);
    const first = await dryRun({ ...request, requestId: ask().requestId });
    const again = await dryRun(request);
    expect(await shardKeys(rig.redis.url)).toEqual(before);
    expect(decisionOf(again)).toEqual(decisionOf(first));
    return again;
  }

  test('an allow says what would be held, of which limits, and where it goes', async () => {
    const own = newKey([{ limit: '1000000' }, { kind: 'RATE_REQUESTS', metric: '', limit: '10' }]);
    const request = ask({ ...own, maxOutputTokens: 50 });
    const reply = await unchanged(request);
    expect(reply.denial).toBeUndefined();
    expect(reply.allow).toMatchObject({ heldNanoUsd: '200000', leaseUntilMs: 0, floatId: '' });
    expect(reply.allow?.holdToken).toHaveLength(0);
    expect(reply.hold).toMatchObject({
      nanoUsd: '200000',
      inputTokens: 100,
      outputTokens: 50,
      choices: 1,
      outputSource: 'REQUEST',
      clamped: false,
    });
    const [budget, rate] = reply.limits.toSorted((a, b) => (a.requested > b.requested ? -1 : 1));
    expect(budget).toMatchObject({
      before: { kind: 'BUDGET', settled: '0', held: '0', remaining: '1000000' },
      requested: '200000',
      exceeded: false,
    });
    expect(rate).toMatchObject({ before: { kind: 'RATE_REQUESTS' }, requested: '1' });
    expect(reply.candidates).toMatchObject([{ modelName: 'small', maxOutputTokens: 50 }]);
    expect(reply.checks.map(({ name, passed }) => `${name} ${String(passed)}`)).toEqual([
      'key true',
      'model true',
      'sunset true',
      'operation true',
      'provider_operation true',
      'provider_pin true',
      'route true',
      'continued_response true',
      'stored_items_reachable true',
      'provider_set_up true',
      'tool_prices true',
      'tier_prices true',
      'model_access true',
      'region true',
      'screening_region true',
      'limits true',
    ]);
    expect(await real(request)).toMatchObject({ allow: { heldNanoUsd: '200000' } });
  });

  test.each<[code: string, check: string, Limits, Changes, Parameters<typeof ask>[0]]>([
    ['invalid_api_key', 'key', [], { active: false }, {}],
    ['model_not_found', 'model', [], {}, { model: 'nobody’s' }],
    ['unsupported_model', 'operation', [], {}, { operation: 'embeddings' }],
    ['provider_mismatch', 'provider_pin', [], {}, { providerPin: 'provider_b' }],
    [
      'provider_misconfigured',
      'provider_set_up',
      [],
      { models: [model({ providerActive: false })] },
      {},
    ],
    ['model_access_denied', 'model_access', [], { models: [model({ granted: false })] }, {}],
    [
      'region_not_allowed',
      'region',
      [],
      { allowedRegions: [{ scopeType: 'TEAM', regions: ['eu'] }] },
      {},
    ],
    ['invalid_request', 'continued_response', [], {}, { previousResponseId: 'resp_nobody' }],
    ['stored_object_not_found', 'stored_object', [], {}, { storedId: 'resp_x' }],
    ['stored_object_not_found', 'stored_items', [], {}, { itemIds: ['item_x'] }],
    ['budget_exceeded', 'limits', [{ limit: '1' }], {}, {}],
    ['quota_exceeded', 'limits', [{ kind: 'QUOTA', metric: 'TOKENS', limit: '1' }], {}, {}],
    [
      'rate_limit_exceeded',
      'limits',
      [{ kind: 'RATE_TOKENS', metric: '', period: '', limit: '1' }],
      {},
      {},
    ],
  ])(
    '%s is told by the check %s, and is in no record',
    async (code, check, limits, more, asked) => {
      const own = newKey(limits, more);
      const request = ask({ ...own, operation: 'chat', ...asked });
      const reply = await unchanged(request);
      expect(reply.allow).toBeUndefined();
      expect(reply.denial?.code).toBe(code);
      expect(reply.checks.at(-1)).toEqual({ name: check, passed: false });
      expect(reply.checks.slice(0, -1).every(({ passed }) => passed)).toBe(true);
      const { denial } = await real(request);
      expect(reply.denial).toEqual({ ...denial, retryAfterMs: expect.any(Number) });
      if (code === 'invalid_api_key') return;
      // The report of the real refusal is the only one of this key.
      await eventually('the refusal is reported', () => {
        const sums = rig.catalog.refusals.filter(({ apiKeyId }) => apiKeyId === own.apiKeyId);
        expect(sums.map(({ count }) => count)).toEqual([1]);
      });
    },
  );

  test('a refusal by a limit says what would be held and where it would go', async () => {
    const own = newKey([{ limit: '150000' }]);
    const { denial, hold, limits, candidates } = await unchanged(ask(own));
    expect(JSON.parse(denial?.detailsJson ?? '')).toMatchObject({
      need: { inputTokens: 100, outputTokens: 50, outputBound: 'REQUESTED' },
    });
    expect(hold).toMatchObject({ nanoUsd: '200000' });
    expect(limits).toMatchObject([{ exceeded: true, requested: '200000', lent: '0' }]);
    expect(candidates).toMatchObject([{ modelName: 'small' }]);
  });

  test('the bound that a budget affords is told, with where bounds come from', async () => {
    const clamping = newKey([{ limit: '150000', clamp: true }]);
    const lowered = await unchanged(ask(clamping));
    expect(lowered.hold).toMatchObject({ outputTokens: 25, outputSource: 'BUDGET', clamped: true });
    const { hold } = await unchanged(ask({ ...newKey(), maxOutputTokens: 0 }));
    expect(hold).toMatchObject({ outputTokens: 500, outputSource: 'MODEL_DEFAULT' });
  });

  test('an exceeded soft limit is told, and its pass is not reported', async () => {
    const own = newKey([{ limit: '1', mode: 'SOFT' }]);
    const request = ask(own);
    const reply = await unchanged(request);
    expect(reply.allow?.softExceeded).toHaveLength(1);
    expect(reply.limits).toMatchObject([{ exceeded: true, before: { mode: 'SOFT' } }]);
    expect(
      rig.catalog.softLimits.filter(({ limitId }) => reply.allow?.softExceeded[0] === limitId),
    ).toEqual([]);
    await real(request);
    await eventually('the pass of the real request is reported', () => {
      const limitIds = rig.catalog.softLimits.map(({ limitId }) => limitId);
      expect(limitIds).toEqual(expect.arrayContaining(reply.allow?.softExceeded ?? []));
    });
  });

  test('a cold counter is seeded from the books, and nothing else is written', async () => {
    const own = newKey([{ limit: '1000000' }]);
    await dryRun(ask(own));
    const keys = await shardKeys(rig.redis.url);
    const counters = Object.entries(keys).filter(([key]) => key.includes(`:c:`));
    const [, value] = counters.find(([key]) => key.includes(`limit0/${floats.FLOATS}/`)) ?? [];
    expect(value).toBeDefined();
    expect(
      Object.keys(keys).filter((key) => key.includes(':r:') && key.includes(own.apiKeyId)),
    ).toEqual([]);
  });

  test('a routed request keeps its turn, and another one gets the probe', async () => {
    const models = [candidateModel(0), candidateModel(1)];
    const { organisationId, request } = routedKey(models, { strategy: 'round_robin' });
    const first = await unchanged(request());
    expect(tried(first)).toEqual(tried(await real(request())));
    const second = await unchanged(request());
    expect(tried(second)).toEqual(tried(first).toReversed());
    const failure = { outcome: 'HTTP_503' };
    await report(organisationId, 'm0', [failure, failure, failure]);
    await eventually('the breaker is half open', async () => {
      const { candidates } = await dryRun(request());
      expect(candidates.filter(({ probe }) => probe)).toMatchObject([{ modelId: 'm0' }]);
    });
    const probing = await unchanged(request());
    const taken = await real(request());
    expect(tried(taken)).toEqual(tried(probing));
    const { routing } = await unchanged(request());
    expect(routing?.leftOut).toMatchObject([{ modelId: 'm0', reason: 'breaker_probing' }]);
  });

  test('the candidates that a limit leaves out are named, also when it refuses all', async () => {
    const dear = candidateModel(1, { prices: [] });
    const few = limit({ limitId: 'few', limit: '1' });
    const { request } = routedKey([candidateModel(0), dear], {}, { limits: [few] });
    const reply = await unchanged(request());
    expect(reply.denial?.code).toBe('budget_exceeded');
    expect(reply.routing?.leftOut.map(({ reason }) => reason)).toEqual([
      'no_price',
      'limit_reached',
    ]);
  });

  test('a call of a tool is tried as well', async () => {
    const changes = { mcpServers: [mcpServer()], mcpServerIds: ['server-1'] };
    const own = newKey([{ limit: '5000000' }], changes);
    const reply = await unchanged(mcpAsk({}, own));
    expect(reply.denial?.code).toBe('budget_exceeded');
    expect(reply.checks.map(({ name }) => name)).toEqual(['key', 'mcp_access', 'limits']);
    const other = await unchanged(mcpAsk({ server: 'nobody' }, own));
    expect(other.checks.at(-1)).toEqual({ name: 'mcp_access', passed: false });
  });

  test('dry runs are counted apart', async () => {
    await dryRun(ask(newKey()));
    const counted = await rig.metric('tollgate_policy_decisions_total');
    expect(counted).toMatch(/kind="dry_run"[^\n]*outcome="allow"/);
  });

  test('a request that is not valid is a failure and not a refusal', async () => {
    const request = { ...ask(newKey()), keySha256: Buffer.alloc(3) };
    await expect(dryRun(request)).rejects.toThrow('key_sha256');
  });

  const amounts = fc.constantFrom('1', '150000', '200000', '350000', '100000000');
  const someLimit = fc.oneof(
    fc.record({
      kind: fc.constant('BUDGET'),
      limit: amounts,
      clamp: fc.boolean(),
      mode: fc.constantFrom('HARD', 'HARD', 'SOFT'),
    }),
    fc.record({
      kind: fc.constant('QUOTA'),
      metric: fc.constantFrom('TOKENS', 'REQUESTS', 'TOKENS_OUT', 'ERRORS'),
      limit: fc.constantFrom('0', '2', '150', '400', '100000'),
    }),
    fc.record({
      kind: fc.constantFrom('RATE_REQUESTS', 'RATE_TOKENS', 'RATE_CONCURRENT'),
      metric: fc.constant(''),
      period: fc.constant(''),
      limit: fc.constantFrom('1', '2', '200', '1000'),
    }),
  );
  const asked = fc.record({
    maxOutputTokens: fc.constantFrom(0, 1, 50, 400),
    choices: fc.constantFrom(1, 2),
    stream: fc.boolean(),
    inputTokensEstimate: fc.constantFrom(1, 100, 99_999),
    settles: fc.boolean(),
  });
  const someKey = fc.record({
    limits: fc.array(someLimit, { maxLength: 4 }),
    strategy: fc.constantFrom(undefined, 'failover', 'round_robin', 'weighted', 'lowest_cost'),
    requests: fc.array(asked, { minLength: 1, maxLength: 5 }),
  });

  test('whatever was before, the request right after it gets the same answer', async () => {
    await fc.assert(
      fc.asyncProperty(someKey, async ({ limits, strategy, requests }) => {
        const models = [candidateModel(0), candidateModel(1, { contextTokens: 200 })];
        const rows = limits.map((row, i) =>
          limit({ limitId: `p${String(cases)}/${String(i)}/${floats.FLOATS}`, ...row }),
        );
        cases += 1;
        const policy = strategy === undefined ? {} : { strategy };
        const { request } = routedKey(models, policy, {
          limits: rows,
          routingEnabled: strategy !== undefined,
        });
        const name = strategy === undefined ? { model: 'model-0' } : {};
        for (const { settles, ...one } of requests) {
          const same = request({ ...one, ...name });
          const foreseen = decisionOf(await dryRun(same));
          const reply = await real(same);
          expect(foreseen).toEqual(decisionOf(reply));
          const holdToken = reply.allow?.holdToken;
          if (!settles || holdToken === undefined) continue;
          const modelId = reply.allow?.candidates[0]?.modelId ?? '';
          await rig.settle(settled(same.requestId, Buffer.from(holdToken), { modelId }));
        }
      }),
      { numRuns: Number(process.env['DRY_RUNS'] ?? 25) },
    );
  });
});

test('what a float has free does not refuse, and a float stays as it is', async () => {
  const rig = await startRig({ FLOATS: 'on' });
  try {
    const subject = { ...SUBJECT, organisationId: 'dry-float', apiKeyId: 'dry-float-key' };
    const keySha256 = sha256('dry-float');
    const budget = limit({ limitId: 'dry-float', scopeId: 'dry-float', limit: '2000000' });
    rig.catalog.putKey(keySha256, context({ subject, limits: [budget] }));
    const request = ask({ keySha256 });
    const look = () => callUnary(rig.client, 'dryRun', request, { deadlineMs: 15_000 });
    await eventually('a request is decided from memory', async () => {
      const one = ask({ keySha256 });
      const { allow } = await rig.authorize(one);
      if (allow?.floatId) return;
      const holdToken = allow?.holdToken ?? Buffer.alloc(0);
      await rig.settle(settled(one.requestId, holdToken, { costNanoUsd: '0' }));
      throw new Error('not yet');
    });
    // What is not used is given back; the running request stays.
    const parts = await eventually('the float holds what its request needs', async () => {
      const keys = await shardKeys(rig.redis.url);
      const floats = Object.entries(keys).filter(([key]) => key.includes(':f:'));
      const text = JSON.stringify(floats);
      expect(text).toMatch(/ 200000 \d+ \d+ 0 W/);
      // The keys are read one by one, and what is given back may arrive between two of them.
      expect(await shardKeys(rig.redis.url)).toEqual(keys);
      return keys;
    });
    expect(await look()).toMatchObject({ allow: { limits: [{ held: '200000' }] } });
    expect(await shardKeys(rig.redis.url)).toEqual(parts);
  } finally {
    await rig.stop();
  }
});

const tried = ({ candidates, allow }: Partial<DryRunReply__Output> & AuthorizeReply__Output) =>
  (candidates ?? allow?.candidates ?? []).map(({ modelId }) => modelId);

/** What a dry run and the request have in common. Waits are told by the clock, so they are left out. */
function decisionOf({ allow, denial }: Pick<DryRunReply__Output, 'allow' | 'denial'>) {
  if (denial) {
    const { code, message, detailsJson, limitId, limits } = denial;
    return { code, message, detailsJson, limitId, limits };
  }
  if (!allow) throw new Error('neither allowed nor refused');
  const { candidates, clamped, heldNanoUsd, readTokens, routing, softExceeded } = allow;
  return { candidates, clamped, heldNanoUsd, readTokens, routing, softExceeded };
}
