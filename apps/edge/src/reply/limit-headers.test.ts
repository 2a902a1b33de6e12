import type { LimitState__Output } from '@tollgate/contracts/node';
import { limitHeaders } from './limit-headers';

const state = (over: Partial<LimitState__Output>): LimitState__Output => ({
  limitId: 'l',
  kind: 'RATE_REQUESTS',
  metric: '',
  scopeType: 'API_KEY',
  scopeId: 'k',
  limit: '100',
  settled: '0',
  held: '0',
  resetsAtMs: 0,
  mode: 'HARD',
  period: '',
  windowSeconds: 0,
  ...over,
});

test('the tightest limit of each kind is told', () => {
  const headers = limitHeaders(
    [
      state({ limit: '100', settled: '10', held: '5' }),
      state({ limit: '20', settled: '1' }),
      state({ kind: 'BUDGET', limit: '2000000000', held: '500000000' }),
      state({ kind: 'BUDGET', limit: '100', settled: '200' }),
      state({ kind: 'RATE_CONCURRENT', limit: '1' }),
      state({ kind: 'QUOTA', metric: 'TOKENS', limit: '1' }),
    ],
    0,
  );
  expect(headers).toEqual({
    'x-ratelimit-limit-requests': '20',
    'x-ratelimit-remaining-requests': '19',
    'x-ratelimit-reset-requests': '0s',
    'x-tollgate-budget-remaining-usd': '0.00',
  });
});

test('a budget gets back what the hold was more than the cost', () => {
  const budget = state({ kind: 'BUDGET', limit: '2000000000', held: '500000000' });
  expect(limitHeaders([budget, state({})], 0, 400_000_000n)).toMatchObject({
    'x-tollgate-budget-remaining-usd': '1.90',
    'x-ratelimit-remaining-requests': '100',
  });
});

test.each([
  [-5, '0s'],
  [45, '45ms'],
  [1_450, '1.5s'],
  [360_000, '6m0s'],
  [61_500, '1m2s'],
])('a wait of %i ms is written %s', (ms, text) => {
  const headers = limitHeaders([state({ kind: 'RATE_TOKENS', resetsAtMs: 1_000 + ms })], 1_000);
  expect(headers['x-ratelimit-reset-tokens']).toBe(text);
});
