// Errors in this format: `{error: {code, message, status, details}}`, where the code is the HTTP
// status. The gateway's own code is the reason in the first detail.

import {
  MAX_RETRY_AFTER_MS,
  vendorStatusOf,
  type ErrorCode,
  type ErrorStatus,
  type GatewayError,
} from '@tollgate/contracts';

import { overflowMessage } from '../context-overflow';
import { errorHeaders } from '../error-headers';
import type { EncodedError, ErrorContext, UpstreamHeaders } from '../format';
import { arrayOf, countOf, isObject, objectOf, present, textOf } from '../json';
import type { JsonObject } from '../normalised';
import {
  asStreamed,
  upstreamStatusError,
  type UpstreamError,
  type UpstreamMessage,
} from '../upstream-error';

/** The longest upstream message that is passed on: some upstreams answer with whole web pages. */
const LONGEST_MESSAGE = 2_000;

const TYPE = 'type.googleapis.com/google.rpc.';
const ERROR_INFO = `${TYPE}ErrorInfo`;
const BAD_REQUEST = `${TYPE}BadRequest`;
const RETRY_INFO = `${TYPE}RetryInfo`;
const STRUCT = 'type.googleapis.com/google.protobuf.Struct';

/** The vendor reports an unknown key as an invalid request. */
const KEY_REASONS: ReadonlySet<string> = new Set([
  'API_KEY_INVALID',
  'API_KEY_SERVICE_BLOCKED',
  'ACCESS_TOKEN_EXPIRED',
  'CREDENTIALS_MISSING',
]);

interface Said extends UpstreamMessage {
  status?: number;
  retryAfterMs?: number;
}

export function decodeError(status: number, headers: UpstreamHeaders, body: Buffer): GatewayError {
  return toGatewayError(status, headers, readBody(body));
}

function toGatewayError(status: number, headers: UpstreamHeaders, said: Said): UpstreamError {
  const meant = KEY_REASONS.has(said.code ?? '') ? 401 : status;
  // The vendor sends the retry delay in the body, not in a header.
  const stated = headers['retry-after'] ?? headers['retry-after-ms'];
  const wait =
    stated === undefined && said.retryAfterMs !== undefined
      ? { ...headers, 'retry-after-ms': String(said.retryAfterMs) }
      : headers;
  return upstreamStatusError(meant, wait, said);
}

function readBody(body: Buffer): Said {
  const text = body.toString('utf8').trim();
  try {
    return readErrorObject(JSON.parse(text));
  } catch {
    const plain = text !== '' && !text.startsWith('<');
    return plain ? { message: text.slice(0, LONGEST_MESSAGE) } : {};
  }
}

/** Reads an error from a body or a stream event. A refused stream is a list of one error. */
function readErrorObject(value: unknown): Said {
  const body = objectOf(Array.isArray(value) ? (value as unknown[])[0] : value) ?? {};
  const inner = body['error'];
  const error = objectOf(inner) ?? body;
  const message = textOf(error['message']) ?? textOf(inner) ?? textOf(body['message']);
  const details = arrayOf(error['details']).map((detail) => objectOf(detail) ?? {});
  const [violation] = arrayOf(detailOf(details, BAD_REQUEST)?.['fieldViolations']);
  return present({
    message: message?.slice(0, LONGEST_MESSAGE),
    code: textOf(detailOf(details, ERROR_INFO)?.['reason']),
    type: textOf(error['status']),
    param: textOf(objectOf(violation)?.['field']),
    status: countOf(error['code']),
    retryAfterMs: waitOf(detailOf(details, RETRY_INFO)?.['retryDelay']),
  });
}

function detailOf(details: JsonObject[], type: string): JsonObject | undefined {
  return details.find((detail) => detail['@type'] === type);
}

/** A duration in protocol buffer JSON: decimal seconds and an `s`. */
function waitOf(delay: unknown): number | undefined {
  const seconds = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1_000);
}

/** Whether an event of a stream is an error. */
export function isErrorEvent(event: JsonObject): boolean {
  const { error } = event;
  return isObject(error) || (typeof error === 'string' && !Array.isArray(event['candidates']));
}

/** The error that the upstream itself ended the stream with. */
export function streamedError(event: JsonObject): GatewayError {
  const said = readErrorObject(event);
  const { status = 502 } = said;
  return asStreamed(toGatewayError(status >= 300 && status < 600 ? status : 502, {}, said), event);
}

const STATUSES: Readonly<Record<ErrorStatus, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  426: 'FAILED_PRECONDITION',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'INTERNAL',
  503: 'UNAVAILABLE',
};

const OVERFLOW = 'The input token count exceeds the maximum number of tokens allowed';

function statusOf(code: ErrorCode): string {
  if (code === 'upstream_timeout') return 'DEADLINE_EXCEEDED';
  if (code === 'upstream_error') return 'UNAVAILABLE';
  return STATUSES[vendorStatusOf(code)];
}

function errorBody(error: GatewayError, { requestId, traceId }: ErrorContext): JsonObject {
  const { code, param, details, retryAfterMs } = error;
  const message = overflowMessage(error, OVERFLOW, 'exceeds the maximum number of tokens');
  const metadata = { requestId, ...present({ traceId: traceId || undefined, param }) };
  const list: JsonObject[] = [{ '@type': ERROR_INFO, reason: code, domain: 'tollgate', metadata }];
  if (param !== undefined) {
    list.push({ '@type': BAD_REQUEST, fieldViolations: [{ field: param, description: message }] });
  }
  if (retryAfterMs !== undefined && retryAfterMs <= MAX_RETRY_AFTER_MS) {
    list.push({ '@type': RETRY_INFO, retryDelay: `${Math.ceil(retryAfterMs / 1_000)}s` });
  }
  if (details !== undefined) list.push({ '@type': STRUCT, value: details });
  return { error: { code: vendorStatusOf(code), message, status: statusOf(code), details: list } };
}

export function encodeError(error: GatewayError, context: ErrorContext): EncodedError {
  return {
    status: vendorStatusOf(error.code),
    headers: errorHeaders(error, context.requestId),
    body: errorBody(error, context),
  };
}

/** The error as a stream element, without framing. */
export function errorFrame(error: GatewayError, context: ErrorContext): string {
  return JSON.stringify(errorBody(error, context));
}

/** The format has no comments: some clients break at a line that is not an event. */
export function encodeComment(): string {
  return '';
}
