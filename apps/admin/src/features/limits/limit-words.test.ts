import { LIMIT_KINDS, rest } from '@tollgate/contracts';

import { fillWords, limitPage, limitWords, passWords } from './limit-words';

test('a limit that refused leads to its own list, with a filter that the list knows', () => {
  const id = '00000000-0000-4000-8000-000000000001';
  const lists = { budgets: rest.listBudgets, quotas: rest.listQuotas } as const;
  for (const kind of LIMIT_KINDS) {
    const { path, query } = limitPage({ kind, scope: { type: 'TEAM', id } });
    const { tab, ...filters } = query;
    const list = tab === 'rates' ? rest.listRateLimits : lists[path as keyof typeof lists];
    expect(list.query.parse(filters)).toMatchObject({ scopeType: 'TEAM', scopeId: id });
  }
});

const NONE = { metric: null, period: null, windowSeconds: null, held: 0, spent: 0 };

test('limits are said in words, each with its unit', () => {
  expect(limitWords({ ...NONE, kind: 'BUDGET', metric: 'COST', period: 'DAILY', limit: '5' })).toBe(
    'Daily budget of $5.00',
  );
  expect(limitWords({ ...NONE, kind: 'RATE_TOKENS', limit: 1000 })).toBe(
    'Rate limit of 1,000 tokens a minute',
  );
  expect(limitWords({ ...NONE, kind: 'RATE_CONCURRENT', limit: 2 })).toBe(
    'Limit of 2 requests at once',
  );
});

test('how full a limit was tells what running requests hold, where they hold something', () => {
  const budget = { ...NONE, kind: 'BUDGET', metric: 'COST', limit: '5' } as const;
  expect(fillWords({ ...budget, spent: '4.9', held: '0' })).toBe('$4.90 used');
  expect(fillWords({ ...budget, spent: '4.9', held: '0.2' })).toBe('$4.90 used, $0.20 held');
});

test('a soft limit that was passed is named with its amount and unit, and without a window', () => {
  const id = '00000000-0000-4000-8000-000000000001';
  const at = '2026-03-29T01:30:00.000Z';
  const pass = {
    id,
    limitId: id,
    scope: { type: 'TEAM', id },
    value: null,
    requestId: null,
    windowStart: at,
    windowEnd: at,
    at,
    spent: 0,
    held: 0,
  } as const;
  expect(passWords({ ...pass, kind: 'BUDGET', metric: 'COST', limit: '5' })).toBe(
    'Budget of $5.00',
  );
  expect(passWords({ ...pass, kind: 'QUOTA', metric: 'REQUESTS', limit: 100 })).toBe(
    'Quota of 100 requests',
  );
  expect(passWords({ ...pass, kind: 'QUOTA', metric: 'COST', limit: '0.5' })).toBe(
    'Quota of $0.50',
  );
  expect(passWords({ ...pass, kind: 'RATE_REQUESTS', metric: null, limit: 60 })).toBe(
    'Rate limit of 60 requests a minute',
  );
});
