// Headers of an error answer, the same in every format: the request's id under the two names that
// SDKs read, our code, and whether and when to try again.

import { ERROR_CODE_HEADER, retryHeaders, type GatewayError } from '@tollgate/contracts';

export function errorHeaders(error: GatewayError, requestId: string): Record<string, string> {
  return {
    'x-request-id': requestId,
    'request-id': requestId,
    [ERROR_CODE_HEADER]: error.code,
    ...retryHeaders(error.code, error.retryAfterMs),
  };
}
