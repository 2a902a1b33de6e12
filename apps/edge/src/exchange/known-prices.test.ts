import { priceFromWire, TOKEN_CLASSES } from '@tollgate/contracts';

import { priceOf } from './known-prices';

type Wire = Parameters<typeof priceOf>[0];

const step = (fromInputTokens: number, nano: string): Wire['steps'][number] => ({
  fromInputTokens,
  ...(Object.fromEntries(TOKEN_CLASSES.map((name) => [name, nano])) as Omit<
    Wire['steps'][number],
    'fromInputTokens'
  >),
});

const wire = (over: Partial<Wire> = {}): Wire => ({
  priceId: 'p',
  effectiveFromMs: 1,
  steps: [step(0, '5')],
  perRequestNanoUsd: '0',
  perUnitNanoUsd: { image: '7' },
  tierPercent: { flex: '50' },
  ...over,
});

test('equal prices share one object', () => {
  expect(priceOf(wire())).toBe(priceOf(wire()));
  expect(priceOf(wire())).toEqual(priceFromWire(wire()));
});

test.each<[string, Partial<Wire>]>([
  ['the price per request', { perRequestNanoUsd: '9' }],
  ['the percentage of a tier', { tierPercent: { flex: '60' } }],
  ['a tier', { tierPercent: { priority: '50' } }],
  ['no tiers', { tierPercent: {} }],
  ['its start', { effectiveFromMs: 2 }],
  ['a further step', { steps: [step(0, '5'), step(10, '6')] }],
  ['the start of a step', { steps: [step(0, '5'), step(11, '6')] }],
  ...TOKEN_CLASSES.map((name): [string, Partial<Wire>] => [
    `the price of ${name}`,
    { steps: [{ ...step(0, '5'), [name]: '6' }] },
  ]),
  ['the price of a unit', { perUnitNanoUsd: { image: '8' } }],
  ['a missing unit', { perUnitNanoUsd: {} }],
  ['a further unit', { perUnitNanoUsd: { image: '7', audio_second: '1' } }],
])('a price with the same id that differs in %s is a new object', (_what, over) => {
  priceOf(wire());
  expect(priceOf(wire(over))).toEqual(priceFromWire(wire(over)));
});

test('an invalid price is refused every time', () => {
  const none = wire({ priceId: 'none', steps: [] });
  expect(() => priceOf(none)).toThrow(RangeError);
  expect(() => priceOf(none)).toThrow(RangeError);
});
