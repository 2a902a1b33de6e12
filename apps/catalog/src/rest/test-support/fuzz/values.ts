import fc from 'fast-check';

import type { Document, JsonSchema } from './document';

/** Values for a JSON Schema: valid and invalid ones. */

/** Ids are drawn as names such as `{{own.teamId}}`, and replaced when the request is sent. */
export const idNamed = (whose: string, name: string): string => `{{${whose}.${name}}}`;

export const ID_NAMES = [
  'organisationId',
  'teamId',
  'userId',
  'providerId',
  'keyId',
  'modelId',
  'priceId',
  'mcpServerId',
  'apiKeyId',
  'budgetId',
  'quotaId',
  'rateLimitId',
  'routingPolicyId',
  'modelAliasId',
  'experimentId',
  'usageViewId',
  'exportDestinationId',
  'platformExportDestinationId',
  'requestId',
  'mcpRecordId',
  'quarantineId',
  'rerateId',
  'priceCorrectionId',
  'invoiceId',
  'invitationId',
  'sessionId',
  'identityId',
  'alertDestinationId',
  'alertRuleId',
  'alertId',
  'alertDeliveryId',
  'platformAlertDestinationId',
  'platformAlertRuleId',
  'platformAlertId',
  'platformAlertDeliveryId',
] as const;

const MAX_DEPTH = 6;
const MAX_ITEMS = 4;

/** Kinds of scopes. */
const SCOPED = [
  'organisationId',
  'teamId',
  'userId',
  'apiKeyId',
  'modelId',
  'mcpServerId',
] as const;

/**
 * An id of the kind that the field names, or of any kind: mostly the caller's, otherwise a rival's
 * or unknown.
 */
export function idArbitrary(field: string): fc.Arbitrary<string> {
  const singular = field.replace(/Ids$/, 'Id');
  const named = ID_NAMES.filter((name) => name === singular);
  const kinds = named.length > 0 ? named : field === 'id' ? SCOPED : ID_NAMES;
  const of = (owner: string): fc.Arbitrary<string> =>
    fc.constantFrom(...kinds).map((name) => idNamed(owner, name));
  return fc.oneof(
    { weight: 16, arbitrary: of('own') },
    { weight: 2, arbitrary: of('rival') },
    { weight: 1, arbitrary: fc.uuid({ version: 7 }) },
  );
}

/** Values that fit the schema, except for rules in its prose. */
export function fitting(
  document: Document,
  given: JsonSchema,
  field = '',
  depth = 0,
): fc.Arbitrary<unknown> {
  const schema = document.resolve(given);
  const next = (inner: unknown, name = field): fc.Arbitrary<unknown> =>
    fitting(document, inner as JsonSchema, name, depth + 1);
  if (depth > MAX_DEPTH) return fc.constant(null);
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices)) return fc.oneof(...choices.map((choice) => next(choice)));
  if (Array.isArray(schema['allOf'])) {
    return fc
      .tuple(...schema['allOf'].map((part) => next(part)))
      .map((parts) => Object.assign({}, ...(parts as object[])) as unknown);
  }
  const type = Array.isArray(schema['type'])
    ? (schema['type'] as string[]).find((one) => one !== 'null')
    : schema['type'];
  switch (type) {
    case 'string':
      return text(schema, field);
    case 'integer':
    case 'number':
      return numeric(schema, type);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(next(schema['items'] ?? {}), {
        minLength: Math.min(Number(schema['minItems'] ?? 0), MAX_ITEMS),
        maxLength: Math.min(Number(schema['maxItems'] ?? MAX_ITEMS), MAX_ITEMS),
      });
    case 'object':
      return objectOf(schema, next);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf(
  schema: JsonSchema,
  next: (inner: unknown, name: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, unknown>);
  const requiredKeys = (schema['required'] ?? []) as string[];
  const record = fc.record(
    Object.fromEntries(fields.map(([name, inner]) => [name, next(inner, name)])),
    { requiredKeys, noNullPrototype: true },
  );
  const others = schema['additionalProperties'];
  if (typeof others !== 'object' || others === null) return record;
  const keys = fc.string({ minLength: 1, maxLength: 12 });
  const more = fc.dictionary(keys, next(others, ''), { maxKeys: 3, noNullPrototype: true });
  return fc.tuple(record, more).map(([some, rest]) => ({ ...some, ...rest }));
}

const INSTANTS = [
  '1970-01-01T00:00:00Z',
  '2020-02-29T23:59:59.999Z',
  '2026-11-22T12:00:00+05:30',
  '2999-12-31T00:00:00-12:00',
  '9998-12-31T23:59:59Z',
];

function text(schema: JsonSchema, field: string): fc.Arbitrary<string> {
  const { format, pattern } = schema;
  if (format === 'uuid') return idArbitrary(field);
  if (format === 'date-time') return fc.constantFrom(...INSTANTS);
  if (format === 'email') return fc.nat(99).map((n) => `someone-${String(n)}@example.com`);
  if (format === 'uri' || field.toLowerCase().endsWith('url')) {
    return fc.constantFrom('http://127.0.0.1:9/v1', 'http://10.0.0.1/', 'https://example.com/v1');
  }
  if (typeof pattern === 'string') {
    // Patterns that the generator cannot parse (such as look-aheads) may be violated.
    try {
      return fc.stringMatching(new RegExp(pattern));
    } catch {
      return fc.string({ maxLength: 20 });
    }
  }
  const minLength = Number(schema['minLength'] ?? 0);
  const maxLength = Math.max(minLength, Math.min(Number(schema['maxLength'] ?? 30), 60));
  return fc.string({ minLength, maxLength, unit: 'grapheme' });
}

function numeric(schema: JsonSchema, type: string): fc.Arbitrary<number> {
  const min = Number(schema['minimum'] ?? schema['exclusiveMinimum'] ?? 0);
  const max = Number(schema['maximum'] ?? schema['exclusiveMaximum'] ?? 1_000_000);
  const edges = fc.constantFrom(min, max);
  const between =
    type === 'integer' ? fc.maxSafeInteger().map((n) => clamp(n, min, max)) : fc.constant(min);
  return fc.oneof(
    edges,
    between,
    fc.integer({ min: 0, max: 100 }).map((n) => clamp(n, min, max)),
  );
}

const clamp = (value: number, min: number, max: number): number =>
  Math.min(Math.max(value, min), max);

/** Text that may break something on its way. */
export const HOSTILE_TEXT = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\ufeff',
  '\u202e\u0000',
  'é'.repeat(300),
  '\u{1F469}\u200D\u{1F4BB}'.repeat(100),
  'x'.repeat(5_000),
  `'; DROP TABLE team; --`,
  '%_\\',
  '%00',
  '%ff',
  '../../etc/passwd',
  '${jndi:x}',
  '-1',
  '1e309',
  'NaN',
  'null',
  '99999999999999999999999999',
  '0000-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '2026-02-30T25:61:61Z',
  '9999-12-31T23:59:59.999999999+23:59',
  '2026-13',
  '0000-00',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  Buffer.from('["-createdAt","9","00000000-0000-7000-8000-000000000000"]').toString('base64url'),
  Buffer.from('["-createdAt","infinity","019aa000-0000-7000-8000-000000000000"]').toString(
    'base64url',
  ),
  Buffer.from('["name","a\\u0000b","019aa000-0000-7000-8000-000000000000"]').toString('base64url'),
] as const;

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...HOSTILE_TEXT),
  fc.constantFrom<unknown>(null, true, [], {}, [[]], [null], 0, -0, -1, 0.1, 1e21, 2 ** 53, -1e308),
  fc.constantFrom<unknown>(nested(10), nested(40), nested(400)),
  fc.constantFrom<unknown>(Array.from({ length: 2_000 }, (_, at) => at)),
  fc.jsonValue({ maxDepth: 3 }),
);

/** The value with one change somewhere inside it. */
export function spoilt(value: unknown): fc.Arbitrary<unknown> {
  const places = placesOf(value, [], 0);
  return fc
    .tuple(fc.constantFrom(...places), fc.constantFrom('put', 'drop', 'add'), hostile)
    .map(([place, how, other]) => changed(value, place, how, other));
}

function placesOf(value: unknown, path: string[], depth: number): string[][] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [path];
  const inside = Object.entries(value).flatMap(([key, item]) =>
    placesOf(item, [...path, key], depth + 1),
  );
  return [path, ...inside];
}

function changed(value: unknown, path: readonly string[], how: string, other: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return how === 'add' && isObject ? { ...value, ['no such field']: other } : other;
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown, at) =>
      String(at) === key ? changed(item, rest, how, other) : item,
    );
  }
  const object = { ...(value as Record<string, unknown>) };
  if (rest.length === 0 && how === 'drop') delete object[key];
  else object[key] = changed(object[key], rest, how, other);
  return object;
}
