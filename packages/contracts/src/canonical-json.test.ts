import fc from 'fast-check';

import { canonicalDigest } from './canonical-digest';
import { canonicalJson } from './canonical-json';

// The examples of RFC 8785, sections 3.2.2 to 3.2.4 and appendix B.
const NUMBERS =
  '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}';
const NUMBERS_WRITTEN =
  '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}';

test('the examples of the RFC are written as it says', () => {
  expect(canonicalJson(JSON.parse(NUMBERS))).toBe(NUMBERS_WRITTEN);
  const names = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\ud83d\ude00': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  };
  expect(Object.values(JSON.parse(canonicalJson(names)) as object)).toEqual([
    'One',
    'Carriage Return',
    'Control',
    'Latin Small Letter O With Diaeresis',
    'Euro Sign',
    'Emoji: Grinning Face',
    'Hebrew Letter Dalet With Dagesh',
  ]);
});

it.each([
  [0, '0'],
  [-0, '0'],
  [5e-324, '5e-324'],
  [1.7976931348623157e308, '1.7976931348623157e+308'],
  [9007199254740992, '9007199254740992'],
  [295147905179352830000, '295147905179352830000'],
  [1e21, '1e+21'],
  [1e-7, '1e-7'],
  [0.000001, '0.000001'],
])('the number %p is %s', (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

test('a value survives, and its form depends on neither the order of members nor white space', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = canonicalJson(value);
      // JSON has no negative zero.
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(JSON.parse(JSON.stringify(value, null, 2)))).toBe(text);
      expect(canonicalJson(reversed(value))).toBe(text);
      expect(canonicalDigest(reversed(value))).toEqual(canonicalDigest(value));
    }),
  );
});

test('a lone surrogate is not confused with the text of its escape', () => {
  expect(canonicalJson('\ud800')).not.toBe(canonicalJson('\\ud800'));
});

test('a member named __proto__ counts', () => {
  const text = '{"__proto__":{"a":1},"b":2}';
  expect(canonicalJson(JSON.parse(text))).toBe(text);
});

it.each([
  [undefined],
  [Number.NaN],
  [Infinity],
  [1n],
  [() => 1],
  [{ a: undefined }],
  [[undefined]],
])('%p is refused', (value) => {
  expect(() => canonicalJson(value)).toThrow(RangeError);
});

test('a value that is nested too deep is refused', () => {
  const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
  expect(canonicalJson(nested(129))).toHaveLength(258);
  expect(() => canonicalJson(nested(130))).toThrow('nested deeper than 128');
  expect(() => canonicalJson(nested(100_000))).toThrow(RangeError);
});

test('a digest has 32 bytes, and is that of the text', () => {
  expect(canonicalDigest({}).toString('hex')).toBe(
    '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
  );
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toReversed();
  return Object.fromEntries(members.map(([name, item]) => [name, reversed(item)]));
}
