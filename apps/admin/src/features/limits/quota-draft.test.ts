import { limitOf, windowOf } from './quota-draft';

test('a limit is a count, and for cost a decimal text', () => {
  expect(limitOf('REQUESTS', ' 100 ')).toBe(100);
  expect(limitOf('COST', '12.50')).toBe('12.50');
  expect(limitOf('TOKENS', 'many')).toBe('many');
});

test('a window is a period or seconds', () => {
  expect(windowOf('WEEKLY')).toEqual({ period: 'WEEKLY' });
  expect(windowOf('3600')).toEqual({ windowSeconds: 3600 });
});
