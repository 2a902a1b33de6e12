import { nameOfObject } from './object-name';

test.each([
  [null, { name: 'gpt-5', limitUsd: '3' }, 'gpt-5'],
  [{ name: 'old' }, null, 'old'],
  [null, { limitUsd: '1500.00', period: 'QUARTERLY' }, 'Quarterly budget of $1,500.00'],
  [{ limitUsd: '10' }, { limitUsd: '20' }, 'Budget of $20.00'],
  [
    null,
    { metric: 'REQUESTS', limit: 40, period: null, windowSeconds: 3_600 },
    'Every hour: 40 requests',
  ],
  [null, { metric: 'COST', limit: '12.5', period: 'DAILY', windowSeconds: null }, 'Daily: $12.50'],
  [
    null,
    { requestsPerMinute: 60, tokensPerMinute: 2_000_000, concurrentRequests: null },
    '60 requests a minute, 2,000,000 tokens a minute',
  ],
  [null, { email: 'ada@example.com', role: 'USER' }, 'ada@example.com'],
  [null, { number: '000002', month: '2026-10', status: 'ISSUED' }, '000002'],
  [null, { number: null, month: '2026-10', status: 'DRAFT' }, 'October 2026'],
  [null, { metric: 'COST', limit: '1', settled: '1.2' }, 'Limit of $1.00'],
])('%j → %j is about %s', (before, after, words) => {
  expect(nameOfObject(before, after)).toBe(words);
});

test.each([
  [null, null],
  [null, { method: 'PASSWORD' }],
  [null, { limitUsd: 'a lot' }],
  [null, { metric: 'BREAKFASTS', limit: 3 }],
])('%j → %j says nothing of its name', (before, after) => {
  expect(nameOfObject(before, after)).toBeUndefined();
});
