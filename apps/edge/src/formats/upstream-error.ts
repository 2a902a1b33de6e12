// Maps an upstream error to an error of the gateway. Formats read the message from the body;
// statuses have the same meaning in all formats.

import {
  ERRORS,
  gatewayError,
  GatewayError,
  MAX_RETRY_AFTER_MS,
  type ErrorCode,
} from '@tollgate/contracts';

import type { UpstreamHeaders } from './format';
import { present } from './json';
import type { JsonObject } from './normalised';

/** The readable fields of an upstream's error body. */
export interface UpstreamMessage {
  message?: string;
  code?: string;
  type?: string;
  param?: string;
}

/** An error in the upstream's words, which are cleaned before a client sees them. */
export class UpstreamError extends GatewayError {
  /** The stream event that carried the error. */
  event: JsonObject | undefined;
}

/** The same error with its event. */
export function asStreamed(error: UpstreamError, event: JsonObject): UpstreamError {
  error.event = event;
  return error;
}

type ErrorOptions = Parameters<typeof gatewayError>[2];

/** `message`: the upstream's words; absent: ours. */
export function upstreamError(
  code: ErrorCode,
  message: string | undefined,
  options: NonNullable<ErrorOptions>,
): UpstreamError {
  return new UpstreamError(code, message ?? ERRORS[code].sentence, options);
}

const REJECTIONS = new Set([400, 404, 409, 413, 415, 422]);
const TIMEOUTS = new Set([408, 504]);
const CREDENTIALS = new Set([401, 403]);
const NO_CREDIT = 402;

/**
 * Maps a status and a body. The key and the account are the gateway's, so neither a 401 nor a 402
 * is the client's error.
 */
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
  // An upstream's message about credentials may quote them.
  const message = CREDENTIALS.has(status) ? undefined : said.message;
  const retryAfterMs = code === 'upstream_rate_limited' ? waitOf(headers) : undefined;
  const param = code === 'upstream_rejected' ? said.param : undefined;
  return upstreamError(code, message, present({ param, details, retryAfterMs }));
}

function codeFor(status: number): ErrorCode {
  if (REJECTIONS.has(status)) return 'upstream_rejected';
  if (CREDENTIALS.has(status) || status === NO_CREDIT) return 'provider_auth_failed';
  if (status === 429) return 'upstream_rate_limited';
  return TIMEOUTS.has(status) ? 'upstream_timeout' : 'upstream_error';
}

/** The longest wait that is passed on: one day. */
const WAIT_MOST_MS = 86_400_000;

/** The upstream's retry delay in milliseconds. */
export function waitOf(headers: UpstreamHeaders): number | undefined {
  const ms = Number(single(headers['retry-after-ms']) ?? Number.NaN);
  if (ms >= 0) return Math.min(Math.ceil(ms), WAIT_MOST_MS);
  const after = single(headers['retry-after']);
  if (after === undefined) return undefined;
  const seconds = Number(after);
  if (!Number.isNaN(seconds)) {
    return seconds >= 0 ? Math.min(Math.ceil(seconds * 1000), WAIT_MOST_MS) : undefined;
  }
  // A date is relative to the upstream's own clock, which wrote both headers.
  const wait = Date.parse(after) - Date.parse(single(headers['date']) ?? '');
  return wait >= 0 ? Math.min(wait, WAIT_MOST_MS) : undefined;
}

/** Whether a client that obeys the headers would sleep for longer than the gateway ever announces. */
export function asksForLongWait(headers: UpstreamHeaders): boolean {
  const { 'retry-after-ms': ms, ...others } = headers;
  const waits = [waitOf(others), ms === undefined ? undefined : waitOf(headers)];
  if (waits.some((wait = 0) => wait > MAX_RETRY_AFTER_MS)) return true;
  // A date without the upstream's clock may be any time.
  const after = single(headers['retry-after']) ?? '';
  return (
    headers['date'] === undefined && Number.isNaN(Number(after)) && !Number.isNaN(Date.parse(after))
  );
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** The error of an answer or event that violates its format. */
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

/** The error of a stream that closed before its terminal event. */
export function earlyEnd(): GatewayError {
  return gatewayError('upstream_error', 'The provider ended its answer before it was complete.');
}
