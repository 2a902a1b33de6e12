import type { IncomingHttpHeaders } from 'node:http';
import { gatewayError } from '@tollgate/contracts';
import { DRY_RUN_TICKET_HEADER, openDryRunTicket, type KeyRing } from '@tollgate/contracts/node';

/**
 * The hash of the key that a ticket stands for; undefined: none is sent. Of a dry run only.
 * @throws GatewayError `invalid_api_key`
 */
export function readTicket(
  ring: KeyRing,
  headers: IncomingHttpHeaders,
  nowMs: number,
): Buffer | undefined {
  const ticket = headers[DRY_RUN_TICKET_HEADER];
  if (typeof ticket !== 'string') return undefined;
  const keySha256 = openDryRunTicket(ring, ticket, nowMs);
  if (keySha256 === undefined) {
    const text = `${DRY_RUN_TICKET_HEADER}: is not valid, or has expired.`;
    throw gatewayError('invalid_api_key', text, { param: DRY_RUN_TICKET_HEADER });
  }
  return keySha256;
}
