import { isFullyRequired, isObjectRoot, withPlainRoot, wrapRoot } from './schema-roots';
import { adaptSchema, SCHEMA_RULES } from './schema-rules';

function adapt(vendor: keyof typeof SCHEMA_RULES, schema: Record<string, unknown>) {
  const reported: string[] = [];
  const adapted = adaptSchema(schema, SCHEMA_RULES[vendor], (path) => reported.push(path));
  return { adapted, reported };
}

const person = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    age: { type: 'integer', description: 'In years', minimum: 0, maximum: 150 },
    name: { type: 'string', minLength: 1, pattern: '^[A-Z]' },
    tags: { type: 'array', items: { type: 'string' }, minItems: 2, uniqueItems: true },
  },
  required: ['age', 'name', 'tags'],
};

test('Anthropic accepts no bounds of numbers, texts and lists', () => {
  expect(adapt('anthropic', person)).toEqual({
    adapted: {
      type: 'object',
      properties: {
        age: { type: 'integer', description: 'In years\n\nConstraints: at least 0; at most 150.' },
        name: {
          type: 'string',
          pattern: '^[A-Z]',
          description: 'Constraints: at least 1 characters.',
        },
        tags: {
          type: 'array',
          items: { type: 'string' },
          description: 'Constraints: at least 2 items; no two items alike.',
        },
      },
      required: ['age', 'name', 'tags'],
      additionalProperties: false,
    },
    reported: [
      'properties.age.minimum',
      'properties.age.maximum',
      'properties.name.minLength',
      'properties.tags.minItems',
      'properties.tags.uniqueItems',
    ],
  });
});

test('OpenAI and Gemini accept some of the bounds', () => {
  expect(adapt('openai', person).reported).toEqual([
    'properties.name.minLength',
    'properties.tags.uniqueItems',
  ]);
  expect(adapt('gemini', person).reported).toEqual([
    'properties.name.minLength',
    'properties.name.pattern',
    'properties.tags.uniqueItems',
  ]);
});

test('a keyword with an equivalent spelling is respelled, and not reported', () => {
  const schema = {
    type: 'object',
    properties: {
      kind: { const: 'a' },
      either: { oneOf: [{ type: 'string' }, { type: 'null' }] },
      node: { allOf: [{ $ref: '#/definitions/node' }], description: 'First' },
    },
    definitions: { node: { type: 'object', properties: {} } },
  };
  const { adapted, reported } = adapt('gemini', schema);
  expect(reported).toEqual([]);
  expect(adapted).toMatchObject({
    properties: {
      kind: { enum: ['a'] },
      either: { oneOf: [{ type: 'string' }, { type: 'null' }] },
      node: { anyOf: [{ $ref: '#/$defs/node' }], description: 'First' },
    },
    $defs: { node: { type: 'object' } },
  });
  expect(adapt('anthropic', schema).adapted['properties']).toMatchObject({
    either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  });
});

test('a reference has no other keywords', () => {
  const schema = { type: 'array', items: { $ref: '#/$defs/a', description: 'One', default: 1 } };
  expect(adapt('openai', schema)).toEqual({
    adapted: {
      type: 'array',
      items: {
        anyOf: [{ $ref: '#/$defs/a' }],
        description: 'One\n\nConstraints: the default is 1.',
      },
    },
    reported: ['items.default'],
  });
});

test('a map with arbitrary keys is reported where it must be closed', () => {
  const schema = { type: 'object', additionalProperties: { type: 'number' } };
  expect(adapt('openai', schema)).toEqual({
    adapted: {
      type: 'object',
      additionalProperties: false,
      description: 'Constraints: further properties match {"type":"number"}.',
    },
    reported: ['additionalProperties'],
  });
  expect(adapt('gemini', schema).reported).toEqual([]);
});

test('long descriptions are cut', () => {
  const { adapted } = adapt('anthropic', {
    type: 'array',
    contains: { enum: ['x'.repeat(5_000)] },
  });
  expect(String(adapted['description']).length).toBeLessThan(1_100);
});

test.each([
  [{ type: 'object' }, true],
  [{ properties: {} }, true],
  [{}, true],
  [{ type: 'array' }, false],
  [{ type: ['object', 'null'] }, false],
  [{ type: 'object', anyOf: [] }, false],
  [{ $ref: '#/$defs/a' }, false],
  [{ enum: ['a'] }, false],
])('%j has an object at its root: %j', (schema, expected) => {
  expect(isObjectRoot(schema)).toBe(expected);
});

test('a wrapped schema finds its definitions and itself', () => {
  const schema = {
    type: 'array',
    items: { anyOf: [{ $ref: '#' }, { $ref: '#/$defs/leaf' }, { $ref: '#/items' }] },
    $defs: { leaf: { type: 'object', properties: { up: { $ref: '#' } } } },
  };
  expect(wrapRoot(schema)).toEqual({
    type: 'object',
    properties: {
      value: {
        type: 'array',
        items: {
          anyOf: [
            { $ref: '#/properties/value' },
            { $ref: '#/$defs/leaf' },
            { $ref: '#/properties/value/items' },
          ],
        },
      },
    },
    required: ['value'],
    additionalProperties: false,
    $defs: { leaf: { type: 'object', properties: { up: { $ref: '#/properties/value' } } } },
  });
});

test.each([
  [{ type: 'object', properties: { a: {} }, required: ['a'] }, true],
  [{ type: 'object', properties: { a: {} } }, false],
  [{ type: 'array', items: { type: 'object', properties: { a: {} } } }, false],
  [{ type: 'object', additionalProperties: { type: 'string' } }, false],
  [{ type: 'object', properties: { enum: { type: 'string' } }, required: ['enum'] }, true],
])('%j demands every property: %j', (schema, expected) => {
  expect(isFullyRequired(schema)).toBe(expected);
});

test('a union at the root of parameters is reported, and its properties are merged', () => {
  const reported: string[] = [];
  const parameters = {
    type: 'object',
    properties: { a: { type: 'string' } },
    oneOf: [{ required: ['a'] }, { properties: { b: { type: 'number' } }, required: ['b'] }],
  };
  expect(withPlainRoot(parameters, (keyword) => reported.push(keyword))).toEqual({
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'number' } },
    description:
      'Constraints: oneOf: [{"required":["a"]},{"properties":{"b":{"type":"number"}},"required":["b"]}].',
  });
  expect(reported).toEqual(['oneOf']);
});
