import { countOf, otherFields, parseJson, present } from './json';

test('other fields keep even the name __proto__', () => {
  const body = JSON.parse('{"a":1,"b":null,"__proto__":{"x":1}}') as Record<string, unknown>;
  const others = otherFields(body, new Set(['a']));
  expect(Object.keys(others)).toEqual(['__proto__']);
  expect(({} as { x?: number }).x).toBeUndefined();
});

test('present leaves out what has no value, and keeps what is false, zero or empty', () => {
  expect(present({ a: undefined, b: null, c: false, d: 0, e: '' })).toEqual({
    c: false,
    d: 0,
    e: '',
  });
});

test.each([-1, 1.5, '1', null, Number.NaN, 2 ** 60])('%s is no count', (value) => {
  expect(countOf(value)).toBeUndefined();
});

describe('numbers too long for a number', () => {
  test.each([
    '{"a":9007199254740993,"b":[-12345678901234567890123],"c":{"d":18446744073709551615}}',
    '{"a":9007199254740991,"b":"12345678901234567890"}',
    '[12345678901234567890]',
    '{"id":"call_12345678901234567890","a":0.12345678901234568,"b":9007199254740993}',
  ])('%s is written as it was read', (text) => {
    expect(JSON.stringify(parseJson(text))).toBe(text);
    expect(JSON.stringify(structuredCopy(parseJson(text)))).toBe(text);
  });

  test('what a number can hold is one, and text of digits is text', () => {
    expect(
      parseJson('{"a":9007199254740991,"b":1234567890123456.5,"c":"9007199254740993"}'),
    ).toEqual({
      a: 9_007_199_254_740_991,
      b: 1_234_567_890_123_456.5,
      c: '9007199254740993',
    });
  });

  test('space around a number, or nothing at all, is as good as a comma', () => {
    expect(JSON.stringify(parseJson('-9007199254740993'))).toBe('-9007199254740993');
    const text = '[ 9007199254740993 ,\n\t-9007199254740993\r\n]';
    expect(JSON.stringify(parseJson(text))).toBe('[9007199254740993,-9007199254740993]');
  });

  test('what is not JSON is refused as ever', () => {
    expect(() => parseJson('{"a":12345678901234567890')).toThrow(SyntaxError);
  });
});

/** What codecs do with a payload: fields are copied, values are not. */
function structuredCopy(value: unknown): unknown {
  return Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
}
