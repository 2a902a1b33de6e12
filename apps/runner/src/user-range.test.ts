import { parseUserRange } from './user-range';

test('a range of user ids includes both ends', () => {
  expect(parseUserRange('20000-20999')).toEqual({ first: 20_000, last: 20_999 });
});

test.each([
  ['20000', 'two user ids'],
  ['0-10', 'must not contain the user 0'],
  ['20-10', 'lower user id'],
  ['1-4294967295', 'before 4294967295'],
])('%s is refused', (text, why) => {
  expect(() => parseUserRange(text)).toThrow(why);
});
