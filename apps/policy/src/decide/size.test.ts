import { costNanoUsd, emptyUsage } from '@tollgate/contracts';
import type { AuthorizeRequest__Output, ModelEntry__Output } from '@tollgate/contracts/node';
import * as fc from 'fast-check';

import { limitsOf, modelsOf, planOf } from '../directory';
import { ask, context, limit, model, price } from '../test-support/contexts';
import { heldAmount, stepAmount, stepCost } from './amounts';
import { dearestOutputPrice, lowerToAfford, sizeOf, type HoldSize, type Sizing } from './size';

function sized(
  request: Partial<AuthorizeRequest__Output>,
  ...entries: Partial<ModelEntry__Output>[]
): HoldSize {
  return sizedWith({}, request, ...entries);
}

function sizedWith(
  sizing: Sizing,
  request: Partial<AuthorizeRequest__Output>,
  ...entries: Partial<ModelEntry__Output>[]
): HoldSize {
  const models = (entries.length === 0 ? [{}] : entries).map((changes, index) =>
    model({ modelId: `model-${String(index)}`, name: `m${String(index)}`, ...changes }),
  );
  const plan = planOf(context({ models }));
  return sizeOf(
    ask(request),
    modelsOf(plan).map((one) => ({
      model: one,
      price: one.prices[0],
      connectionVersion: 1,
    })),
    sizing,
  );
}

const UNSENT = { outputBoundUnsent: true };

const unsent = (request: Partial<AuthorizeRequest__Output>, entry: Partial<ModelEntry__Output>) =>
  sizedWith(UNSENT, request, entry).candidates[0];

const bound = (size: HoldSize) => size.candidates[0]?.outputBound;

test.each(['count_tokens', 'response_input_tokens', 'response_cancel'])(
  '%s is free and holds nothing',
  (operation) => {
    const tool = { unit: 'web_search', maxCalls: 5, inputTokensPerCall: 8_000 };
    const request = {
      operation,
      inputTokensEstimate: 5_000,
      audioInputTokensEstimate: 100,
      serverTools: [
        { ...tool, sharesBound: false, readsInput: false, param: 'tools[0]', upstreams: [] },
      ],
    };
    const size = sizedWith({ readTokens: 700 }, request);
    expect(size).toMatchObject({ inputTokens: 0, heldOutputTokens: 0, costNanoUsd: 0n });
    expect(sizedWith({}, { ...request, operation: 'chat' }).costNanoUsd).toBeGreaterThan(0n);
  },
);

describe('what is read again', () => {
  const read = (readTokens: number, entry: Partial<ModelEntry__Output> = {}) =>
    sizedWith({ readTokens }, { inputTokensEstimate: 100 }, entry);

  test('is held as input, and leaves the output bound alone', () => {
    expect(read(5_000).inputTokens).toBe(5_100);
    expect(bound(read(5_000))).toBe(bound(read(0)));
    expect(read(5_000).costNanoUsd).toBeGreaterThan(read(0).costNanoUsd);
  });
  test('is no more than the model’s context', () => {
    expect(read(5_000, { contextTokens: 2_000 }).inputTokens).toBe(2_100);
  });
});

describe('the output bound', () => {
  test('is the client’s own value', () => {
    expect(bound(sized({ maxOutputTokens: 50 }))).toBe(50);
  });
  test('else the model’s default', () => {
    expect(bound(sized({ maxOutputTokens: 0 }))).toBe(500);
  });
  test('else what the context has room for', () => {
    expect(bound(sized({ maxOutputTokens: 0 }, { defaultMaxOutputTokens: 0 }))).toBe(99_900);
  });
  test('is the model’s own maximum where none is to be sent', () => {
    const known = { maxOutputTokens: 8_000 };
    const none = { maxOutputTokens: 0 };
    expect(unsent(none, known)).toMatchObject({ outputBound: 8_000, boundUnsent: true });
    expect(unsent({ ...none, stream: true }, known)).toMatchObject({
      outputBound: 8_000,
      heldOutputTokens: 1_024,
      inSteps: true,
      boundUnsent: true,
    });
  });
  test('is sent all the same where nobody else bounds the answer', () => {
    const sentBound = { outputBound: 500, boundUnsent: false };
    expect(unsent({ maxOutputTokens: 0 }, { maxOutputTokens: 0 })).toMatchObject(sentBound);
    expect(unsent({ maxOutputTokens: 50 }, { maxOutputTokens: 8_000 })).toMatchObject({
      outputBound: 50,
      boundUnsent: false,
    });
  });
  test('is sent when a budget lowers it', () => {
    const size = sizedWith(UNSENT, { maxOutputTokens: 0 }, { maxOutputTokens: 8_000 });
    expect(size.candidates[0]).toMatchObject({ boundUnsent: true });
    const [lowered] = lowerToAfford(size, 1_000_000n)?.candidates ?? [];
    expect(lowered).toMatchObject({ boundUnsent: false });
  });
  test('else 4,096, when nothing at all is known', () => {
    const unknown = { defaultMaxOutputTokens: 0, contextTokens: 0 };
    expect(bound(sized({ maxOutputTokens: 0 }, unknown))).toBe(4_096);
  });
  test('is never above context less input, and never below one token', () => {
    expect(bound(sized({ maxOutputTokens: 5_000 }, { contextTokens: 1_000 }))).toBe(900);
    expect(bound(sized({ maxOutputTokens: 0 }, { contextTokens: 300 }))).toBe(200);
    expect(bound(sized({ maxOutputTokens: 9 }, { contextTokens: 50 }))).toBe(1);
  });
  test('is never above what the model can answer', () => {
    expect(bound(sized({ maxOutputTokens: 5_000 }, { maxOutputTokens: 4_000 }))).toBe(4_000);
    const unknown = { defaultMaxOutputTokens: 0, contextTokens: 0, maxOutputTokens: 8_192 };
    expect(bound(sized({ maxOutputTokens: 0 }, unknown))).toBe(8_192);
  });
  test('is nothing for operations that generate none, unless somebody states one', () => {
    const embeds = { type: 'embeddings' };
    expect(bound(sized({ operation: 'embeddings', maxOutputTokens: 0 }, embeds))).toBe(0);
    const hears = { type: 'transcription', defaultMaxOutputTokens: 0 };
    expect(bound(sized({ operation: 'transcription', maxOutputTokens: 0 }, hears))).toBe(0);
    const audio = { type: 'transcription', defaultMaxOutputTokens: 70 };
    expect(bound(sized({ operation: 'transcription', maxOutputTokens: 0 }, audio))).toBe(70);
  });
});

describe('streams', () => {
  const long = { defaultMaxOutputTokens: 4_000 };
  test('without a bound of the client hold 1,024 tokens at a time', () => {
    const size = sized({ stream: true, maxOutputTokens: 0 }, long);
    expect(size.candidates[0]).toMatchObject({
      outputBound: 4_000,
      heldOutputTokens: 1_024,
      inSteps: true,
    });
    // 100 × 1,000 + 1,024 × 2,000
    expect(size.costNanoUsd).toBe(2_148_000n);
  });
  test('hold everything where the bound is no more than a step, or the client’s own', () => {
    const short = sized({ stream: true, maxOutputTokens: 0 });
    expect(short.candidates[0]).toMatchObject({ heldOutputTokens: 500, inSteps: false });
    const stated = sized({ stream: true, maxOutputTokens: 3_000 }, long);
    expect(stated.candidates[0]).toMatchObject({ heldOutputTokens: 3_000, inSteps: false });
  });
});

describe('the cost held', () => {
  test('is input × dearest input class + output × dearest output class × choices', () => {
    // 100 × 1,000 + 50 × 2,000 = 200,000
    expect(sized({}).costNanoUsd).toBe(200_000n);
    // 100 × 1,000 + 50 × 2,000 × 3 = 400,000
    expect(sized({ choices: 3 }).costNanoUsd).toBe(400_000n);
  });
  test('of audio is held for the audio in the input, of text for the rest', () => {
    const [step] = price().steps;
    const heard = {
      prices: [
        price({
          steps: [{ ...step, audioInput: '40000000000', audioOutput: '80000000000' } as never],
        }),
      ],
    };
    // 100 × 1,000 + 50 × 2,000
    expect(sized({ textOutput: true }, heard).costNanoUsd).toBe(200_000n);
    // 70 × 1,000 + 30 × 40,000 + 50 × 2,000
    const partly = sized({ textOutput: true, audioInputTokensEstimate: 30 }, heard);
    expect(partly.costNanoUsd).toBe(1_370_000n);
    expect(dearestOutputPrice(partly)).toBe(2_000_000_000n);
    // 100 × 1,000 + 50 × 80,000
    const spoken = sized({}, heard);
    expect(spoken.costNanoUsd).toBe(4_100_000n);
    expect(dearestOutputPrice(spoken)).toBe(80_000_000_000n);
  });
  test('of images is held wherever a model has a price for them', () => {
    const [step] = price().steps;
    const image = { imageInput: '3000000000', imageOutput: '30000000000' };
    const draws = { prices: [price({ steps: [{ ...step, ...image } as never] })] };
    // 100 × 3,000 + 50 × 30,000
    const size = sized({ textOutput: true }, draws);
    expect(size.costNanoUsd).toBe(1_800_000n);
    expect(dearestOutputPrice(size)).toBe(30_000_000_000n);
  });
  describe('of output that cannot be bounded', () => {
    const drawn = {
      operation: 'image_generation',
      maxOutputTokens: 0,
      outputTokensEstimate: 6_240,
      choices: 2,
      textOutput: true,
    };
    const drawer = { type: 'image', defaultMaxOutputTokens: 0 };
    test.each([0, 4_096, 8_192])(
      'is that of the estimate beside a default of %d, and no budget lowers it',
      (most) => {
        const size = sized(drawn, { ...drawer, defaultMaxOutputTokens: most });
        expect(unsent(drawn, { ...drawer, maxOutputTokens: 9_000 })).toMatchObject({
          boundUnsent: false,
          outputBound: 0,
        });
        // 100 × 1,000 + 6,240 × 2,000 × 2
        expect(size).toMatchObject({ heldOutputTokens: 6_240, costNanoUsd: 25_060_000n });
        expect(bound(size)).toBe(0);
        expect(lowerToAfford(size, 1_000_000n)).toBeUndefined();
      },
    );
    test('costs nothing where the model has no price for output, but limits of tokens count it', () => {
      const [step] = price().steps;
      const byImage = { ...step, output: '0', audioOutput: '0', imageOutput: '0' } as never;
      for (const prices of [[], [price({ steps: [byImage] })]]) {
        const size = sized(drawn, { ...drawer, prices });
        const input = prices.length === 0 ? 0n : 100_000n;
        expect(size).toMatchObject({ heldOutputTokens: 6_240, costNanoUsd: input });
        const [quota] = limitsOf(
          planOf(context({ limits: [limit({ kind: 'QUOTA', metric: 'TOKENS_OUT' })] })),
        );
        expect(quota && heldAmount(quota, size)).toBe(12_480n);
      }
    });
  });
  test('takes the dearest class, not the usual one', () => {
    const [step] = price().steps;
    const dear = price({
      steps: [{ ...step, cacheWrite1h: '3000000000', audioOutput: '9000000000' } as never],
    });
    // 100 × 3,000 + 50 × 9,000
    expect(sized({}, { prices: [dear] }).costNanoUsd).toBe(750_000n);
  });
  test('adds the price of a request and of units', () => {
    const imaged = price({ perRequestNanoUsd: '7', perUnitNanoUsd: { image: '40000000' } });
    const size = sized(
      { operation: 'image_generation', maxOutputTokens: 0, unitsEstimate: { image: 2 } },
      { type: 'image', defaultMaxOutputTokens: 0, prices: [imaged] },
    );
    // 100 × 1,000 + 7 + 2 × 40,000,000
    expect(size.costNanoUsd).toBe(80_100_007n);
  });
  describe('of an image whose size or quality is open', () => {
    const open = { operation: 'image_generation', maxOutputTokens: 0, unitsEstimate: { image: 2 } };
    const drawn = (perUnitNanoUsd: Record<string, string>, request: object = {}) =>
      sized(
        { ...open, ...request },
        { type: 'image', defaultMaxOutputTokens: 0, prices: [price({ perUnitNanoUsd })] },
      );
    const sizes = { image_high_1024x1536: '90', image_low_1024x1024: '5' };

    test.each([
      ['the dearest size', sizes, { image_high_1024x1536: 2 }, 180],
      ['the dearest size beside a cheaper usual price', { ...sizes, image: '7' }, undefined, 180],
      ['the usual price where that is the dearest', { ...sizes, image: '99' }, { image: 2 }, 198],
      ['nothing where images have no price', { character: '4' }, { image: 2 }, 0],
    ])('is that of %s', (_, prices, units, nanoUsd) => {
      const size = drawn(prices);
      // 100 × 1,000 of input
      expect(size.costNanoUsd).toBe(BigInt(100_000 + nanoUsd));
      expect(size.units).toEqual(units ?? { image_high_1024x1536: 2 });
    });
    test('is added to what else is held by the same unit', () => {
      const unitsEstimate = { image: 2, image_high_1024x1536: 1 };
      expect(drawn(sizes, { unitsEstimate }).units).toEqual({ image_high_1024x1536: 3 });
    });
    test('is each candidate’s own', () => {
      const prices = (image: string) => [price({ perUnitNanoUsd: { image_hd_1024x1024: image } })];
      const size = sized(open, { prices: prices('1') }, { prices: [] }, { prices: prices('8') });
      expect(size.candidates.map(({ units }) => units)).toEqual([
        { image_hd_1024x1024: 2 },
        { image: 2 },
        { image_hd_1024x1024: 2 },
      ]);
      expect(size.units).toEqual({ image_hd_1024x1024: 2 });
    });
  });
  test('is the dearest candidate’s', () => {
    const [step] = price().steps;
    const dear = price({ steps: [{ ...step, output: '5000000000' } as never] });
    const size = sized({}, {}, { prices: [dear] });
    expect(size.costNanoUsd).toBe(350_000n);
    expect(dearestOutputPrice(size)).toBe(5_000_000_000n);
  });
  test('is nothing for a model without a price', () => {
    expect(sized({}, { prices: [] }).costNanoUsd).toBe(0n);
  });
  test('no usage within the bounds costs more than what is held', () => {
    fc.assert(
      fc.property(
        fc.nat(50_000),
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: 5 }),
        fc.nat(100),
        fc.nat(100),
        (input, output, choices, usedIn, usedOut) => {
          const size = sized({
            inputTokensEstimate: input,
            maxOutputTokens: output,
            choices,
          });
          const [candidate] = size.candidates;
          if (candidate?.price === undefined) throw new Error('no price');
          const usage = {
            ...emptyUsage(),
            input: Math.floor((input * usedIn) / 100),
            output: Math.floor((candidate.outputBound * choices * usedOut) / 100),
          };
          expect(costNanoUsd(candidate.price.price, usage)).toBeLessThanOrEqual(size.costNanoUsd);
        },
      ),
    );
  });
});

describe('what limits count of a hold', () => {
  const size = sized({ inputTokensEstimate: 100, maxOutputTokens: 50, choices: 2 });
  const held = (changes: Parameters<typeof limit>[0]): bigint => {
    const [planned] = limitsOf(planOf(context({ limits: [limit(changes)] })));
    if (planned === undefined) throw new Error('no limit');
    return heldAmount(planned, size);
  };
  test.each([
    [{ kind: 'BUDGET', metric: 'COST' }, 300_000n],
    [{ kind: 'QUOTA', metric: 'COST' }, 300_000n],
    [{ kind: 'QUOTA', metric: 'REQUESTS' }, 1n],
    [{ kind: 'QUOTA', metric: 'TOKENS' }, 200n],
    [{ kind: 'QUOTA', metric: 'TOKENS_IN' }, 100n],
    [{ kind: 'QUOTA', metric: 'TOKENS_OUT' }, 100n],
    [{ kind: 'QUOTA', metric: 'ERRORS' }, 0n],
    [{ kind: 'QUOTA', metric: 'LATENCY_MS' }, 0n],
    [{ kind: 'RATE_REQUESTS', metric: '' }, 1n],
    [{ kind: 'RATE_TOKENS', metric: '' }, 200n],
    [{ kind: 'RATE_CONCURRENT', metric: '' }, 1n],
  ])('%j: %s', (changes, amount) => {
    expect(held(changes)).toBe(amount);
  });
});

describe('a step', () => {
  test('costs its tokens at the dearest output price, rounded up', () => {
    expect(stepCost(1_024, 2_000_000_000n)).toBe(2_048_000n);
    expect(stepCost(1, 1n)).toBe(1n);
  });
  test('counts in what counts output, and nowhere else', () => {
    const step = { inputTokens: 0, outputTokens: 10, costNanoUsd: 77n };
    const of = (kind: string, metric: string) => stepAmount({ kind, metric } as never, step);
    expect(of('BUDGET', 'COST')).toBe(77n);
    expect(of('QUOTA', 'TOKENS')).toBe(10n);
    expect(of('QUOTA', 'TOKENS_OUT')).toBe(10n);
    expect(of('RATE_TOKENS', '')).toBe(10n);
    expect(of('QUOTA', 'TOKENS_IN')).toBe(0n);
    expect(of('QUOTA', 'REQUESTS')).toBe(0n);
    expect(of('RATE_CONCURRENT', '')).toBe(0n);
  });
});

describe('lowering the bound to what a budget affords', () => {
  test('takes the most tokens that can be paid', () => {
    const lowered = lowerToAfford(sized({ maxOutputTokens: 50 }), 120_001n);
    // (120,001 − 100,000) / 2,000 = 10
    expect(lowered?.candidates[0]).toMatchObject({ outputBound: 10, inSteps: false });
    expect(lowered?.costNanoUsd).toBe(120_000n);
  });
  test('gives up where not even one token is left to pay, or output is not the matter', () => {
    expect(lowerToAfford(sized({}), 101_999n)).toBeUndefined();
    const embeds = sized({ operation: 'embeddings', maxOutputTokens: 0 }, { type: 'embeddings' });
    expect(lowerToAfford(embeds, 1n)).toBeUndefined();
  });
  test('never costs more than is affordable, and one token more would', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 102_000, max: 250_000 }),
        fc.integer({ min: 1, max: 4 }),
        (affordable, choices) => {
          const size = sized({ maxOutputTokens: 50, choices });
          const lowered = lowerToAfford(size, BigInt(affordable));
          if (lowered === undefined) {
            expect(affordable).toBeLessThan(100_000 + 2_000 * choices);
            return;
          }
          expect(lowered.costNanoUsd).toBeLessThanOrEqual(BigInt(affordable));
          const more = 100_000 + 2_000 * choices * (lowered.heldOutputTokens + 1);
          if (lowered.heldOutputTokens < 50) expect(more).toBeGreaterThan(affordable);
        },
      ),
    );
  });
});
