import { limitsOf, planOf } from '../directory';
import { context, limit, SUBJECT } from '../test-support/contexts';
import { denialOf, refuseByLimits, tightestFirst, type Reading } from './denials';

const NOW = Date.UTC(2026, 10, 21, 12);
const RESET = Date.UTC(2026, 11, 1);

function reading(
  changes: Parameters<typeof limit>[0],
  amounts: Partial<Omit<Reading, 'limit'>> = {},
): Reading {
  const [planned] = limitsOf(planOf(context({ limits: [limit(changes)] })));
  if (planned === undefined) throw new Error('no limit');
  return {
    limit: planned,
    settled: 0n,
    held: 0n,
    requested: 1n,
    resetsAtMs: RESET,
    retryAtMs: 0,
    ...amounts,
  };
}

const budget = reading(
  { limitId: 'b', limit: '10000000000' },
  { settled: 9_000_000_000n, held: 500_000_000n, requested: 600_000_000n },
);
const quota = reading(
  {
    limitId: 'q',
    kind: 'QUOTA',
    metric: 'REQUESTS',
    limit: '10',
    scopeType: 'TEAM',
    scopeId: 'team-1',
  },
  { settled: 10n },
);
const rate = reading(
  { limitId: 'r:rpm', kind: 'RATE_REQUESTS', metric: '', period: '', limit: '60' },
  { settled: 60n, resetsAtMs: NOW + 61_000, retryAtMs: NOW + 4_000 },
);

test('a rate limit is told before a quota, a quota before a budget', () => {
  expect(refuseByLimits([budget, quota, rate], NOW).code).toBe('rate_limit_exceeded');
  expect(refuseByLimits([budget, quota], NOW).code).toBe('quota_exceeded');
  expect(refuseByLimits([budget], NOW).code).toBe('budget_exceeded');
});

test('of two budgets with nothing spent the one that fits less of the request is named', () => {
  const roomy = reading({ limitId: 'roomy', limit: '2000' }, { requested: 1_000_000n });
  const tight = reading({ limitId: 'tight', limit: '1000' }, { requested: 1_000_000n });
  for (const both of [
    [roomy, tight],
    [tight, roomy],
  ]) {
    expect(refuseByLimits(both, NOW).details).toMatchObject({ limit: { id: 'tight' } });
  }
});

test('of two of a kind the one with the least room for the request is named', () => {
  const tighter = reading(
    { limitId: 'b2', limit: '100000000000' },
    { settled: 99_000_000_000n, requested: 2_000_000_000n },
  );
  const { details } = refuseByLimits([budget, tighter], NOW);
  expect(details).toMatchObject({ limit: { id: 'b2' }, alsoExceeded: ['b'] });
});

test('the details carry money as dollars and counts as numbers', () => {
  expect(refuseByLimits([budget, quota], NOW).details).toEqual({
    limit: {
      id: 'q',
      kind: 'QUOTA',
      metric: 'REQUESTS',
      scope: { type: 'TEAM', id: 'team-1' },
      period: 'MONTHLY',
      limit: 10,
      spent: 10,
      held: 0,
      requested: 1,
      resetsAt: '2026-12-01T00:00:00.000Z',
    },
    alsoExceeded: ['b'],
  });
  expect(refuseByLimits([budget], NOW).details).toMatchObject({
    limit: { limit: '10.00', spent: '9.00', held: '0.50', requested: '0.60' },
  });
});

test.each([
  ['API_KEY', 'of the API key would'],
  ['MCP_SERVER', 'of the MCP server would'],
] as const)('a refusal names the scope %s as people write it', (scopeType, words) => {
  const named = { ...budget, limit: { ...budget.limit, scopeType } };
  expect(refuseByLimits([named], NOW).message).toContain(words);
});

test('what a request would have held is told for limits that depend on its output', () => {
  const need = { inputTokens: 812, outputTokens: 4_096, bound: 'ASSUMED' as const };
  const told = refuseByLimits([budget], NOW, () => need);
  expect(told.details).toMatchObject({
    need: { inputTokens: 812, outputTokens: 4_096, outputBound: 'ASSUMED' },
  });
  expect(told.message).toContain('needs $0.60 for 812 input tokens and up to 4096 output tokens.');
  expect(told.message).toContain('send a lower one (max_tokens)');

  const sent = refuseByLimits([budget], NOW, () => ({ ...need, bound: 'REQUESTED' }));
  expect(sent.details).toMatchObject({ need: { outputBound: 'REQUESTED' } });
  expect(sent.message).not.toContain('max_tokens');

  const embedding = refuseByLimits([budget], NOW, () => ({
    ...need,
    outputTokens: 0,
    bound: 'REQUESTED',
  }));
  expect(embedding.details).toMatchObject({ need: { inputTokens: 812, outputTokens: 0 } });
  expect(embedding.message).not.toContain('output tokens');

  expect(refuseByLimits([quota], NOW, () => need).details).not.toHaveProperty('need');
});

test('waiting is advised only where it helps', () => {
  expect(refuseByLimits([budget], NOW).retryAfterMs).toBe(RESET - NOW);
  expect(refuseByLimits([rate], NOW).retryAfterMs).toBe(4_000);
  const minute = { ...rate, retryAtMs: NOW + 60_400 };
  expect(refuseByLimits([minute], NOW).retryAfterMs).toBe(60_000);
  const tooLarge = { ...budget, requested: 11_000_000_000n };
  expect(refuseByLimits([tooLarge], NOW).retryAfterMs).toBe(0);
  const closed = reading({ limit: '0' });
  expect(refuseByLimits([closed], NOW).retryAfterMs).toBe(0);
});

test('a limit of nothing is the tightest of all', () => {
  const closed = reading({ limitId: 'zero', limit: '0' });
  expect(tightestFirst([budget, closed]).map(({ limit }) => limit.limitId)).toEqual(['zero', 'b']);
});

test('a refusal without words of its own says its table’s sentence', () => {
  const denial = denialOf({ code: 'invalid_api_key' }, SUBJECT);
  expect(denial.message).toContain('API key');
  expect(denial.detailsJson).toBe('');
});
