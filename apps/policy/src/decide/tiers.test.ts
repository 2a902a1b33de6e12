import type { ModelEntry__Output, ServiceTier__Output } from '@tollgate/contracts/node';

import { modelsOf, planOf } from '../directory';
import { ask, context, limit, model, price } from '../test-support/contexts';
import { checkAccess, whyLeftOut } from './checks';
import { dearestOutputPrice, lowerToAfford, sizeOf } from './size';

const tier = (name: string, param: string, ...upstreams: string[]): ServiceTier__Output => ({
  name,
  param,
  upstreams,
});
const PRIORITY = tier('priority', 'service_tier', 'openai', 'gemini');
const FLEX = tier('flex', 'service_tier', 'openai', 'gemini');
const FAST = tier('fast', 'speed', 'anthropic');
const US = tier('us', 'inference_geo', 'anthropic');

const PRICED = price({ tierPercent: { priority: '200', flex: '50', fast: '600', us: '110' } });

function sized(serviceTiers: ServiceTier__Output[], ...formats: string[]) {
  const models = formats.map((upstreamFormat, index) => {
    const name = `m${String(index)}`;
    return model({ modelId: name, name, upstreamFormat, prices: [PRICED], contextTokens: 0 });
  });
  return sizeOf(
    ask({ inputTokensEstimate: 100, maxOutputTokens: 50, serviceTiers }),
    modelsOf(planOf(context({ models }))).map((one) => ({
      model: one,
      price: one.prices[0],
      connectionVersion: 1,
    })),
  );
}

/** 100 tokens in and 50 out. */
const TOKENS = 100n * 1_000n + 50n * 2_000n;

describe('what is held for a tier', () => {
  test.each([
    ['nothing more without one', [], 100n],
    ['its percentage', [PRIORITY], 200n],
    ['the standard price for one that costs less: the provider may fall back', [FLEX], 100n],
    ['nothing more where the format is not asked for it', [FAST], 100n],
  ])('%s', (_, tiers, percent) => {
    const size = sized(tiers, 'openai');
    expect(size.costNanoUsd).toBe((TOKENS * percent) / 100n);
    expect(dearestOutputPrice(size)).toBe((2_000_000_000n * percent) / 100n);
  });

  test('several percentages multiply', () => {
    expect(sized([FAST, US], 'anthropic').costNanoUsd).toBe((TOKENS * 660n) / 100n);
  });

  test('each candidate is held, and told, by its own tiers', () => {
    const { candidates, costNanoUsd } = sized([PRIORITY, FAST], 'openai', 'anthropic', 'vllm');
    expect(candidates.map((one) => [one.serviceTier, one.costNanoUsd])).toEqual([
      ['priority', 2n * TOKENS],
      ['fast', 6n * TOKENS],
      ['', TOKENS],
    ]);
    expect(costNanoUsd).toBe(6n * TOKENS);
  });

  test('a lowered bound is affordable at the price of the tier', () => {
    const lowered = lowerToAfford(sized([PRIORITY], 'openai'), 240_000n);
    expect(lowered).toMatchObject({ heldOutputTokens: 10, costNanoUsd: 240_000n });
  });
});

describe('a tier without a percentage', () => {
  const asked = (
    serviceTiers: ServiceTier__Output[],
    tierPercent: Record<string, string>,
    { mode = 'HARD', metric = 'COST', upstreamFormat = 'openai' } = {},
  ) => {
    const entry: Partial<ModelEntry__Output> = { upstreamFormat };
    const plan = planOf(
      context({
        models: [model({ prices: [price({ tierPercent })], ...entry })],
        limits: [limit({ mode, metric, kind: metric === 'COST' ? 'BUDGET' : 'QUOTA' })],
      }),
    );
    const [found] = modelsOf(plan);
    const given = { request: ask({ serviceTiers }), nowMs: 1, price: found?.prices[0] };
    return {
      refusal: checkAccess({ ...given, plan, model: found }),
      reason: whyLeftOut(given, plan, found),
    };
  };
  const PASSED = { refusal: undefined, reason: undefined };

  test.each([
    [PRIORITY, 'openai'],
    [FAST, 'anthropic'],
    [US, 'anthropic'],
    [tier('other', 'serviceTier', 'gemini'), 'gemini'],
  ])('%j is refused under a hard limit of money, by the name of its field', (one, format) => {
    const { refusal, reason } = asked([FLEX, one], {}, { upstreamFormat: format });
    const { name, param } = one;
    expect(refusal).toMatchObject({
      code: 'provider_misconfigured',
      details: { param, tier: name, reason: 'no_tier_price' },
    });
    expect(refusal?.message).toContain(`${param}: the price of the model`);
    expect(refusal?.message).toContain(`tierPercent.${name}`);
    expect(reason).toBe('no_tier_price');
  });

  test('passes with one, at 100 as well', () => {
    expect(asked([PRIORITY], { priority: '100' })).toEqual(PASSED);
  });

  test('passes if it costs no more than standard processing', () => {
    expect(asked([FLEX], {})).toEqual(PASSED);
  });

  test('passes under soft limits, where no money is counted, and where it is not asked for', () => {
    expect(asked([PRIORITY], {}, { mode: 'SOFT' })).toEqual(PASSED);
    expect(asked([PRIORITY], {}, { metric: 'TOKENS' })).toEqual(PASSED);
    expect(asked([FAST], {})).toEqual(PASSED);
  });
});
