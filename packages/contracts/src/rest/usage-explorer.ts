import { z } from 'zod';

import { OUTCOMES } from '../enums';
import { regionWord } from '../regions';
import { tagKey } from '../usage-tags';
import { endpoint } from './endpoint';
import { givenInstant, id, instant, usdAmount } from './fields';
import {
  attributionFilters,
  CACHE_SAVED,
  experimentFilters,
  responseCacheFilter,
  ROUTING_SAVED,
  tokenCounts,
  usageOwners,
} from './usage';

/** Usage over time and by dimension: from rollups; regions and attribution are summed from records. */

export const EXPLORER_BUCKETS = ['hour', 'day', 'month'] as const;
export type ExplorerBucket = (typeof EXPLORER_BUCKETS)[number];
export const EXPLORER_DIMENSIONS = [
  'team',
  'user',
  'apikey',
  'model',
  'provider',
  'mcp-server',
  'status',
  'operation',
  'region',
  'end-user',
  'session',
  'agent-class',
  'tag',
  'response-cache',
  'experiment',
  'experiment-arm',
  'routing-policy',
] as const;
/** Dimensions that have no rollups: they are summed from records. */
export const ATTRIBUTION_DIMENSIONS = [
  'end-user',
  'session',
  'agent-class',
  'tag',
  'response-cache',
  'experiment',
  'experiment-arm',
  'routing-policy',
] as const;
export const PLATFORM_DIMENSIONS = ['organisation', ...EXPLORER_DIMENSIONS] as const;
export type ExplorerDimension = (typeof PLATFORM_DIMENSIONS)[number];
export const USAGE_STATUSES = [...OUTCOMES, 'ABANDONED'] as const;
export const EXPLORER_MEASURES = ['costUsd', 'requests', 'errors', 'tokens'] as const;
export type ExplorerMeasure = (typeof EXPLORER_MEASURES)[number];

/** The longest range of a series in days, by bucket; sums without a series use that of months. */
export const EXPLORER_DAYS: Readonly<Record<ExplorerBucket, number>> = {
  hour: 31,
  day: 400,
  month: 3_700,
};
/** Hours of one owner, or by owner, are many rows, so the range is shorter. */
export const OWNER_HOURS_DAYS = 7;
/** Regions are read from the records themselves, so the range is as long as that of an export. */
export const REGION_DAYS = 92;
/** Days of records that are summed, unless one end user or session is asked for. */
export const ATTRIBUTION_DAYS = 31;
export const EXPLORER_TOP = 50;

const percentiles = z
  .object({
    p50: z.int().nullable(),
    p95: z.int().nullable(),
    p99: z.int().nullable(),
    mean: z.int().nullable(),
    count: z.int(),
  })
  .meta({
    id: 'LatencyPercentiles',
    description: 'In milliseconds. The mean is exact, percentiles within a factor of √2.',
  });

const measures = z
  .object({
    requests: z.int(),
    errors: z.int(),
    tokensIn: z.int(),
    tokensOut: z.int(),
    tokens: tokenCounts,
    costUsd: usdAmount,
    cacheSavedUsd: usdAmount.meta({ description: CACHE_SAVED }),
    routingSavedUsd: usdAmount.meta({ description: ROUTING_SAVED }),
    latencyMs: percentiles
      .nullable()
      .meta({ description: 'Null: not requested, or not kept for this grouping.' }),
    firstTokenMs: percentiles
      .nullable()
      .meta({ description: 'Time to the first token of streamed answers, like latencyMs.' }),
  })
  .meta({ id: 'UsageMeasures' });
export type UsageMeasures = z.output<typeof measures>;

const group = z.object({
  id: z.string().nullable().meta({
    description:
      'An id, or for status, operation, region and attribution a word; null: usage without one. A request with attempts in several regions counts for `eu, us`.',
  }),
  name: z.string().nullable(),
});

const span = { from: instant, to: instant };

export const usageExploration = z
  .object({
    ...span,
    timeZone: z.string().meta({ description: 'Time zone in which days and months begin.' }),
    bucket: z.enum(EXPLORER_BUCKETS).nullable(),
    groupBy: z.enum(PLATFORM_DIMENSIONS).nullable(),
    totals: measures,
    previous: z
      .object({ ...span, totals: measures })
      .nullable()
      .meta({ description: 'The preceding period of the same length, if requested.' }),
    groups: z
      .array(z.object({ group, totals: measures, previous: measures.nullable() }))
      .meta({ description: 'The largest groups by `orderBy`; empty without groupBy.' }),
    groupCount: z.int().meta({ description: 'The number of all groups, listed or not.' }),
    series: z
      .array(
        z.object({
          start: instant,
          group: group.nullable().meta({ description: 'Null without groupBy.' }),
          measures,
        }),
      )
      .meta({
        description: 'The listed groups by bucket, without empty buckets.',
      }),
  })
  .meta({ id: 'UsageExploration' });
export type UsageExploration = z.output<typeof usageExploration>;

const flag = z.enum(['true', 'false']).default('false');

const query = {
  from: givenInstant
    .optional()
    .meta({ description: 'Absent: 30 days before `to`. Rounded down to a whole day or hour.' }),
  to: givenInstant
    .optional()
    .meta({ description: 'Absent: now. Rounded up to a whole day or hour.' }),
  bucket: z.enum(EXPLORER_BUCKETS).optional().meta({ description: 'Absent: no series.' }),
  compare: flag.meta({
    description: 'Also return the preceding period of the same length. Default: false.',
  }),
  latency: flag.meta({ description: 'Also return percentiles of latency. Default: false.' }),
  orderBy: z.enum(EXPLORER_MEASURES).default('costUsd'),
  top: z.coerce.number().int().min(1).max(EXPLORER_TOP).default(10),
  ...usageOwners,
  status: z.enum(USAGE_STATUSES).optional(),
  operation: z.string().min(1).max(100).optional(),
  region: regionWord.optional().meta({
    description:
      'An attempt was in this region; or `unknown`, `none`, `not-recorded`, as of usage records.',
  }),
  ...attributionFilters,
  responseCache: responseCacheFilter,
  ...experimentFilters,
  routingPolicyId: id.optional(),
  tagKey: tagKey.optional().meta({ description: 'The tag to group by, with groupBy=tag.' }),
};

export const exploreUsage = endpoint({
  id: 'exploreUsage',
  tag: 'Usage',
  summary:
    'Usage by time, team, user, key, model, provider, MCP server, status, operation, end user, session, agent, tag, response cache, experiment or routing policy',
  method: 'GET',
  path: '/api/organisations/:organisationId/usage/explore',
  access: 'usage.read',
  query: z.strictObject({ ...query, groupBy: z.enum(EXPLORER_DIMENSIONS).optional() }),
  response: usageExploration,
});

export const explorePlatformUsage = endpoint({
  id: 'explorePlatformUsage',
  tag: 'Usage',
  summary: 'Usage of all organisations, with days and months in UTC',
  method: 'GET',
  path: '/api/admin/usage/explore',
  access: 'platform.usage.read',
  query: z.strictObject({
    ...query,
    organisationId: id.optional(),
    groupBy: z.enum(PLATFORM_DIMENSIONS).optional(),
  }),
  response: usageExploration,
});
