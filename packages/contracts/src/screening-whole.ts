// What rules have that judge more than texts: the model of a request, its parameters, a whole answer.
import { z } from 'zod';

export const WHOLE_RULE_LIMITS = {
  models: 500,
  modelCharacters: 256,
  parameters: 50,
  /** Of a parameter's path: `a.b.c` has three names. */
  parameterNames: 5,
  parameterValues: 100,
  /** Of a JSON schema, as text. */
  schemaCharacters: 32_768,
} as const;

const unique = (list: readonly string[]): boolean => new Set(list).size === list.length;

const modelPattern = z
  .string()
  .max(WHOLE_RULE_LIMITS.modelCharacters)
  .regex(/^[^*\s][^*]*\*?$/, 'a name, or its beginning with * at the end');

const parameterPath = z
  .string()
  .max(200)
  .regex(
    new RegExp(`^[A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*){0,${WHOLE_RULE_LIMITS.parameterNames - 1}}$`),
    `the name of a parameter, or names with dots between them, at most ${WHOLE_RULE_LIMITS.parameterNames}`,
  )
  .refine((path) => path !== 'model', 'is what a rule of the kind MODELS is for');

const parameterCheck = z
  .strictObject({
    name: parameterPath.meta({
      description:
        'In any format’s spelling: its names in other formats count too. Through a list it leads to each item.',
    }),
    presence: z.enum(['REQUIRED', 'FORBIDDEN']).nullable().default(null).meta({
      description:
        'Null: it may be absent, and the other checks apply where it is sent. REQUIRED is asked of requests that generate text.',
    }),
    values: z
      .array(z.union([z.string().max(200), z.number(), z.boolean()]))
      .min(1)
      .max(WHOLE_RULE_LIMITS.parameterValues)
      .nullable()
      .default(null)
      .meta({ description: 'The values that are allowed.' }),
    minimum: z.number().nullable().default(null),
    maximum: z.number().nullable().default(null),
    maxItems: z.int().min(0).max(1_000_000).nullable().default(null).meta({
      description: 'Of a list, or of the fields of an object.',
    }),
  })
  .superRefine(({ maxItems, maximum, minimum, presence, values }, context) => {
    const others = [values, minimum, maximum, maxItems].filter((check) => check !== null).length;
    if (others === 0 && presence === null) {
      const message = 'needs a presence, values, a minimum, a maximum or maxItems';
      context.addIssue({ code: 'custom', path: ['name'], message });
    }
    if (others > 0 && presence === 'FORBIDDEN') {
      const message = 'FORBIDDEN leaves nothing for other checks';
      context.addIssue({ code: 'custom', path: ['presence'], message });
    }
    if (minimum !== null && maximum !== null && minimum > maximum) {
      const message = 'must not be less than the minimum';
      context.addIssue({ code: 'custom', path: ['maximum'], message });
    }
  });
export type ParameterCheck = z.output<typeof parameterCheck>;

export const modelsSettings = {
  mode: z.enum(['ALLOW', 'DENY']).meta({
    description:
      'DENY: by the name that the client sent, and by those of the models that may answer. ALLOW: by the latter.',
  }),
  models: z
    .array(modelPattern)
    .min(1)
    .max(WHOLE_RULE_LIMITS.models)
    .refine(unique, 'each once')
    .meta({
      description: 'Names of models in this gateway; with * at the end all that begin so.',
    }),
};

export const parametersSettings = {
  parameters: z
    .array(parameterCheck)
    .min(1)
    .max(WHOLE_RULE_LIMITS.parameters)
    .refine((checks) => unique(checks.map(({ name }) => name)), 'each name once'),
};

/** As it was written. What its keywords must be is checked where it is compiled. */
export type JsonSchema = Readonly<Record<string, object | string | number | boolean | null>>;
/** All that JSON has; deeper parts are not walked here, so that their depth costs nothing. */
const anySchema = z.record(z.string(), z.unknown()) as z.ZodType<JsonSchema, JsonSchema>;

export const jsonSchemaSettings = {
  schema: anySchema
    .refine(
      (schema) => JSON.stringify(schema).length <= WHOLE_RULE_LIMITS.schemaCharacters,
      `at most ${WHOLE_RULE_LIMITS.schemaCharacters} characters as JSON`,
    )
    .meta({
      description:
        'JSON Schema 2020-12 without $id, anchors and dynamic references; $ref leads to the schema itself. Patterns are in RE2 syntax; `format` is not checked.',
    }),
};

/** Where rules look that judge more than texts. */
const WHOLE_PLACES = { MODELS: 'INPUT', PARAMETERS: 'INPUT', JSON_SCHEMA: 'OUTPUT' } as const;
export type WholeKind = keyof typeof WHOLE_PLACES;

interface GivenRule {
  readonly action: string;
  readonly kind: string;
  readonly roles: readonly string[] | null;
  readonly where: readonly string[];
}

export function checkWholeRule(
  { action, kind, roles, where }: GivenRule,
  context: z.RefinementCtx,
): void {
  const places: Readonly<Record<string, string>> = WHOLE_PLACES;
  const place = places[kind];
  if (place === undefined) return;
  const refuse = (field: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [field], message });
  if (where.length !== 1 || where[0] !== place) refuse('where', `must be ${place} alone`);
  if (roles !== null) refuse('roles', 'must be null: the rule does not look at turns');
  if (action === 'MASK') {
    refuse('action', 'MASK needs a text to replace, which the rule does not find');
  }
}
