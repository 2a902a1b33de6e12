// Adapts JSON Schemas to the subset that a vendor enforces. An unsupported keyword moves to the
// description of its node, where the model reads it, and is reported.

import { isObject } from './json';
import type { JsonObject } from './normalised';

/** The subset of one vendor. */
export interface SchemaRules {
  keywords: ReadonlySet<string>;
  /** Every object must be closed: it has no properties except its own. */
  closed: boolean;
  /** Next to a reference only keywords with `$` are allowed. */
  bareReferences: boolean;
  /** Whether the subset has this keyword with this value; absent: any value. */
  takes: (keyword: string, value: unknown) => boolean;
}

const SHARED = ['$defs', '$ref', 'anyOf', 'description', 'enum', 'items', 'properties', 'required'];
const TYPED = [...SHARED, 'additionalProperties', 'format', 'minItems', 'title', 'type'];

const STRING_FORMATS: ReadonlySet<unknown> = new Set([
  'date',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'time',
  'uuid',
]);

function isPlain(value: unknown): boolean {
  return value === null || typeof value !== 'object';
}

function allPlain(values: unknown): boolean {
  return Array.isArray(values) && values.every(isPlain);
}

function isNamed(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

const ANY_NUMBER = ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum', 'multipleOf'];

/** From the vendors' documentation of structured outputs. */
export const SCHEMA_RULES = {
  openai: {
    keywords: new Set([...TYPED, ...ANY_NUMBER, 'const', 'definitions', 'maxItems', 'pattern']),
    closed: true,
    bareReferences: true,
    takes: (keyword, value) => keyword !== 'format' || STRING_FORMATS.has(value),
  },
  anthropic: {
    keywords: new Set([...TYPED, 'allOf', 'const', 'default', 'definitions', 'pattern']),
    closed: true,
    bareReferences: true,
    takes: (keyword, value) => {
      if (keyword === 'format') return value === 'uri' || STRING_FORMATS.has(value);
      if (keyword === 'minItems') return value === 0 || value === 1;
      if (keyword === 'enum') return allPlain(value);
      if (keyword === 'const') return isPlain(value);
      if (keyword === 'allOf') return Array.isArray(value) && !value.some(isReference);
      return true;
    },
  },
  gemini: {
    keywords: new Set([
      ...TYPED,
      '$anchor',
      '$id',
      'maxItems',
      'maximum',
      'minimum',
      'oneOf',
      'prefixItems',
      'propertyOrdering',
    ]),
    closed: false,
    bareReferences: true,
    takes: (keyword, value) => keyword !== 'enum' || (Array.isArray(value) && value.every(isNamed)),
  },
} as const satisfies Readonly<Record<string, SchemaRules>>;

function isReference(schema: unknown): boolean {
  return isObject(schema) && schema['$ref'] !== undefined;
}

/** Keywords that do not constrain an answer. */
const REMARKS: ReadonlySet<string> = new Set(['$comment', '$schema']);

const MAPS: ReadonlySet<string> = new Set(['$defs', 'definitions', 'properties']);
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);

type Report = (path: string) => void;

/** The adapted schema. `report` gets the path of every keyword that became a description. */
export function adaptSchema(
  schema: JsonObject,
  rules: SchemaRules,
  report: Report,
  path = '',
): JsonObject {
  const adapted: JsonObject = {};
  const words: string[] = [];
  for (const [written, value] of Object.entries(schema)) {
    if (REMARKS.has(written)) continue;
    if (rules.closed && written === OPEN) continue;
    const [keyword, meaning] = respelled(written, value, schema, rules);
    if (rules.keywords.has(keyword) && rules.takes(keyword, meaning) && isWhole(keyword, meaning)) {
      adapted[keyword] = adaptWithin(keyword, meaning, rules, report, at(path, written));
      continue;
    }
    words.push(inWords(written, value));
    report(at(path, written));
  }
  if (rules.closed) closeObject(schema, adapted, words, () => report(at(path, OPEN)));
  if (words.length > 0) adapted['description'] = describe(adapted['description'], words);
  return rules.bareReferences ? withBareReference(adapted) : adapted;
}

function at(path: string, keyword: string): string {
  return path === '' ? keyword : `${path}.${keyword}`;
}

/** An equivalent spelling, if the vendor knows only that one. */
function respelled(
  keyword: string,
  value: unknown,
  schema: JsonObject,
  { keywords, takes }: SchemaRules,
): [keyword: string, value: unknown] {
  const kept = keywords.has(keyword) && takes(keyword, value);
  if (keyword === '$ref' && typeof value === 'string' && !keywords.has('definitions')) {
    return [keyword, value.replace(/^#\/definitions\//, '#/$defs/')];
  }
  if (kept) return [keyword, value];
  if (keyword === 'definitions' && schema['$defs'] === undefined) return ['$defs', value];
  if (keyword === 'const' && schema['enum'] === undefined) return ['enum', [value]];
  const alone = Array.isArray(value) && (keyword === 'oneOf' || value.length === 1);
  const list = keyword === 'oneOf' || keyword === 'allOf';
  if (list && alone && schema['anyOf'] === undefined) return ['anyOf', value];
  return [keyword, value];
}

/** A list instead of one schema is the older tuple syntax, which no vendor accepts. */
function isWhole(keyword: string, value: unknown): boolean {
  return keyword !== 'items' || !Array.isArray(value);
}

function adaptWithin(
  keyword: string,
  value: unknown,
  rules: SchemaRules,
  report: Report,
  path: string,
): unknown {
  const adapt = (inner: unknown, place: string): unknown =>
    isObject(inner) ? adaptSchema(inner, rules, report, place) : inner;
  if (MAPS.has(keyword) && isObject(value)) {
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([name, one]) => [name, adapt(one, at(path, name))]));
  }
  if (LISTS.has(keyword) && Array.isArray(value)) {
    return value.map((one: unknown, index) => adapt(one, `${path}[${index}]`));
  }
  const holdsSchema = keyword === 'items' || keyword === 'additionalProperties';
  return holdsSchema ? adapt(value, path) : value;
}

const OPEN = 'additionalProperties';

/**
 * An answer that fits the closed object also fits the open one, unless the schema asked for
 * properties of any name: closing removes those.
 */
function closeObject(
  schema: JsonObject,
  adapted: JsonObject,
  words: string[],
  report: () => void,
): void {
  const properties = isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  if (!isObjectSchema(schema)) return;
  adapted[OPEN] = false;
  const open = schema[OPEN];
  const takesAny = open === true && properties.length === 0;
  const takesSome = isObject(open) && Object.keys(open).length > 0;
  if (!takesAny && !takesSome) return;
  words.push(takesAny ? 'any properties' : inWords(OPEN, open));
  report();
}

export function isObjectSchema({ type, properties }: JsonObject): boolean {
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.includes('object') || (type === undefined && isObject(properties));
}

function withBareReference(schema: JsonObject): JsonObject {
  const { $ref, ...beside } = schema;
  if ($ref === undefined || schema['anyOf'] !== undefined) return schema;
  const names = Object.keys(beside);
  if (names.every((name) => name.startsWith('$'))) return schema;
  return { ...beside, anyOf: [{ $ref }] };
}

/** The wording of a constraint for the model. */
const PHRASES: Readonly<Record<string, (value: string) => string>> = {
  minimum: (value) => `at least ${value}`,
  maximum: (value) => `at most ${value}`,
  exclusiveMinimum: (value) => `greater than ${value}`,
  exclusiveMaximum: (value) => `less than ${value}`,
  multipleOf: (value) => `a multiple of ${value}`,
  minLength: (value) => `at least ${value} characters`,
  maxLength: (value) => `at most ${value} characters`,
  pattern: (value) => `matches the regular expression ${value}`,
  format: (value) => `has the format ${value}`,
  minItems: (value) => `at least ${value} items`,
  maxItems: (value) => `at most ${value} items`,
  minProperties: (value) => `at least ${value} properties`,
  maxProperties: (value) => `at most ${value} properties`,
  additionalProperties: (value) => `further properties match ${value}`,
  const: (value) => `exactly ${value}`,
  default: (value) => `the default is ${value}`,
  examples: (value) => `examples are ${value}`,
};

const PHRASE_CHARACTERS = 1_000;

export function inWords(keyword: string, value: unknown): string {
  if (keyword === 'uniqueItems' && value === true) return 'no two items alike';
  const json = JSON.stringify(value) ?? 'undefined';
  const short = json.length > PHRASE_CHARACTERS ? `${json.slice(0, PHRASE_CHARACTERS)}...` : json;
  const phrase = Object.hasOwn(PHRASES, keyword) ? PHRASES[keyword] : undefined;
  return phrase?.(short) ?? `${keyword}: ${short}`;
}

/** A description with the constraints that the schema no longer has. */
export function describe(description: unknown, words: readonly string[]): string {
  const said = typeof description === 'string' && description !== '' ? `${description}\n\n` : '';
  return `${said}Constraints: ${words.join('; ')}.`;
}
