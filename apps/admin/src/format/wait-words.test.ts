import { waitWords } from './wait-words';

test('a time that is waited is said as it would be set', () => {
  expect([250, 1_500, 120_000, 90_000].map(waitWords)).toEqual([
    '250 ms',
    '1.5 s',
    '2 min',
    '90 s',
  ]);
});
