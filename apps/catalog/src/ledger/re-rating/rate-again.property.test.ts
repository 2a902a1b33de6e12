import {
  costNanoUsd,
  emptyUsage,
  OUTCOMES,
  priceFromWire,
  priceInTier,
  TOKEN_CLASSES,
  tokensIn,
  tokensOut,
  UNITS,
  type Price,
  type TokenUsage,
} from '@tollgate/contracts';
import fc from 'fast-check';

import { ZERO_AMOUNTS } from '../records/amounts';
import type { BookedRequest } from '../records/booked-request';
import { rateAgain } from './rate-again';

const amount = fc.bigInt({ min: 0n, max: 500_000_000_000n });
const amountText = amount.map(String);
const tokens = fc.oneof(fc.constant(0), fc.nat({ max: 3_000_000 }));

/** A stored price list, as the edge gets it. */
const prices: fc.Arbitrary<Price> = fc
  .record({
    from: fc.uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 4 }),
    classes: fc.array(
      fc.record(
        Object.fromEntries(TOKEN_CLASSES.map((name) => [name, amountText])) as Record<
          (typeof TOKEN_CLASSES)[number],
          fc.Arbitrary<string>
        >,
      ),
      { minLength: 5, maxLength: 5 },
    ),
    perRequestNanoUsd: fc.oneof(fc.constant('0'), amountText),
    perUnitNanoUsd: fc.dictionary(fc.constantFrom(...Object.keys(UNITS)), amountText, {
      maxKeys: 4,
    }),
    tierPercent: fc.dictionary(
      fc.constantFrom('priority', 'flex', 'fast', 'us'),
      fc.integer({ min: 1, max: 1_000_000 }).map((hundredths) => String(hundredths / 100)),
    ),
  })
  .map(({ from, classes, perRequestNanoUsd, perUnitNanoUsd, tierPercent }) =>
    priceFromWire({
      priceId: 'p',
      steps: [0, ...from.toSorted((a, b) => a - b)].map((fromInputTokens, n) => ({
        fromInputTokens,
        ...classes[n],
      })),
      perRequestNanoUsd,
      perUnitNanoUsd,
      tierPercent,
    }),
  );

const quantity = fc
  .tuple(fc.nat({ max: 100_000 }), fc.nat({ max: 999_999_999 }))
  .map(([whole, part]) => `${whole}.${String(part).padStart(9, '0')}`);

const used = fc.record({
  usage: fc.record({
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
  }),
  units: fc.dictionary(fc.constantFrom(...Object.keys(UNITS)), quantity, { maxKeys: 3 }),
  serviceTier: fc.constantFrom('', 'priority', 'flex', 'fast, us'),
  outcome: fc.constantFrom(...OUTCOMES),
});
interface Used {
  usage: TokenUsage;
  units: Record<string, string>;
  serviceTier: string;
  outcome: BookedRequest['outcome'];
}

const costOf = (price: Price, { serviceTier, units, usage }: Used): bigint =>
  costNanoUsd(priceInTier(price, serviceTier), usage, units);

/** A settled request with this charge. */
function bookedRequest(
  { usage, units, outcome, serviceTier }: Used,
  costNanoUsd: bigint,
): BookedRequest {
  return {
    requestId: 'r',
    mode: 'SETTLED',
    truth: null,
    operation: 'chat',
    outcome,
    authorisedAtMs: 0,
    bookedZone: null,
    dimensions: {
      organisationId: 'o',
      teamId: null,
      userId: null,
      apiKeyId: 'k',
      modelId: 'm',
      providerId: 'v',
      mcpServerId: null,
    },
    charged: {
      ...ZERO_AMOUNTS,
      cost_nano_usd: costNanoUsd,
      input_tokens: BigInt(usage.input),
      cache_read_tokens: BigInt(usage.cacheRead),
      cache_write_5m_tokens: BigInt(usage.cacheWrite5m),
      cache_write_1h_tokens: BigInt(usage.cacheWrite1h),
      audio_input_tokens: BigInt(usage.audioInput),
      image_input_tokens: BigInt(usage.imageInput),
      output_tokens: BigInt(usage.output),
      audio_output_tokens: BigInt(usage.audioOutput),
      image_output_tokens: BigInt(usage.imageOutput),
      reasoning_tokens: BigInt(usage.reasoning),
    },
    reratedNanoUsd: 0n,
    correctedNanoUsd: 0n,
    fromCache: false,
    priceId: 'p',
    units,
    serviceTier,
  };
}

test('an unchanged price changes nothing, whatever was used and corrected by hand', () => {
  fc.assert(
    fc.property(prices, used, amount, (price, request, correction) => {
      const cost = costOf(price, request);
      const one = bookedRequest(request, cost);
      expect(rateAgain(one, price, price)).toEqual({ kind: 'SAME' });
      const corrected = { ...one, correctedNanoUsd: correction > cost ? -cost : -correction };
      expect(rateAgain(corrected, price, price)).toEqual({ kind: 'SAME' });
    }),
  );
});

test('a changed price ends at exactly its own cost, and a second run changes nothing', () => {
  fc.assert(
    fc.property(prices, prices, prices, used, (own, first, second, request) => {
      fc.pre(tokensIn(request.usage) + tokensOut(request.usage) > 0);
      let one = bookedRequest(request, costOf(own, request));
      // A charge of zero means a free request, which another test covers.
      fc.pre(one.charged.cost_nano_usd > 0n);
      for (const price of [first, second, own]) {
        const verdict = rateAgain(one, own, price);
        const difference = verdict.kind === 'DIFFERS' ? verdict.differenceNanoUsd : 0n;
        one = { ...one, reratedNanoUsd: one.reratedNanoUsd + difference };
        expect(one.charged.cost_nano_usd + one.reratedNanoUsd).toBe(costOf(price, request));
        expect(rateAgain(one, own, price)).toEqual({ kind: 'SAME' });
      }
      expect(one.reratedNanoUsd).toBe(0n);
    }),
  );
});

test('no request comes to less than nothing, and what was taken off by hand stays off', () => {
  fc.assert(
    fc.property(prices, prices, used, amount, (own, price, request, off) => {
      const cost = costOf(own, request);
      fc.pre(cost > 0n);
      const correctedNanoUsd = off > cost ? -cost : -off;
      const one = { ...bookedRequest(request, cost), correctedNanoUsd };
      const verdict = rateAgain(one, own, price);
      const difference = verdict.kind === 'DIFFERS' ? verdict.differenceNanoUsd : 0n;
      const wanted = costOf(price, request) + correctedNanoUsd;
      expect(cost + correctedNanoUsd + difference).toBe(wanted < 0n ? 0n : wanted);
    }),
  );
});

const dear = priceFromWire({
  priceId: 'dear',
  steps: [{ fromInputTokens: 0, input: '1000000000', output: '1000000000' }],
  perRequestNanoUsd: '7',
});
const nothing = priceFromWire({ priceId: 'nothing', steps: [{ fromInputTokens: 0 }] });
const chat: Used = {
  usage: {
    input: 1_000,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    audioInput: 0,
    imageInput: 0,
    output: 0,
    audioOutput: 0,
    imageOutput: 0,
    reasoning: 0,
  },
  units: {},
  serviceTier: '',
  outcome: 'COMPLETED',
};

test('what was free stays free', () => {
  expect(rateAgain(bookedRequest(chat, 0n), dear, dear)).toEqual({ kind: 'SAME' });
  const unused = { ...chat, usage: { ...chat.usage, input: 0 } };
  for (const price of [nothing, undefined]) {
    expect(rateAgain(bookedRequest({ ...unused, outcome: 'FAILED' }, 0n), price, dear).kind).toBe(
      'SAME',
    );
    const counting = { ...bookedRequest(unused, 0n), operation: 'count_tokens' };
    expect(rateAgain(counting, price, dear).kind).toBe('SAME');
    // Answered without countable usage: charged for each request.
    expect(rateAgain(bookedRequest(unused, 0n), price, dear)).toMatchObject({
      differenceNanoUsd: 7n,
    });
    expect(rateAgain(bookedRequest(chat, 0n), price, dear)).toMatchObject({
      differenceNanoUsd: 1_000_007n,
    });
  }
});

test('what no price list has made is left alone', () => {
  expect(rateAgain(bookedRequest(chat, 123n), dear, nothing)).toEqual({ kind: 'OTHERWISE' });
  const odd = { ...chat, units: { image: 'many' } };
  expect(rateAgain(bookedRequest(odd, 1_000_007n), dear, nothing)).toEqual({ kind: 'OTHERWISE' });
  const unknown = { ...bookedRequest(chat, 1_000_007n), units: null };
  expect(rateAgain(unknown, dear, nothing)).toEqual({ kind: 'OTHERWISE' });
  // A kept answer has no tokens; a price for each call would charge it anew.
  for (const charged of [0n, 5_000n]) {
    const kept = { ...bookedRequest({ ...chat, usage: emptyUsage() }, charged), priceId: null };
    expect(rateAgain({ ...kept, fromCache: true }, undefined, dear)).toEqual({ kind: 'OTHERWISE' });
  }
  const held: BookedRequest = { ...bookedRequest(chat, 1_000_007n), mode: 'ABANDONED' };
  expect(rateAgain(held, dear, nothing)).toEqual({ kind: 'HELD' });
  expect(rateAgain({ ...held, truth: 'SETTLED' }, dear, nothing)).toMatchObject({
    kind: 'DIFFERS',
  });
});

test('a percentage that was missing charges the tier of the record, and no other request', () => {
  const price = (tierPercent: Record<string, string>): Price =>
    priceFromWire({
      priceId: 'p',
      steps: [{ fromInputTokens: 0, input: '1000000', output: '2000000' }],
      tierPercent,
    });
  const usage = { ...emptyUsage(), input: 10, output: 5 };
  const request = { usage, units: {}, outcome: 'COMPLETED', serviceTier: 'priority' } as const;
  const corrected = price({ priority: '200' });
  expect(rateAgain(bookedRequest(request, 20n), price({}), corrected)).toEqual({
    kind: 'DIFFERS',
    differenceNanoUsd: 20n,
  });
  const standard = bookedRequest({ ...request, serviceTier: '' }, 20n);
  expect(rateAgain(standard, price({}), corrected)).toEqual({ kind: 'SAME' });
});
