// Whether the text of an answer is JSON that a schema describes. The schema is interpreted: none becomes code.

import type { EvaluationPlugin, ValidationContext } from '@hyperjump/json-schema/experimental';
import type { JsonNode } from '@hyperjump/json-schema/instance/experimental';
import { SCREENING_LIMITS } from '@tollgate/contracts';

import { charge, TooMuchError, withBudget } from './budget';
import { checkSchema } from './check-schema';
import { compileWith, openLibrary } from './library';

export { SchemaError } from './check-schema';

export type SchemaVerdict =
  | 'MATCHES'
  /** It takes too long, or is too large. */
  | 'UNDECIDED'
  /** A JSON pointer, without names that only the answer has; undefined: it is not JSON. */
  | { readonly path: string | undefined };

export type SchemaMatcher = (text: string) => SchemaVerdict;

const MOST_DEPTH = 128;

/** @throws SchemaError, by the promise */
export async function createSchemaMatcher(given: unknown): Promise<SchemaMatcher> {
  const { names, schema } = checkSchema(given);
  const library = await openLibrary();
  const compiled = await compileWith(library, schema);
  return (text) => {
    if (text.length > SCREENING_LIMITS.checkedCharacters) return 'UNDECIDED';
    const value = valueIn(text);
    if (value === undefined) return { path: undefined };
    if (depthOf(value.json) > MOST_DEPTH) return 'UNDECIDED';
    const firstFailure = createFirstFailure();
    try {
      const { valid } = withBudget(() =>
        library.interpret(compiled, library.Instance.fromJs(value.json as never), {
          outputFormat: 'FLAG',
          plugins: [PRICED, firstFailure.plugin],
        }),
      );
      return valid ? 'MATCHES' : { path: known(firstFailure.pointer(), names) };
    } catch (error) {
      if (error instanceof TooMuchError) return 'UNDECIDED';
      throw error;
    }
  };
}

function valueIn(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function depthOf(json: unknown): number {
  let depth = 0;
  let level: unknown[] = [json];
  while (level.length > 0 && depth <= MOST_DEPTH) {
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
    depth += 1;
  }
  return depth;
}

/** Every schema and keyword costs as much as it may look at. */
const PRICED: EvaluationPlugin = {
  beforeSchema: () => charge(1),
  beforeKeyword: (_node, instance) => charge(1 + sizeOf(instance) / 16),
};

function sizeOf(instance: JsonNode & { readonly value?: unknown }): number {
  return typeof instance.value === 'string' ? instance.value.length : instance.children.length;
}

type FailingContext = ValidationContext & { failed?: string | undefined };

/** The place in the answer where the first keyword fails that decides. */
function createFirstFailure(): {
  plugin: EvaluationPlugin<FailingContext>;
  pointer: () => string;
} {
  let last: string | undefined;
  return {
    plugin: {
      afterKeyword: (_node, instance, context, valid, schemaContext, { simpleApplicator }) => {
        if (valid) return;
        const inner = context.failed;
        schemaContext.failed ??= simpleApplicator === true ? inner : (inner ?? instance.pointer);
      },
      afterSchema: (url, instance, context, valid) => {
        if (!valid && context.ast[url] === false) context.failed ??= instance.pointer;
        last = context.failed;
      },
    },
    pointer: () => last ?? '',
  };
}

/** Names that the schema does not have are the answer's own, which a client must not read. */
function known(pointer: string, names: ReadonlySet<string>): string {
  return pointer
    .split('/')
    .map((part, at) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      return at === 0 || /^\d{1,9}$/.test(name) || names.has(name) ? part : '*';
    })
    .join('/');
}
