import { TRY_FORMATS } from '../../api/dry-run';
import { bodyFor, bodyIn, checkWords, FORMAT_CHOICES, holdWords } from './try-words';

test('every format has a body to begin with', () => {
  expect(FORMAT_CHOICES.map(({ value }) => value)).toEqual([...TRY_FORMATS]);
  for (const format of TRY_FORMATS) expect(bodyIn(bodyFor(format, 'm'))).toBeDefined();
});

test('a body that is no object is not sent', () => {
  for (const text of ['', 'no', '[]', 'null', '3']) expect(bodyIn(text)).toBeUndefined();
});

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
