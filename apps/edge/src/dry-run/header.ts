import type { IncomingHttpHeaders } from 'node:http';
import { gatewayError } from '@tollgate/contracts';

export const DRY_RUN_HEADER = 'x-tollgate-dry-run';

/** Whether the request asks to be a dry run. The only cost of all other requests. */
export function namesDryRun(headers: IncomingHttpHeaders): boolean {
  const value = headers[DRY_RUN_HEADER];
  return value !== undefined && value !== 'false';
}

/**
 * Refuses other values: a client that wants no call must not get one.
 * @throws GatewayError `invalid_request`
 */
export function checkDryRun(headers: IncomingHttpHeaders): void {
  if (headers[DRY_RUN_HEADER] === 'true') return;
  throw gatewayError('invalid_request', `${DRY_RUN_HEADER}: must be true or false`, {
    param: DRY_RUN_HEADER,
  });
}
