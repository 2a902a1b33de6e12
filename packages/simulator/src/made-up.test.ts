import { madeUp } from './made-up';

test.each([
  [{ type: 'string' }, 'text'],
  [{ type: ['string', 'null'] }, 'text'],
  [{ type: 'STRING' }, 'text'],
  [{ type: 'string', minLength: 6 }, 'text..'],
  [{ type: 'string', maxLength: 2 }, 'te'],
  [{ type: 'string', format: 'date' }, '2024-01-02'],
  [{ type: 'integer' }, 42],
  [{ type: 'number', maximum: 7.5 }, 7],
  [{ type: 'integer', minimum: 100 }, 100],
  [{ type: 'integer', exclusiveMinimum: 50, multipleOf: 10 }, 60],
  [{ type: 'boolean' }, true],
  [{ type: 'null' }, null],
  [{ const: 'fixed' }, 'fixed'],
  [{ enum: ['b', 'a'] }, 'b'],
  [{ type: 'array', items: { type: 'boolean' } }, [true]],
  [{ type: 'array', items: { type: 'null' }, minItems: 2 }, [null, null]],
  [{ type: 'array', items: { type: 'null' }, maxItems: 0 }, []],
  [{ type: 'array', prefixItems: [{ type: 'null' }, { const: 1 }] }, [null, 1]],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 42],
  [{ oneOf: [{ const: 1 }] }, 1],
  [
    { allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { const: 2 } } }] },
    { a: 1, b: 2 },
  ],
  [{ properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { const: 3 } } }, { a: 3 }],
])('%j gives %j', (schema, value) => {
  expect(madeUp(schema, 'text')).toEqual(value);
});

test('a recursive schema gives a finite value', () => {
  const node = {
    type: 'object',
    required: ['next'],
    properties: {
      next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
      others: { type: 'array', items: { $ref: '#/$defs/node' } },
    },
  };
  const text = JSON.stringify(madeUp({ $ref: '#/$defs/node', $defs: { node } }, 'x'));
  expect(text).toContain('"next":null');
  expect(text.length).toBeLessThan(10_000);
});
