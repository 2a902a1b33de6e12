import { linePath } from './line-path';

const scale = { max: 10, ticks: [0, 10] };

test('a line goes through the middles of its points', () => {
  expect(linePath([0, 5, 10], scale)).toBe('M0.5 100L1.5 50L2.5 0');
});

test('what is not known breaks the line, and a value alone can still be seen', () => {
  expect(linePath([5, null, 5, 5], scale)).toBe('M0.2 50L0.8 50M2.5 50L3.5 50');
  expect(linePath([null, null], scale)).toBe('');
  expect(linePath([], scale)).toBe('');
});
