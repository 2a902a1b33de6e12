// Checks a JSON schema when its rule is saved, so that what it cannot mean is said then and not to clients.

import { RE2JS } from 're2js';

/** Nesting of the schema itself. */
const MOST_DEPTH = 64;
const MOST_PATTERN_CHARACTERS = 500;

export class SchemaError extends Error {
  override readonly name = 'SchemaError';

  constructor(
    /** JSON pointer into the schema; empty: all of it. */
    readonly pointer: string,
    message: string,
  ) {
    super(message);
  }
}

export type Schema = boolean | Readonly<Record<string, unknown>>;

export interface CheckedSchema {
  /** With the keywords that decide, and no others. The values of `const` and `enum` are JSON texts. */
  readonly schema: Schema;
  /** Names of properties that the schema itself has. */
  readonly names: ReadonlySet<string>;
}

type Shape =
  | 'schema'
  | 'schemas'
  | 'namedSchemas'
  | 'names'
  | 'namesByName'
  | 'number'
  | 'positive'
  | 'count'
  | 'switch'
  | 'pattern'
  | 'ref'
  | 'type'
  | 'values'
  | 'value'
  | 'ignored';

/** Keywords of 2020-12. What they are is checked here; what they mean is the library's. */
const KEYWORDS_OF: Readonly<Record<Shape, string>> = {
  schema:
    'additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties',
  schemas: 'allOf anyOf oneOf prefixItems',
  namedSchemas: '$defs dependentSchemas patternProperties properties',
  names: 'required',
  namesByName: 'dependentRequired',
  number: 'exclusiveMaximum exclusiveMinimum maximum minimum',
  positive: 'multipleOf',
  count:
    'maxContains maxItems maxLength maxProperties minContains minItems minLength minProperties',
  switch: 'uniqueItems',
  pattern: 'pattern',
  ref: '$ref',
  type: 'type',
  values: 'enum',
  value: 'const',
  // They decide nothing.
  ignored:
    '$comment $schema default deprecated description example examples format readOnly title writeOnly',
};
const KEYWORDS: ReadonlyMap<string, Shape> = new Map(
  (Object.keys(KEYWORDS_OF) as Shape[]).flatMap((shape) =>
    KEYWORDS_OF[shape].split(' ').map((keyword) => [keyword, shape] as const),
  ),
);
/** The names of their fields are names of properties. */
const NAMING: ReadonlySet<string> = new Set([
  'dependentRequired',
  'dependentSchemas',
  'properties',
]);
/** They judge the same value as the schema that has them. */
const IN_PLACE: ReadonlySet<string> = new Set(
  'allOf anyOf dependentSchemas else if not oneOf then'.split(' '),
);
const TYPES: ReadonlySet<unknown> = new Set(
  'array boolean integer null number object string'.split(' '),
);
const DRAFT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

interface Walk {
  readonly names: Set<string>;
  /** Where schemas are. */
  readonly places: Set<string>;
  readonly refs: { readonly from: string; readonly to: string; readonly at: string }[];
  /** From a schema to those that judge the same value. */
  readonly inPlace: Map<string, string[]>;
}

/** @throws SchemaError */
export function checkSchema(given: unknown): CheckedSchema {
  const walk: Walk = { names: new Set(), places: new Set(), refs: [], inPlace: new Map() };
  const draft = isRecord(given) ? given['$schema'] : undefined;
  if (draft !== undefined && (typeof draft !== 'string' || !DRAFT.test(draft))) {
    throw new SchemaError('/$schema', 'must be that of the draft 2020-12');
  }
  const schema = checked(walk, given, '', 0);
  for (const { at, from, to } of walk.refs) {
    if (!walk.places.has(to)) throw new SchemaError(at, 'leads to no schema in this one');
    edgesOf(walk, from).push(to);
  }
  refuseCircles(walk);
  return { schema, names: walk.names };
}

function checked(walk: Walk, given: unknown, at: string, depth: number): Schema {
  walk.places.add(at);
  if (typeof given === 'boolean') return given;
  if (!isRecord(given)) throw new SchemaError(at, 'must be a schema: an object, true or false');
  if (depth > MOST_DEPTH) throw new SchemaError(at, `is nested deeper than ${MOST_DEPTH} levels`);
  const kept: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(given)) {
    const shape = KEYWORDS.get(keyword);
    const own = `${at}/${escaped(keyword)}`;
    if (shape === undefined) throw new SchemaError(own, 'is no keyword that these rules know');
    if (shape === 'ignored') continue;
    kept.push([keyword, checkedValue(walk, { at, keyword, own, shape, value, depth })]);
  }
  return Object.fromEntries(kept);
}

interface Given {
  /** The schema that has the keyword. */
  readonly at: string;
  readonly keyword: string;
  readonly own: string;
  readonly shape: Exclude<Shape, 'ignored'>;
  readonly value: unknown;
  readonly depth: number;
}

function checkedValue(walk: Walk, given: Given): unknown {
  const { at, keyword, own, shape, value } = given;
  const inner = (part: unknown, place: string): Schema => {
    if (IN_PLACE.has(keyword)) edgesOf(walk, at).push(place);
    return checked(walk, part, place, given.depth + 1);
  };
  switch (shape) {
    case 'schema':
      return inner(value, own);
    case 'schemas':
      if (!Array.isArray(value) || value.length === 0) {
        throw new SchemaError(own, 'must be a list of schemas that is not empty');
      }
      return value.map((part: unknown, place) => inner(part, `${own}/${place}`));
    case 'namedSchemas':
      return named(walk, given, inner);
    case 'namesByName':
      return named(walk, given, (part, place) => namesIn(walk, part, place));
    case 'names':
      return namesIn(walk, value, own);
    case 'value':
    case 'values':
      if (shape === 'values' && !Array.isArray(value)) throw new SchemaError(own, 'must be a list');
      // As text, so that nothing in it is taken for a keyword.
      return JSON.stringify(value);
    case 'ref':
      walk.refs.push({ from: at, to: targetOf(value, own), at: own });
      return value;
    default:
      assertPlain(shape, value, own);
      return value;
  }
}

function named(
  walk: Walk,
  { keyword, own, value }: Given,
  inner: (part: unknown, place: string) => unknown,
): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new SchemaError(own, 'must be an object');
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const place = `${own}/${escaped(name)}`;
      if (keyword === 'patternProperties') assertPattern(name, place);
      if (NAMING.has(keyword)) walk.names.add(name);
      return [name, inner(part, place)];
    }),
  );
}

function namesIn(walk: Walk, value: unknown, at: string): unknown {
  if (!Array.isArray(value) || value.some((name) => typeof name !== 'string')) {
    throw new SchemaError(at, 'must be a list of names');
  }
  for (const name of value as readonly string[]) walk.names.add(name);
  return value;
}

function assertPlain(shape: Exclude<Shape, 'ignored'>, value: unknown, at: string): void {
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  switch (shape) {
    case 'number':
      if (!isNumber) throw new SchemaError(at, 'must be a number');
      return;
    case 'positive':
      if (!isNumber || value <= 0) throw new SchemaError(at, 'must be a number above 0');
      return;
    case 'count':
      if (!isNumber || !Number.isInteger(value) || value < 0) {
        throw new SchemaError(at, 'must be a whole number of at least 0');
      }
      return;
    case 'switch':
      if (typeof value !== 'boolean') throw new SchemaError(at, 'must be true or false');
      return;
    case 'pattern':
      assertPattern(value, at);
      return;
    case 'type':
      if (
        !(Array.isArray(value) && value.length > 0 ? value : [value]).every((one) => TYPES.has(one))
      ) {
        throw new SchemaError(at, `must be of ${[...TYPES].join(', ')}, or a list of them`);
      }
      return;
    default:
  }
}

function assertPattern(value: unknown, at: string): void {
  if (typeof value !== 'string') throw new SchemaError(at, 'must be text');
  if (value.length > MOST_PATTERN_CHARACTERS) {
    throw new SchemaError(at, `must have at most ${MOST_PATTERN_CHARACTERS} characters`);
  }
  try {
    RE2JS.compile(value);
  } catch (error) {
    throw new SchemaError(at, error instanceof Error ? error.message : String(error));
  }
}

/** The JSON pointer of a reference. */
function targetOf(value: unknown, at: string): string {
  if (typeof value !== 'string' || !/^#(?:\/|$)/.test(value)) {
    throw new SchemaError(at, 'must begin with #, as #/$defs/item: nothing is fetched');
  }
  try {
    return decodeURIComponent(value.slice(1));
  } catch {
    throw new SchemaError(at, 'is no URI fragment');
  }
}

function edgesOf({ inPlace }: Walk, at: string): string[] {
  const known = inPlace.get(at) ?? [];
  inPlace.set(at, known);
  return known;
}

/** A schema that judges a value by itself never ends. */
function refuseCircles({ inPlace }: Walk): void {
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (at: string): void => {
    if (done.has(at)) return;
    if (open.has(at)) throw new SchemaError(at, 'refers to itself for the same value, without end');
    open.add(at);
    for (const next of inPlace.get(at) ?? []) visit(next);
    open.delete(at);
    done.add(at);
  };
  for (const at of inPlace.keys()) visit(at);
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
