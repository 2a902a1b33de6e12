import { createRestarts } from './restarts';

const LIMITS = { firstMs: 100, mostMs: 1_000, steadyMs: 10_000, most: 5 };

test('each restart in a row waits twice as long, up to a most', () => {
  const restarts = createRestarts(LIMITS);
  const pauses = Array.from({ length: 5 }, () => restarts.ended(0)?.afterMs);
  expect(pauses).toEqual([100, 200, 400, 800, 1_000]);
});

test('what ends too often in a row is given up', () => {
  const restarts = createRestarts(LIMITS);
  for (let n = 1; n <= 5; n += 1) expect(restarts.ended(9_999)?.restart).toBe(n);
  expect(restarts.ended(9_999)).toBeUndefined();
});

test('what has run steadily begins anew', () => {
  const restarts = createRestarts(LIMITS);
  for (let n = 0; n < 5; n += 1) restarts.ended(0);
  expect(restarts.ended(10_000)).toEqual({ restart: 1, afterMs: 100 });
});

test('without a most it is never given up', () => {
  const restarts = createRestarts({ firstMs: 100, mostMs: 1_000, steadyMs: 10_000 });
  for (let n = 0; n < 100; n += 1) restarts.ended(0);
  expect(restarts.ended(0)).toEqual({ restart: 101, afterMs: 1_000 });
});
