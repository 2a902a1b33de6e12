import { checkWords, holdWords } from './decision-words';

test('the hold says where its bound comes from', () => {
  const hold = { usd: '0.02', inputTokens: 9, outputTokens: 50, choices: 2, outputBound: 'BUDGET' };
  expect(holdWords(hold)).toBe(
    '$0.02 for 9 input tokens (estimated) and up to 2 × 50 output tokens (lowered to what a budget affords)',
  );
  const embeds = { ...hold, outputTokens: 0, outputBound: null };
  expect(holdWords(embeds)).toBe('$0.02 for 9 input tokens (estimated)');
});

test('an unknown check is named as it is', () => {
  expect([checkWords('limits'), checkWords('a_new_one')]).toEqual([
    'Every limit has room',
    'a new one',
  ]);
});
