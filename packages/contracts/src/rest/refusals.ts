import { z } from 'zod';

import { BUDGET_PERIODS, LIMIT_KINDS, QUOTA_METRICS, SCOPE_TYPES } from '../enums';
import { endpoint } from './endpoint';
import { id, instant, listQuery, page, usdAmount } from './fields';

/** Why requests of a key were refused, summed up by policy; see `Ledger.Report`. */

/** A count; for the metric COST a decimal string in US dollars. */
const amount = z.union([z.int(), usdAmount]);

export const refusingLimit = z
  .object({
    id: id.meta({ description: 'Of the budget, the quota or the rate limit.' }),
    kind: z.enum(LIMIT_KINDS),
    metric: z
      .enum(QUOTA_METRICS)
      .nullable()
      .meta({ description: 'COST of a budget; null of a rate.' }),
    scope: z.object({ type: z.enum(SCOPE_TYPES), id }),
    period: z.enum(BUDGET_PERIODS).nullable(),
    windowSeconds: z.int().nullable(),
    limit: amount,
    spent: amount,
    held: amount,
    resetsAt: instant.nullable().meta({
      description: 'When its window ends, or a rate is free again; null: not known.',
    }),
  })
  .meta({ id: 'RefusingLimit', description: 'A limit as it stood when it refused.' });
export type RefusingLimit = z.output<typeof refusingLimit>;

export const apiKeyRefusal = z
  .object({
    id,
    code: z.string().meta({ description: "Of the gateway's errors." }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Of invalid_api_key: why; the client is not told.' }),
    count: z.int().min(1),
    firstAt: instant,
    lastAt: instant,
    lastRequestId: id,
    lastModel: z.string().nullable().meta({ description: 'As the client named it.' }),
    message: z.string().meta({ description: 'What the client was told the last time.' }),
    limit: refusingLimit.nullable().meta({ description: 'Null: no limit refused.' }),
  })
  .meta({
    id: 'ApiKeyRefusal',
    description: 'Refusals that came to the same: the same code, and the same limit or model.',
  });
export type ApiKeyRefusal = z.output<typeof apiKeyRefusal>;

export const listApiKeyRefusals = endpoint({
  id: 'listApiKeyRefusals',
  tag: 'API keys',
  summary: 'What a key was refused for lately, and how often',
  method: 'GET',
  path: '/api/organisations/:organisationId/apikeys/:apiKeyId/refusals',
  access: 'apikeys.read',
  query: listQuery(['lastAt'], {
    code: z
      .string()
      .regex(/^[a-z_]{1,64}$/, 'not an error code')
      .optional(),
  }),
  response: page(apiKeyRefusal),
});
