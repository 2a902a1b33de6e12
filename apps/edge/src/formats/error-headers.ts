// Headers of an error answer, the same in every format: the request's id under the two names that
// SDKs read, and whether and when to try again.

import { retryHeaders, type GatewayError } from '@tollgate/contracts';

export function errorHeaders(error: GatewayError, requestId: string): Record<string, string> {
  return {
    'x-request-id': requestId,
    'request-id': requestId,
    ...retryHeaders(error.code, error.retryAfterMs),
  };
}
