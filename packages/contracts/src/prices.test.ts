import fc from 'fast-check';

import { PolicyServiceDefinition, type TokenUsage__Output } from './node';
import {
  costNanoUsd,
  dearestOutput,
  estimateNanoUsd,
  priceAt,
  pricedUnit,
  priceFromWire,
  priceToWire,
  TOKEN_CLASSES,
  type Price,
  type PriceStep,
  type UsageBounds,
} from './prices';
import { emptyUsage, tokensIn, tokensOut, type TokenUsage } from './token-usage';

function flatStep(fromInputTokens: number, perMillion: bigint): PriceStep {
  const classes = Object.fromEntries(TOKEN_CLASSES.map((name) => [name, perMillion]));
  return { fromInputTokens, ...classes } as PriceStep;
}

function priceOf(steps: Price['steps'], extra: Partial<Price> = {}): Price {
  return {
    priceId: 'p',
    effectiveFromMs: 0,
    steps,
    perRequestNanoUsd: 0n,
    perUnitNanoUsd: {},
    ...extra,
  };
}

const tokens = fc.integer({ min: 0, max: 3_000_000 });
const usages: fc.Arbitrary<TokenUsage> = fc.record({
  input: tokens,
  cacheRead: tokens,
  cacheWrite5m: tokens,
  cacheWrite1h: tokens,
  audioInput: tokens,
  imageInput: tokens,
  output: tokens,
  audioOutput: tokens,
  imageOutput: tokens,
  reasoning: tokens,
});
const perMillion = fc.bigInt({ min: 0n, max: 10n ** 15n });
const rates = fc.record({
  input: perMillion,
  cacheRead: perMillion,
  cacheWrite5m: perMillion,
  cacheWrite1h: perMillion,
  audioInput: perMillion,
  imageInput: perMillion,
  output: perMillion,
  audioOutput: perMillion,
  imageOutput: perMillion,
});
const prices: fc.Arbitrary<Price> = fc
  .record({
    bounds: fc.uniqueArray(fc.integer({ min: 1, max: 2_000_000 }), { maxLength: 4 }),
    steps: fc.array(rates, { minLength: 5, maxLength: 5 }),
    perRequestNanoUsd: perMillion,
    perUnitNanoUsd: fc.dictionary(fc.constantFrom('image', 'audio_second'), perMillion),
  })
  .map(({ bounds, steps, ...rest }) => {
    const from = [0, ...bounds.sort((a, b) => a - b)];
    const list = from.map((fromInputTokens, i) => ({ fromInputTokens, ...steps[i] }) as PriceStep);
    return priceOf(list as unknown as Price['steps'], rest);
  });
const units = fc.dictionary(
  fc.constantFrom('image', 'audio_second'),
  fc.tuple(fc.nat({ max: 5000 }), fc.nat({ max: 999_999_999 })).map(([whole, nano]) => {
    return `${whole}.${nano.toString().padStart(9, '0')}`;
  }),
);

/** The same sum as a fraction of two integers, without a scale chosen beforehand. */
function referenceCost(
  price: Price,
  usage: TokenUsage,
  quantities: Record<string, string>,
): bigint {
  let step = price.steps[0];
  for (const next of price.steps) if (next.fromInputTokens <= tokensIn(usage)) step = next;
  const summands: [bigint, bigint][] = [[price.perRequestNanoUsd, 1n]];
  for (const name of TOKEN_CLASSES) summands.push([BigInt(usage[name]) * step[name], 1_000_000n]);
  for (const [unit, text] of Object.entries(quantities)) {
    const decimals = text.length - text.indexOf('.') - 1;
    const digits = BigInt(text.replace('.', ''));
    summands.push([digits * (price.perUnitNanoUsd[unit] ?? 0n), 10n ** BigInt(decimals)]);
  }
  const [top, bottom] = summands.reduce(([a, b], [c, d]) => [a * d + c * b, b * d]);
  return top / bottom + (top % bottom === 0n ? 0n : 1n);
}

test('the cost is the exact sum, rounded up once at the end', () => {
  fc.assert(
    fc.property(prices, usages, units, (price, usage, quantities) => {
      expect(costNanoUsd(price, usage, quantities)).toBe(referenceCost(price, usage, quantities));
    }),
  );
});

test('the least fraction of a nano-USD is charged as one', () => {
  const price = priceOf([flatStep(0, 1n)]);
  expect(costNanoUsd(price, { ...emptyUsage(), input: 1 })).toBe(1n);
  expect(costNanoUsd(price, { ...emptyUsage(), input: 500_000, output: 500_000 })).toBe(1n);
  expect(costNanoUsd(price, { ...emptyUsage(), input: 500_000, output: 500_001 })).toBe(2n);
});

test('nothing used costs nothing but the price of a request', () => {
  expect(costNanoUsd(priceOf([flatStep(0, 99n)]), emptyUsage())).toBe(0n);
  expect(costNanoUsd(priceOf([flatStep(0, 99n)], { perRequestNanoUsd: 7n }), emptyUsage())).toBe(
    7n,
  );
});

test('within one step, more tokens of any class never cost less', () => {
  fc.assert(
    fc.property(rates, usages, usages, (rate, usage, more) => {
      const price = priceOf([{ fromInputTokens: 0, ...rate }]);
      const sum = { ...usage };
      for (const name of TOKEN_CLASSES) sum[name] += more[name];
      expect(costNanoUsd(price, sum)).toBeGreaterThanOrEqual(costNanoUsd(price, usage));
    }),
  );
});

test('two requests as one cost what they cost apart, but for one rounding', () => {
  fc.assert(
    fc.property(rates, usages, usages, (rate, a, b) => {
      const price = priceOf([{ fromInputTokens: 0, ...rate }]);
      const sum = { ...a };
      for (const name of TOKEN_CLASSES) sum[name] += b[name];
      const apart = costNanoUsd(price, a) + costNanoUsd(price, b);
      expect(apart - costNanoUsd(price, sum)).toBeGreaterThanOrEqual(0n);
      expect(apart - costNanoUsd(price, sum)).toBeLessThanOrEqual(1n);
    }),
  );
});

test('reasoning is part of the output and is not charged again', () => {
  const price = priceOf([flatStep(0, 1_000_000n)]);
  const usage = { ...emptyUsage(), output: 10, reasoning: 10 };
  expect(costNanoUsd(price, usage)).toBe(10n);
  expect(tokensOut(usage)).toBe(10);
});

test('the length of the whole input, cached parts included, chooses the step', () => {
  const price = priceOf([flatStep(0, 1_000_000n), flatStep(200_000, 2_000_000n)]);
  const below = { ...emptyUsage(), input: 100_000, cacheRead: 99_999, output: 1 };
  const at = { ...below, cacheRead: 100_000 };
  expect(costNanoUsd(price, below)).toBe(200_000n);
  expect(costNanoUsd(price, at)).toBe(2n * 200_001n);
  expect(tokensIn(at)).toBe(200_000);
});

test('units are charged by their own price, and by the price of an image for a size without one', () => {
  const price = priceOf([flatStep(0, 0n)], {
    perUnitNanoUsd: { audio_second: 100n, image: 40n, image_hd_1024x1024: 80n },
  });
  expect(costNanoUsd(price, emptyUsage(), { audio_second: '12.5' })).toBe(1250n);
  expect(costNanoUsd(price, emptyUsage(), { audio_second: '0.001' })).toBe(1n);
  expect(costNanoUsd(price, emptyUsage(), { image_hd_1024x1024: 2, image_low_256x256: 1 })).toBe(
    200n,
  );
  expect(costNanoUsd(price, emptyUsage(), { character: 900 })).toBe(0n);
});

test.each([-1, 0.5, NaN, Infinity, 2 ** 53])('%d tokens are no usage', (input) => {
  const price = priceOf([flatStep(0, 1n)]);
  expect(() => costNanoUsd(price, { ...emptyUsage(), input })).toThrow(RangeError);
});

test.each(['-1', '1e3', '', '1.', '0.0000000001', 0.1 + 0.2, -1])(
  '%p is no quantity',
  (quantity) => {
    const price = priceOf([flatStep(0, 1n)]);
    expect(() => costNanoUsd(price, emptyUsage(), { image: quantity })).toThrow('image is counted');
  },
);

const bounds = (
  inputTokens: number,
  outputTokens: number,
  more: Partial<UsageBounds> = {},
): UsageBounds => ({
  inputTokens,
  audioInputTokens: 0,
  outputTokens,
  choices: 1,
  textOutput: false,
  ...more,
});

test('no usage within the estimate costs more than the estimate', () => {
  fc.assert(
    fc.property(
      prices,
      usages,
      fc.integer({ min: 1, max: 8 }),
      units,
      fc.boolean(),
      (price, whole, choices, quantities, textOutput) => {
        const usage = textOutput ? { ...whole, audioOutput: 0 } : whole;
        const output = Math.ceil(tokensOut(usage) / choices);
        for (const input of [tokensIn(usage), tokensIn(usage) + 100_000]) {
          const estimate = estimateNanoUsd(
            price,
            bounds(input, output, {
              audioInputTokens: usage.audioInput,
              choices,
              textOutput,
              units: quantities,
            }),
          );
          expect(estimate).toBeGreaterThanOrEqual(costNanoUsd(price, usage, quantities));
        }
      },
    ),
  );
});

test.each([
  ['its own price', { image: 5n, image_hd_1024x1024: 9n }, 5n],
  [
    'the dearest where only sizes have prices',
    { image_low_256x256: 1n, image_hd_1024x1024: 9n },
    9n,
  ],
  ['nothing where no image has a price', { character: 9n }, 0n],
])('an image of an unknown size costs %s', (_, perUnitNanoUsd, cost) => {
  const price = priceOf([flatStep(0, 1n)], { perUnitNanoUsd });
  expect(costNanoUsd(price, emptyUsage(), { image: 1 })).toBe(cost);
});

describe('an estimate', () => {
  const step = {
    ...flatStep(0, 1_000_000n),
    cacheWrite1h: 3_000_000n,
    audioInput: 40_000_000n,
    audioOutput: 5_000_000n,
  };
  const price = priceOf([step, flatStep(1000, 9_000_000n)], { perRequestNanoUsd: 1n });

  test('is the dearest classes times the bounds', () => {
    expect(estimateNanoUsd(price, bounds(10, 20, { choices: 2 }))).toBe(1n + 30n + 200n);
  });
  test('takes the price of audio for the audio in the input only', () => {
    expect(estimateNanoUsd(price, bounds(10, 0, { audioInputTokens: 4 }))).toBe(1n + 18n + 160n);
  });
  test('takes the price of text for an answer without audio', () => {
    expect(estimateNanoUsd(price, bounds(10, 20, { textOutput: true }))).toBe(1n + 30n + 20n);
    expect(dearestOutput(price, 10, true)).toBe(1_000_000n);
    expect(dearestOutput(price, 10, false)).toBe(5_000_000n);
  });
  test('takes the dearest of the steps that the input may fall into', () => {
    expect(estimateNanoUsd(price, bounds(1000, 0))).toBe(1n + 9_000n);
    expect(dearestOutput(price, 1000, true)).toBe(9_000_000n);
  });
  test('cannot hold more audio than input', () => {
    expect(() => estimateNanoUsd(price, bounds(3, 0, { audioInputTokens: 4 }))).toThrow(RangeError);
  });
});

test('the price in effect is the latest that has begun', () => {
  const [old, now, next] = [0, 1000, 2000].map((effectiveFromMs) =>
    priceOf([flatStep(0, 1n)], { effectiveFromMs }),
  );
  const list = [old, now, next].filter((price) => price !== undefined);
  expect(priceAt(list, 999)).toBe(old);
  expect(priceAt(list, 1000)).toBe(now);
  expect(priceAt(list, 5000)).toBe(next);
  expect(priceAt(list, -1)).toBeUndefined();
});

test('a price crosses the wire unchanged', () => {
  const reply = PolicyServiceDefinition.Authorize;
  fc.assert(
    fc.property(prices, (price) => {
      const bytes = reply.responseSerialize({
        allow: { candidates: [{ price: priceToWire(price) }] },
      });
      const wire = reply.responseDeserialize(bytes).allow?.candidates[0]?.price;
      expect(priceFromWire(wire ?? {})).toEqual(price);
    }),
    { numRuns: 50 },
  );
});

test('a usage crosses the wire as it is', () => {
  const settle = PolicyServiceDefinition.Settle;
  fc.assert(
    fc.property(usages, (usage) => {
      const read: TokenUsage__Output | null | undefined = settle.requestDeserialize(
        settle.requestSerialize({ usage }),
      ).usage;
      const same: TokenUsage | null | undefined = read;
      expect(same).toEqual(usage);
    }),
    { numRuns: 50 },
  );
});

test('a class that a wire price leaves out costs what its kind does; an explicit 0 is free', () => {
  const price = priceFromWire({ steps: [{ input: '5', output: '7', cacheRead: '0' }] });
  expect(price.steps).toEqual([
    {
      fromInputTokens: 0,
      input: 5n,
      cacheRead: 0n,
      cacheWrite5m: 5n,
      cacheWrite1h: 5n,
      audioInput: 5n,
      imageInput: 5n,
      output: 7n,
      audioOutput: 7n,
      imageOutput: 7n,
    },
  ]);
});

test.each([
  ['without steps', { steps: [] }],
  ['that begins later than 0', { steps: [{ fromInputTokens: 5 }] }],
  ['with steps out of order', { steps: [{}, { fromInputTokens: 9 }, { fromInputTokens: 9 }] }],
  ['with a fraction', { steps: [{ input: '0.5' }] }],
  ['below zero', { steps: [{}], perRequestNanoUsd: '-1' }],
])('a wire price %s is refused', (_what, wire) => {
  expect(() => priceFromWire(wire)).toThrow(RangeError);
});

describe('the unit that a call of a server tool is held by', () => {
  const priced = (units: Record<string, bigint>): Price =>
    priceOf([flatStep(0, 1n)], { perUnitNanoUsd: units });
  const images = { image: 5n, image_high_1024x1024: 9n, image_low_256x256: 1n };

  test.each([
    ['its own', { web_search: 0n, file_search: 7n }, 'web_search', 'web_search'],
    ['none that has no price', { web_search: 3n }, 'file_search', undefined],
    ['the dearest image while its size is open', images, 'image', 'image_high_1024x1024'],
    ['an image’s own size', images, 'image_low_256x256', 'image_low_256x256'],
    ['what any image costs', { image: 5n }, 'image_low_256x256', 'image'],
    [
      'the dearest of all that is no other kind',
      { ...images, character: 99n },
      '*',
      'image_high_1024x1024',
    ],
    ['nothing where no tool has a price', { character: 99n }, '*', undefined],
  ])('is %s', (_, units, asked, held) => {
    expect(pricedUnit(priced(units), asked)).toBe(held);
  });
});
