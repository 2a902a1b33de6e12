import { z } from 'zod';

import { BUDGET_PERIODS, LIMIT_KINDS, LIMIT_SCOPES, QUOTA_METRICS } from '../enums';
import { endpoint } from './endpoint';
import { givenInstant, id, instant, listQuery, page, usdAmount } from './fields';

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
    scope: z.object({ type: z.enum(LIMIT_SCOPES), id }),
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

export const refusalNeed = z
  .object({
    requested: amount.meta({ description: "In the limit's unit." }),
    inputTokens: z
      .int()
      .nullable()
      .meta({ description: 'Estimated; null: the limit does not depend on tokens.' }),
    outputTokens: z.int().nullable().meta({ description: 'The most that the answer may have.' }),
    outputAssumed: z.boolean().meta({
      description: "The request sets no bound of its output, so the model's own is held.",
    }),
    outputExpected: z.boolean().meta({
      description:
        'The output follows from what the request asks for, such as the size of an image, and cannot be bounded.',
    }),
  })
  .meta({ id: 'RefusalNeed', description: 'What a refused request needed of the limit.' });
export type RefusalNeed = z.output<typeof refusalNeed>;

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
    need: refusalNeed
      .nullable()
      .meta({ description: 'Null: no limit refused, or it was before this field existed.' }),
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

/** Requests are refused in hours, which are kept this long. */
export const REFUSED_DAYS = 30;
/** How many codes the sums by code name at most. */
const CODES_MOST = 100;

const named = z.object({
  id,
  name: z.string().nullable().meta({ description: 'Null: it was deleted.' }),
});

export const refusedRequest = z
  .object({
    id,
    code: z.string().meta({ description: 'Error code of the gateway.' }),
    organisation: named.nullable().meta({ description: 'Null: the key is missing or unknown.' }),
    apiKey: named
      .nullable()
      .meta({ description: 'Null: of the playground, missing, unknown, or several keys.' }),
    team: named.nullable().meta({ description: "The key's team; null: none." }),
    keyFingerprint: z.string().nullable().meta({
      description:
        "The first ten hexadecimal digits of an unknown key's SHA-256; null: the key is known or missing.",
    }),
    model: z
      .object({ id: id.nullable(), name: z.string() })
      .nullable()
      .meta({ description: 'Null: unknown, or the refusal does not depend on it.' }),
    provider: named.nullable().meta({ description: 'The provider that was called last.' }),
    limit: refusingLimit
      .nullable()
      .meta({ description: 'As it was at the newest refusal; null: no limit refused.' }),
    need: refusalNeed.nullable(),
    several: z.boolean().meta({
      description:
        'Whether the row sums causes that are not told apart because there are too many.',
    }),
    count: z.int().min(1),
    firstAt: instant,
    lastAt: instant,
    lastRequestId: id,
  })
  .meta({
    id: 'RefusedRequest',
    description: 'Refused and failed requests with the same code, key, limit, model and provider.',
  });
export type RefusedRequest = z.output<typeof refusedRequest>;

export const refusedRequests = page(refusedRequest)
  .extend({
    from: instant,
    to: instant,
    total: z.int().meta({ description: 'Requests that match the filters, on all pages.' }),
    codes: z
      .array(z.object({ code: z.string(), count: z.int() }))
      .max(CODES_MOST)
      .meta({ description: 'The same requests by code, most frequent first.' }),
  })
  .meta({ id: 'RefusedRequests' });
export type RefusedRequests = z.output<typeof refusedRequests>;

const refusedFilters = {
  from: givenInstant
    .optional()
    .meta({ description: 'Absent: 7 days before `to`. Rounded down to a whole hour.' }),
  to: givenInstant.optional().meta({ description: 'Absent: now. Rounded up to a whole hour.' }),
  code: z
    .string()
    .regex(/^[a-z_]{1,64}$/, 'not an error code')
    .optional(),
  apiKeyId: id.optional(),
  teamId: id.optional(),
  limitId: id.optional(),
  modelId: id.optional(),
  providerId: id.optional(),
};
const REFUSED_SORTS = ['count', 'lastAt'] as const;

export const listRefusedRequests = endpoint({
  id: 'listRefusedRequests',
  tag: 'Usage',
  summary: 'Refused and failed requests by cause, with their number',
  method: 'GET',
  path: '/api/organisations/:organisationId/refusals',
  access: 'usage.read',
  query: listQuery(REFUSED_SORTS, refusedFilters),
  response: refusedRequests,
});

export const listPlatformRefusedRequests = endpoint({
  id: 'listPlatformRefusedRequests',
  tag: 'Usage',
  summary: 'Refused and failed requests of all organisations, and those without a known key',
  method: 'GET',
  path: '/api/admin/refusals',
  access: 'platform.usage.read',
  query: listQuery(REFUSED_SORTS, {
    ...refusedFilters,
    organisationId: id.optional(),
    keyless: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: 'true: only requests whose key is missing or unknown.' }),
  }),
  response: refusedRequests,
});
