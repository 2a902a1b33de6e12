import type { z } from 'zod';

import * as rest from './rest';

// The typed client of the management API, for the console and the command line. An endpoint's row
// gives path, method and response schema. It does no I/O: the caller sends.

export interface RestRequest {
  readonly method: string;
  readonly url: string;
  readonly params?: unknown;
  readonly data?: unknown;
  readonly headers: Record<string, string>;
  readonly signal?: AbortSignal;
}

export interface RestAnswer {
  readonly status: number;
  readonly data: unknown;
  header(name: string): string | undefined;
}

/** Resolves for every status. Rejects only when there is no response. */
export type SendRest = (request: RestRequest) => Promise<RestAnswer>;

type ParamsPart<E extends rest.Endpoint> = [rest.PathParameter<E['path']>] extends [never]
  ? { params?: undefined }
  : { params: rest.PathParams<E['path']> };
type BodyPart<E extends rest.Endpoint> =
  undefined extends z.input<E['body']> ? { body?: undefined } : { body: z.input<E['body']> };

export type RestInput<E extends rest.Endpoint> = ParamsPart<E> &
  BodyPart<E> & {
    readonly query?: z.input<E['query']>;
    readonly signal?: AbortSignal;
    /** A repeated call with the same key returns the first response. */
    readonly idempotencyKey?: string;
    /** The ETag that the change is based on. The call fails with 412 after another change. */
    readonly ifMatch?: string;
  };

/** The input of a read, without the fields that only changes have. */
export type RestQuestion<E extends rest.Endpoint> = Omit<
  RestInput<E>,
  'signal' | 'body' | 'idempotencyKey' | 'ifMatch'
>;

/** A resource with the ETag for changing it. */
export interface Versioned<T> {
  readonly value: T;
  readonly etag: string | undefined;
}

export interface RestClient {
  call<E extends rest.Endpoint>(endpoint: E, input: RestInput<E>): Promise<z.output<E['response']>>;
  versioned<E extends rest.Endpoint>(
    endpoint: E,
    input: RestInput<E>,
  ): Promise<Versioned<z.output<E['response']>>>;
}

// Bundlers duplicate this module, so each bundle has its own class. Errors cross bundles within one
// process, so a mark identifies them, not the class.
const MARK = Symbol.for('tollgate.api-error');

/** An unsuccessful response, with the server's message. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  /** `instanceof ApiError` holds for the errors of every copy of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && MARK in value;
  }

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: readonly rest.ErrorDetail[] = [],
    readonly requestId?: string,
  ) {
    super(message);
    Object.defineProperty(this, MARK, { value: true });
  }
}

/** What a call sends, for an endpoint that is only known at run time. */
export interface EndpointInput {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
  readonly ifMatch?: string;
}

export type EndpointCaller = (
  endpoint: rest.Endpoint,
  input: EndpointInput,
) => Promise<Versioned<unknown>>;

/**
 * Calls any endpoint and parses its answer. `unexpected` tells the user what to do about a response
 * that this build does not understand.
 */
export function createEndpointCaller(send: SendRest, unexpected: string): EndpointCaller {
  return async (endpoint, input) => {
    refuseNoNumbers(input.body);
    const answer = await send({
      method: endpoint.method,
      url: rest.fillPath(endpoint.path, input.params ?? {}),
      ...(input.query === undefined ? {} : { params: input.query }),
      ...(input.body === undefined ? {} : { data: input.body }),
      headers: {
        ...(input.idempotencyKey === undefined ? {} : { 'idempotency-key': input.idempotencyKey }),
        ...(input.ifMatch === undefined ? {} : { 'if-match': input.ifMatch }),
      },
      ...(input.signal === undefined ? {} : { signal: input.signal }),
    });
    if (answer.status !== endpoint.status) throw errorOf(answer, unexpected);
    const parsed = endpoint.response.safeParse(endpoint.status === 204 ? undefined : answer.data);
    if (!parsed.success) throw new ApiError(502, 'unexpected_answer', unexpected);
    return { value: parsed.data, etag: answer.header('etag') };
  };
}

export function createRestClient(send: SendRest, unexpected: string): RestClient {
  const ask = createEndpointCaller(send, unexpected);
  const versioned: RestClient['versioned'] = async (endpoint, input) => {
    const { value, etag } = await ask(endpoint, input);
    return { value: value as z.output<(typeof endpoint)['response']>, etag };
  };
  return {
    versioned,
    call: async (endpoint, input) => (await versioned(endpoint, input)).value,
  };
}

// JSON turns NaN into null, which means that the field is empty.
function refuseNoNumbers(body: unknown): void {
  const paths = noNumbersIn(body, '');
  if (paths.length === 0) return;
  const details = paths.map((path) => ({ path, message: 'must be a whole number' }));
  throw new ApiError(400, 'invalid_request', 'A field needs a whole number.', details);
}

function noNumbersIn(value: unknown, path: string): string[] {
  if (Number.isNaN(value)) return [path];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => noNumbersIn(item, `${path}[${String(index)}]`));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    noNumbersIn(part, path === '' ? name : `${path}.${name}`),
  );
}

export function errorOf(answer: RestAnswer, unexpected: string): ApiError {
  const requestId = answer.header('x-request-id');
  const body = rest.errorBody.safeParse(answer.data);
  if (!body.success)
    return new ApiError(answer.status, 'unexpected_answer', unexpected, [], requestId);
  const { code, message, details } = body.data.error;
  return new ApiError(answer.status, code, message, details, requestId);
}
