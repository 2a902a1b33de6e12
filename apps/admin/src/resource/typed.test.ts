import { numberOrNull } from './typed';

test('an empty field is no number, and neither is a word', () => {
  expect([numberOrNull(''), numberOrNull(' 5'), numberOrNull('five')]).toEqual([
    null,
    5,
    Number.NaN,
  ]);
});
