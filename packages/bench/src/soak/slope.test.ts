import { grows, slopeOf } from './slope';

const points = (ys: readonly number[]) => ys.map((y, x) => ({ x, y }));

test('of a straight line is exact, without an error', () => {
  const { perUnit, halfWidth } = slopeOf(points([1, 3, 5, 7]));
  expect(perUnit).toBeCloseTo(2);
  expect(halfWidth).toBeCloseTo(0);
});

test('has the textbook interval', () => {
  // The squared residuals over x = 0 … 4 add up to 0.716; error = √(0.716 / 3 / 10), t(3) = 3.182.
  const { perUnit, halfWidth } = slopeOf(points([0, 1.2, 1.4, 1.4, 3]));
  expect(perUnit).toBeCloseTo(0.62);
  expect(halfWidth).toBeCloseTo(3.182 * Math.sqrt(0.716 / 3 / 10));
});

test('shows growth only if its interval is above the allowed growth', () => {
  const noisy = points([10, 14, 9, 13, 10, 14, 9, 13, 11]);
  expect(grows(slopeOf(noisy), 0)).toBe(false);
  const leaking = noisy.map(({ x, y }) => ({ x, y: y + 3 * x }));
  expect(grows(slopeOf(leaking), 0)).toBe(true);
  expect(grows(slopeOf(leaking), 5)).toBe(false);
});

test.each([
  [points([1, 2])],
  [
    [
      { x: 1, y: 1 },
      { x: 1, y: 2 },
      { x: 1, y: 3 },
    ],
  ],
])('fewer than three points are refused', (few) => {
  expect(() => slopeOf(few)).toThrow(RangeError);
});
