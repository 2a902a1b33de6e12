import { emptyUsage, type TierWords } from '@tollgate/contracts';
import type { Candidate__Output } from '@tollgate/contracts/node';

import { addCharges, chargeFor, chargeForBroken, consumptionSoFar, NO_CHARGE } from './charge';
import { uncachedCost } from './savings';

const candidate = (serviceTier: string): Candidate__Output =>
  ({
    serviceTier,
    price: {
      priceId: 'p',
      effectiveFromMs: 0,
      steps: [
        {
          fromInputTokens: 0,
          input: '1000000',
          cacheRead: '100000',
          cacheWrite5m: '',
          cacheWrite1h: '',
          audioInput: '',
          imageInput: '',
          output: '2000000',
          audioOutput: '',
          imageOutput: '',
        },
      ],
      perRequestNanoUsd: '',
      perUnitNanoUsd: {},
      tierPercent: { priority: '200', flex: '50', fast: '600', us: '110' },
    },
  }) as Partial<Candidate__Output> as Candidate__Output;
const usage = { ...emptyUsage(), input: 100, output: 50 };
const COST = 200n;

test.each<[asked: string, reported: TierWords | undefined, billed: string, percent: bigint]>([
  ['', undefined, '', 100n],
  ['priority', undefined, 'priority', 200n],
  ['priority', { service: 'priority' }, 'priority', 200n],
  ['priority', { service: 'default' }, '', 100n],
  ['', { service: 'priority' }, 'priority', 200n],
  ['flex', { service: 'flex' }, 'flex', 50n],
  ['fast, us', { service: 'standard', speed: 'fast', region: 'us' }, 'fast, us', 660n],
  ['fast, us', { service: 'standard', speed: 'standard' }, 'us', 110n],
])('asked for "%s", told %j, it is charged as "%s"', (asked, tiers, serviceTier, percent) => {
  const charge = chargeFor(candidate(asked), { usage, ...(tiers ? { tiers } : {}) });
  expect(charge).toMatchObject({ serviceTier, costNanoUsd: (COST * percent) / 100n });
});

describe('a stream', () => {
  const report = {
    usage,
    tiers: { service: 'flex' },
    outputSeen: true,
    outputTokensEstimate: 50,
    outputPieces: 1,
    terminal: false,
  };

  test('is charged by the tier that it reported so far', () => {
    const charge = chargeFor(candidate('priority'), consumptionSoFar(undefined, report));
    expect(charge).toMatchObject({ serviceTier: 'flex', costNanoUsd: COST / 2n });
  });

  test('that broke off as well', () => {
    const charge = chargeForBroken(candidate('priority'), undefined, report);
    expect(charge).toMatchObject({ serviceTier: 'flex', costNanoUsd: COST / 2n });
  });
});

test('a stream that broke off is charged what it reported, if only searches', () => {
  const report = { outputSeen: true, outputTokensEstimate: 9, outputPieces: 1, terminal: false };
  const { price } = candidate('');
  const searching = {
    ...candidate(''),
    price: price && { ...price, perUnitNanoUsd: { web_search: '10000000' } },
  };
  const broken = (units: object) => chargeForBroken(searching, undefined, { ...report, ...units });
  expect(broken({ units: { web_search: 2 } })).toMatchObject({
    units: { web_search: '2' },
    costNanoUsd: 20_000_000n,
    quality: 'UNKNOWN',
  });
  // Units that the gateway has only assumed are not the upstream's.
  const assumed = { units: { web_search: 2 }, unitsEstimated: true };
  expect(broken(assumed).costNanoUsd).toBe(0n);
});

test('the sum of two attempts has the tier of the one that costs something', () => {
  const paid = { ...NO_CHARGE, costNanoUsd: 1n, serviceTier: 'priority' };
  expect(addCharges(NO_CHARGE, paid).serviceTier).toBe('priority');
  expect(addCharges(paid, { ...paid, serviceTier: 'flex' }).serviceTier).toBe('priority');
});

test('what caches saved is at the price of the tier', () => {
  const one = candidate('priority');
  const charge = chargeFor(one, { usage: { ...usage, input: 0, cacheRead: 100 } });
  expect(charge.costNanoUsd).toBe(220n);
  expect(uncachedCost(one.price, charge)).toBe('400');
});
