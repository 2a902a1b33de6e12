import fc from 'fast-check';

import { argumentsOf, draftShowing, emptyDraft } from './argument-draft';
import { fieldOfTool, type Field } from './schema-fields';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

function fieldsOf(schema: Readonly<Record<string, unknown>>) {
  const field = fieldOfTool(schema);
  if (field.kind !== 'object') throw new Error(`it is ${field.kind}`);
  return field.fields;
}
const kindOf = (property: object, more: object = {}): Field['kind'] | undefined =>
  fieldsOf(object({ it: property }, more))[0]?.field.kind;

test.each([
  [{ type: 'string' }, 'text'],
  [{ type: 'number' }, 'number'],
  [{ type: 'integer' }, 'number'],
  [{ type: 'boolean' }, 'flag'],
  [{ type: ['string', 'null'] }, 'text'],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'number'],
  [{ allOf: [{ $ref: '#/$defs/Colour' }] }, 'choice'],
  [{ $ref: '#/$defs/Colour' }, 'choice'],
  [{ const: 1 }, 'choice'],
  [{ enum: ['a', 'b', null] }, 'choice'],
  [{ oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, 'choice'],
  [{ type: 'array', items: { type: 'string' } }, 'list'],
  [object({ a: { type: 'string' } }), 'object'],
  // What a form cannot show.
  [{}, 'json'],
  [{ type: ['string', 'number'] }, 'json'],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'json'],
  [{ type: 'array' }, 'json'],
  [{ type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } }, 'json'],
  [{ type: 'object' }, 'json'],
  [
    object({ a: { type: 'string' } }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    'json',
  ],
  [{ $ref: '#/$defs/Missing' }, 'json'],
  [{ $ref: 'https://example.com/schema' }, 'json'],
  [{ $ref: '#/$defs/Itself' }, 'json'],
  [{ $ref: '#/__proto__' }, 'json'],
])('%j is a field for %s', (property, kind) => {
  const $defs = {
    Colour: { type: 'string', enum: ['red', 'blue'] },
    Itself: { $ref: '#/$defs/Itself' },
  };
  expect(kindOf(property, { $defs })).toBe(kind);
});

test('a schema that contains itself ends as JSON', () => {
  const tree = object({ children: { type: 'array', items: { $ref: '#' } } });
  expect(JSON.stringify(fieldOfTool(tree)).length).toBeLessThan(2_000);
});

test('a schema with very many fields ends as JSON', () => {
  const many = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`f${String(at)}`, { type: 'string' }]),
  );
  const field = fieldOfTool(object({ a: object(many), b: object(many) }));
  const count = JSON.stringify(field).split('"kind":"text"').length - 1;
  expect(count).toBeLessThanOrEqual(150);
  expect(
    fieldOfTool(
      object({
        ...many,
        ...Object.fromEntries(Object.entries(many).map(([name]) => [`${name}x`, {}])),
      }),
    ).kind,
  ).toBe('json');
});

test('a field has its title, its hint, and the default only where the tool needs one', () => {
  const fields = fieldsOf(
    object(
      {
        query: { type: 'string', title: 'Query', description: 'What to find.' },
        limit: { type: 'integer', default: 10 },
        day: { type: 'string', format: 'date', default: 'today' },
      },
      { required: ['query', 'day'] },
    ),
  );
  expect(fields).toMatchObject([
    { title: 'Query', required: true, initial: undefined, field: { hint: 'What to find.' } },
    { title: 'limit', required: false, initial: undefined, field: { hint: 'Default: 10.' } },
    { required: true, initial: 'today', field: { hint: 'Format: date. Default: "today".' } },
  ]);
});

const SCHEMA = object(
  {
    text: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    on: { type: 'boolean' },
    colour: { enum: ['red', 'blue', 3] },
    tags: { type: 'array', items: { type: 'string' } },
    filter: object({ from: { type: 'string' }, deep: object({ n: { type: 'integer' } }) }),
    rows: { type: 'array', items: object({ id: { type: 'integer' } }, { required: ['id'] }) },
    free: {},
  },
  { required: ['text', 'tags', 'filter'] },
);
const FIELD = fieldOfTool(SCHEMA);

test('what is left empty is not sent, except what the tool needs', () => {
  expect(argumentsOf(FIELD, emptyDraft(FIELD))).toEqual({
    problems: { text: 'This field is required.' },
  });
  expect(argumentsOf(FIELD, { text: 'x' })).toEqual({
    arguments: { text: 'x', tags: [], filter: {} },
  });
});

test('each mistake is named at its field', () => {
  const draft = {
    text: 'x',
    count: '1.5',
    ratio: 'much',
    rows: [{ id: '' }, { id: 'one' }],
    free: '{',
  };
  expect(argumentsOf(FIELD, draft)).toEqual({
    problems: {
      count: 'This is not a whole number.',
      ratio: 'This is not a number.',
      'rows[0].id': 'This field is required.',
      'rows[1].id': 'This is not a number.',
      free: 'This is not valid JSON.',
    },
  });
});

test('false, zero and empty texts of a list are values', () => {
  const draft = { text: 'x', on: 'false', count: '0', tags: [''], colour: '2', free: 'null' };
  expect(argumentsOf(FIELD, draft)).toEqual({
    arguments: { text: 'x', on: false, count: 0, tags: [''], colour: 3, free: null, filter: {} },
  });
});

test('a tool without a usable schema takes a JSON object', () => {
  const field = fieldOfTool({ type: 'object', anyOf: [{}, {}] });
  expect(field.kind).toBe('json');
  expect(argumentsOf(field, '')).toEqual({ arguments: {} });
  expect(argumentsOf(field, '{"a":1}')).toEqual({ arguments: { a: 1 } });
  expect(argumentsOf(field, '[1]')).toHaveProperty('problems');
});

const text = fc.string({ minLength: 1, maxLength: 5 });
const given = fc.record(
  {
    text,
    count: fc.integer(),
    ratio: fc.double({ noNaN: true, noDefaultInfinity: true }),
    on: fc.boolean(),
    colour: fc.constantFrom<unknown>('red', 'blue', 3),
    tags: fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
    filter: fc.record({ from: text, deep: fc.record({ n: fc.integer() }) }, { requiredKeys: [] }),
    rows: fc.array(fc.record({ id: fc.integer() }), { minLength: 1, maxLength: 3 }),
    free: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: ['text', 'tags', 'filter'] },
);

test('arguments survive the form, or the form says that it cannot show them', () => {
  fc.assert(
    fc.property(given, (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      const draft = draftShowing(FIELD, plain);
      const nested =
        value.filter?.deep !== undefined && Object.keys(value.filter.deep).length === 0;
      if (draft === undefined) return nested;
      expect(argumentsOf(FIELD, draft)).toEqual({ arguments: plain });
      return true;
    }),
  );
  expect(draftShowing(FIELD, { text: 'x', tags: [], filter: {}, other: 1 })).toBeUndefined();
  expect(draftShowing(FIELD, { text: 1, tags: [], filter: {} })).toBeUndefined();
});
