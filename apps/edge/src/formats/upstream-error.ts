// Which error of ours an upstream's refusal becomes. The formats read the message out of the body;
// the meaning of the status is the same for all.

import { ERRORS, gatewayError, GatewayError, type ErrorCode } from '@tollgate/contracts';
import { present } from './json';
import type { UpstreamHeaders } from './format';
import type { JsonObject } from './normalised';

/** What could be read from an upstream's error body. */
export interface UpstreamMessage {
  message?: string;
  code?: string;
  type?: string;
  param?: string;
}

/** An error in the upstream's own words, which are cleaned before a client is told of it. */
export class UpstreamError extends GatewayError {
  /** The event of a stream that it came as. */
  event: JsonObject | undefined;
}

/** The same error, remembering the event. */
export function asStreamed(error: UpstreamError, event: JsonObject): UpstreamError {
  error.event = event;
  return error;
}

type ErrorOptions = Parameters<typeof gatewayError>[2];

/** `message`: in the upstream's words; absent: in ours. */
export function upstreamError(
  code: ErrorCode,
  message: string | undefined,
  options: NonNullable<ErrorOptions>,
): UpstreamError {
  return new UpstreamError(code, message ?? ERRORS[code].sentence, options);
}

const REJECTIONS = new Set([400, 404, 409, 413, 415, 422]);
const TIMEOUTS = new Set([408, 504]);

/** Maps a status and what the body said. Credentials are the gateway's, so 401 is not the client's. */
export function upstreamStatusError(
  status: number,
  headers: UpstreamHeaders,
  said: UpstreamMessage,
): UpstreamError {
  const details = present({
    upstreamStatus: status,
    upstreamCode: said.code,
    upstreamType: said.type,
  });
  const code = codeFor(status);
  // What an upstream says about our credentials may quote them.
  const message = code === 'provider_auth_failed' ? undefined : said.message;
  const retryAfterMs = code === 'upstream_rate_limited' ? waitOf(headers) : undefined;
  const param = code === 'upstream_rejected' ? said.param : undefined;
  return upstreamError(code, message, present({ param, details, retryAfterMs }));
}

function codeFor(status: number): ErrorCode {
  if (REJECTIONS.has(status)) return 'upstream_rejected';
  if (status === 401 || status === 403) return 'provider_auth_failed';
  if (status === 429) return 'upstream_rate_limited';
  return TIMEOUTS.has(status) ? 'upstream_timeout' : 'upstream_error';
}

/** Nobody waits longer than a day, whatever an upstream asks for. */
const WAIT_MOST_MS = 86_400_000;

/** The wait an upstream asks for, in milliseconds. */
export function waitOf(headers: UpstreamHeaders): number | undefined {
  const ms = Number(single(headers['retry-after-ms']) ?? Number.NaN);
  if (ms >= 0) return Math.min(Math.ceil(ms), WAIT_MOST_MS);
  const after = single(headers['retry-after']);
  if (after === undefined) return undefined;
  const seconds = Number(after);
  if (!Number.isNaN(seconds)) {
    return seconds >= 0 ? Math.min(Math.ceil(seconds * 1000), WAIT_MOST_MS) : undefined;
  }
  // A date is measured against the upstream's own clock, which wrote both.
  const wait = Date.parse(after) - Date.parse(single(headers['date']) ?? '');
  return wait >= 0 ? Math.min(wait, WAIT_MOST_MS) : undefined;
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** An answer, or an event of one, that is not what the format says it must be. */
export function invalidAnswer(what: string): GatewayError {
  return gatewayError('upstream_error', `The provider sent an invalid answer: ${what}.`);
}

/** @throws GatewayError `upstream_error` */
export function parseAnswer(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalidAnswer('the body is not JSON');
  }
}

/** A stream that closed before its terminal event. */
export function earlyEnd(): GatewayError {
  return gatewayError('upstream_error', 'The provider ended its answer before it was complete.');
}
