import fc from 'fast-check';

import { isRawNumber, parseJson } from '../formats/json';
import { hasLongNumber, LONG_NUMBERS_MOST, markLongNumbers, putLongNumbers } from './long-numbers';

const LONG = '12345678901234567890';

test.each([
  [`{"a":${LONG}}`, `{"a":"!${LONG}"}`],
  [`[-${LONG} ,\n${LONG}]`, `["!-${LONG}" ,\n"!${LONG}"]`],
  [LONG, `"!${LONG}"`],
])('in %s each long number is marked', (text, marked) => {
  expect(markLongNumbers(text, '!')).toBe(marked);
});

test.each([
  ['in a string', `{"a":"${LONG}","b":"\\"${LONG}"}`],
  ['in a fraction', `{"a":0.${LONG},"b":1.${LONG}e5}`],
  ['within the range of a number', '{"a":9007199254740991}'],
  ['in place of a name', `{${LONG}:1}`],
  ['in place of a name, after spaces', `{"a":1, ${LONG} :1}`],
  ['with leading zeros', `{"a":000${LONG}}`],
])('digits %s stay as they are', (_, text) => {
  expect(markLongNumbers(text, '!')).toBe(text);
});

test('a document with too many long numbers is refused', () => {
  const many = `[${`${LONG},`.repeat(LONG_NUMBERS_MOST)}${LONG}]`;
  expect(() => markLongNumbers(many, '!')).toThrow(RangeError);
});

test('a field named __proto__ is an own field', () => {
  const value: unknown = JSON.parse(`{"__proto__":"!1"}`);
  expect(JSON.stringify(putLongNumbers(value, '!', Number))).toBe('{"__proto__":1}');
});

test('any document keeps the digits of its numbers', () => {
  const whole = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String);
  const text = fc.oneof(
    whole,
    fc.string().map((said) => JSON.stringify(said)),
    fc.constantFrom('null', 'true', '0.5'),
  );
  const list = fc.array(
    fc.oneof(
      text,
      fc.array(text).map((inner) => `[${inner.join(',')}]`),
    ),
  );
  fc.assert(
    fc.property(list, (parts) => {
      const document = `[${parts.join(',')}]`;
      expect(JSON.stringify(parseJson(document))).toBe(document);
    }),
  );
});

test('text in a document cannot imitate the mark', () => {
  const [value] = parseJson(`["long-0:1",${LONG}]`) as unknown[];
  expect(value).toBe('long-0:1');
  expect(hasLongNumber(`[${LONG}]`)).toBe(true);
  const [number] = parseJson(`[${LONG}]`) as unknown[];
  expect(isRawNumber(number)).toBe(true);
});
