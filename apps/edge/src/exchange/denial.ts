import {
  gatewayError,
  isErrorCode,
  type ErrorDetails,
  type GatewayError,
} from '@tollgate/contracts';
import type { Denial__Output } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

/** Policy's refusal as an error for the client. */
export function denialError(log: Logger, denial: Denial__Output): GatewayError {
  if (!isErrorCode(denial.code)) {
    log.error('policy refused with an unknown code', { code: denial.code });
    return gatewayError('internal_error');
  }
  const details = detailsOf(denial.detailsJson);
  const param = details?.['param'];
  return gatewayError(denial.code, denial.message || undefined, {
    // The request field at fault, if there is one.
    param: typeof param === 'string' ? param : undefined,
    details,
    retryAfterMs: denial.retryAfterMs > 0 ? denial.retryAfterMs : undefined,
  });
}

function detailsOf(json: string): ErrorDetails | undefined {
  if (json === '') return undefined;
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null ? { ...value } : undefined;
}
