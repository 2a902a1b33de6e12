import { rest } from '@tollgate/contracts';

import {
  correctionDraftOf,
  correctionOf,
  NEW_PRICE,
  nextStep,
  priceDraftOf,
  priceOf,
  scheduledOf,
} from './price-draft';

const [first = nextStep()] = NEW_PRICE.steps;
const PRICE = { ...NEW_PRICE, steps: [{ ...first, input: ' 2.50 ', output: '10' }] };

test('what is left empty is not sent: it costs as plain input or output does', () => {
  const body = priceOf(PRICE);
  expect(body.steps).toEqual([{ fromInputTokens: 0, input: '2.50', output: '10' }]);
  expect(body).not.toHaveProperty('perRequestUsd');
  expect(rest.priceListCreate.safeParse(body).success).toBe(true);
});

test('steps and prices per unit are sent as the server takes them', () => {
  const later = { ...nextStep(), fromInputTokens: '200000', input: '5', output: '20' };
  const draft = {
    steps: [...PRICE.steps, { ...later, cacheRead: '0.5' }],
    perRequestUsd: '0.01',
    units: [{ unit: 'web_search', usd: '0.02' } as const],
    tiers: [{ tier: 'flex', percent: ' 62.5 ' } as const],
  };
  expect(rest.priceListCreate.parse(priceOf(draft))).toMatchObject({
    steps: [{ fromInputTokens: 0 }, { fromInputTokens: 200_000, cacheRead: '0.5' }],
    perRequestUsd: '0.01',
    perUnitUsd: { web_search: '0.02' },
    tierPercent: { flex: 62.5 },
  });
});

test('what is no number is left for the server to refuse, at its field', () => {
  const draft = { ...PRICE, steps: [...PRICE.steps, { ...nextStep(), input: 'a', output: '1' }] };
  const { error } = rest.priceListCreate.safeParse(priceOf(draft));
  expect(new Set(error?.issues.map(({ path }) => path.join('.')))).toEqual(
    new Set(['steps.1.fromInputTokens', 'steps.1.input']),
  );
});

test.each(['', 'a', '0', '10001', '1.234'])(
  'the percentage "%s" is refused at its tier',
  (percent) => {
    const draft = { ...PRICE, tiers: [{ tier: 'priority', percent } as const] };
    const body: unknown = JSON.parse(JSON.stringify(priceOf(draft)));
    const { error } = rest.priceListCreate.safeParse(body);
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['tierPercent.priority']);
  },
);

test('a price is typed again as it is; what costs as plain tokens do follows them', () => {
  const price = {
    steps: [
      {
        fromInputTokens: 0,
        input: '2.50',
        output: '10.00',
        cacheRead: '1.25',
        cacheWrite5m: '2.50',
        cacheWrite1h: '2.50',
        audioInput: '2.50',
        imageInput: '2.50',
        audioOutput: '10.00',
        imageOutput: '10.00',
      },
    ],
    perRequestUsd: '0.00',
    perUnitUsd: { image: '0.04' },
    tierPercent: { priority: 200, flex: 62.5 },
  };
  expect(rest.priceListCreate.parse(priceOf(priceDraftOf(price)))).toEqual({
    steps: [{ fromInputTokens: 0, input: '2.50', output: '10.00', cacheRead: '1.25' }],
    perRequestUsd: '0',
    perUnitUsd: { image: '0.04' },
    tierPercent: { priority: 200, flex: 62.5 },
  });
});

test('a price begins at the local time that is typed, or now', () => {
  expect(scheduledOf({ ...PRICE, effectiveFrom: '' }, 'UTC')).not.toHaveProperty('effectiveFrom');
  const later = scheduledOf({ ...PRICE, effectiveFrom: '2027-01-01T00:00' }, 'Europe/Berlin');
  expect(later.effectiveFrom).toBe('2026-12-31T23:00:00.000Z');
  expect(rest.priceCreate.safeParse(later).success).toBe(true);
});

test('a correction begins and ends with the price that was wrong', () => {
  const period: rest.PricePeriod = {
    id: '01a200b7-30ab-7031-b144-0a2f9f4d5a00',
    ...rest.priceList.parse({ steps: [], perRequestUsd: '0', perUnitUsd: {}, tierPercent: {} }),
    effectiveFrom: '2026-01-01T00:00:00.000Z',
    effectiveUntil: '2026-02-01T00:00:00.000Z',
    createdAt: '2026-01-01T00:00:00.000Z',
    state: 'PAST',
  };
  const draft = correctionDraftOf(period, 'America/New_York');
  expect(correctionOf(draft, 'America/New_York')).toMatchObject({
    from: period.effectiveFrom,
    to: period.effectiveUntil,
  });
  const current = correctionDraftOf({ ...period, state: 'CURRENT' }, 'America/New_York');
  expect(correctionOf(current, 'America/New_York')).not.toHaveProperty('to');
});
