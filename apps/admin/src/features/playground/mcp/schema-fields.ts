// The fields of a form for the arguments of a tool, from its JSON Schema. Pure. What a form cannot show is
// a field for JSON: the server validates the arguments in any case.

interface Described {
  readonly hint: string | undefined;
}
export type Field =
  | (Described & { readonly kind: 'text'; readonly long: boolean })
  | (Described & { readonly kind: 'number'; readonly whole: boolean })
  | (Described & { readonly kind: 'flag' })
  | (Described & { readonly kind: 'choice'; readonly options: readonly unknown[] })
  | (Described & { readonly kind: 'object'; readonly fields: readonly NamedField[] })
  | (Described & { readonly kind: 'list'; readonly item: Field })
  | (Described & { readonly kind: 'json' });

export interface NamedField {
  readonly name: string;
  readonly title: string;
  readonly required: boolean;
  /** The value of a new form; undefined: empty. */
  readonly initial: unknown;
  readonly field: Field;
}

/** Deeper values and further fields are JSON, so that a foreign schema cannot make an endless page. */
const MAX_DEPTH = 5;
const MAX_FIELDS = 150;
const MAX_OPTIONS = 200;
const HINT_CHARACTERS = 500;

type Schema = Readonly<Record<string, unknown>>;

interface Reading {
  readonly root: Schema;
  fields: number;
}

/** The field for all arguments: an object of fields, or JSON. */
export function fieldOfTool(inputSchema: Schema): Field {
  return fieldOf(inputSchema, { root: inputSchema, fields: 0 }, 0);
}

function fieldOf(given: unknown, reading: Reading, depth: number): Field {
  const schema = resolved(given, reading.root);
  const hint = schema === undefined ? undefined : hintOf(schema);
  const json: Field = { kind: 'json', hint };
  reading.fields += 1;
  if (schema === undefined || depth > MAX_DEPTH || reading.fields > MAX_FIELDS) return json;
  const options = optionsOf(schema);
  if (options !== undefined) return { kind: 'choice', options, hint };
  switch (typeOf(schema)) {
    case 'string':
      return { kind: 'text', long: schema['format'] === undefined, hint };
    case 'number':
      return { kind: 'number', whole: false, hint };
    case 'integer':
      return { kind: 'number', whole: true, hint };
    case 'boolean':
      return { kind: 'flag', hint };
    case 'array':
      return isObject(schema['items']) && schema['prefixItems'] === undefined
        ? { kind: 'list', item: fieldOf(schema['items'], reading, depth + 1), hint }
        : json;
    case 'object':
      return objectOf(schema, reading, depth, hint);
    default:
      return json;
  }
}

function objectOf(
  schema: Schema,
  reading: Reading,
  depth: number,
  hint: string | undefined,
): Field {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const names = Object.keys(properties);
  // Free-form objects, and those whose other fields depend on each other.
  const free = names.length === 0 && schema['additionalProperties'] !== false && depth > 0;
  if (free || names.length > MAX_FIELDS || COMBINED.some((word) => schema[word] !== undefined)) {
    return { kind: 'json', hint };
  }
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = names.map((name): NamedField => {
    const own = resolved(properties[name], reading.root) ?? {};
    const needed = required.includes(name);
    return {
      name,
      title: typeof own['title'] === 'string' && own['title'] !== '' ? own['title'] : name,
      required: needed,
      // An optional default is applied by the server.
      initial: needed ? own['default'] : undefined,
      field: fieldOf(properties[name], reading, depth + 1),
    };
  });
  return { kind: 'object', fields, hint };
}

const COMBINED = ['anyOf', 'oneOf', 'allOf', 'if', 'patternProperties'];

/** Follows references within the schema, and takes "or null" away. Undefined: no schema. */
function resolved(given: unknown, root: Schema, hops = 0): Schema | undefined {
  if (!isObject(given) || hops > MAX_DEPTH) return undefined;
  const { $ref, ...own } = given;
  if (typeof $ref === 'string') {
    const target = resolved(pointed($ref, root), root, hops + 1);
    return target && { ...target, ...own };
  }
  for (const word of ['anyOf', 'oneOf', 'allOf'] as const) {
    const parts = own[word];
    if (!Array.isArray(parts)) continue;
    const real = parts.filter((part) => !isNullSchema(part));
    if (real.length !== 1) continue;
    const { [word]: _parts, ...rest } = own;
    const target = resolved(real[0], root, hops + 1);
    return target && { ...target, ...rest };
  }
  return own;
}

function pointed(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not percent-encoded.
    return part;
  }
}

function isNullSchema(part: unknown): boolean {
  return isObject(part) && part['type'] === 'null';
}

/** The only type, apart from null. */
function typeOf(schema: Schema): unknown {
  const { type } = schema;
  if (type === undefined && isObject(schema['properties'])) return 'object';
  if (!Array.isArray(type)) return type;
  const real = type.filter((one) => one !== 'null');
  return real.length === 1 ? real[0] : undefined;
}

/** The allowed values, if they are enumerated. */
function optionsOf(schema: Schema): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const']];
  const listed = schema['enum'] ?? constantsOf(schema['anyOf']) ?? constantsOf(schema['oneOf']);
  if (!Array.isArray(listed)) return undefined;
  const options = listed.filter((value) => value !== null);
  return options.length === 0 || options.length > MAX_OPTIONS ? undefined : options;
}

/** Values with titles of their own: `oneOf: [{const, title}]`. */
function constantsOf(parts: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(parts) || parts.length === 0) return undefined;
  const real = parts.filter((part) => !isNullSchema(part));
  const all = real.every((part) => isObject(part) && Object.hasOwn(part, 'const'));
  return all ? real.map((part) => (part as Schema)['const']) : undefined;
}

function hintOf(schema: Schema): string | undefined {
  const { description, format } = schema;
  const parts = [
    ...(typeof description === 'string' && description !== '' ? [description] : []),
    ...(typeof format === 'string' ? [`Format: ${format}.`] : []),
    ...(schema['default'] === undefined ? [] : [`Default: ${JSON.stringify(schema['default'])}.`]),
  ];
  const hint = parts.join(' ');
  if (hint === '') return undefined;
  return hint.length > HINT_CHARACTERS ? `${hint.slice(0, HINT_CHARACTERS)}…` : hint;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
