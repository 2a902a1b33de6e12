import { checkDepth, countOf, fieldsBeside, present } from './json';

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = { deep: value };
  return value;
}

test('a value as deep as the limit is taken, one deeper is refused, its field named', () => {
  expect(() => checkDepth({ a: nested(9) }, 10)).not.toThrow();
  expect(() => checkDepth({ a: nested(11) }, 10)).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: 'a' }) as Error,
  );
});

test('a value far too deep does not overflow the stack', () => {
  expect(() => checkDepth(nested(200_000), 64)).toThrow('nested');
});

test('fields beside those known keep even the name __proto__', () => {
  const body = JSON.parse('{"a":1,"b":null,"__proto__":{"x":1}}') as Record<string, unknown>;
  const beside = fieldsBeside(body, new Set(['a']));
  expect(Object.keys(beside)).toEqual(['__proto__']);
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
