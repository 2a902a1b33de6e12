import * as fc from 'fast-check';

import { replaceValues } from './replace-values';

test('every other byte stays as it is', () => {
  const text =
    ' { "id" : 1e2, "big":12345678901234567890,\n"params":{"_meta":{"a":"\\"id\\":1"},"id":[{}]}} ';
  expect(
    replaceValues(text, [
      { path: ['id'], json: '"x"' },
      { path: ['params', '_meta', 'a'], json: '7' },
    ]),
  ).toBe(' { "id" : "x", "big":12345678901234567890,\n"params":{"_meta":{"a":7},"id":[{}]}} ');
});

test('a name written with escapes, and a name that comes twice, are replaced too', () => {
  expect(replaceValues('{"\\u0069d":1,"id":2}', [{ path: ['id'], json: '3' }])).toBe(
    '{"\\u0069d":3,"id":3}',
  );
});

test.each(['{}', '[]', '7', '{"params":[]}', '{"params":{"other":1}}'])(
  'a path that %s lacks changes nothing',
  (text) => {
    expect(replaceValues(text, [{ path: ['params', 'id'], json: '1' }])).toBe(text);
  },
);

test('deep nesting is no problem', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(replaceValues(`{"a":${deep},"id":1}`, [{ path: ['id'], json: '2' }])).toBe(
    `{"a":${deep},"id":2}`,
  );
});

test('the result is what a change of the parsed value gives', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.jsonValue(),
      fc.jsonValue(),
      fc.nat(2),
      (others, old, next, indent) => {
        const text = JSON.stringify({ ...others, id: old }, undefined, indent);
        const replaced = replaceValues(text, [{ path: ['id'], json: JSON.stringify(next) }]);
        expect(JSON.parse(replaced)).toEqual(JSON.parse(JSON.stringify({ ...others, id: next })));
      },
    ),
  );
});
