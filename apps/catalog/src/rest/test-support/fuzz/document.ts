import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { z } from 'zod';

/**
 * The served OpenAPI document as the fuzzer reads it, without knowledge of the endpoints'
 * definitions.
 */

export interface JsonSchema {
  readonly [word: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface Operation {
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  /** As in the document: `/api/organisations/{organisationId}`. */
  readonly path: string;
  readonly pathParameters: readonly Parameter[];
  readonly queryParameters: readonly Parameter[];
  readonly headerParameters: readonly Parameter[];
  /** Undefined when the operation takes no body. */
  readonly body: JsonSchema | undefined;
  /** Whether it can be called without a token. */
  readonly open: boolean;
  /** Media types by documented status; empty when the answer has no body. */
  readonly answers: ReadonlyMap<number, readonly string[]>;
}

export interface Document {
  readonly operations: readonly Operation[];
  /** Follows `$ref`s to the schema. */
  resolve(schema: JsonSchema): JsonSchema;
  /** How `body` contradicts the documented schema; undefined when it does not. */
  faultOf(
    operation: Operation,
    status: number,
    mediaType: string,
    body: unknown,
  ): string | undefined;
}

const schema = z.record(z.string(), z.unknown());
const content = z.record(z.string(), z.object({ schema }));
const operation = z.object({
  operationId: z.string(),
  parameters: z.array(
    z.object({ name: z.string(), in: z.string(), required: z.boolean().default(false), schema }),
  ),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.object({ content: content.optional() })),
  security: z.array(z.unknown()).optional(),
});
const document = z.object({
  openapi: z.string().startsWith('3.1.'),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), schema) }),
});

const JSON_TYPE = 'application/json';
const SCHEMAS = '#/components/schemas/';

export function readDocument(served: unknown): Document {
  const { paths, components } = document.parse(served);
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv);
  // The document's keywords outside JSON Schema are ignored by the validator.
  ajv.addSchema(served as object, 'openapi');
  const compiled = new Map<string, ValidateFunction>();

  return {
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, row]) => operationOf(path, method, row)),
    ),

    resolve(given) {
      let found = given;
      for (let ref = found['$ref']; typeof ref === 'string'; ref = found['$ref']) {
        const target = components.schemas[ref.replace(SCHEMAS, '')];
        if (target === undefined) throw new Error(`nothing behind ${ref}`);
        found = target;
      }
      return found;
    },

    faultOf({ path, method }, status, mediaType, body) {
      const pointer = ['paths', path, method.toLowerCase(), 'responses', String(status)]
        .concat('content', mediaType, 'schema')
        .map((part) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1')))
        .join('/');
      const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#/${pointer}` });
      compiled.set(pointer, validate);
      return validate(body) ? undefined : ajv.errorsText(validate.errors);
    },
  };
}

function operationOf(path: string, method: string, row: z.output<typeof operation>): Operation {
  const parametersIn = (place: string): Parameter[] =>
    row.parameters.filter((parameter) => parameter.in === place);
  return {
    id: row.operationId,
    method: method.toUpperCase(),
    path,
    pathParameters: parametersIn('path'),
    queryParameters: parametersIn('query'),
    headerParameters: parametersIn('header'),
    body: row.requestBody?.content[JSON_TYPE]?.schema,
    open: row.security?.length === 0,
    answers: new Map(
      Object.entries(row.responses).map(([status, answer]) => [
        Number(status),
        Object.keys(answer.content ?? {}),
      ]),
    ),
  };
}
