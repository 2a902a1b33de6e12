// Headers of errors: the gateway's code, and whether and when an SDK retries.
import { ERRORS, type ErrorCode } from './errors';

/** SDKs sleep for the whole `Retry-After`, so a longer wait is never announced. */
export const MAX_RETRY_AFTER_MS = 20_000;

/** Header with the gateway's error code on every error, also when the body is the provider's. */
export const ERROR_CODE_HEADER = 'x-tollgate-error-code';

/**
 * Headers that tell an SDK whether and when to retry. A wait that is too long to sleep through
 * becomes "do not retry".
 */
export function retryHeaders(code: ErrorCode, retryAfterMs = 0): Record<string, string> {
  const short = retryAfterMs > 0 && retryAfterMs <= MAX_RETRY_AFTER_MS;
  const headers: Record<string, string> = {};
  if (short) headers['retry-after'] = String(Math.ceil(retryAfterMs / 1000));
  if (!ERRORS[code].retryable || retryAfterMs > MAX_RETRY_AFTER_MS) {
    headers['x-should-retry'] = 'false';
  }
  return headers;
}
