// SDKs sleep through `Retry-After`, so waits that are too long for it are stated in the body.

import {
  ERRORS,
  gatewayError,
  MAX_RETRY_AFTER_MS,
  SHORT_WAIT,
  type ErrorDetails,
  type GatewayError,
} from '@tollgate/contracts';

/** The same error, with the wait in its message and details if no header states it. */
export function withLongWait(error: GatewayError): GatewayError {
  const { code, message, param, retryAfterMs = 0 } = error;
  if (!ERRORS[code].retryable || retryAfterMs <= MAX_RETRY_AFTER_MS) return error;
  const retryAfterSeconds = Math.ceil(retryAfterMs / 1_000);
  const details: ErrorDetails = { ...error.details, retryAfterSeconds };
  const start = message.endsWith(SHORT_WAIT) ? message.slice(0, -SHORT_WAIT.length) : `${message} `;
  const text = `${start}Send it again in ${retryAfterSeconds} seconds.`;
  return gatewayError(code, text, { param, details, retryAfterMs, cause: error });
}
