import {
  isOneOf,
  rest,
  type AgentClass,
  type ResponseCacheResult,
  type Role,
} from '@tollgate/contracts';

import type { Get } from '../../resource/list-input';
import {
  asQuery,
  DEFAULT_RANGE,
  edgeOf,
  isLongerThan,
  isRange,
  RANGES,
  spanOfRange,
  type Range,
  type Span,
} from './range';

// The state of the usage page. All of it is in the URL, so that it can be shared. Invalid or
// impossible values are left out.

export const GROUPS = {
  time: 'Time',
  organisation: 'Organisation',
  team: 'Team',
  user: 'User',
  apikey: 'API key',
  model: 'Model',
  provider: 'Provider',
  'mcp-server': 'MCP server',
  operation: 'Operation',
  status: 'Result',
  region: 'Region',
  'end-user': 'End user',
  session: 'Session',
  'agent-class': 'Agent class',
  tag: 'Tag',
  'response-cache': 'Response cache',
  experiment: 'Experiment',
  'experiment-arm': 'Arm of an experiment',
  'routing-policy': 'Routing policy',
} as const satisfies Record<rest.ExplorerDimension | 'time', string>;
export type Group = keyof typeof GROUPS;

/** The filter for a single group. */
export const FILTER_OF = {
  team: 'teamId',
  user: 'userId',
  apikey: 'apiKeyId',
  model: 'modelId',
  provider: 'providerId',
  'mcp-server': 'mcpServerId',
  operation: 'operation',
  status: 'status',
  region: 'region',
  'end-user': 'endUser',
  session: 'session',
  'agent-class': 'agentClass',
  tag: 'tag',
  'response-cache': 'responseCache',
  experiment: 'experimentId',
  'experiment-arm': 'experimentArm',
  'routing-policy': 'routingPolicyId',
} as const satisfies Record<Exclude<rest.ExplorerDimension, 'organisation'>, string>;
export type FilterName = (typeof FILTER_OF)[keyof typeof FILTER_OF];
export const FILTER_NAMES = Object.values(FILTER_OF);
/** The name of a filter for people. */
export const FILTER_WORDS = Object.fromEntries(
  Object.entries(FILTER_OF).map(([group, name]) => [name, GROUPS[group as keyof typeof FILTER_OF]]),
) as Readonly<Record<FilterName, string>>;
/** Filters by an object, which are picked from lists. */
export const OBJECT_FILTERS = [
  'teamId',
  'userId',
  'apiKeyId',
  'modelId',
  'providerId',
  'mcpServerId',
] as const satisfies readonly FilterName[];
const OWNERS: readonly string[] = ['teamId', 'userId', 'apiKeyId', 'team', 'user', 'apikey'];
/** What belongs to one organisation: whom requests are for, and regions, which are its own names. */
const ONE_ORGANISATION_ONLY: readonly string[] = [
  ...OWNERS,
  'region',
  ...rest.ATTRIBUTION_DIMENSIONS,
  ...rest.ATTRIBUTION_DIMENSIONS.map((name) => FILTER_OF[name]),
];
/** Groupings whose hourly data exists only for all owners together. */
const NOT_BY_OWNERS_HOUR = ['status', 'operation'] as const;

export const METRICS = ['cost', 'requests', 'tokens', 'errors'] as const;
export type Metric = (typeof METRICS)[number];

/** URL parameters kept when the tab changes. */
export const KEPT = ['organisation', 'range', 'from', 'to', 'regions', ...FILTER_NAMES] as const;

export interface UsageState {
  readonly range: Range | 'custom';
  readonly span: Span;
  readonly group: Group;
  /** The tag of the grouping by tag. */
  readonly tagKey: string | undefined;
  readonly metric: Metric;
  readonly bucket: rest.ExplorerBucket;
  /** The buckets available for this period and grouping. */
  readonly buckets: readonly rest.ExplorerBucket[];
  readonly order: rest.ExplorerMeasure;
  /** Whether the order was chosen. */
  readonly ordered: boolean;
  readonly top: number;
  readonly compare: boolean;
  /** Whether usage is restricted to owners, whose data is stored separately. */
  readonly ofOwners: boolean;
  readonly filters: Filters;
}

/** In the catalog's format. */
export type Filters = Readonly<
  Partial<Record<Exclude<FilterName, 'status' | 'agentClass' | 'responseCache'>, string>>
> & {
  readonly agentClass?: AgentClass;
  readonly responseCache?: ResponseCacheResult;
  readonly status?: (typeof rest.USAGE_STATUSES)[number];
};

export interface Looker {
  readonly role: Role;
  /** Whether the page covers all organisations. */
  readonly wide: boolean;
  readonly nowMs: number;
  readonly timeZone: string;
}

export const FEW = 10;

export function usageState(get: Get, looker: Looker): UsageState {
  const { range, span } = spanOf(get, looker);
  const filters = filtersOf(get, looker.wide);
  const named = get('group');
  const tagKey = tagKeyIn(get('tagKey'));
  const known = isOneOf(groupsFor(looker.wide), named) ? named : 'model';
  const group = known === 'tag' && tagKey === undefined ? 'model' : known;
  const top = get('top') === String(rest.EXPLORER_TOP) ? rest.EXPLORER_TOP : FEW;
  const buckets = bucketsFor({ span, group, filters, top, role: looker.role });
  const [asked, usual] = [
    get('bucket'),
    range === 'custom' ? usualBucket(span) : RANGES[range].bucket,
  ];
  const order = get('order');
  const metric = get('metric');
  return {
    range,
    span,
    group,
    tagKey: group === 'tag' ? tagKey : undefined,
    filters,
    top,
    buckets,
    bucket:
      buckets.find((bucket) => bucket === asked) ??
      buckets.find((bucket) => bucket === usual) ??
      buckets[0] ??
      'month',
    order: isOneOf(rest.EXPLORER_MEASURES, order) ? order : 'costUsd',
    ordered: isOneOf(rest.EXPLORER_MEASURES, order),
    metric: isOneOf(METRICS, metric) ? metric : 'cost',
    compare: get('compare') !== 'off',
    ofOwners: isOfOwners(filters, looker.role),
  };
}

/** The groupings for this scope. Teams, users and keys belong to one organisation. */
export function groupsFor(wide: boolean): readonly Group[] {
  const all = Object.keys(GROUPS) as Group[];
  return all.filter((group) => (wide ? isForAll(group) : group !== 'organisation'));
}

/** Whether a grouping or filter is there for all organisations together. */
const isForAll = (name: string): boolean => !ONE_ORGANISATION_ONLY.includes(name);

function tagKeyIn(text: string | undefined): string | undefined {
  return rest.exploreUsage.query.shape.tagKey.safeParse(text).data;
}

function spanOf(get: Get, { nowMs, timeZone }: Looker): { range: UsageState['range']; span: Span } {
  const range = get('range');
  const [from, to] = [edgeOf(get('from'), timeZone), edgeOf(get('to'), timeZone)];
  if (range === 'custom' && from !== undefined && to !== undefined) {
    const [first, last] = from.startMs <= to.startMs ? [from, to] : [to, from];
    const span = { startMs: first.startMs, endMs: last.endMs };
    if (span.startMs < span.endMs) return { range, span };
  }
  const known = isRange(range) ? range : DEFAULT_RANGE;
  return { range: known, span: spanOfRange(known, nowMs, timeZone) };
}

function filtersOf(get: Get, wide: boolean): Filters {
  const { shape } = rest.exploreUsage.query;
  const filters: Partial<Record<FilterName, string>> = {};
  for (const name of FILTER_NAMES) {
    const value = get(name);
    if (value === undefined || (wide && !isForAll(name))) continue;
    if (shape[name].safeParse(value).success) filters[name] = value;
  }
  return filters as Filters;
}

const DAY_MS = 86_400_000;
/** The catalog's maximum number of points. */
const MOST_POINTS = 10_000;

type Shown = Pick<UsageState, 'span' | 'group' | 'filters' | 'top'> & { readonly role: Role };

/** The buckets stored for this period, finest first. */
export function bucketsFor({ span, group, filters, top, role }: Shown): rest.ExplorerBucket[] {
  const days = Math.ceil((span.endMs - span.startMs) / DAY_MS);
  const groups = group === 'time' ? 1 : top;
  const byOwner = OWNERS.includes(group) || isOfOwners(filters, role);
  const byResult = NOT_BY_OWNERS_HOUR.some((name) => group === name || filters[name] !== undefined);
  const hours =
    days * 24 * groups <= MOST_POINTS &&
    (byOwner ? days <= rest.OWNER_HOURS_DAYS && !byResult : days <= rest.EXPLORER_DAYS.hour);
  return [
    ...(hours ? (['hour'] as const) : []),
    ...(days <= rest.EXPLORER_DAYS.day && days * groups <= MOST_POINTS ? (['day'] as const) : []),
    'month',
  ];
}

function usualBucket({ startMs, endMs }: Span): rest.ExplorerBucket {
  const days = (endMs - startMs) / DAY_MS;
  if (days <= 2) return 'hour';
  return days <= 100 ? 'day' : 'month';
}

/** The overview's queries. Server and page must use the same input, or the prefetch is wasted. */
export function questions(state: UsageState) {
  const { span, bucket, group, tagKey, order, top, compare, filters, ofOwners } = state;
  const of = { ...asQuery(span), ...filters };
  const flag = compare ? ({ compare: 'true' } as const) : {};
  return {
    totals: { ...of, bucket, ...flag },
    groups:
      group === 'time'
        ? undefined
        : { ...of, bucket, ...flag, groupBy: group, tagKey, orderBy: order, top },
    latency: {
      ...of, // Owners' usage has percentiles by day, not by hour.
      bucket: ofOwners && bucket === 'hour' ? ('day' as const) : bucket,
      latency: 'true' as const,
      ...flag,
    },
    /** The query for the previous period, once its span is known. */
    before: (previous: { from: string; to: string }) => ({
      ...filters,
      from: previous.from,
      to: previous.to,
      bucket,
    }),
  };
}

function isOfOwners(filters: Filters, role: Role): boolean {
  if (role === 'MANAGER' || role === 'USER') return true;
  return Object.keys(filters).some((name) => OWNERS.includes(name));
}

/**
 * The days for which records can be asked, if the state needs records and its period is longer; undefined: it can be
 * asked. Rollups have no regions, attribution, response cache, experiments or routing policies.
 */
export function tooLongFor({ span, group, filters }: UsageState): number | undefined {
  const { agentClass, endUser, region, responseCache, session, tag } = filters;
  const { experimentArm, experimentId, routingPolicyId } = filters;
  // Both have an index.
  if (endUser !== undefined || session !== undefined) return undefined;
  const attributed =
    isOneOf(rest.ATTRIBUTION_DIMENSIONS, group) ||
    (agentClass ?? experimentArm ?? experimentId ?? responseCache ?? routingPolicyId ?? tag) !==
      undefined;
  const byRegion = group === 'region' || region !== undefined;
  const days = attributed ? rest.ATTRIBUTION_DAYS : byRegion ? rest.REGION_DAYS : undefined;
  return days !== undefined && isLongerThan(span, days + WIDENED_DAYS) ? days : undefined;
}

/** What the catalog allows on top: a period is widened to whole days. */
const WIDENED_DAYS = 2;
