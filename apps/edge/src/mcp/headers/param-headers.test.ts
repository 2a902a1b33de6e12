import fc from 'fast-check';

import { checkModernHeaders, type CheckedMessage } from './modern-headers';
import { paramHeadersOf } from './param-headers';

const SCHEMA = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    options: { properties: { limit: { type: 'integer', 'x-mcp-header': 'Limit' } } },
    query: { type: 'string' },
  },
  required: ['region', 'query'],
};

const declared = paramHeadersOf(SCHEMA);
const VERSION = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };

function check(args: unknown, params: Record<string, string | string[]>, rows = declared) {
  const message: CheckedMessage = {
    kind: 'request',
    method: 'tools/call',
    params: { name: 'sql', arguments: args, _meta: VERSION },
  };
  const headers = Object.entries(params).map(([name, value]) => [
    `mcp-param-${name}`,
    [value].flat(),
  ]);
  return checkModernHeaders(
    {
      'mcp-protocol-version': ['2026-07-28'],
      'mcp-method': ['tools/call'],
      'mcp-name': ['sql'],
      ...Object.fromEntries(headers),
    },
    message,
    rows,
  );
}

test('declarations are found at any depth of properties', () => {
  expect(declared).toEqual([
    { header: 'Mcp-Param-Region', path: ['region'], type: 'string' },
    { header: 'Mcp-Param-Count', path: ['count'], type: 'integer' },
    { header: 'Mcp-Param-Dry', path: ['dry'], type: 'boolean' },
    { header: 'Mcp-Param-Limit', path: ['options', 'limit'], type: 'integer' },
  ]);
  expect(paramHeadersOf({ type: 'object' })).toEqual([]);
});

const property = (over: object) => ({ properties: { a: { type: 'string', ...over } } });

test.each([
  ['an empty name', property({ 'x-mcp-header': '' })],
  ['a name that is no token', property({ 'x-mcp-header': 'My Region' })],
  ['a name with a line end', property({ 'x-mcp-header': 'a\r\nb' })],
  ['a name that is no text', property({ 'x-mcp-header': 7 })],
  ['a number', property({ 'x-mcp-header': 'A', type: 'number' })],
  ['an object', property({ 'x-mcp-header': 'A', type: 'object' })],
  ['several types', property({ 'x-mcp-header': 'A', type: ['string'] })],
  ['a declaration of the root', { 'x-mcp-header': 'A', type: 'string' }],
  [
    'one name in two cases',
    {
      properties: {
        a: { type: 'string', 'x-mcp-header': 'Region' },
        b: { type: 'string', 'x-mcp-header': 'REGION' },
      },
    },
  ],
])('a schema with %s declares nothing that can be checked', (_what, schema) => {
  expect(paramHeadersOf(schema)).toBeUndefined();
});

test('schemas beyond the limits declare nothing that can be checked', () => {
  const wide = (count: number, over: object) => ({
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        `p${n}`,
        { type: 'string', ...('x-mcp-header' in over ? { 'x-mcp-header': `H${n}` } : {}) },
      ]),
    ),
  });
  expect(paramHeadersOf(wide(64, { 'x-mcp-header': '' }))).toHaveLength(64);
  expect(paramHeadersOf(wide(65, { 'x-mcp-header': '' }))).toBeUndefined();
  expect(paramHeadersOf(wide(4_096, {}))).toEqual([]);
  expect(paramHeadersOf(wide(4_097, {}))).toBeUndefined();
  let deep: object = {};
  for (let depth = 0; depth < 10_000; depth += 1) deep = { properties: { a: deep } };
  expect(paramHeadersOf(deep)).toBeUndefined();
});

test.each([
  [
    'all that the arguments have',
    { region: 'us', count: 7, dry: true },
    { region: 'us', count: '7', dry: 'true' },
  ],
  ['none for null', { region: null }, {}],
  ['none for absent arguments', undefined, {}],
  ['a nested one', { options: { limit: -3 } }, { limit: '-3' }],
  ['an equal integer in another spelling', { count: 42 }, { count: '42.0' }],
  ['valid Base64', { region: 'Hello' }, { region: '=?base64?SGVsbG8=?=' }],
  ['a literal without the opening marker', { region: 'SGVsbG8=' }, { region: 'SGVsbG8=' }],
  [
    'a literal without the closing marker',
    { region: '=?base64?SGVsbG8=' },
    { region: '=?base64?SGVsbG8=' },
  ],
  ['undeclared ones', { query: 'x' }, { query: 'y', other: '\u00e9' }],
  ['none for an object in place of a text', { region: {} }, {}],
  ['none for an integer beyond the safe range', { count: 2 ** 60 }, {}],
  ['one without an argument', {}, { region: 'us' }],
])('headers pass: %s', (_what, args, headers) => {
  expect(check(args, headers as Record<string, string>)).toBeUndefined();
});

test.each([
  ['omitted', { region: 'test-value' }, {}, 'missing'],
  ['another value', { region: 'us' }, { region: 'eu' }, 'different'],
  ['another case of the value', { dry: true }, { dry: 'True' }, 'different'],
  ['another integer', { count: 42 }, { count: '42.5' }, 'different'],
  [
    'an integer that a number would round',
    { count: 42 },
    { count: '42.00000000000000000001' },
    'different',
  ],
  ['numerals of a text', { region: '42' }, { region: '42.0' }, 'different'],
  ['Base64 without padding', { region: 'Hello' }, { region: '=?base64?SGVsbG8?=' }, 'invalid'],
  [
    'Base64 with other characters',
    { region: 'Hello' },
    { region: '=?base64?SGVs!!!bG8=?=' },
    'invalid',
  ],
  ['invalid characters without an argument', {}, { region: '\u00e9' }, 'invalid'],
  ['twice', { region: 'us' }, { region: ['us', 'us'] }, 'repeated'],
])('a header is told: %s', (_what, args, headers, reason) => {
  expect(check(args, headers as Record<string, string>)).toMatchObject({
    reason,
    header: expect.stringMatching(/^Mcp-Param-/) as string,
  });
});

test('without the tool’s schema its headers are left to the server', () => {
  const message: CheckedMessage = {
    kind: 'request',
    method: 'tools/call',
    params: { name: 'sql', arguments: { region: 'us' }, _meta: VERSION },
  };
  const headers = {
    'mcp-protocol-version': ['2026-07-28'],
    'mcp-method': ['tools/call'],
    'mcp-name': ['sql'],
    'mcp-param-region': ['eu'],
  };
  expect(checkModernHeaders(headers, message)).toBeUndefined();
});

test('inherited properties are no arguments', () => {
  const rows = paramHeadersOf({
    properties: { toString: { type: 'string', 'x-mcp-header': 'A' } },
  });
  expect(check({}, {}, rows)).toBeUndefined();
});

test('any schema and any arguments are read without an error', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (schema, args) => {
      const rows = paramHeadersOf({ properties: { a: schema, region: SCHEMA.properties.region } });
      check(args, {}, rows);
    }),
  );
});
