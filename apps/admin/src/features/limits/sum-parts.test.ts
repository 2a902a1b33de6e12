import { sumOf } from './sum-parts';

const scope = { type: 'API_KEY', id: '01a200b7-30ab-7031-b144-0a2f9f4d5a00' } as const;
const budget = {
  id: scope.id,
  kind: 'BUDGET',
  metric: 'COST',
  scope,
  period: 'DAILY',
  windowSeconds: null,
  limit: '1',
  spent: '0.5',
  held: '0.25',
  resetsAt: null,
} as const;
const need = {
  requested: '0.5',
  inputTokens: 100,
  outputTokens: 400,
  outputAssumed: true,
  outputExpected: false,
};

test('left is the limit without what is spent and held', () => {
  expect(sumOf(budget, need)).toMatchObject({
    needed: '$0.50',
    limit: '$1.00',
    spent: '$0.50',
    held: '$0.25',
    left: '$0.25',
  });
  expect(sumOf({ ...budget, spent: '2' }, need).left).toBe('$0.00');
});

test('the need says what it is made of, and whether the output was assumed', () => {
  expect(sumOf(budget, need).madeOf).toBe(
    '100 input tokens (estimated) and up to 400 output tokens (assumed by the model, because the request sets no max_tokens)',
  );
  expect(sumOf(budget, { ...need, outputAssumed: false }).madeOf).toMatch(/the request sets\)$/);
  const drawn = sumOf(budget, { ...need, outputAssumed: false, outputExpected: true });
  expect(drawn.madeOf).toMatch(/expected of what the request asks for\)$/);
  expect(drawn.fittingTokens).toBeUndefined();
  expect(sumOf(budget, { ...need, inputTokens: null, outputTokens: null }).madeOf).toBe('');
});

test('the suggested bound fits at every price of input up to that of output', () => {
  const { fittingTokens = 0 } = sumOf(budget, need);
  expect(fittingTokens).toBeGreaterThan(0);
  for (const inputPrice of [0, 0.25, 0.5, 1]) {
    const outputToken = 0.5 / (400 + 100 * inputPrice);
    expect(outputToken * (100 * inputPrice + fittingTokens)).toBeLessThanOrEqual(0.25);
  }
});

test('no bound is suggested where none helps', () => {
  expect(sumOf({ ...budget, held: '0.5' }, need).fittingTokens).toBeUndefined();
  const counted = { ...need, requested: '1', inputTokens: null, outputTokens: null };
  expect(sumOf(budget, counted).fittingTokens).toBeUndefined();
});
