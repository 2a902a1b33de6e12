import type { LimitState__Output } from '@tollgate/contracts/node';

import { limitHeaders, softExceeded } from './limit-headers';

const state = (over: Partial<LimitState__Output>): LimitState__Output => ({
  limitId: 'l',
  kind: 'RATE_REQUESTS',
  metric: '',
  scopeType: 'API_KEY',
  scopeId: 'k',
  limit: '100',
  settled: '0',
  held: '0',
  remaining: '100',
  resetsAtMs: 0,
  mode: 'HARD',
  period: '',
  windowSeconds: 0,
  sharedId: 0,
  ...over,
});

test('the tightest limit of each kind has headers', () => {
  const headers = limitHeaders(
    'openai',
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

test('a budget’s remaining amount includes the unused part of the hold', () => {
  const budget = state({ kind: 'BUDGET', limit: '2000000000', held: '500000000' });
  expect(limitHeaders('openai', [budget, state({})], 0, 400_000_000n)).toMatchObject({
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
])('a wait of %i ms is written as %s', (ms, text) => {
  const headers = limitHeaders(
    'openai',
    [state({ kind: 'RATE_TOKENS', resetsAtMs: 1_000 + ms })],
    1_000,
  );
  expect(headers['x-ratelimit-reset-tokens']).toBe(text);
});

test('the messages route has rates under its vendor’s names, with the reset as a time', () => {
  const at = Date.parse('2026-11-22T10:00:00.200Z');
  const headers = limitHeaders(
    'anthropic',
    [
      state({ limit: '100', settled: '10', resetsAtMs: at }),
      state({ kind: 'RATE_TOKENS', limit: '5000', resetsAtMs: at - 90_000 }),
    ],
    at - 60_000,
  );
  expect(headers).toEqual({
    'anthropic-ratelimit-requests-limit': '100',
    'anthropic-ratelimit-requests-remaining': '90',
    'anthropic-ratelimit-requests-reset': '2026-11-22T10:00:01Z',
    'anthropic-ratelimit-tokens-limit': '5000',
    'anthropic-ratelimit-tokens-remaining': '5000',
    'anthropic-ratelimit-tokens-reset': '2026-11-22T09:59:01Z',
  });
});

test('a soft limit has headers only if its kind has no hard one', () => {
  const soft = state({ kind: 'BUDGET', limit: '1', settled: '1', mode: 'SOFT' });
  const hard = state({ kind: 'BUDGET', limit: '1000000000' });
  const left = 'x-tollgate-budget-remaining-usd';
  expect(limitHeaders('openai', [soft, hard], 0)[left]).toBe('1.00');
  expect(limitHeaders('openai', [soft], 0)[left]).toBe('0.00');
});

test('only passed soft limits are listed', () => {
  const limits = [
    state({ limitId: 'a', kind: 'BUDGET', scopeType: 'TEAM', period: 'MONTHLY', metric: 'COST' }),
    state({ limitId: 'b', kind: 'QUOTA', metric: 'TOKENS', windowSeconds: 3_600 }),
    state({ limitId: 'c' }),
  ];
  expect(softExceeded(limits, ['a', 'b'])).toBe(
    'BUDGET;scope=TEAM;period=MONTHLY;id="a", QUOTA;scope=API_KEY;metric=TOKENS;window=3600;id="b"',
  );
  expect(softExceeded(limits, [])).toBe('');
});
