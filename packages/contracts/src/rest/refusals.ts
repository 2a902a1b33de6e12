import { z } from 'zod';

import { BUDGET_PERIODS, LIMIT_KINDS, QUOTA_METRICS, SCOPE_TYPES } from '../enums';
import { endpoint } from './endpoint';
import { id, instant, listQuery, page, usdAmount } from './fields';

/** Why requests of a key were refused, summed up by policy; see `Ledger.Report`. */

/** A count; for the metric COST a decimal string in US dollars. */
const amount = z.union([z.int(), usdAmount]);

export const refusingLimit = z
  .object({
    id: id.meta({
      description:
        "Id of the budget, quota or rate limit; of the key, if it is the gateway's own limit of MCP requests.",
    }),
    kind: z.enum(LIMIT_KINDS),
    metric: z
      .enum(QUOTA_METRICS)
      .nullable()
      .meta({ description: 'COST for a budget; null for a rate.' }),
    scope: z.object({ type: z.enum(SCOPE_TYPES), id }),
    period: z.enum(BUDGET_PERIODS).nullable(),
    windowSeconds: z.int().nullable(),
    limit: amount,
    spent: amount,
    held: amount,
    resetsAt: instant.nullable().meta({
      description: 'When the window ends, or the rate has room again; null: unknown.',
    }),
  })
  .meta({ id: 'RefusingLimit', description: 'A limit as it stood when it refused.' });
export type RefusingLimit = z.output<typeof refusingLimit>;

export const apiKeyRefusal = z
  .object({
    id,
    code: z.string().meta({ description: 'Error code of the gateway.' }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'For invalid_api_key: the reason, which the client does not see.' }),
    count: z.int().min(1),
    firstAt: instant,
    lastAt: instant,
    lastRequestId: id,
    lastModel: z
      .string()
      .nullable()
      .meta({ description: "The model's name in the newest request." }),
    message: z.string().meta({ description: 'The message of the newest refusal.' }),
    limit: refusingLimit.nullable().meta({ description: 'Null: no limit refused.' }),
  })
  .meta({
    id: 'ApiKeyRefusal',
    description: 'Refusals with the same code and the same limit or model.',
  });
export type ApiKeyRefusal = z.output<typeof apiKeyRefusal>;

export const listApiKeyRefusals = endpoint({
  id: 'listApiKeyRefusals',
  tag: 'API keys',
  summary: 'Recent refusals of a key, by cause, with their number',
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
