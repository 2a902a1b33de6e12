import { GatewayError, gatewayError } from '@tollgate/contracts';
import type { Denial__Output } from '@tollgate/contracts/node';

import { HANDLING } from '../error-handling';
import { UpstreamFailure } from '../upstream/failure';
import type { Gateway } from './gateway';

/** The error that the client gets. Unexpected errors are logged and become `internal_error`. */
export function shownError(
  { log }: Pick<Gateway, 'log'>,
  { requestId }: { readonly requestId: string },
  thrown: unknown,
): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (thrown instanceof UpstreamFailure) return thrown.error;
  log.error('request failed', { requestId, error: thrown });
  return gatewayError('internal_error');
}

interface Refused {
  readonly requestId: string;
  readonly keySha256: Buffer | undefined;
  /** Policy's own refusal, which it has counted. */
  readonly denial: Denial__Output | undefined;
}

/**
 * Reports a refusal of the edge for the key's list of refusals, with the model that was asked for. The body, and
 * messages that quote it, are not sent.
 */
export function reportRefusal(
  { policy }: { readonly policy: Pick<Gateway['policy'], 'refused'> },
  { denial, keySha256, requestId }: Refused,
  { code, param }: GatewayError,
  model = '',
): void {
  if (keySha256 === undefined || denial || !HANDLING[code].reportedForKey) return;
  policy.refused({ keySha256, requestId, code, param: param ?? '', model });
}
