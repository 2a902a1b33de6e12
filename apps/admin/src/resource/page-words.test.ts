import { pageWords } from './page-words';

test('a page says how many rows there are on all pages, as far as they were counted', () => {
  expect(pageWords(25)).toBe('25 on this page');
  expect(pageWords(25, null)).toBe('25 on this page');
  expect(pageWords(25, { count: 312, more: false })).toBe('25 of 312 on this page');
  expect(pageWords(25, { count: 10_000, more: true })).toBe('25 of more than 10,000 on this page');
});

test('requests say what all of them cost, where it is known', () => {
  const matching = { count: 12_345, more: false, costUsd: '12.5' };
  expect(pageWords(25, matching)).toBe('25 of 12,345 on this page; all cost $12.50');
  expect(pageWords(25, { ...matching, costUsd: null })).toBe('25 of 12,345 on this page');
});
