import { z } from 'zod';

import {
  AGENT_CLASSES,
  SCOPED_END_USER_CHARACTERS,
  SCOPED_SESSION_CHARACTERS,
  SESSION_CHARACTERS,
} from '../attribution';
import { OUTCOMES, RESPONSE_CACHE_RESULTS, USAGE_QUALITIES } from '../enums';
import { EXPERIMENT_NAME_CHARACTERS } from '../experiments';
import { regionWord } from '../regions';
import { namedTag } from '../usage-tags';
import { endpoint } from './endpoint';
import { givenInstant, id, instant, listQuery, page, usdAmount } from './fields';
import { price } from './price-amounts';
import { usageFieldShape } from './usage-fields';

export const tokenCounts = z
  .object({
    input: z.int(),
    cacheRead: z.int(),
    cacheWrite5m: z.int(),
    cacheWrite1h: z.int(),
    audioInput: z.int(),
    imageInput: z.int(),
    output: z.int(),
    audioOutput: z.int(),
    imageOutput: z.int(),
    reasoning: z.int().meta({ description: 'Reasoning tokens; already included in output.' }),
  })
  .meta({ id: 'TokenCounts', description: 'Tokens by class; the classes do not overlap.' });

export const mcpTarget = z
  .object({
    serverId: id,
    server: z.string().meta({ description: "The server's identifier when it was called." }),
    method: z.string().meta({ description: 'JSON-RPC method.' }),
    name: z
      .string()
      .nullable()
      .meta({ description: 'Tool, prompt or URI of the resource; null: the method names none.' }),
  })
  .meta({ id: 'UsageRecordMcpTarget', description: 'What was asked of an MCP server.' });

export const CACHE_SAVED =
  "What the providers' caches saved, in US dollars, at the prices of that time: the same tokens as plain input, less their cost. Negative: writing to the caches cost more than reading saved.";
export const ROUTING_SAVED =
  'What routing saved, in US dollars, at the prices of that time: the same answers from the requested model, else from the first one of the routing policy, less the cost of all attempts. Negative: routing cost that much. Requests without firstChoiceCostUsd count 0.';

export const RECORD_MODES = ['SETTLED', 'ABANDONED'] as const;

const recordFields = {
  id: id.meta({ description: "The request id from the gateway's answer." }),
  organisationId: id,
  teamId: id.nullable(),
  userId: id.nullable(),
  apiKeyId: id,
  modelId: id.nullable(),
  model: z.string().meta({ description: 'Empty for a request to an MCP server.' }),
  providerId: id.nullable(),
  mcp: mcpTarget.nullable().meta({ description: 'Null: a request to a model.' }),
  ...usageFieldShape('request'),
  mode: z.enum(RECORD_MODES),
  outcome: z.enum(OUTCOMES).nullable(),
  ...usageFieldShape('answer'),
  tokensIn: z.int(),
  tokensOut: z.int(),
  tokens: tokenCounts,
  usageQuality: z.enum(USAGE_QUALITIES),
  costUsd: usdAmount,
  cacheSavedUsd: usdAmount.meta({ description: CACHE_SAVED }),
  routingSavedUsd: usdAmount.meta({ description: ROUTING_SAVED }),
  ...usageFieldShape('timing'),
  authorisedAt: instant,
  closedAt: instant,
};

export const usageRecord = z.object(recordFields).meta({ id: 'UsageRecord' });
export type UsageRecord = z.output<typeof usageRecord>;

/** A change of what a record has come to, beside the record. */
export const recordAdjustment = z.object({
  id,
  kind: z.string(),
  reason: z.string(),
  costUsd: usdAmount,
  createdAt: instant,
});

export const usageRecordDetail = z
  .object({
    ...recordFields,
    units: z.record(z.string(), z.string()),
    ...usageFieldShape('hold'),
    upstreamMs: z.int(),
    ...usageFieldShape('upstream'),
    attempts: z.array(
      z.object({
        modelId: z.string(),
        providerId: z.string(),
        outcome: z.string(),
        httpStatus: z.int(),
        startedAt: instant,
        latencyMs: z.int(),
        firstTokenMs: z.int(),
        tokens: tokenCounts
          .nullable()
          .meta({ description: 'Null: the request is older than this field.' }),
        costUsd: usdAmount,
        uncachedCostUsd: usdAmount.nullable().meta({
          description:
            'The cost if the provider had cached nothing. Null: its caches were not used, or it was not recorded.',
        }),
        priceId: id.nullable().meta({ description: 'The price that was applied; null: none.' }),
        serviceTier: z.string().nullable().meta({
          description:
            'The processing tiers of the cost, such as `priority`; null: standard processing.',
        }),
        region: z.string().nullable().meta({
          description:
            'Of the connection as it was then; null: it had none, or it was not recorded.',
        }),
        hedge: z.boolean().meta({ description: 'Whether it was called beside a silent attempt.' }),
        upstreamRequestId: z.string(),
        upstreamModel: z.string().meta({
          description: "The provider's own name of the model; empty: not kept.",
        }),
        message: z.string().meta({
          description:
            "Why it failed, in the provider's or the gateway's words without secrets. Empty: it succeeded, or the caller does not see all requests of the organisation.",
        }),
      }),
    ),
    adjustments: z.array(recordAdjustment),
    prices: z.array(price).meta({
      description: 'The prices by which its attempts were charged, as far as their models exist.',
    }),
  })
  .meta({ id: 'UsageRecordDetail' });
export type UsageRecordDetail = z.output<typeof usageRecordDetail>;

/** Filters by owner of the usage. */
export const usageOwners = {
  teamId: id.optional(),
  userId: id.optional(),
  apiKeyId: id.optional(),
  modelId: id.optional(),
  providerId: id.optional(),
  mcpServerId: id.optional(),
};

/** Filters by whom requests are for, as records have it. */
export const attributionFilters = {
  endUser: z.string().min(1).max(SCOPED_END_USER_CHARACTERS).optional(),
  session: z.string().min(1).max(SCOPED_SESSION_CHARACTERS).optional(),
  agentClass: z.enum(AGENT_CLASSES).optional(),
  tag: namedTag.optional(),
};

/** Filters by the experiment that requests took part in. */
export const experimentFilters = {
  experimentId: id.optional(),
  experimentArm: z.string().min(1).max(EXPERIMENT_NAME_CHARACTERS).optional(),
};

/** Whether the answer came from the response cache. */
export const responseCacheFilter = z.enum(RESPONSE_CACHE_RESULTS).optional();

/** Filters of booked requests, in lists and exports. */
export const recordFilters = {
  ...usageOwners,
  outcome: z.enum(OUTCOMES).optional(),
  mode: z.enum(RECORD_MODES).optional(),
  httpStatus: z.coerce.number().int().min(100).max(599).optional(),
  errorCode: z.string().min(1).max(100).optional(),
  clientRequestId: z.string().min(1).max(200).optional(),
  screening: z
    .string()
    .regex(/^[a-z0-9-]{1,64}\/[a-z0-9-]{1,64}$/, 'a policy and a rule, as house/secrets')
    .optional()
    .meta({ description: 'A screening rule that found something, or could not decide.' }),
  responseCache: responseCacheFilter,
  region: regionWord.optional().meta({
    description:
      'An attempt was in this region; `unknown`: in a connection without one; `none`: no upstream was called; `not-recorded`: regions were not recorded.',
  }),
  ...attributionFilters,
  ...experimentFilters,
  routingPolicyId: id.optional().meta({ description: 'The routing policy that chose the model.' }),
  agentId: z.string().min(1).max(SESSION_CHARACTERS).optional(),
};

const root = '/api/organisations/:organisationId/usage';
const tag = 'Usage';

export const listUsageRecords = endpoint({
  id: 'listUsageRecords',
  tag,
  summary: 'Usage records, newest first',
  method: 'GET',
  path: `${root}/records`,
  access: 'usage.read',
  query: listQuery(['authorisedAt'], {
    from: givenInstant.optional().meta({ description: 'Authorised at this instant or later.' }),
    to: givenInstant.optional().meta({ description: 'Authorised before this instant.' }),
    ...recordFilters,
  }),
  response: page(usageRecord),
});

export const getUsageRecord = endpoint({
  id: 'getUsageRecord',
  tag,
  summary: 'One usage record with its attempts and adjustments',
  method: 'GET',
  path: `${root}/records/:requestId`,
  access: 'usage.read',
  response: usageRecordDetail,
});

export const ROLLUP_BUCKETS = ['total', 'hour', 'day', 'month'] as const;
export const ROLLUP_DIMENSIONS = [
  'model',
  'apikey',
  'team',
  'user',
  'provider',
  'mcp-server',
] as const;
export type RollupBucket = (typeof ROLLUP_BUCKETS)[number];
export type RollupDimension = (typeof ROLLUP_DIMENSIONS)[number];

/** Most rows of one rollup; a larger question is refused, not truncated. */
export const ROLLUP_ROWS = 10_000;

export const usageRollup = z
  .object({
    from: instant,
    to: instant,
    timeZone: z.string().meta({ description: 'Time zone in which days and months begin.' }),
    bucket: z.enum(ROLLUP_BUCKETS),
    groupBy: z.enum(ROLLUP_DIMENSIONS).nullable(),
    data: z.array(
      z.object({
        start: instant.nullable().meta({ description: 'Null for the bucket `total`.' }),
        group: z
          .object({ id: id.nullable(), name: z.string().nullable() })
          .nullable()
          .meta({ description: 'Null without groupBy; a null id is usage without one.' }),
        requests: z.int(),
        errors: z.int(),
        tokensIn: z.int(),
        tokensOut: z.int(),
        tokens: tokenCounts,
        costUsd: usdAmount,
        cacheSavedUsd: usdAmount.meta({ description: CACHE_SAVED }),
        routingSavedUsd: usdAmount.meta({ description: ROUTING_SAVED }),
        meanLatencyMs: z.number().nullable(),
      }),
    ),
  })
  .meta({ id: 'UsageRollup' });
export type UsageRollup = z.output<typeof usageRollup>;

export const getUsageRollup = endpoint({
  id: 'getUsageRollup',
  tag,
  summary: 'Usage by time, model, key, team, user, provider or MCP server, in whole days or hours',
  method: 'GET',
  path: `${root}/rollups`,
  access: 'usage.read',
  query: z.strictObject({
    from: givenInstant.optional().meta({ description: 'Absent: 30 days before `to`.' }),
    to: givenInstant.optional().meta({ description: 'Absent: now.' }),
    bucket: z.enum(ROLLUP_BUCKETS).default('day'),
    groupBy: z.enum(ROLLUP_DIMENSIONS).optional(),
    ...usageOwners,
  }),
  response: usageRollup,
});
