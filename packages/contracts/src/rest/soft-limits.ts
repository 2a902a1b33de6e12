import { z } from 'zod';

import { LIMIT_KINDS, LIMIT_SCOPES, QUOTA_METRICS } from '../enums';
import { endpoint } from './endpoint';
import { givenInstant, id, instant, listQuery, page, usdAmount } from './fields';
import { answeredScope } from './limit-scope';

/** A count; for the metric COST a decimal string in US dollars. */
const amount = z.union([z.int(), usdAmount]);

export const SOFT_LIMIT_RESOURCES = ['budget', 'quota', 'rate-limit'] as const;

export const softLimitPass = z
  .object({
    id,
    limitId: id.meta({ description: 'Id of the budget, quota or rate limit.' }),
    kind: z.enum(LIMIT_KINDS),
    metric: z.enum(QUOTA_METRICS).nullable().meta({ description: 'Null for a rate.' }),
    scope: answeredScope,
    value: z.string().nullable().meta({
      description:
        'Of a limit on each end user, session or tag: the name that passed it, as the record of the request has it. Null: another limit, or the record is not booked yet, has no name, or was removed.',
    }),
    requestId: id.nullable().meta({
      description: 'The first request of the window that exceeded it; null: not recorded.',
    }),
    windowStart: instant,
    windowEnd: instant.meta({
      description: 'For a rate: the end of the hour in which it was exceeded.',
    }),
    limit: amount,
    spent: amount,
    held: amount,
    at: instant.meta({ description: 'When the first request of the window exceeded the limit.' }),
  })
  .meta({
    id: 'SoftLimitPass',
    description: 'A soft limit that was exceeded by an allowed request; one entry for each window.',
  });
export type SoftLimitPass = z.output<typeof softLimitPass>;

export const listSoftLimitPasses = endpoint({
  id: 'listSoftLimitPasses',
  tag: 'Budgets',
  summary: 'Soft limits that were exceeded, one entry for each limit and window; newest first',
  method: 'GET',
  path: '/api/organisations/:organisationId/soft-limit-passes',
  access: 'budgets.read',
  query: listQuery(['createdAt'], {
    limitId: id.optional(),
    resource: z.enum(SOFT_LIMIT_RESOURCES).optional(),
    scopeType: z.enum(LIMIT_SCOPES).optional(),
    scopeId: id.optional(),
    apiKeyId: id.optional().meta({ description: 'Only limits that apply to this key.' }),
    from: givenInstant.optional(),
    to: givenInstant.optional(),
  }),
  response: page(softLimitPass),
});
