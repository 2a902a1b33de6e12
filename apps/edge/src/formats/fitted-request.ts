// Adapts a request to its target: valid tool names and schemas that the target supports. Codecs
// encode the adapted request; the changes tell how to restore the answer.

import { answerChanges, type AnswerChanges } from './answer-changes';
import type { DropList } from './drop-list';
import type { FormatName, NormalisedRequest, ResponseFormat, ToolDefinition } from './normalised';
import { isFullyRequired, isObjectRoot, withPlainRoot, wrapRoot } from './schema-roots';
import { adaptSchema, type SchemaRules } from './schema-rules';
import { validName, withValidNames, type NameRule } from './tool-names';

/** The target's demands on names and schemas. */
export interface Demands {
  names: NameRule;
  /** The schema subset for strict mode; absent: any schema is accepted. */
  schemas?: SchemaRules;
  /** Formats whose clients write schemas for this vendor already. */
  knownIn?: ReadonlySet<FormatName>;
  /** Which schemas are enforced: those of answers, of tools, or those with `strict`. */
  holds: Readonly<Record<'answers' | 'tools', 'always' | 'strict'>>;
  /** A schema can be enforced only if every property is required. */
  allRequired: boolean;
  /** Answers must be an object, and tool parameters an object without a choice at the root. */
  objectRoots: boolean;
  /** How many tools can be strict at once. */
  strictTools?: number;
}

export interface FittedRequest {
  request: NormalisedRequest;
  /** Absent if the answer needs no changes. */
  changes?: AnswerChanges;
}

export function fitRequest(
  request: NormalisedRequest,
  { schemas, ...others }: Demands,
  drops: DropList,
): FittedRequest {
  const isKnown = others.knownIn?.has(request.format) === true;
  const demands = isKnown || schemas === undefined ? others : { ...others, schemas };
  const { request: named, sentNames } = withValidNames(request, demands.names);
  const { responseFormat, wrapped } = fitFormat(named, demands, drops);
  const fitted = {
    ...named,
    tools: fitTools(named.tools, demands, drops),
    ...(responseFormat === undefined ? {} : { responseFormat }),
  };
  return { request: fitted, ...answerChanges(sentNames, wrapped) };
}

/** The path of the answer's schema; each format spells its first word differently. */
const SCHEMA_PATHS: Readonly<Record<FormatName, string>> = {
  'anthropic-messages': 'response_format.schema',
  'gemini-generate': 'response_format',
  'gemini-generate-array': 'response_format',
  'openai-chat': 'response_format.json_schema.schema',
  'openai-responses': 'response_format.schema',
  unified: 'response_format.json_schema.schema',
};

/** Formats whose vendors always enforce the schema of a structured answer. */
const HELD_ANSWERS: ReadonlySet<FormatName> = new Set(['anthropic-messages', 'gemini-generate']);

function fitFormat(
  { format: source, responseFormat }: NormalisedRequest,
  demands: Demands,
  drops: DropList,
): { responseFormat: ResponseFormat | undefined; wrapped: boolean } {
  if (responseFormat?.type !== 'json_schema') return { responseFormat, wrapped: false };
  const { schema, strict, ...named } = responseFormat;
  const fitted: ResponseFormat = { ...named, name: validName(named.name, demands.names) };
  if (schema === undefined) {
    return { responseFormat: { ...responseFormat, ...fitted }, wrapped: false };
  }
  const asked = strict ?? (HELD_ANSWERS.has(source) ? true : undefined);
  const schemaPath = SCHEMA_PATHS[source];
  const held = fitSchema({ schema, strict: asked }, 'answers', demands, {
    schemaAt: (path) => drops.drop(`${schemaPath}.${path}`),
    strict: () => drops.drop(`${schemaPath.replace(/\.schema$/, '')}.strict`),
  });
  const wrapped = demands.objectRoots && !isObjectRoot(held.schema);
  if (wrapped) held.schema = wrapRoot(held.schema);
  // If the target always or never enforces answer schemas, it gets the client's own setting.
  const said = demands.holds.answers === 'strict' && demands.schemas ? held.strict : strict;
  return {
    responseFormat: {
      ...fitted,
      schema: held.schema,
      ...(said === undefined ? {} : { strict: said }),
    },
    wrapped,
  };
}

interface Held {
  schema: Record<string, unknown>;
  strict: boolean | undefined;
}

/** Adapts an enforced schema to the target's subset; other schemas stay unchanged. */
function fitSchema(
  { schema, strict }: Held,
  kind: 'answers' | 'tools',
  { allRequired, holds, schemas }: Demands,
  drop: { schemaAt: (path: string) => void; strict: () => void },
): Held {
  if (schemas === undefined || (holds[kind] === 'strict' && strict !== true)) {
    return { schema, strict };
  }
  if (allRequired && !isFullyRequired(schema)) {
    drop.strict();
    return { schema, strict: undefined };
  }
  return { schema: adaptSchema(schema, schemas, drop.schemaAt), strict };
}

function fitTools(
  tools: readonly ToolDefinition[],
  demands: Demands,
  drops: DropList,
): ToolDefinition[] {
  let strictTools = 0;
  return tools.map((tool, at) => {
    const dropAt = (path: string): void => drops.drop(`tools[${at}].${path}`);
    if (tool.kind !== 'function' || tool.parameters === undefined) return tool;
    const { parameters, strict: asked, ...named } = tool;
    let strict = asked;
    if (asked === true && demands.strictTools !== undefined) {
      strictTools += 1;
      if (strictTools > demands.strictTools) {
        dropAt('strict');
        strict = undefined;
      }
    }
    const plain = demands.objectRoots;
    const schema = plain
      ? withPlainRoot(parameters, (keyword) => dropAt(`parameters.${keyword}`))
      : parameters;
    const held = fitSchema({ schema, strict }, 'tools', demands, {
      schemaAt: (path) => dropAt(`parameters.${path}`),
      strict: () => dropAt('strict'),
    });
    return {
      ...named,
      parameters: held.schema,
      ...(held.strict === undefined ? {} : { strict: held.strict }),
    };
  });
}
