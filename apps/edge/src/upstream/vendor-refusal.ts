// Refusals in the vendor's own words, for clients that use the upstream's format. Decision 54 says
// which ones are relayed and why.

import type { GatewayError } from '@tollgate/contracts';

import { HANDLING } from '../error-handling';
import type { FormatName, JsonObject, UpstreamHeaders } from '../formats';
import { objectOf, textOf } from '../formats/json';
import { asksForLongWait, UpstreamError } from '../formats/upstream-error';
import type { Redact } from './redact';

export interface VendorRefusal {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** JSON without the provider's secrets. */
  body: string;
}

export interface RefusedAnswer {
  status: number;
  headers: UpstreamHeaders;
  body: Buffer;
  /** The gateway's own error for this refusal. */
  error: GatewayError;
}

type Shape = (body: JsonObject) => boolean;

const openai: Shape = ({ error }) => textOf(objectOf(error)?.['message']) !== undefined;
const anthropic: Shape = ({ type, error }) =>
  type === 'error' &&
  textOf(objectOf(error)?.['type']) !== undefined &&
  textOf(objectOf(error)?.['message']) !== undefined;
const gemini: Shape = ({ error }) =>
  typeof objectOf(error)?.['code'] === 'number' &&
  textOf(objectOf(error)?.['status']) !== undefined &&
  textOf(objectOf(error)?.['message']) !== undefined;

/**
 * The error shape that SDKs of a format can read. Formats of one vendor share a shape; the unified
 * format has none.
 */
const SHAPES: Readonly<Record<FormatName, Shape | undefined>> = {
  'openai-chat': openai,
  'openai-responses': openai,
  'anthropic-messages': anthropic,
  'gemini-generate': gemini,
  'gemini-generate-array': gemini,
  unified: undefined,
};

/**
 * Refusals of the request itself, and of work that was not started. The gateway gives other
 * statuses its own meaning.
 */
const PASSED_STATUSES: ReadonlySet<number> = new Set([400, 404, 409, 413, 415, 422, 429, 529]);

/** Error codes and types about the gateway's account, which the client cannot act on. */
const ACCOUNT_WORDS: ReadonlySet<unknown> = new Set([
  'account_deactivated',
  'authentication_error',
  'billing_error',
  'billing_hard_limit_reached',
  'billing_not_active',
  'insufficient_quota',
  'invalid_api_key',
  'permission_error',
]);

const PASSED_HEADERS = ['retry-after', 'retry-after-ms', 'x-should-retry'] as const;
const BODY_BYTES = 64 * 1024;
const HEADER_CHARACTERS = 128;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** Whether the upstream's format is that of the client's vendor. */
export function speakOneFormat(client: FormatName, upstream: FormatName): boolean {
  return SHAPES[client] !== undefined && SHAPES[client] === SHAPES[upstream];
}

/** Undefined: the client gets the gateway's own error. */
export function vendorRefusal(
  { status, headers, body, error }: RefusedAnswer,
  client: FormatName,
  redact: Redact,
): VendorRefusal | undefined {
  if (!PASSED_STATUSES.has(status) || ofOurAccount(error)) return undefined;
  const shape = SHAPES[client];
  const text = shape && body.length <= BODY_BYTES ? cleanJson(body, shape, redact) : undefined;
  if (text === undefined) return undefined;
  return { status, headers: passedHeaders(headers, redact), body: text };
}

/** The framing of a stream's last event. Other formats need more than the error event itself. */
const FRAMES: Readonly<Partial<Record<FormatName, (body: string) => string>>> = {
  'openai-chat': (body) => `data: ${body}\n\n`,
  'anthropic-messages': (body) => `event: error\ndata: ${body}\n\n`,
  'gemini-generate': (body) => `data: ${body}\n\n`,
};

/** The vendor's own error event of a started stream. Undefined: the client gets the gateway's own. */
export function vendorEvent(
  error: GatewayError,
  client: FormatName,
  redact: Redact,
): string | undefined {
  const [shape, frame] = [SHAPES[client], FRAMES[client]];
  if (!(error instanceof UpstreamError) || !error.event || !shape || !frame) return undefined;
  const { relaysUpstreamWords } = HANDLING[error.code];
  if (!relaysUpstreamWords && error.details?.['upstreamType'] !== 'overloaded_error') {
    return undefined;
  }
  if (ofOurAccount(error)) return undefined;
  const body = cleanJson(Buffer.from(JSON.stringify(error.event)), shape, redact);
  return body === undefined || body.length > BODY_BYTES ? undefined : frame(body);
}

/** Returns the text only if it holds no secret, in any escaped spelling either. */
function cleanJson(body: Buffer, shape: Shape, redact: Redact): string | undefined {
  const text = body.toString('utf8');
  const parsed = errorIn(text, shape);
  if (!parsed) return undefined;
  const written = JSON.stringify(parsed);
  const clean = redact(written);
  if (clean === written && redact(text) === text) return text;
  return errorIn(clean, shape) && clean;
}

function ofOurAccount({ code, details }: GatewayError): boolean {
  if (code === 'provider_auth_failed') return true;
  return [details?.['upstreamCode'], details?.['upstreamType']].some((word) =>
    ACCOUNT_WORDS.has(word),
  );
}

function errorIn(text: string, shape: Shape): JsonObject | undefined {
  try {
    const value = objectOf(JSON.parse(text));
    return value && shape(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function passedHeaders(headers: UpstreamHeaders, redact: Redact): Record<string, string> {
  const passed: Record<string, string> = {};
  // SDKs would sleep through the whole wait, so it is treated like a long wait of the gateway's own.
  if (asksForLongWait(headers)) return { 'x-should-retry': 'false' };
  for (const name of PASSED_HEADERS) {
    const value = headers[name];
    if (typeof value !== 'string' || value.length > HEADER_CHARACTERS) continue;
    if (PRINTABLE.test(value) && redact(value) === value) passed[name] = value;
  }
  return passed;
}
