// The errors that services throw: by code, with the status and the sentence of the table in errors.ts.

import { ERRORS, REST_ERRORS, type ErrorCode, type RestErrorCode } from './errors';

/** A JSON object for programs. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

export interface GatewayErrorOptions {
  /** Path of the wrong field, like `messages.0.content`. */
  readonly param?: string | undefined;
  readonly details?: ErrorDetails | undefined;
  /** When a retry makes sense; absent or 0: unknown, or never. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** An error for the gateway's client, to be written in the client's format. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | undefined;
  readonly details: ErrorDetails | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: GatewayErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = ERRORS[code].status;
    this.param = options.param;
    this.details = options.details;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Without a message the error has its table's sentence. */
export function gatewayError(
  code: ErrorCode,
  message?: string,
  options: GatewayErrorOptions = {},
): GatewayError {
  return new GatewayError(code, message ?? ERRORS[code].sentence, options);
}

/** An error for a client of the management API. */
export class RestError extends Error {
  override readonly name = 'RestError';
  readonly code: RestErrorCode;
  readonly status: number;
  readonly details: unknown;

  constructor(code: RestErrorCode, message: string, details: unknown) {
    super(message);
    this.code = code;
    this.status = REST_ERRORS[code].status;
    this.details = details;
  }
}

export function restError(code: RestErrorCode, message?: string, details?: unknown): RestError {
  return new RestError(code, message ?? REST_ERRORS[code].sentence, details);
}
