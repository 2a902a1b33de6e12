import type { ExperimentEntry__Output, Limit__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import {
  ask,
  context,
  limit,
  model,
  price,
  settled,
  sha256,
  SUBJECT,
} from '../test-support/contexts';
import { eventually, FLOATS, startRig, type Rig } from '../test-support/rig';

// Requests that are repeated at a second model, on the budget of an experiment.

/** Of a request with 100 tokens in and at most 50 out: nano-USD. */
const HELD = 100 * 1_000 + 50 * 2_000;

describe.each(FLOATS)('with floats $FLOATS', (floats) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(floats);
  });
  afterAll(async () => {
    await rig.stop();
  });

  const cheap = model({ modelId: 'cheap', name: 'cheap', prices: [price({ priceId: 'p-cheap' })] });
  const second = model({
    modelId: 'second',
    name: 'second',
    providerId: 'provider-2',
    prices: [price({ priceId: 'p-second' })],
  });

  interface Made {
    readonly keySha256: Buffer;
    readonly experimentId: string;
    readonly organisationId: string;
    readonly budget: Limit__Output;
    /** Tells policy of other facts about the key. */
    readonly change: (changes: Changes) => void;
  }
  interface Changes {
    readonly of?: Parameters<typeof context>[0];
    readonly shadow?: Partial<ExperimentEntry__Output['shadow']> | null;
    readonly experiment?: Partial<ExperimentEntry__Output>;
    readonly dailyNanoUsd?: number;
  }

  function key(changes: Changes = {}): Made {
    const [organisationId, experimentId, apiKeyId] = [uuidv7(), uuidv7(), uuidv7()];
    const keySha256 = sha256(organisationId);
    const budget = limit({
      limitId: uuidv7(),
      scopeType: 'API_KEY',
      scopeId: experimentId,
      period: 'DAILY',
      limit: String(changes.dailyNanoUsd ?? 1_000 * HELD),
    });
    const put = ({ of, shadow, experiment }: Changes) => {
      const entry: ExperimentEntry__Output = {
        experimentId,
        name: 'trial',
        model: 'cheap',
        arms: [{ name: 'control', modelId: 'cheap', share: 100 }],
        startsAtMs: 0,
        endsAtMs: 0,
        shadow:
          shadow === null ? null : { modelId: 'second', samplePercent: 100, budget, ...shadow },
        ...experiment,
      };
      rig.catalog.putKey(
        keySha256,
        context({
          models: [cheap, second],
          experiments: [entry],
          ...of,
          subject: { ...SUBJECT, organisationId, apiKeyId },
        }),
      );
    };
    put(changes);
    return { keySha256, experimentId, organisationId, budget, change: put };
  }

  const asClient = ({ keySha256 }: Made, changes: Parameters<typeof ask>[0] = {}) =>
    rig.authorize(ask({ keySha256, model: 'cheap', ...changes }));
  const asShadow = (
    { keySha256, experimentId: shadowExperimentId }: Made,
    changes: Parameters<typeof ask>[0] = {},
  ) => {
    const question = ask({
      keySha256,
      model: '',
      shadowOf: uuidv7(),
      shadowExperimentId,
      ...changes,
    });
    return { question, reply: rig.authorize(question) };
  };

  test('a request of a sampled experiment is told of its shadow', async () => {
    const made = key();
    const { allow } = await asClient(made);
    expect(allow?.shadow).toEqual({
      experimentId: made.experimentId,
      modelId: 'second',
      leftOut: '',
      leftOutCode: '',
    });
    expect(allow?.candidates.map(({ modelId }) => modelId)).toEqual(['cheap']);
    expect(allow?.heldNanoUsd).toBe(String(HELD));
  });

  test('a part of the requests is sampled, the same ones when they are asked again', async () => {
    const made = key({ shadow: { samplePercent: 30 } });
    const ids = Array.from({ length: 300 }, () => uuidv7());
    const sampled = await Promise.all(
      ids.map(async (requestId) => (await asClient(made, { requestId })).allow?.shadow !== null),
    );
    const share = sampled.filter(Boolean).length / ids.length;
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.45);
    const again = await asClient(made, { requestId: ids[0] ?? '' });
    expect(again.allow?.shadow !== null).toBe(sampled[0]);
  });

  test.each<[string, Changes, Parameters<typeof ask>[0]]>([
    ['the experiment has none', { shadow: null }, {}],
    ['the request takes no part', { experiment: { endsAtMs: 1 } }, {}],
    [
      'the provider may run tools',
      {},
      {
        serverTools: [
          { unit: '', param: 'tools', maxCalls: 0, inputTokensPerCall: 0, upstreams: ['x'] },
        ] as never,
      },
    ],
    ['the request refers to items', {}, { itemIds: ['msg_1'] }],
  ])('a request has no shadow if %s', async (_, changes, question) => {
    const { allow } = await asClient(key(changes), question);
    expect(allow?.shadow ?? null).toBeNull();
  });

  test.each<[string, Parameters<typeof context>[0]]>([
    ['not_granted', { models: [cheap, { ...second, granted: false }] }],
    [
      'region',
      {
        models: [
          { ...cheap, region: 'eu' },
          { ...second, region: 'us' },
        ],
        allowedRegions: [{ scopeType: 'TEAM', regions: ['eu'] }],
      },
    ],
    ['model_unavailable', { models: [cheap] }],
    ['no_price', { models: [cheap, { ...second, prices: [] }] }],
  ])('a model that cannot answer for the key is left out: %s', async (reason, of) => {
    const made = key({ of });
    const told = (await asClient(made)).allow?.shadow;
    expect(told?.leftOut).toBe(reason);
    expect(told?.leftOutCode).toEqual(expect.stringMatching(/^[a-z_]+$/));
    const { denial } = await asShadow(made).reply;
    expect(denial?.code).toEqual(expect.any(String));
    expect(denial?.subject?.apiKeyId).toBe(made.experimentId);
  });

  test('a shadow holds its own budget, and nothing of the client', async () => {
    const made = key();
    const { organisationId, experimentId, budget } = made;
    const { subject } = context({ subject: { ...SUBJECT, organisationId } });
    const limits = [
      limit({ limitId: uuidv7(), scopeId: organisationId }),
      limit({ limitId: uuidv7(), scopeType: 'MODEL', scopeId: 'second' }),
      limit({ limitId: uuidv7(), scopeType: 'TEAM', scopeId: subject?.teamId ?? '' }),
      limit({ limitId: uuidv7(), scopeType: 'USER', scopeId: subject?.userId ?? '' }),
      limit({
        limitId: `${uuidv7()}:rpm`,
        kind: 'RATE_REQUESTS',
        metric: '',
        period: '',
        scopeId: organisationId,
        limit: '1',
      }),
    ];
    made.change({ of: { limits } });
    const { question, reply } = asShadow(made);
    const { allow } = await reply;
    if (!allow) throw new Error('refused');
    expect(allow.candidates.map(({ modelId }) => modelId)).toEqual(['second']);
    expect(allow.experiment).toBeNull();
    expect(allow.shadow).toBeNull();
    expect(allow.subject).toMatchObject({
      organisationId,
      teamId: '',
      userId: '',
      apiKeyId: experimentId,
      apiKeyName: 'trial',
      apiKeyType: 'SHADOW',
    });
    expect(allow.limits.map(({ scopeType }) => scopeType).sort()).toEqual([
      'API_KEY',
      'MODEL',
      'ORGANISATION',
    ]);
    await rig.settle(
      settled(question.requestId, allow.holdToken, {
        modelId: 'second',
        costNanoUsd: '12345',
        experimentId,
        experimentArm: 'shadow',
        shadowOf: question.shadowOf,
      }),
    );
    await eventually('the shadow is booked', () => {
      const record = rig.catalog.books.records.get(question.requestId);
      expect(record?.subject).toMatchObject({ apiKeyId: experimentId, teamId: '', userId: '' });
      expect(record?.settle).toMatchObject({
        experimentArm: 'shadow',
        shadowOf: question.shadowOf,
      });
      expect(record?.touched.map(({ amount }) => amount)).toEqual(['12345', '12345', '12345']);
    });
    expect(rig.catalog.books.total(budget.limitId, Date.now())).toBe(12_345n);
    // The client's next request finds all of its team's and user's budget.
    const after = await asClient(made);
    const left = new Map(after.allow?.limits.map(({ scopeType, settled }) => [scopeType, settled]));
    expect(left.get('TEAM')).toBe('0');
    expect(left.get('USER')).toBe('0');
    expect(left.get('ORGANISATION')).toBe('12345');
  });

  test('100 shadows at once on a budget for 20: 20 are sent, and clients go on', async () => {
    const made = key({ dailyNanoUsd: 20 * HELD });
    const asked = Array.from({ length: 100 }, () => asShadow(made));
    const replies = await Promise.all(asked.map(({ reply }) => reply));
    const allowed = asked.filter((_, at) => replies[at]?.allow);
    expect(allowed).toHaveLength(20);
    const codes = replies.flatMap(({ denial }) => denial?.code ?? []);
    expect(new Set(codes)).toEqual(new Set(['budget_exceeded']));
    for (const { question, reply } of allowed) {
      const { allow } = await reply;
      if (allow) {
        await rig.settle(
          settled(question.requestId, allow.holdToken, { costNanoUsd: String(HELD) }),
        );
      }
    }
    await eventually('all are booked', () => {
      expect(rig.catalog.books.total(made.budget.limitId, Date.now())).toBe(BigInt(20 * HELD));
    });
    expect((await asClient(made)).allow?.candidates).toHaveLength(1);
  });

  test('an ended experiment sends no shadow, and what runs stays within its budget', async () => {
    const made = key({ dailyNanoUsd: HELD });
    const { question, reply } = asShadow(made);
    const { allow } = await reply;
    if (!allow) throw new Error('refused');
    made.change({ of: { experiments: [] } });
    await eventually('the end is known', async () => {
      expect((await asShadow(made).reply).denial?.code).toBe('model_not_found');
    });
    const { requestId } = question;
    const grown = await rig.extend({
      requestId,
      holdToken: allow.holdToken,
      addOutputTokens: 1_000,
      modelId: 'second',
    });
    expect(grown.granted ?? false).toBe(false);
  });
});

test('the record of an abandoned shadow says whose it is', async () => {
  const rig = await startRig({ LEASE_MS: '150' });
  try {
    const experimentId = uuidv7();
    const organisationId = uuidv7();
    const keySha256 = sha256(organisationId);
    const budget = limit({ limitId: uuidv7(), scopeType: 'API_KEY', scopeId: experimentId });
    const experiment = {
      experimentId,
      name: 'trial',
      model: 'small',
      arms: [{ name: 'control', modelId: 'model-1', share: 100 }],
      startsAtMs: 0,
      endsAtMs: 0,
      shadow: { modelId: 'model-1', samplePercent: 100, budget },
    };
    const subject = { ...SUBJECT, organisationId };
    rig.catalog.putKey(
      keySha256,
      context({ models: [model()], experiments: [experiment], subject }),
    );
    const shadowOf = uuidv7();
    const question = ask({ keySha256, model: '', shadowOf, shadowExperimentId: experimentId });
    expect((await rig.authorize(question)).allow).not.toBeNull();
    await eventually('it is abandoned', () => {
      const record = rig.catalog.books.records.get(question.requestId);
      expect(record?.mode).toBe('ABANDONED');
      expect(record?.settle).toMatchObject({
        experimentId,
        experimentArm: 'shadow',
        shadowOf,
        costNanoUsd: String(HELD),
      });
    });
    expect(rig.catalog.books.total(budget.limitId, Date.now())).toBe(BigInt(HELD));
  } finally {
    await rig.stop();
  }
});
