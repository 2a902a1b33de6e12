import { changeOf } from './compare';

test.each([
  [112, 100, 'up', '+12%'],
  [92, 100, 'down', '−8%'],
  [0, 100, 'down', '−100%'],
  [5, 0, 'up', 'none before'],
  [7, 7, 'same', 'unchanged'],
  // Nothing after nothing is no news.
  [0, 0, 'same', ''],
  [1_400, 100, 'up', '×14'],
  [1_000_001, 1_000_000, 'up', '+<0.1%'],
  [999_999, 1_000_000, 'down', '−<0.1%'],
])('%d after %d is %s: %s', (now, before, direction, words) => {
  expect(changeOf(now, before)).toMatchObject({ direction, words });
});

test('a change of a few hundredths is neither good nor bad', () => {
  expect([changeOf(104, 100), changeOf(96, 100), changeOf(110, 100)].map((c) => c.slight)).toEqual([
    true,
    true,
    false,
  ]);
});
