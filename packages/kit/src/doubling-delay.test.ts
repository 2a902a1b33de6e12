import { doublingDelay } from './doubling-delay';

test('the delay doubles with each failure, up to its bound', () => {
  const delay = doublingDelay(10, 60);
  expect([1, 2, 3, 4, 5, 2_000].map(delay)).toEqual([10, 20, 40, 60, 60, 60]);
});
