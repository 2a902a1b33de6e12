import { dotPath, linePath } from './line-path';

const scale = { max: 10, ticks: [0, 10] };

test('a line goes through the middles of its points', () => {
  expect(linePath([0, 5, 10], scale)).toBe('M0.5 100L1.5 50L2.5 0');
});

test('what is not known breaks the line, and a value alone is a dot', () => {
  expect(linePath([5, null, 5, 5], scale)).toBe('M2.5 50L3.5 50');
  expect(dotPath([5, null, 5, 5], scale)).toBe('M0.5 50h0.0001');
  expect(linePath([10], scale)).toBe('');
  expect(dotPath([10], scale)).toBe('M0.5 0h0.0001');
  expect(linePath([null, null], scale)).toBe('');
  expect(dotPath([null, null], scale)).toBe('');
});
