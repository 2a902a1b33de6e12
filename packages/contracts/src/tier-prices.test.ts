import fc from 'fast-check';

import { costNanoUsd, estimateNanoUsd, priceFromWire, priceToWire } from './prices';
import {
  billedTiers,
  SERVICE_TIER_CHARACTERS,
  SERVICE_TIER_NAMES,
  serviceTierOf,
  tiersText,
} from './service-tiers';
import { heldPrice, priceInTier, unpricedTier } from './tier-prices';
import { emptyUsage } from './token-usage';

const PRICE = priceFromWire({
  priceId: 'p',
  steps: [
    { fromInputTokens: 0, input: '1000000', output: '2000000' },
    { fromInputTokens: 1_000, input: '3000000', output: '4000000' },
  ],
  perRequestNanoUsd: '7',
  perUnitNanoUsd: { web_search: '9' },
  tierPercent: { priority: '200', flex: '50', fast: '600', us: '110.25' },
});
const cost = (tiers: string, input = 100): bigint =>
  costNanoUsd(priceInTier(PRICE, tiers), { ...emptyUsage(), input, output: 10 }, { web_search: 1 });

describe('the price in a tier', () => {
  test.each([
    ['', 120n],
    ['priority', 240n],
    ['flex', 60n],
    ['fast', 720n],
    ['fast, us', 794n], // 120 * 6 * 1.1025, rounded up
    ['scale', 120n],
  ])('"%s" multiplies tokens, not the request and its units', (tiers, tokens) => {
    expect(cost(tiers)).toBe(tokens + 7n + 9n);
  });

  test('holds for every step', () => {
    expect(cost('priority', 2_000)).toBe(2n * (6_000n + 40n) + 16n);
  });

  test('is rounded up once, however many tiers there are', () => {
    const odd = priceFromWire({
      steps: [{ input: '1', output: '1' }],
      tierPercent: { priority: '150', us: '101' },
    });
    expect(priceInTier(odd, 'priority, us').steps[0].input).toBe(2n);
  });

  test('survives the wire', () => {
    expect(priceFromWire(priceToWire(PRICE))).toEqual(PRICE);
  });

  test.each(['', 'a', '-1', '1.234', '1e3'])('a percentage of "%s" is refused', (percent) => {
    expect(() =>
      priceFromWire({ steps: [{ input: '1', output: '1' }], tierPercent: { flex: percent } }),
    ).toThrow(RangeError);
  });
});

test('a hold covers the tier, and standard processing if the provider falls back to it', () => {
  const tiers = fc.subarray(SERVICE_TIER_NAMES).map(tiersText);
  const percent = fc.dictionary(
    fc.constantFrom(...SERVICE_TIER_NAMES),
    fc.integer({ min: 1, max: 1_000_000 }).map((hundredths) => String(hundredths / 100)),
  );
  fc.assert(
    fc.property(tiers, tiers, percent, fc.nat(5_000), (asked, reported, tierPercent, tokens) => {
      const price = priceFromWire({ ...priceToWire(PRICE), tierPercent });
      const bounds = { inputTokens: tokens, audioInputTokens: 0, outputTokens: 5, choices: 1 };
      const held = estimateNanoUsd(heldPrice(price, asked), { ...bounds, textOutput: true });
      const names = asked.split(', ').filter((name) => reported.split(', ').includes(name));
      const charged = priceInTier(price, tiersText(names));
      expect(
        costNanoUsd(charged, { ...emptyUsage(), input: tokens, output: 5 }),
      ).toBeLessThanOrEqual(held);
    }),
  );
});

describe('what an answer is billed by', () => {
  test.each([
    ['', {}, ''],
    ['priority', {}, 'priority'],
    ['priority', { service: 'default' }, ''],
    ['priority', { service: 'auto' }, 'priority'],
    ['', { service: 'priority' }, 'priority'],
    ['fast, us', { service: 'standard', speed: 'standard' }, 'us'],
    ['', { service: 'standard', speed: 'fast', region: 'us' }, 'fast, us'],
    ['flex', { service: 'ON_DEMAND_FLEX' }, 'flex'],
    ['flex', { service: 'ON_DEMAND' }, ''],
    ['', { region: 'not_available' }, ''],
    ['', { service: 'hyper', region: 'eu' }, 'other'],
  ])('asked for "%s", told %j: "%s"', (asked, reported, billed) => {
    expect(billedTiers(asked, reported)).toBe(billed);
  });

  test('OpenAI calls fast processing priority, Anthropic fast', () => {
    expect(serviceTierOf('service', 'fast')).toBe('priority');
    expect(serviceTierOf('speed', 'fast')).toBe('fast');
  });

  test('all names together fit into a record', () => {
    expect(tiersText(SERVICE_TIER_NAMES).length).toBeLessThanOrEqual(SERVICE_TIER_CHARACTERS);
  });
});

test('a tier that only another release knows is kept, and may be dearer', () => {
  expect(tiersText(['warp', 'us', 'priority', 'us'])).toBe('priority, us, warp');
  expect(unpricedTier(PRICE, 'priority, warp')).toBe('warp');
  expect(cost('priority, warp')).toBe(cost('priority'));
});

test('what may be dearer needs a percentage; flex and batch do not', () => {
  expect(unpricedTier(PRICE, 'priority, flex, batch, fast, us')).toBeUndefined();
  expect(unpricedTier(PRICE, 'flex, scale')).toBe('scale');
  expect(unpricedTier(PRICE, 'other')).toBe('other');
});
