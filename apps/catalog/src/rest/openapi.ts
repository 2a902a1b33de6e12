import { rest, REST_ERRORS, type RestErrorCode } from '@tollgate/contracts';
import { z } from 'zod';

/** Builds the OpenAPI 3.1 document from endpoints' zod schemas. */

export interface JsonObject {
  [name: string]: unknown;
}

export interface OpenApiDocument {
  openapi: string;
  info: JsonObject;
  paths: Record<string, Record<string, JsonObject>>;
  components: { schemas: Record<string, unknown>; securitySchemes: JsonObject };
  security: unknown[];
  tags: { name: string }[];
}

const DEFS = '#/$defs/';
const SCHEMAS = '#/components/schemas/';

export function openApiDocument(endpoints: readonly rest.Endpoint[]): OpenApiDocument {
  const schemas: Record<string, unknown> = {};
  const paths: OpenApiDocument['paths'] = {};
  const error = schemaOf(rest.errorBody, 'output', schemas);
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: operationOf(endpoint, schemas, error),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollgate management API',
      version: '1.0.0',
      description:
        'Lists answer `{data, nextCursor}`, and with `total=true` how many rows match; money is a decimal string in US dollars; errors answer `{error: {code, message, details}}`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths,
    components: {
      schemas,
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
    security: [{ accessToken: [] }],
    tags: [...new Set(endpoints.map((endpoint) => endpoint.tag))].map((name) => ({ name })),
  };
}

function operationOf(
  endpoint: rest.Endpoint,
  schemas: Record<string, unknown>,
  error: JsonObject,
): JsonObject {
  const operation: JsonObject = {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint), ...headers(endpoint)],
    responses: {
      [endpoint.status]: successOf(endpoint, schemas),
      ...Object.fromEntries(
        refusalsOf(endpoint).map(([status, description]) => [
          status,
          { description, content: { 'application/json': { schema: error } } },
        ]),
      ),
    },
  };
  if (endpoint.id === rest.getHealth.id) {
    // The only endpoint whose failure has the same body as its success.
    const responses = operation['responses'] as JsonObject;
    responses['503'] = { ...(responses['200'] as JsonObject), description: 'Cannot serve.' };
  }
  if (takesBody(endpoint)) {
    const schema = schemaOf(endpoint.body, 'input', schemas);
    operation['requestBody'] = { required: true, content: { 'application/json': { schema } } };
  }
  if (endpoint.access === 'public') operation['security'] = [];
  else if (endpoint.access !== 'signed-in') {
    operation['x-roles'] = rest.PERMISSIONS[endpoint.access];
  }
  return operation;
}

function takesBody(endpoint: rest.Endpoint): boolean {
  return !endpoint.body.safeParse(undefined).success;
}

function successOf(endpoint: rest.Endpoint, schemas: Record<string, unknown>): JsonObject {
  const description = endpoint.status === 204 ? 'Done.' : endpoint.summary;
  if (endpoint.status === 204) return { description };
  if (endpoint.status === 302) {
    return { description, headers: { Location: { schema: { type: 'string', format: 'uri' } } } };
  }
  const success: JsonObject = {
    description,
    content: { [endpoint.produces]: { schema: schemaOf(endpoint.response, 'output', schemas) } },
  };
  if (endpoint.etag) success['headers'] = { ETag: { schema: { type: 'string' } } };
  return success;
}

function pathParameters(endpoint: rest.Endpoint): JsonObject[] {
  return [...endpoint.path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  }));
}

function queryParameters(endpoint: rest.Endpoint): JsonObject[] {
  const { properties, required } = objectSchema.parse(schemaOf(endpoint.query, 'input', {}));
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

const objectSchema = z.object({
  properties: z
    .record(z.string(), z.looseObject({ description: z.string().optional() }))
    .default({}),
  required: z.array(z.string()).default([]),
});

function headers(endpoint: rest.Endpoint): JsonObject[] {
  const list: JsonObject[] = [];
  const schema = { type: 'string' };
  if (endpoint.idempotent) {
    const description = 'A repeat with the same key returns the first answer.';
    list.push({ name: 'Idempotency-Key', in: 'header', description, schema });
  }
  if (endpoint.etag && endpoint.method !== 'GET') {
    const description = 'The ETag last read; 412 if the object has changed since.';
    list.push({ name: 'If-Match', in: 'header', description, schema });
  }
  if (endpoint.etag && endpoint.method === 'GET') {
    list.push({ name: 'If-None-Match', in: 'header', schema });
  }
  return list;
}

/** Calls to upstreams share one global limit. */
const ASKS_UPSTREAM = new Set([
  rest.testProvider.id,
  rest.testProviderDraft.id,
  rest.discoverModels.id,
]);

/** The organisation is named in the query or in the body. */
const NAMES_ORGANISATION = new Set([rest.listInvitations.id, rest.createInvitation.id]);

function refusalsOf(endpoint: rest.Endpoint): [number, string][] {
  // A body is read, and may be refused, with any method.
  const codes: RestErrorCode[] = ['malformed_request', 'payload_too_large', 'validation_failed'];
  codes.push('internal_error', 'dependency_unavailable');
  if (endpoint.access !== 'public') codes.push('unauthenticated');
  if (endpoint.access !== 'public' && endpoint.access !== 'signed-in') codes.push('forbidden');
  if (endpoint.path.includes(':') || endpoint.status === 302) codes.push('not_found');
  if (NAMES_ORGANISATION.has(endpoint.id)) codes.push('not_found');
  if (endpoint.method !== 'GET') {
    codes.push('conflict');
    if (endpoint.etag) codes.push('precondition_failed');
  }
  if (endpoint.access === 'public' && endpoint.method !== 'GET') {
    codes.push('invalid_credentials', 'too_many_requests');
  }
  if (endpoint.id === rest.changePassword.id) codes.push('too_many_requests');
  if (endpoint.produces !== 'application/json') codes.push('too_many_requests');
  if (ASKS_UPSTREAM.has(endpoint.id)) codes.push('too_many_requests');
  const rows = codes.map((code): [number, string] => [
    REST_ERRORS[code].status,
    REST_ERRORS[code].sentence,
  ]);
  return [...new Map(rows)].sort(([a], [b]) => a - b);
}

/** A zod schema as JSON Schema; named ones become components. */
function schemaOf(
  schema: z.ZodType,
  io: 'input' | 'output',
  schemas: Record<string, unknown>,
): JsonObject {
  const json = z.toJSONSchema(schema, { target: 'draft-2020-12', io, reused: 'inline' });
  const { $schema: _dialect, $defs: defs, ...rest } = json as JsonObject & { $defs?: JsonObject };
  for (const [name, definition] of Object.entries(defs ?? {})) {
    schemas[name] = withoutId(definition);
  }
  const name = rest['id'];
  if (typeof name === 'string') {
    schemas[name] = withoutId(rest);
    return { $ref: `${SCHEMAS}${name}` };
  }
  return withoutId(rest) as JsonObject;
}

/** Points references at the components, and drops the ids, which are not part of JSON Schema. */
function withoutId(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutId);
  if (typeof value !== 'object' || value === null) return value;
  const object = value as JsonObject;
  const named = typeof object['id'] === 'string';
  return Object.fromEntries(
    Object.entries(object)
      .filter(([key]) => !(named && key === 'id'))
      .map(([key, item]) => [
        key,
        key === '$ref' && typeof item === 'string' ? item.replace(DEFS, SCHEMAS) : withoutId(item),
      ]),
  );
}
