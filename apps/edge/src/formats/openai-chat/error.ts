// Errors in the chat format: `{error: {message, type, param, code}}`. All four fields are always
// present, because SDKs show only these.

import { ERRORS, vendorStatusOf, type ErrorStatus, type GatewayError } from '@tollgate/contracts';

import { CONTEXT_OVERFLOW, isContextOverflow } from '../context-overflow';
import { errorHeaders } from '../error-headers';
import type { EncodedError, ErrorContext, UpstreamHeaders } from '../format';
import { isObject, objectOf, present, textOf } from '../json';
import type { JsonObject } from '../normalised';
import {
  asStreamed,
  upstreamError,
  upstreamStatusError,
  type UpstreamMessage,
} from '../upstream-error';

/** The longest upstream message that is passed on: some upstreams answer with whole web pages. */
const LONGEST_MESSAGE = 2_000;

export function decodeError(status: number, headers: UpstreamHeaders, body: Buffer): GatewayError {
  return upstreamStatusError(status, headers, readBody(body));
}

function readBody(body: Buffer): UpstreamMessage {
  const text = body.toString('utf8').trim();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const plain = text !== '' && !text.startsWith('<');
    return plain ? { message: text.slice(0, LONGEST_MESSAGE) } : {};
  }
  // Some gateways in front of compatible servers answer with a list of one error.
  return readErrorObject(Array.isArray(value) ? value[0] : value);
}

/** Reads an error from a body or a stream event, in any shape that servers of this format use. */
export function readErrorObject(value: unknown): UpstreamMessage {
  const body = objectOf(value) ?? {};
  const inner = body['error'];
  const error = objectOf(inner) ?? body;
  const message =
    textOf(error['message']) ?? textOf(inner) ?? textOf(body['message']) ?? detail(body['detail']);
  const code = typeof error['code'] === 'number' ? String(error['code']) : textOf(error['code']);
  return present({
    message: message?.slice(0, LONGEST_MESSAGE),
    code,
    type: textOf(error['type']),
    param: textOf(error['param']),
  });
}

function detail(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Whether a stream event is an error. Some servers mark it by an `event:` line, with a flat body. */
export function isErrorEvent(event: string, value: JsonObject): boolean {
  const { error } = value;
  if (event === 'error' || isObject(error)) return true;
  return typeof error === 'string' && !Array.isArray(value['choices']);
}

/** The status of an error type, or of a code, in a unary answer. */
const STREAMED: ReadonlyMap<string | undefined, number> = new Map([
  ['invalid_request_error', 400],
  ['BadRequestError', 400],
  ['rate_limit_error', 429],
  [CONTEXT_OVERFLOW, 400],
]);

/** The error that the upstream itself ended the stream with. */
export function streamedError(chunk: JsonObject): GatewayError {
  const said = readErrorObject(chunk);
  // The meaning is in the type, in a code that is a status, or nowhere.
  const status = STREAMED.get(said.type) ?? STREAMED.get(said.code) ?? Number(said.code);
  if (status >= 400 && status < 600)
    return asStreamed(upstreamStatusError(status, {}, said), chunk);
  const details = present({ upstreamCode: said.code, upstreamType: said.type });
  return asStreamed(upstreamError('upstream_error', said.message, { details }), chunk);
}

const TYPES: Readonly<Record<ErrorStatus, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  426: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'server_error',
  502: 'server_error',
  503: 'server_error',
};

function errorBody(error: GatewayError): JsonObject {
  const { code, message, param, details } = error;
  // `vendorStatusOf` does not fit here: the vendor's `model_not_found` is a 404 with the type of a 400.
  const type = TYPES[ERRORS[code].status];
  const said = isContextOverflow(error) ? CONTEXT_OVERFLOW : code;
  return { error: { message, type, param: param ?? null, code: said, ...present({ details }) } };
}

export function encodeError(error: GatewayError, context: ErrorContext): EncodedError {
  return {
    status: vendorStatusOf(error.code),
    headers: errorHeaders(error, context.requestId),
    body: { ...errorBody(error), ...present({ trace_id: context.traceId || undefined }) },
  };
}

/** All clients raise on a `data:` line with an error; some ignore an `event: error`. */
export function encodeStreamError(error: GatewayError, context: ErrorContext): string {
  const { requestId, traceId } = context;
  const ids = { request_id: requestId, ...present({ trace_id: traceId || undefined }) };
  const body = { ...errorBody(error), ...ids };
  return `data: ${JSON.stringify(body)}\n\n`;
}

/** A comment must not hold a line break, which would end it. */
export function encodeComment(text: string): string {
  return `: ${text.replace(/[\r\n]+/g, ' ')}\n\n`;
}
