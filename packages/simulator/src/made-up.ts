// A deterministic value that fits a JSON schema: text for a string, 42 for a number, true for a
// boolean, the first of an enumeration or of alternatives, the minimum number of elements of an
// array (at least one), all properties of an object. `pattern`, `not` and `if` are not supported.

import { arrayOf, countOf, objectOf, type JsonObject } from './json';

const MAX_DEPTH = 16;
/** Below this depth only required parts are made, so that the recursion ends. */
const SPARE_DEPTH = 5;
const MAX_ELEMENTS = 100;
const MAX_CHARACTERS = 10_000;

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2024-01-02T03:04:05Z',
  date: '2024-01-02',
  time: '03:04:05Z',
  duration: 'P1D',
  email: 'someone@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

export function madeUp(schema: unknown, text: string): unknown {
  return valueOf(objectOf(schema), { root: objectOf(schema) ?? {}, text, depth: 0 });
}

interface Place {
  root: JsonObject;
  text: string;
  depth: number;
}

function valueOf(schema: JsonObject | undefined, place: Place): unknown {
  if (schema === undefined || place.depth > MAX_DEPTH) return {};
  const deeper = { ...place, depth: place.depth + 1 };
  if ('const' in schema) return schema['const'];
  const [first] = arrayOf(schema['enum']);
  if (first !== undefined) return first;
  if (typeof schema['$ref'] === 'string') return valueOf(referred(schema['$ref'], place), deeper);
  const alternatives = [...arrayOf(schema['anyOf']), ...arrayOf(schema['oneOf'])];
  if (alternatives.length > 0) return valueOf(chosen(alternatives, place), deeper);
  const parts = arrayOf(schema['allOf']);
  if (parts.length > 0) return valueOf(merged(schema, parts, place), deeper);
  switch (typeOf(schema)) {
    case 'string':
      return textFor(schema, place.text);
    case 'number':
    case 'integer':
      return numberFor(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return elementsFor(schema, deeper);
    default:
      return propertiesFor(schema, deeper);
  }
}

function typeOf(schema: JsonObject): unknown {
  const { type } = schema;
  const one: unknown = Array.isArray(type) ? type[0] : type;
  if (typeof one === 'string') return one.toLowerCase();
  return schema['items'] === undefined && schema['prefixItems'] === undefined ? 'object' : 'array';
}

function referred(reference: string, { root }: Place): JsonObject | undefined {
  if (!reference.startsWith('#')) return undefined;
  let at: JsonObject | undefined = root;
  for (const step of reference.split('/').slice(1)) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at = objectOf(at?.[name]);
  }
  return at;
}

/** Beyond the spare depth, null is chosen if it is an alternative. */
function chosen(alternatives: unknown[], { depth }: Place): JsonObject | undefined {
  const end = alternatives.find((one) => typeOf(objectOf(one) ?? {}) === 'null');
  return objectOf(depth >= SPARE_DEPTH && end !== undefined ? end : alternatives[0]);
}

function merged(schema: JsonObject, parts: unknown[], place: Place): JsonObject {
  const { allOf: _, ...own } = schema;
  return parts.reduce<JsonObject>((all, value) => {
    const part = objectOf(value) ?? {};
    const one = typeof part['$ref'] === 'string' ? (referred(part['$ref'], place) ?? {}) : part;
    return {
      ...all,
      ...one,
      properties: { ...objectOf(all['properties']), ...objectOf(one['properties']) },
      required: [...arrayOf(all['required']), ...arrayOf(one['required'])],
    };
  }, own);
}

function textFor(schema: JsonObject, text: string): string {
  const format = FORMATS[String(schema['format'])];
  if (format !== undefined) return format;
  const least = Math.min(limit(schema, 'minLength') ?? 0, MAX_CHARACTERS);
  return text.padEnd(least, '.').slice(0, limit(schema, 'maxLength'));
}

/** Google's dialect writes counts as text. */
function limit(schema: JsonObject, name: string): number | undefined {
  const value = schema[name];
  return countOf(typeof value === 'string' ? Number(value) : value);
}

function numberFor(schema: JsonObject): number {
  const bound = (name: string): number | undefined =>
    typeof schema[name] === 'number' ? schema[name] : undefined;
  const step = bound('multipleOf') ?? 1;
  const over = bound('exclusiveMinimum');
  const under = bound('exclusiveMaximum');
  const least = bound('minimum') ?? (over === undefined ? undefined : over + step);
  const most = bound('maximum') ?? (under === undefined ? undefined : under - step);
  let value = Math.floor(42 / step) * step;
  if (most !== undefined && value > most) value = Math.floor(most / step) * step;
  if (least !== undefined && value < least) value = Math.ceil(least / step) * step;
  return value;
}

function elementsFor(schema: JsonObject, place: Place): unknown[] {
  const first = arrayOf(schema['prefixItems']);
  const spare = place.depth > SPARE_DEPTH ? 0 : 1;
  const least = Math.min(limit(schema, 'minItems') ?? spare, MAX_ELEMENTS);
  const most = limit(schema, 'maxItems') ?? MAX_ELEMENTS;
  const count = Math.min(Math.max(least, first.length), most);
  return Array.from({ length: count }, (_, at) =>
    valueOf(objectOf(first[at] ?? schema['items']), place),
  );
}

function propertiesFor(schema: JsonObject, place: Place): JsonObject {
  const required = arrayOf(schema['required']);
  const properties = Object.entries(objectOf(schema['properties']) ?? {}).filter(
    ([name]) => place.depth <= SPARE_DEPTH || required.includes(name),
  );
  return Object.fromEntries(
    properties.map(([name, value]) => [name, valueOf(objectOf(value), place)]),
  );
}
