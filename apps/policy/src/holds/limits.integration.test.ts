import type { AuthorizeReply__Output } from '@tollgate/contracts/node';

import { ask, context, limit, model, settled, sha256, SUBJECT } from '../test-support/contexts';
import { eventually, FLOATS, startRig, type Rig } from '../test-support/rig';

describe.each(FLOATS)('with floats $FLOATS', (floats) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(floats);
  });
  afterAll(async () => {
    await rig.stop();
  });

  // Every case has its own organisation, so that no limit counts another case's usage.
  let cases = 0;
  const owned = (scopeId: string) => `${scopeId}/${String(cases)}`;
  function key(limits: Parameters<typeof limit>[0][]) {
    cases += 1;
    const keySha256 = sha256(`case ${String(cases)}`);
    const subject = {
      ...SUBJECT,
      organisationId: owned(SUBJECT.organisationId),
      teamId: owned(SUBJECT.teamId),
      userId: owned(SUBJECT.userId),
      apiKeyId: owned(SUBJECT.apiKeyId),
    };
    const models = [model({ modelId: owned('model-1') })];
    const rows = limits.map((row) =>
      limit({
        ...row,
        limitId: owned(row?.limitId ?? 'limit'),
        scopeId: owned(row?.scopeId ?? SUBJECT.organisationId),
      }),
    );
    rig.catalog.putKey(keySha256, context({ subject, models, limits: rows }));
    return { keySha256, id: (name = 'limit') => owned(name) };
  }

  const details = ({ denial }: AuthorizeReply__Output) =>
    JSON.parse(denial?.detailsJson || '{}') as {
      limit: { id: string; scope: { type: string }; spent: unknown };
      alsoExceeded: string[];
    };

  const SCOPES = {
    ORGANISATION: SUBJECT.organisationId,
    TEAM: SUBJECT.teamId,
    USER: SUBJECT.userId,
    API_KEY: SUBJECT.apiKeyId,
    MODEL: 'model-1',
  };

  // Each limit affords one request of 100 input and 50 output tokens at $0.0002, and no second one.
  const KINDS: [string, Parameters<typeof limit>[0], string][] = [
    ['daily budget', { kind: 'BUDGET', period: 'DAILY', limit: '300000' }, 'budget_exceeded'],
    ['weekly budget', { kind: 'BUDGET', period: 'WEEKLY', limit: '300000' }, 'budget_exceeded'],
    ['monthly budget', { kind: 'BUDGET', period: 'MONTHLY', limit: '300000' }, 'budget_exceeded'],
    [
      'quarterly budget',
      { kind: 'BUDGET', period: 'QUARTERLY', limit: '300000' },
      'budget_exceeded',
    ],
    ['cost quota', { kind: 'QUOTA', metric: 'COST', limit: '300000' }, 'quota_exceeded'],
    ['request quota', { kind: 'QUOTA', metric: 'REQUESTS', limit: '1' }, 'quota_exceeded'],
    ['token quota', { kind: 'QUOTA', metric: 'TOKENS', limit: '200' }, 'quota_exceeded'],
    ['quota of tokens in', { kind: 'QUOTA', metric: 'TOKENS_IN', limit: '150' }, 'quota_exceeded'],
    ['quota of tokens out', { kind: 'QUOTA', metric: 'TOKENS_OUT', limit: '70' }, 'quota_exceeded'],
    [
      'hourly token quota',
      { kind: 'QUOTA', metric: 'TOKENS', period: '', windowSeconds: 3_600, limit: '200' },
      'quota_exceeded',
    ],
    [
      'requests per minute',
      { kind: 'RATE_REQUESTS', metric: '', period: '', limit: '1' },
      'rate_limit_exceeded',
    ],
    [
      'tokens per minute',
      { kind: 'RATE_TOKENS', metric: '', period: '', limit: '200' },
      'rate_limit_exceeded',
    ],
    [
      'concurrent requests',
      { kind: 'RATE_CONCURRENT', metric: '', period: '', limit: '1' },
      'rate_limit_exceeded',
    ],
  ];

  describe.each(Object.entries(SCOPES))('of the %s', (scopeType, scopeId) => {
    test.each(KINDS)('the %s lets through what it affords and no more', async (_, row, code) => {
      const { keySha256, id } = key([{ ...row, scopeType, scopeId }]);
      const first = await rig.authorize(ask({ keySha256 }));
      expect(first.allow?.limits).toMatchObject([{ limitId: id() }]);
      const second = await rig.authorize(ask({ keySha256 }));
      expect(second.denial?.code).toBe(code);
      expect(details(second)).toMatchObject({
        limit: { id: id(), scope: { type: scopeType, id: owned(scopeId) } },
        alsoExceeded: [],
      });
    });

    test.each(['ERRORS', 'LATENCY_MS'])(
      'the quota of %s refuses once it is spent',
      async (metric) => {
        const row = { kind: 'QUOTA', metric, limit: '1', scopeType, scopeId };
        const { keySha256 } = key([row]);
        const request = ask({ keySha256 });
        const { allow } = await rig.authorize(request);
        const failed = { outcome: 'FAILED', httpStatus: 502, costNanoUsd: '0', upstreamMs: 5 };
        await rig.settle(settled(request.requestId, allow?.holdToken ?? Buffer.alloc(0), failed));
        const isRefused = async () => {
          const { denial } = await rig.authorize(ask({ keySha256 }));
          expect(denial?.code).toBe('quota_exceeded');
        };
        // A memory learns of it within a second.
        await (floats.FLOATS === 'on' ? eventually('it is refused', isRefused) : isRefused());
      },
    );
  });

  test('another team’s and another model’s limits do not bind', async () => {
    const { keySha256 } = key([
      { scopeType: 'TEAM', scopeId: 'team-9', limit: '0' },
      { limitId: 'm', scopeType: 'MODEL', scopeId: 'model-9', limit: '0' },
    ]);
    const { allow } = await rig.authorize(ask({ keySha256 }));
    expect(allow?.limits).toEqual([]);
  });

  test('with two budgets binding at once the tighter one is named', async () => {
    const { keySha256, id } = key([
      { limitId: 'wide', limit: '1000000' },
      { limitId: 'tight', limit: '210000', scopeType: 'TEAM', scopeId: SUBJECT.teamId },
    ]);
    await rig.authorize(ask({ keySha256 }));
    const both = await rig.authorize(ask({ keySha256, maxOutputTokens: 2_000 }));
    expect(both.denial?.code).toBe('budget_exceeded');
    expect(details(both)).toMatchObject({ limit: { id: id('tight') }, alsoExceeded: [id('wide')] });
  });

  test('a rate limit is told before a quota, a quota before a budget', async () => {
    const rows = {
      rpm: { limitId: 'rpm', kind: 'RATE_REQUESTS', metric: '', period: '', limit: '0' },
      quota: { limitId: 'quota', kind: 'QUOTA', metric: 'REQUESTS', limit: '0' },
      budget: { limitId: 'budget', limit: '0' },
    };
    const codeOf = async (...limits: Parameters<typeof limit>[0][]) =>
      (await rig.authorize(ask({ keySha256: key(limits).keySha256 }))).denial?.code;
    expect(await codeOf(rows.budget, rows.quota, rows.rpm)).toBe('rate_limit_exceeded');
    expect(await codeOf(rows.budget, rows.quota)).toBe('quota_exceeded');
    expect(await codeOf(rows.budget)).toBe('budget_exceeded');
  });

  test('a soft limit refuses nothing and is reported', async () => {
    const { keySha256, id } = key([{ mode: 'SOFT', limit: '0' }]);
    const { allow } = await rig.authorize(ask({ keySha256 }));
    expect(allow?.softExceeded).toEqual([id()]);
  });

  test('the catalog is told of a soft limit that is passed, once, with how it stood', async () => {
    const { keySha256, id } = key([
      { mode: 'SOFT', limit: '300000' },
      {
        limitId: 'rate:rpm',
        mode: 'SOFT',
        kind: 'RATE_REQUESTS',
        metric: '',
        period: '',
        limit: '1',
      },
    ]);
    const first = await rig.authorize(ask({ keySha256 }));
    // What a float has taken in advance counts as held, so a soft limit may be told of early.
    const isExact = floats.FLOATS === 'off';
    if (isExact) expect(first.allow?.softExceeded).toEqual([]);
    for (const _ of [1, 2, 3]) await rig.authorize(ask({ keySha256 }));
    const own = () =>
      rig.catalog.softLimits.filter(({ limitId }) => [id(), id('rate:rpm')].includes(limitId));
    await eventually('both are reported', () =>
      expect(new Set(own().map(({ limitId }) => limitId)).size).toBe(2),
    );
    const told = own().find(({ limitId }) => limitId === id());
    expect(told).toMatchObject({
      organisationId: owned(SUBJECT.organisationId),
      kind: 'BUDGET',
      metric: 'COST',
      limit: '300000',
      settled: '0',
      ...(isExact ? { held: '400000' } : {}),
    });
    expect(told?.atMs).toBeGreaterThanOrEqual(told?.windowStartMs ?? Infinity);
    expect(told?.atMs).toBeLessThan(told?.windowEndMs ?? 0);
    const rate = own().find(({ limitId }) => limitId !== id());
    expect(Number(rate?.windowEndMs) - Number(rate?.windowStartMs)).toBe(3_600_000);
  });

  test('a budget that clamps lowers the bound to what it affords, then refuses', async () => {
    const { keySha256 } = key([{ limit: '320000', clamp: true }]);
    const first = await rig.authorize(ask({ keySha256 }));
    expect(first.allow).toMatchObject({ clamped: false, heldNanoUsd: '200000' });
    const second = await rig.authorize(ask({ keySha256 }));
    expect(second.allow).toMatchObject({ clamped: true, heldNanoUsd: '120000' });
    expect(second.allow?.candidates[0]).toMatchObject({ maxOutputTokens: 10 });
    const third = await rig.authorize(ask({ keySha256 }));
    expect(third.denial?.code).toBe('budget_exceeded');
  });

  test('a cancelled hold frees the whole amount, and nothing is booked of it', async () => {
    const { keySha256 } = key([{ limit: '300000' }]);
    const request = ask({ keySha256 });
    const { allow } = await rig.authorize(request);
    const holdToken = allow?.holdToken ?? Buffer.alloc(0);
    const reply = await rig.settle(settled(request.requestId, holdToken, { cancelled: true }));
    expect(reply).toMatchObject({ seq: 0, duplicate: false });
    // The answer over a session has none.
    const stands = { settled: '0', held: '0' };
    expect(reply.limits).toMatchObject(floats.FLOATS === 'on' ? [] : [stands]);
    expect((await rig.authorize(ask({ keySha256 }))).allow).toBeTruthy();
  });

  test('asked again with the same id, the same hold answers', async () => {
    const { keySha256 } = key([{ limit: '300000' }]);
    const request = ask({ keySha256 });
    const first = await rig.authorize(request);
    const again = await rig.authorize(request);
    expect(again.allow?.holdToken).toEqual(first.allow?.holdToken);
    expect(again.allow?.candidates).toEqual(first.allow?.candidates);
  });

  test('500 requests at once against a budget that affords 50: exactly 50', async () => {
    const { keySha256, id } = key([{ limit: String(50 * 200_000) }]);
    const requests = Array.from({ length: 500 }, () => ask({ keySha256 }));
    const replies = await Promise.all(requests.map(rig.authorize));
    const allowed = replies.flatMap(({ allow }, index) => {
      const requestId = requests[index]?.requestId;
      return allow && requestId ? [{ requestId, holdToken: allow.holdToken }] : [];
    });
    expect(allowed).toHaveLength(50);
    expect(new Set(replies.flatMap(({ denial }) => denial?.code ?? []))).toEqual(
      new Set(['budget_exceeded']),
    );
    await Promise.all(
      allowed.map(({ requestId, holdToken }) =>
        rig.settle(settled(requestId, holdToken, { costNanoUsd: '200000' })),
      ),
    );
    await eventually('every request is booked', () => {
      expect(rig.catalog.books.total(id(), Date.now())).toBe(50n * 200_000n);
    });
  });

  test('a refusal says whose key it was, when the key is known', async () => {
    const { keySha256 } = key([]);
    const pinned = await rig.authorize(ask({ keySha256, providerPin: 'provider_b' }));
    expect(pinned.denial).toMatchObject({
      code: 'provider_mismatch',
      subject: { apiKeyId: owned('key-1') },
    });
    const unknown = await rig.authorize(ask({ keySha256: sha256('nobody') }));
    expect(unknown.denial).toMatchObject({ code: 'invalid_api_key', subject: null });
  });
});
