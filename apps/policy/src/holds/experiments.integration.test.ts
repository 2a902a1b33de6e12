import { randomBytes } from 'node:crypto';
import type { ExperimentEntry__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import { routedContext } from '../routing/test-support/policies';
import {
  alias,
  ask,
  context,
  limit,
  model,
  price,
  retirement,
  settled,
  sha256,
  SUBJECT,
} from '../test-support/contexts';
import { FLOATS, startRig, type Rig } from '../test-support/rig';

// Requests for a name that an experiment splits between models.

const HOUR_MS = 3_600_000;

describe.each(FLOATS)('with floats $FLOATS', (floats) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(floats);
  });
  afterAll(async () => {
    await rig.stop();
  });

  function key(changes: Parameters<typeof context>[0]): Buffer {
    const organisationId = uuidv7();
    const keySha256 = sha256(organisationId);
    rig.catalog.putKey(
      keySha256,
      context({ ...changes, subject: { ...SUBJECT, organisationId, apiKeyId: organisationId } }),
    );
    return keySha256;
  }
  const asks = (keySha256: Buffer, changes: Parameters<typeof ask>[0] = {}) =>
    rig.authorize(ask({ keySha256, model: 'cheap', ...changes }));

  const cheap = model({ modelId: 'cheap', name: 'cheap', prices: [price({ priceId: 'p-cheap' })] });
  const dear = model({
    modelId: 'dear',
    name: 'dear',
    providerId: 'provider-2',
    prices: [
      price({
        priceId: 'p-dear',
        steps: price().steps.map((step) => ({
          ...step,
          input: '9000000000',
          output: '9000000000',
        })),
      }),
    ],
  });

  function trial(changes: Partial<ExperimentEntry__Output> = {}): ExperimentEntry__Output {
    return {
      experimentId: 'e-1',
      name: 'trial',
      model: 'cheap',
      arms: [
        { name: 'control', modelId: 'cheap', share: 0 },
        { name: 'candidate', modelId: 'dear', share: 100 },
      ],
      startsAtMs: 0,
      endsAtMs: 0,
      shadow: null,
      ...changes,
    };
  }
  const halves = trial({
    arms: [
      { name: 'control', modelId: 'cheap', share: 50 },
      { name: 'candidate', modelId: 'dear', share: 50 },
    ],
  });
  const CANDIDATE = { experimentId: 'e-1', experiment: 'trial', arm: 'candidate' };

  test('price, limits and connection are those of the model of the arm', async () => {
    const keySha256 = key({
      models: [cheap, dear],
      experiments: [trial()],
      limits: [
        limit({ limitId: `of-dear-${uuidv7()}`, scopeType: 'MODEL', scopeId: 'dear' }),
        limit({ limitId: `of-cheap-${uuidv7()}`, scopeType: 'MODEL', scopeId: 'cheap' }),
      ],
    });
    const { allow } = await asks(keySha256);
    expect(allow?.experiment).toEqual(CANDIDATE);
    expect(allow?.candidates).toMatchObject([
      { modelId: 'dear', providerId: 'provider-2', price: { priceId: 'p-dear' } },
    ]);
    expect(allow?.heldNanoUsd).toBe(String(150 * 9_000));
    expect(allow?.limits.map(({ scopeId }) => scopeId)).toEqual(['dear']);
  });

  test('all turns of a conversation have one arm, and conversations have both', async () => {
    const keySha256 = key({ models: [cheap, dear], experiments: [halves] });
    const seen = new Set<string>();
    for (let at = 0; at < 40; at += 1) {
      const affinity = randomBytes(8);
      const turns = [
        await asks(keySha256, { conversation: affinity }),
        // Grown long enough for a cache.
        await asks(keySha256, { affinity }),
        await asks(keySha256, { affinity, operation: 'responses', family: 'openai' }),
      ];
      const arms = new Set(turns.map(({ allow }) => allow?.experiment?.arm ?? 'none'));
      expect(arms.size).toBe(1);
      for (const arm of arms) seen.add(arm);
      const [model] = turns[0]?.allow?.candidates ?? [];
      expect(model?.modelId).toBe(arms.has('control') ? 'cheap' : 'dear');
    }
    expect(seen).toEqual(new Set(['control', 'candidate']));
  });

  test('an alias is split as well, and its own target needs no arm', async () => {
    const other = model({ modelId: 'other', name: 'other', providerId: 'provider-3' });
    const keySha256 = key({
      models: [cheap, dear, other],
      aliases: [alias({ targets: [{ modelId: 'other', effectiveFromMs: 0 }] })],
      experiments: [trial({ model: 'assistant' })],
    });
    const { allow } = await asks(keySha256, { model: 'assistant' });
    expect(allow?.candidates).toMatchObject([{ modelId: 'dear' }]);
    expect(allow?.experiment).toEqual(CANDIDATE);
    // Another name of the same model is not split.
    expect((await asks(keySha256, { model: 'cheap' })).allow?.experiment).toBeNull();
  });

  test.each<[string, Parameters<typeof context>[0], Parameters<typeof ask>[0]]>([
    ['the key lacks a grant of one arm', { models: [cheap, { ...dear, granted: false }] }, {}],
    ['the model of an arm is gone', { models: [cheap] }, {}],
    [
      'the model of an arm is retired',
      { models: [cheap, { ...dear, retirement: retirement({ sunsetAtMs: 1 }) }] },
      {},
    ],
    [
      'the provider of an arm is switched off',
      { models: [cheap, { ...dear, providerActive: false }] },
      {},
    ],
    [
      'an arm cannot read images',
      { models: [cheap, { ...dear, capabilities: 'tools' }] },
      { requiredCapabilities: 'vision' },
    ],
    [
      'the request is too long for an arm',
      { models: [cheap, { ...dear, contextTokens: 90 }] },
      { inputTokensEstimate: 100 },
    ],
    [
      'the request names a provider',
      {
        models: [
          { ...cheap, providerType: 'PROVIDER_A' },
          { ...dear, providerType: 'PROVIDER_B' },
        ],
      },
      { providerPin: 'PROVIDER_A' },
    ],
    ['it has not begun', { experiments: [trial({ startsAtMs: Date.now() + HOUR_MS })] }, {}],
    ['it has ended', { experiments: [trial({ endsAtMs: Date.now() - 1 })] }, {}],
  ])('a request takes no part if %s', async (_, changes, question) => {
    const keySha256 = key({ models: [cheap, dear], experiments: [trial()], ...changes });
    const { allow } = await asks(keySha256, question);
    expect(allow?.experiment).toBeNull();
    expect(allow?.candidates).toMatchObject([{ modelId: 'cheap' }]);
  });

  test('a name past its sunset stays refused, and an unknown key learns nothing', async () => {
    const models = [{ ...cheap, retirement: retirement({ sunsetAtMs: 1 }) }, dear];
    const arms = [{ name: 'candidate', modelId: 'dear', share: 100 }];
    const keySha256 = key({ models, experiments: [trial({ arms })] });
    expect((await asks(keySha256)).denial?.code).toBe('model_not_found');
    const inactive = key({ models: [cheap, dear], experiments: [trial()], active: false });
    expect((await asks(inactive)).denial?.code).toBe('invalid_api_key');
  });

  test('with a routing policy the arm comes first, and the others follow after a failure', async () => {
    for (const strategy of ['failover', 'round_robin', 'weighted', 'lowest_cost', 'priority']) {
      const keySha256 = key(routedContext([cheap, dear], { strategy }, { experiments: [trial()] }));
      for (let turn = 0; turn < 4; turn += 1) {
        const affinity = turn < 2 ? randomBytes(8) : Buffer.alloc(0);
        const { allow } = await asks(keySha256, { affinity });
        expect(allow?.routing?.strategy).toBe(strategy);
        expect(allow?.candidates.map(({ modelId }) => modelId)).toEqual(['dear', 'cheap']);
        expect(allow?.experiment).toEqual(CANDIDATE);
      }
    }
  });

  test('a response is continued by the arm that made it, whatever the shares are now', async () => {
    const keySha256 = key({
      models: [cheap, dear],
      experiments: [
        trial({
          arms: [
            { name: 'control', modelId: 'cheap', share: 100 },
            { name: 'candidate', modelId: 'dear', share: 0 },
          ],
        }),
      ],
    });
    const responses = { operation: 'responses', family: 'openai' };
    const first = ask({ keySha256, model: 'dear', ...responses });
    const made = await rig.authorize(first);
    if (!made.allow) throw new Error('refused');
    const responseId = `resp_${uuidv7()}`;
    await rig.settle(
      settled(first.requestId, made.allow.holdToken, { responseId, modelId: 'dear' }),
    );
    const { allow } = await asks(keySha256, { ...responses, previousResponseId: responseId });
    expect(allow?.experiment).toEqual(CANDIDATE);
    expect(allow?.candidates).toMatchObject([{ modelId: 'dear' }]);
    const fresh = await asks(keySha256, responses);
    expect(fresh.allow?.experiment?.arm).toBe('control');
  });

  describe('with all models at one provider', () => {
    const beside = { ...dear, providerId: cheap.providerId };
    const other = model({ modelId: 'other', name: 'other', providerId: cheap.providerId });
    const aliases = [alias({ targets: [{ modelId: 'other', effectiveFromMs: 0 }] })];
    const models = [cheap, beside, other];
    const only = (arm: string) =>
      trial({
        model: 'assistant',
        arms: [
          { name: 'control', modelId: 'cheap', share: arm === 'control' ? 100 : 0 },
          { name: 'candidate', modelId: 'dear', share: arm === 'candidate' ? 100 : 0 },
        ],
      });
    const responses = { operation: 'responses', family: 'openai' };
    const assistant = { ...responses, model: 'assistant' };
    const store = async (
      keySha256: Buffer,
      modelId: string,
      made: object,
      operation = 'responses',
    ): Promise<void> => {
      const request = ask({ keySha256, model: modelId, ...responses, operation });
      const { allow } = await rig.authorize(request);
      if (!allow) throw new Error('refused');
      await rig.settle(settled(request.requestId, allow.holdToken, { modelId, ...made }));
    };

    test('items are continued by the arm that made them', async () => {
      const experiments = [only('control')];
      const keySha256 = key({ models, aliases, experiments });
      const itemIds = [`msg_${uuidv7()}`];
      await store(keySha256, 'dear', { responseId: `resp_${uuidv7()}`, itemIds });
      const { allow } = await asks(keySha256, { ...assistant, itemIds });
      expect(allow?.experiment?.arm).toBe('candidate');
    });

    test('a response of a model of no arm is continued outside of the experiment', async () => {
      const keySha256 = key({ models, aliases, experiments: [only('control')] });
      const responseId = `resp_${uuidv7()}`;
      await store(keySha256, 'other', { responseId });
      const { allow } = await asks(keySha256, { ...assistant, previousResponseId: responseId });
      expect(allow?.experiment).toBeNull();
      expect(allow?.candidates).toMatchObject([{ modelId: 'other' }]);
    });

    test('conversations have both arms, and each keeps its own', async () => {
      const experiments = [
        trial({ model: 'assistant', arms: halves.arms.map((arm) => ({ ...arm })) }),
      ];
      const keySha256 = key({ models, aliases, experiments });
      const seen = new Set<string>();
      for (let at = 0; at < 24; at += 1) {
        const conversationId = `conv_${uuidv7()}`;
        await store(keySha256, 'other', { responseId: conversationId }, 'conversation_create');
        const arms = new Set<string>();
        for (let turn = 0; turn < 3; turn += 1) {
          const conversation = randomBytes(8);
          const { allow } = await asks(keySha256, { ...assistant, conversationId, conversation });
          arms.add(allow?.experiment?.arm ?? 'none');
        }
        expect(arms.size).toBe(1);
        for (const arm of arms) seen.add(arm);
      }
      expect(seen).toEqual(new Set(['control', 'candidate']));
    });
  });

  test('what another model has stored is continued outside of the experiment', async () => {
    const other = model({ modelId: 'other', name: 'other', providerId: 'provider-3' });
    const aliases = [alias({ targets: [{ modelId: 'other', effectiveFromMs: 0 }] })];
    const keySha256 = key({
      models: [cheap, dear, other],
      aliases,
      experiments: [trial({ model: 'assistant' })],
    });
    const responses = { operation: 'responses', family: 'openai' };
    const first = ask({ keySha256, model: 'other', ...responses });
    const made = await rig.authorize(first);
    if (!made.allow) throw new Error('refused');
    const responseId = `resp_${uuidv7()}`;
    await rig.settle(
      settled(first.requestId, made.allow.holdToken, { responseId, modelId: 'other' }),
    );
    const question = { ...responses, model: 'assistant', previousResponseId: responseId };
    const { allow } = await asks(keySha256, question);
    expect(allow?.experiment).toBeNull();
    expect(allow?.candidates).toMatchObject([{ modelId: 'other' }]);
  });
});
