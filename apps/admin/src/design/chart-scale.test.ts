import fc from 'fast-check';

import { labelled, scaleFor } from './chart-scale';

test.each([
  [4_313, true, [0, 2_000, 4_000, 6_000]],
  [7, true, [0, 2, 4, 6, 8]],
  [1, true, [0, 1]],
  [0, true, [0]],
  [0, false, [0]],
  [0.6, false, [0, 0.2, 0.4, 0.6]],
])('the lines up to %s (whole: %s) are at %j', (largest, whole, ticks) => {
  expect(scaleFor(largest, whole).ticks).toEqual(ticks);
});

test('every value is below the highest line, and counts have whole lines', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1e-9, max: 1e15, noNaN: true }),
      fc.boolean(),
      (largest, whole) => {
        const { max, ticks } = scaleFor(largest, whole);
        expect(max).toBeGreaterThanOrEqual(largest * (1 - 1e-9));
        expect(ticks.length).toBeLessThanOrEqual(6);
        if (whole) expect(ticks.every(Number.isInteger)).toBe(true);
      },
    ),
  );
});

test('labels keep their distance', () => {
  const shown = Array.from({ length: 90 }, (_, index) => index).filter(labelled(90, 6));
  expect(shown).toEqual([0, 15, 30, 45, 60, 75]);
});
