import { gatewayError, type GatewayError } from '@tollgate/contracts';
import { errorOfDenial, type Denial__Output } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

/** Policy's refusal as an error for the client. */
export function denialError(log: Logger, denial: Denial__Output): GatewayError {
  const error = errorOfDenial(denial);
  if (error !== undefined) return error;
  log.error('policy refused with an unknown code', { code: denial.code });
  return gatewayError('internal_error');
}
