import {
  costNanoUsd,
  formatUsd,
  parseUsd,
  priceInTier,
  TOKEN_CLASSES,
  type rest,
} from '@tollgate/contracts';
import fc from 'fast-check';

import { costLines } from './cost-lines';
import { priceOf } from './price-of';

const usd = fc.bigInt({ min: 0n, max: 100_000_000_000n }).map(formatUsd);
const tokens = fc.integer({ min: 0, max: 3_000_000 });
const classes = <T>(arbitrary: fc.Arbitrary<T>) =>
  Object.fromEntries(TOKEN_CLASSES.map((name) => [name, arbitrary])) as Record<
    (typeof TOKEN_CLASSES)[number],
    fc.Arbitrary<T>
  >;
const usage = fc.record({ ...classes(tokens), reasoning: fc.constant(0) });
const price: fc.Arbitrary<rest.Price> = fc.record({
  id: fc.constant('price'),
  effectiveFrom: fc.constant('2026-01-01T00:00:00.000Z'),
  createdAt: fc.constant('2026-01-01T00:00:00.000Z'),
  steps: fc.tuple(fc.record(classes(usd)), fc.record(classes(usd))).map(([first, second]) => [
    { fromInputTokens: 0, ...first },
    { fromInputTokens: 200_000, ...second },
  ]),
  perRequestUsd: usd,
  perUnitUsd: fc.record({ image: usd, audio_second: usd }),
  tierPercent: fc.record({ priority: fc.integer({ min: 1, max: 1_000 }) }),
});
const tier = fc.constantFrom(null, 'priority', 'fast');
const units = fc.record({
  audio_second: fc.integer({ min: 0, max: 99_999 }).map((tenths) => String(tenths / 10)),
  image_1024x1024: fc.integer({ min: 0, max: 9 }).map(String),
});

const attempt = (costUsd: string, of: Partial<rest.UsageRecordDetail['attempts'][number]>) =>
  ({
    costUsd,
    priceId: 'price',
    tokens: null,
    ...of,
  }) as rest.UsageRecordDetail['attempts'][number];
const sum = (lines: readonly { amountUsd: string }[]): bigint =>
  lines.reduce((total, { amountUsd }) => total + parseUsd(amountUsd, { allowNegative: true }), 0n);

test('the lines add up to the cost, as far as each is rounded, and nothing is left over', () => {
  fc.assert(
    fc.property(price, usage, units, tier, (listed, used, counted, serviceTier) => {
      const cost = costNanoUsd(priceInTier(priceOf(listed), serviceTier ?? ''), used, counted);
      const attempts = [attempt(formatUsd(cost), { tokens: used, serviceTier })];
      const lines = costLines({ attempts, prices: [listed], units: counted });
      expect(lines.filter(({ what }) => what === 'other')).toEqual([]);
      const difference = sum(lines) - cost;
      expect(difference < 0n ? -difference : difference).toBeLessThanOrEqual(BigInt(lines.length));
    }),
  );
});

const LISTED: rest.Price = {
  id: 'price',
  effectiveFrom: '2026-01-01T00:00:00.000Z',
  createdAt: '2026-01-01T00:00:00.000Z',
  steps: [
    {
      fromInputTokens: 0,
      input: '2.00',
      cacheRead: '0.50',
      cacheWrite5m: '2.50',
      cacheWrite1h: '4.00',
      audioInput: '2.00',
      imageInput: '2.00',
      output: '10.00',
      audioOutput: '10.00',
      imageOutput: '10.00',
    },
  ],
  perRequestUsd: '0.00',
  perUnitUsd: { image: '0.04' },
  tierPercent: {},
};
const USED = {
  input: 1_000,
  cacheRead: 2_000,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  imageInput: 0,
  output: 500,
  audioOutput: 0,
  imageOutput: 0,
  reasoning: 100,
};

test('each class has its quantity, its price and its amount; each attempt its own lines', () => {
  const attempts = [
    attempt('0.005', { tokens: { ...USED, cacheRead: 0, output: 300 } }),
    attempt('0.00', { tokens: USED }),
    attempt('0.088', { tokens: USED }),
  ];
  expect(costLines({ attempts, prices: [LISTED], units: { image_small: '2' } })).toEqual([
    line(1, 'input', '1000', '2.00', '0.002'),
    line(1, 'output', '300', '10.00', '0.003'),
    line(3, 'input', '1000', '2.00', '0.002'),
    line(3, 'cacheRead', '2000', '0.50', '0.001'),
    line(3, 'output', '500', '10.00', '0.005'),
    { ...line(3, 'unit', '2', '0.04', '0.08'), unit: 'image_small' },
  ]);
});

test('a charge that the price does not explain is told, whole or in part', () => {
  const attempts = [
    attempt('0.50', { priceId: 'deleted', tokens: USED }),
    attempt('0.01', { tokens: USED }),
    attempt('0.20', { tokens: null }),
  ];
  const lines = costLines({ attempts, prices: [LISTED], units: {} });
  expect(lines.filter(({ what }) => what === 'other').map(({ amountUsd }) => amountUsd)).toEqual([
    '0.50',
    '0.002',
    '0.20',
  ]);
  expect(sum(lines)).toBe(parseUsd('0.71'));
});

function line(at: number, what: string, quantity: string, priceUsd: string, amountUsd: string) {
  return { attempt: at, what, unit: '', quantity, priceUsd, amountUsd };
}
