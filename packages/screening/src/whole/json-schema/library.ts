// The library that interprets schemas. It is loaded with the first schema, because it takes half a second and
// 20 MB. Its registry knows one dialect of ours; schemas of rules are never registered, and refer to nothing
// outside of themselves, so nothing is fetched.

import type { Browser } from '@hyperjump/browser';
import type { CompiledSchema, SchemaDocument } from '@hyperjump/json-schema/experimental';

import type { Schema } from './check-schema';
import { addOwnKeywords, OWN_KEYWORDS } from './keywords';

const DIALECT = 'https://tollgate.invalid/dialect';
const VOCABULARY = 'https://tollgate.invalid/vocabulary';
const SCHEMA = 'https://tollgate.invalid/schema';
const DRAFT = 'https://json-schema.org/keyword/';

const PLAIN = [
  'allOf',
  'anyOf',
  'contains',
  'dependentRequired',
  'dependentSchemas',
  'else',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'if',
  'items',
  'maxContains',
  'maximum',
  'maxItems',
  'maxLength',
  'maxProperties',
  'minContains',
  'minimum',
  'minItems',
  'minLength',
  'minProperties',
  'multipleOf',
  'not',
  'oneOf',
  'prefixItems',
  'properties',
  'propertyNames',
  'required',
  'then',
  'type',
  'unevaluatedItems',
  'unevaluatedProperties',
] as const;

export type SchemaLibrary = Awaited<ReturnType<typeof load>>;

let loading: Promise<SchemaLibrary> | undefined;

export function openLibrary(): Promise<SchemaLibrary> {
  loading ??= load().then((library) => {
    define(library);
    return library;
  });
  return loading;
}

async function load() {
  // It registers the keywords of the draft.
  await import('@hyperjump/json-schema/draft-2020-12');
  const {
    addKeyword,
    buildSchemaDocument,
    compile,
    defineVocabulary,
    interpret,
    loadDialect,
    Validation,
  } = await import('@hyperjump/json-schema/experimental');
  const Instance = await import('@hyperjump/json-schema/instance/experimental');
  const { entries, value } = await import('@hyperjump/browser');
  return {
    addKeyword,
    buildSchemaDocument,
    compile,
    defineVocabulary,
    interpret,
    loadDialect,
    Browser: { entries, value },
    Instance,
    Validation,
  };
}

function define(library: SchemaLibrary): void {
  addOwnKeywords(library);
  library.defineVocabulary(VOCABULARY, {
    $defs: `${DRAFT}definitions`,
    $id: `${DRAFT}id`,
    $ref: `${DRAFT}ref`,
    ...Object.fromEntries(PLAIN.map((name) => [name, DRAFT + name])),
    ...OWN_KEYWORDS,
  });
  library.loadDialect(DIALECT, { [VOCABULARY]: true });
}

export function compileWith(library: SchemaLibrary, schema: Schema): Promise<CompiledSchema> {
  const given = schema as Parameters<SchemaLibrary['buildSchemaDocument']>[0];
  const document = Object.assign(library.buildSchemaDocument(given, SCHEMA, DIALECT), {
    // It has been checked, and its dialect has no schema of its own.
    validated: true,
  });
  const start = { uri: SCHEMA, document, cursor: '', _cache: { [SCHEMA]: document } };
  return library.compile(
    Object.assign(start, { _value: document.root }) as Browser<SchemaDocument>,
  );
}
