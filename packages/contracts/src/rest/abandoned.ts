import { z } from 'zod';

import { reason } from './adjustments';
import { endpoint } from './endpoint';
import { id, instant, listQuery, page, usdAmount } from './fields';
import { mcpTarget } from './usage';

/**
 * Holds whose lease ended without a settle: charged in full until a late settle or an operator
 * corrects it.
 */

export const ABANDONED_STATES = ['ABANDONED', 'RESOLVED'] as const;

export const abandonedHold = z
  .object({
    requestId: id,
    organisationId: id,
    teamId: id.nullable(),
    userId: id.nullable(),
    apiKeyId: id,
    modelId: id.nullable(),
    mcp: mcpTarget
      .nullable()
      .meta({ description: 'Null: a request to a model, or its charge is not booked yet.' }),
    state: z.enum(ABANDONED_STATES),
    chargedUsd: usdAmount.nullable().meta({
      description:
        "The request's charge so far, with all adjustments, in US dollars; null until it is booked.",
    }),
    authorisedAt: instant,
    endedAt: instant.nullable().meta({ description: 'When its lease ended.' }),
    resolvedAt: instant.nullable(),
    resolvedBy: id.nullable(),
  })
  .meta({ id: 'AbandonedHold' });
export type AbandonedHold = z.output<typeof abandonedHold>;

export const holdResolve = z
  .strictObject({
    charge: z.enum(['KEEP', 'REFUND']).meta({
      description:
        "REFUND reverses the request's whole charge; the request still counts in quotas of requests.",
    }),
    reason,
  })
  .meta({ id: 'AbandonedHoldResolve' });
export type HoldResolve = z.output<typeof holdResolve>;

const tag = 'Ledger';
const root = '/api/admin/ledger/abandoned';

export const listAbandoned = endpoint({
  id: 'listAbandoned',
  tag,
  summary: 'Abandoned holds: their lease ended without a settle; newest first',
  method: 'GET',
  path: root,
  access: 'platform.ledger.read',
  query: listQuery(['authorisedAt'], {
    state: z.enum(ABANDONED_STATES).default('ABANDONED'),
    organisationId: id.optional(),
  }),
  response: page(abandonedHold),
});

export const resolveAbandoned = endpoint({
  id: 'resolveAbandoned',
  tag,
  summary: 'Keep or refund the charge of an abandoned hold',
  method: 'POST',
  path: `${root}/:requestId/resolve`,
  access: 'platform.ledger.write',
  body: holdResolve,
  response: abandonedHold,
});
