import { z } from 'zod';

import { endpoint } from './endpoint';
import { instant } from './fields';

export const dryRunTicket = z
  .object({
    ticket: z.string().meta({
      description:
        'Sent to the gateway as x-tollgate-dry-run-ticket with x-tollgate-dry-run: true, in place of the API key. It makes no call.',
    }),
    expiresAt: instant,
  })
  .meta({ id: 'DryRunTicket' });

export const getDryRunTicket = endpoint({
  id: 'getDryRunTicket',
  tag: 'API keys',
  summary:
    'A ticket to ask the gateway for two minutes what it would decide about requests of a key',
  method: 'GET',
  path: '/api/organisations/:organisationId/apikeys/:apiKeyId/dry-run-ticket',
  access: 'apikeys.try',
  response: dryRunTicket,
});
