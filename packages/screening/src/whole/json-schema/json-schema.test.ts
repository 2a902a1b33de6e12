import { createSchemaMatcher, SchemaError } from '.';

const verdictOf = async (schema: unknown, text: string) =>
  (await createSchemaMatcher(schema))(text);

const PRICES = {
  type: 'object',
  required: ['items'],
  additionalProperties: false,
  properties: {
    items: { type: 'array', maxItems: 3, items: { $ref: '#/$defs/item' } },
    note: { type: 'string', pattern: '^[a-z ]+$' },
  },
  $defs: {
    item: {
      type: 'object',
      properties: { price: { type: 'number', minimum: 0 }, 'a/b': { const: { x: [1, 'y'] } } },
      required: ['price'],
    },
  },
};

test.each([
  ['{"items":[]}', 'MATCHES'],
  [' {"items":[{"price":1.5,"a/b":{"x":[1,"y"]}}],"note":"fine"}\n', 'MATCHES'],
  ['{"items":[{"price":1},{"price":"2"}]}', { path: '/items/1/price' }],
  ['{"items":[{"price":1,"a/b":{"x":[1,"z"]}}]}', { path: '/items/0/a~1b' }],
  ['{"items":[{}]}', { path: '/items/0' }],
  ['{"items":[],"note":"NOT"}', { path: '/note' }],
  ['{}', { path: '' }],
  ['[]', { path: '' }],
  ['', { path: undefined }],
  ['```json\n{"items":[]}\n```', { path: undefined }],
  ['{"items":[]} and more', { path: undefined }],
])('%s', async (text, expected) => {
  expect(await verdictOf(PRICES, text)).toEqual(expected);
});

test('names that only the answer has are not told', async () => {
  expect(await verdictOf(PRICES, '{"items":[],"my secret":1}')).toEqual({ path: '/*' });
  const anything = { additionalProperties: { items: { type: 'string' } } };
  expect(await verdictOf(anything, '{"my secret":["a",1]}')).toEqual({ path: '/*/1' });
});

test.each([
  [{ additionalProperties: false, properties: {} }, '{"constructor":1}', { path: '/*' }],
  [{ additionalProperties: false }, '{"__proto__":1}', { path: '/*' }],
  [
    { additionalProperties: false, patternProperties: { '^a': {} } },
    '{"toString":1}',
    { path: '/*' },
  ],
  [{ properties: { __proto__x: {} }, required: ['__proto__'] }, '{}', { path: '' }],
  [{ required: ['toString'] }, '{}', { path: '' }],
  [
    JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
    '{"__proto__":1}',
    { path: '/__proto__' },
  ],
  [{ properties: { $ref: { type: 'string' }, $id: {} } }, '{"$ref":1}', { path: '/$ref' }],
  [{ enum: [{ $ref: '#/none' }, { $id: 'x' }] }, '{"$id":"x"}', 'MATCHES'],
  [{ const: { undefined: 'x', type: 1 } }, '{"type":1,"undefined":"x"}', 'MATCHES'],
  [{ uniqueItems: true }, '[{"a":1,"b":2},{"b":2,"a":1}]', { path: '' }],
  [{ uniqueItems: true }, '[1,true,"1",[1]]', 'MATCHES'],
  [{ minLength: 2 }, '"😀"', { path: '' }],
  [{ type: 'integer' }, '1.0', 'MATCHES'],
  [{ anyOf: [{ type: 'string' }, { minimum: 3 }] }, '2', { path: '' }],
  [
    { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
    '{"a":1,"b":2}',
    { path: '/*' },
  ],
  [{ patternProperties: { '^x': {} }, unevaluatedProperties: false }, '{"x1":1}', 'MATCHES'],
  [{ prefixItems: [{ const: 'a' }], items: false }, '["a",2]', { path: '/1' }],
  [
    JSON.parse('{"if":{"type":"string"},"then":{"const":"a"},"else":{"type":"null"}}'),
    '1',
    { path: '' },
  ],
  [{ dependentRequired: { a: ['b'] } }, '{"a":1}', { path: '' }],
  [{ contains: { const: 1 }, maxContains: 1 }, '[1,1]', { path: '' }],
  [{ not: { type: 'string' } }, '"a"', { path: '' }],
  [{ oneOf: [{ type: 'number' }, { minimum: 1 }] }, '2', { path: '' }],
  [{ $ref: '#/$defs/a%20b', $defs: { 'a b': { type: 'null' } } }, '1', { path: '' }],
  [{ pattern: '^\\d+$', $comment: 'x', format: 'email', title: 'T' }, '"12"', 'MATCHES'],
])('%j judges %s', async (schema, text, expected) => {
  expect(await verdictOf(schema, text)).toEqual(expected);
});

test.each([
  [{ properties: { a: { type: 'text' } } }, '/properties/a/type'],
  [{ properties: { 'a/b': { pattern: '(' } } }, '/properties/a~1b/pattern'],
  [{ patternProperties: { '(?=x)': {} } }, '/patternProperties/(?=x)'],
  [{ $ref: 'https://elsewhere.example/schema' }, '/$ref'],
  [{ $ref: 'file:///etc/passwd' }, '/$ref'],
  [{ $ref: '#/$defs/none' }, '/$ref'],
  [{ $ref: '#/properties', properties: {} }, '/$ref'],
  [{ $ref: '#' }, ''],
  [{ anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: { allOf: [{ $ref: '#' }] } } }, ''],
  [{ $id: 'https://elsewhere.example/' }, '/$id'],
  [{ $dynamicRef: '#x' }, '/$dynamicRef'],
  [{ definitions: {} }, '/definitions'],
  [{ $schema: 'http://json-schema.org/draft-07/schema#' }, '/$schema'],
  [{ items: [{}] }, '/items'],
  [{ minLength: -1 }, '/minLength'],
  [{ multipleOf: 0 }, '/multipleOf'],
  [{ required: 'a' }, '/required'],
  [{ enum: 'a' }, '/enum'],
  [{ allOf: [] }, '/allOf'],
  [{ pattern: 'a'.repeat(501) }, '/pattern'],
])('%j is refused at %s', async (schema, pointer) => {
  const failed = await createSchemaMatcher(schema).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(SchemaError);
  expect(failed).toMatchObject({ pointer });
});

describe('what would take long is not decided', () => {
  test('a schema that doubles at each level', async () => {
    const levels = Array.from({ length: 25 }, (_, at) => [
      `l${at}`,
      { allOf: [{ $ref: `#/$defs/l${at + 1}` }, { $ref: `#/$defs/l${at + 1}` }] },
    ]);
    const $defs = { ...Object.fromEntries(levels), l25: { type: 'string' } };
    expect(await verdictOf({ $ref: '#/$defs/l0', $defs }, '"a"')).toBe('UNDECIDED');
  });

  test('a recursion that doubles with the depth of the answer', async () => {
    const a = { $ref: '#' };
    const schema = { properties: { a }, allOf: [{ properties: { a } }] };
    expect(await verdictOf(schema, `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`)).toBe('UNDECIDED');
  });

  test('many branches that each read a large answer', async () => {
    const anyOf = Array.from({ length: 500 }, (_, at) => ({
      minLength: 1,
      maxLength: at,
      pattern: 'x$',
    }));
    expect(await verdictOf({ anyOf }, JSON.stringify('a'.repeat(500_000)))).toBe('UNDECIDED');
  });

  test('a deep answer, and one that is too long', async () => {
    expect(await verdictOf({}, '['.repeat(200) + ']'.repeat(200))).toBe('UNDECIDED');
    expect(await verdictOf({}, JSON.stringify('a'.repeat(1_000_001)))).toBe('UNDECIDED');
  });

  test('a pattern that would run away elsewhere is decided', async () => {
    expect(
      await verdictOf({ pattern: '^(a+)+$' }, JSON.stringify(`${'a'.repeat(5_000)}b`)),
    ).toEqual({
      path: '',
    });
  });
});
