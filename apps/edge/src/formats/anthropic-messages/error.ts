// Errors in the messages format: `{type: "error", error: {type, message, code}, request_id}`. The
// vendor's clients read a cause from `details.error_code`, so ours is there as well.

import {
  vendorStatusOf,
  type ErrorCode,
  type ErrorStatus,
  type GatewayError,
} from '@tollgate/contracts';

import { overflowMessage } from '../context-overflow';
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
  try {
    return readErrorObject(JSON.parse(text));
  } catch {
    const plain = text !== '' && !text.startsWith('<');
    return plain ? { message: text.slice(0, LONGEST_MESSAGE) } : {};
  }
}

/** Reads an error out of a body or a stream event. */
export function readErrorObject(value: unknown): UpstreamMessage {
  const body = objectOf(value) ?? {};
  const inner = body['error'];
  const error = objectOf(inner) ?? body;
  const message = textOf(error['message']) ?? textOf(inner) ?? textOf(body['message']);
  return present({
    message: message?.slice(0, LONGEST_MESSAGE),
    code: textOf(objectOf(error['details'])?.['error_code']) ?? textOf(error['code']),
    type: isObject(inner) ? textOf(error['type']) : undefined,
    param: textOf(error['param']),
  });
}

/** The meaning of error types inside a stream, where no status tells it. */
const STREAMED: Readonly<Record<string, ErrorCode>> = {
  invalid_request_error: 'upstream_rejected',
  authentication_error: 'provider_auth_failed',
  billing_error: 'provider_auth_failed',
  permission_error: 'provider_auth_failed',
  rate_limit_error: 'upstream_rate_limited',
  timeout_error: 'upstream_timeout',
};

/** The error that the upstream itself ended the stream with. */
export function streamedError(event: JsonObject): GatewayError {
  const { message, code, type = '' } = readErrorObject(event);
  const known = Object.hasOwn(STREAMED, type) ? STREAMED[type] : undefined;
  const meaning = known ?? 'upstream_error';
  const details = present({ upstreamCode: code, upstreamType: type || undefined });
  // An upstream's message about credentials may quote them.
  const told = meaning === 'provider_auth_failed' ? undefined : message;
  return asStreamed(upstreamError(meaning, told, { details }), event);
}

const TYPES: Readonly<Record<ErrorStatus, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  426: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  503: 'overloaded_error',
};

function typeOf(code: ErrorCode): string {
  return code === 'upstream_timeout' ? 'timeout_error' : TYPES[vendorStatusOf(code)];
}

function errorBody(error: GatewayError, { requestId, traceId }: ErrorContext): JsonObject {
  const { code, param, details } = error;
  return {
    type: 'error',
    error: {
      type: typeOf(code),
      message: overflowMessage(error, 'prompt is too long'),
      code,
      ...present({ param }),
      details: { ...details, error_code: code },
    },
    request_id: requestId,
    ...present({ trace_id: traceId || undefined }),
  };
}

export function encodeError(error: GatewayError, context: ErrorContext): EncodedError {
  return {
    status: vendorStatusOf(error.code),
    headers: errorHeaders(error, context.requestId),
    body: errorBody(error, context),
  };
}

/** Clients raise on an event of this name only. */
export function encodeStreamError(error: GatewayError, context: ErrorContext): string {
  return `event: error\ndata: ${JSON.stringify(errorBody(error, context))}\n\n`;
}

/** The format's own keep-alive, after a comment, which must not hold a line break. */
export function encodeComment(text: string): string {
  const remark = text === '' ? '' : `: ${text.replace(/[\r\n]+/g, ' ')}\n`;
  return `${remark}event: ping\ndata: {"type":"ping"}\n\n`;
}
