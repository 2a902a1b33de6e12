import type { rest } from '@tollgate/contracts';

import { cachedShare, isLoss, savedUsd } from './cached';

const TOKENS: rest.UsageRecord['tokens'] = {
  input: 500,
  cacheRead: 1_500,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  imageInput: 0,
  output: 100,
  audioOutput: 0,
  imageOutput: 0,
  reasoning: 0,
};
const step = (fromInputTokens: number, input: string, cacheRead: string) => ({
  fromInputTokens,
  input,
  cacheRead,
  cacheWrite5m: '0',
  cacheWrite1h: '0',
  audioInput: '0',
  imageInput: '0',
  output: '10',
  audioOutput: '0',
  imageOutput: '0',
});
const price = (id: string, steps: rest.Price['steps']): rest.Price => ({
  id,
  effectiveFrom: '2026-01-01T00:00:00.000Z',
  createdAt: '2026-01-01T00:00:00.000Z',
  steps,
  perRequestUsd: '0',
  perUnitUsd: {},
  tierPercent: { priority: 200 },
});
const attempt = (priceId: string | null, tokens: rest.UsageRecord['tokens'] | null = TOKENS) =>
  ({ priceId, tokens, uncachedCostUsd: null }) as rest.UsageRecordDetail['attempts'][number];

test('the share is that of all input', () => {
  expect(cachedShare({ tokens: TOKENS, tokensIn: 2_000 })).toBe(0.75);
  expect(cachedShare({ tokens: { ...TOKENS, cacheRead: 0 }, tokensIn: 0 })).toBeUndefined();
});

test('what the cache saved is the difference of two prices, at the step of the whole input', () => {
  const prices = [price('a', [step(0, '2', '0.5'), step(2_000, '4', '1')])];
  expect(savedUsd({ attempts: [attempt('a')], prices })).toBe('0.0045');
  const short = { ...TOKENS, input: 499 };
  expect(savedUsd({ attempts: [attempt('a', short)], prices })).toBe('0.00225');
  expect(savedUsd({ attempts: [attempt('a'), attempt('a', short)], prices })).toBe('0.00675');
});

test('cached input that costs more is a loss', () => {
  const prices = [price('a', [step(0, '1', '2')])];
  const saved = savedUsd({ attempts: [attempt('a')], prices });
  expect(saved).toBe('-0.0015');
  expect(isLoss(saved ?? '')).toBe(true);
  expect(isLoss('0.1')).toBe(false);
});

test('nothing is told of what was not cached, or has no price', () => {
  const prices = [price('a', [step(0, '2', '0.5')])];
  const fresh = { ...TOKENS, cacheRead: 0 };
  for (const one of [attempt('a', fresh), attempt(null), attempt('b'), attempt('a', null)]) {
    expect(savedUsd({ attempts: [one], prices })).toBeUndefined();
  }
});

test('writing to a cache is dearer than plain input, and counts against what was saved', () => {
  const written = { ...step(0, '2', '0.5'), cacheWrite5m: '2.5' };
  const tokens = { ...TOKENS, cacheRead: 0, cacheWrite5m: 1_000 };
  expect(savedUsd({ attempts: [attempt('a', tokens)], prices: [price('a', [written])] })).toBe(
    '-0.0005',
  );
});

test('what a record has recorded precedes its price list', () => {
  const recorded = { ...attempt('a'), costUsd: '0.4', uncachedCostUsd: '1' };
  expect(savedUsd({ attempts: [recorded], prices: [] })).toBe('0.60');
});

test('what the cache saved an answer in a tier is at the price of that tier', () => {
  const prices = [price('a', [step(0, '2', '0.5'), step(2_000, '4', '1')])];
  const fast = { ...attempt('a'), serviceTier: 'priority' };
  expect(savedUsd({ attempts: [fast], prices })).toBe('0.009');
});
