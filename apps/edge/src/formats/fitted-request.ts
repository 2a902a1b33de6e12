// A request as its target can take it: under valid names of tools, with schemas that the target knows.
// Codecs write it as if it had come so; the changes say how answers are given back.

import { answerChanges, type AnswerChanges } from './answer-changes';
import type { DropList } from './drop-list';
import type { FormatName, NormalisedRequest, ResponseFormat, ToolDefinition } from './normalised';
import { adaptSchema, type SchemaRules } from './schema-rules';
import { isFullyRequired, isObjectRoot, withPlainRoot, wrapRoot } from './schema-roots';
import { validName, withValidNames, type NameRule } from './tool-names';

/** What a target demands of names and schemas. */
export interface Demands {
  names: NameRule;
  /** The subset in which a schema must be that a model is held to; absent: any schema is taken. */
  schemas?: SchemaRules;
  /** Formats whose clients write their schemas for this very vendor, and know what it takes. */
  knownIn?: ReadonlySet<FormatName>;
  /** Which schemas are held to: those of answers, of tools, or where `strict` asks for it. */
  holds: Readonly<Record<'answers' | 'tools', 'always' | 'strict'>>;
  /** A model is held to a schema only if that demands every property. */
  allRequired: boolean;
  /** Answers must be an object, and the parameters of tools one without a choice at the root. */
  objectRoots: boolean;
  /** How many tools a model can be held to at once. */
  strictTools?: number;
}

export interface FittedRequest {
  request: NormalisedRequest;
  /** Absent where answers come as the client wants them. */
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

/** Where the schema of an answer stands; each format spells the first word its own way. */
const SCHEMA_PATHS: Readonly<Record<FormatName, string>> = {
  'anthropic-messages': 'response_format.schema',
  'gemini-generate': 'response_format',
  'gemini-generate-array': 'response_format',
  'openai-chat': 'response_format.json_schema.schema',
  'openai-responses': 'response_format.schema',
  unified: 'response_format.json_schema.schema',
};

/** Formats whose vendors hold every structured answer to its schema, asked to or not. */
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
  // A target that always holds answers to their schema, or never does, is told what the client said.
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

/** A schema that a model is held to is put into the target's subset; others are taken as they are. */
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
