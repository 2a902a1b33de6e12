import { rest, restError } from '@tollgate/contracts';
import { DRY_RUN_TICKET_MS, sealDryRunTicket, type KeyRing } from '@tollgate/contracts/node';

import { serve, type Route } from '../../rest/call';
import { findKey } from './api-keys';

/**
 * A ticket to ask the gateway what it would decide about a request of this key. It changes nothing and
 * lets nobody make a call, so it is a read.
 */
export function createDryRunTicketRoutes({ keyRing }: { readonly keyRing: KeyRing }): Route[] {
  return [
    serve(rest.getDryRunTicket, async (call) => {
      const { keySha256, revokedAt } = await findKey(call, call.params.apiKeyId);
      if (revokedAt !== null) throw restError('conflict', 'This API key is revoked.');
      const expiresAtMs = call.nowMs + DRY_RUN_TICKET_MS;
      return {
        ticket: sealDryRunTicket(keyRing, { keySha256, expiresAtMs }),
        expiresAt: new Date(expiresAtMs).toISOString(),
      };
    }),
  ];
}
