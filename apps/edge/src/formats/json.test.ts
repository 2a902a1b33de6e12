import { countOf, otherFields, parseJson, present } from './json';

test('otherFields keeps a field named __proto__', () => {
  const body = JSON.parse('{"a":1,"b":null,"__proto__":{"x":1}}') as Record<string, unknown>;
  const others = otherFields(body, new Set(['a']));
  expect(Object.keys(others)).toEqual(['__proto__']);
  expect(({} as { x?: number }).x).toBeUndefined();
});

test('present omits undefined and null, and keeps false, zero and empty text', () => {
  expect(present({ a: undefined, b: null, c: false, d: 0, e: '' })).toEqual({
    c: false,
    d: 0,
    e: '',
  });
});

test.each([-1, 1.5, '1', null, Number.NaN, 2 ** 60])('%s is not a count', (value) => {
  expect(countOf(value)).toBeUndefined();
});

describe('integers beyond the range of a number', () => {
  test.each([
    '{"a":9007199254740993,"b":[-12345678901234567890123],"c":{"d":18446744073709551615}}',
    '{"a":9007199254740991,"b":"12345678901234567890"}',
    '[12345678901234567890]',
    '{"id":"call_12345678901234567890","a":0.12345678901234568,"b":9007199254740993}',
  ])('%s is written as it was read', (text) => {
    expect(JSON.stringify(parseJson(text))).toBe(text);
    expect(JSON.stringify(structuredCopy(parseJson(text)))).toBe(text);
  });

  test('an integer within the range is a number, and text of digits is text', () => {
    expect(
      parseJson('{"a":9007199254740991,"b":1234567890123456.5,"c":"9007199254740993"}'),
    ).toEqual({
      a: 9_007_199_254_740_991,
      b: 1_234_567_890_123_456.5,
      c: '9007199254740993',
    });
  });

  test('space around a number, or its absence, makes no difference', () => {
    expect(JSON.stringify(parseJson('-9007199254740993'))).toBe('-9007199254740993');
    const text = '[ 9007199254740993 ,\n\t-9007199254740993\r\n]';
    expect(JSON.stringify(parseJson(text))).toBe('[9007199254740993,-9007199254740993]');
  });

  test('malformed JSON is refused', () => {
    expect(() => parseJson('{"a":12345678901234567890')).toThrow(SyntaxError);
  });
});

/** Codecs copy fields of a payload and never its values. */
function structuredCopy(value: unknown): unknown {
  return Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
}
