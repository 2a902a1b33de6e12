import { ERRORS, LIMIT_KINDS, rest } from '@tollgate/contracts';
import { limitPage, nextStep } from './next-step';
import { fillWords, limitWords } from './refusal-words';

/** Of requests that never had a key, or that failed after the decision. */
const NEVER_REFUSED = [
  'internal_error',
  'missing_api_key',
  'route_not_found',
  'unsupported_parameter',
  'upstream_rejected',
  'upstream_timeout',
];

test('every code that a key can be refused with says what to do', () => {
  const silent = Object.keys(ERRORS).filter(
    (code) => nextStep(code) === undefined && !NEVER_REFUSED.includes(code),
  );
  expect(silent).toEqual([]);
  expect(nextStep('toString')).toBeUndefined();
});

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
