import { amountPart, showAmount, windowWords } from './quota-words';

test.each([
  [{ period: 'MONTHLY' as const, windowSeconds: null }, 'Monthly'],
  [{ period: null, windowSeconds: 60 }, 'Every minute'],
  [{ period: null, windowSeconds: 21_600 }, 'Every 6 hours'],
  [{ period: null, windowSeconds: 90 }, 'Every 90 seconds'],
])('a window in words', (quota, words) => {
  expect(windowWords(quota)).toBe(words);
});

test('amounts are shown as what they count', () => {
  expect(showAmount('TOKENS', 1_200_000)).toBe('1,200,000');
  expect(showAmount('COST', '12.5')).toBe('$12.50');
  expect(showAmount('LATENCY_MS', 90_000)).toBe('1 min 30 s');
  expect(amountPart('2.50', '10.00')).toBe(0.25);
  expect(amountPart(0, 0)).toBe(1);
});
