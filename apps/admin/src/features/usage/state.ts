import { isOneOf, rest, type Role } from '@tollgate/contracts';
import type { Get, ListInput } from '../../resource/list-input';
import { instantIn } from '../models/zoned';
import {
  asQuery,
  dayAt,
  DEFAULT_RANGE,
  isRange,
  RANGES,
  spanOfRange,
  type Range,
  type Span,
} from './range';

// What of usage is looked at: all of it is in the address, so that it can be sent to somebody. What
// the address says wrongly, or what cannot be asked, is left out.

export const GROUPS = {
  time: 'Time',
  organisation: 'Organisation',
  team: 'Team',
  user: 'User',
  apikey: 'API key',
  model: 'Model',
  provider: 'Provider',
  operation: 'Operation',
  status: 'Result',
} as const satisfies Record<rest.ExplorerDimension | 'time', string>;
export type Group = keyof typeof GROUPS;

/** The filter that narrows usage to one group. */
export const FILTER_OF = {
  team: 'teamId',
  user: 'userId',
  apikey: 'apiKeyId',
  model: 'modelId',
  provider: 'providerId',
  operation: 'operation',
  status: 'status',
} as const satisfies Record<Exclude<rest.ExplorerDimension, 'organisation'>, string>;
export type FilterName = (typeof FILTER_OF)[keyof typeof FILTER_OF];
export const FILTER_NAMES = Object.values(FILTER_OF);
const OWNERS: readonly string[] = ['teamId', 'userId', 'apiKeyId', 'team', 'user', 'apikey'];
/** Kept by the hour for everybody together only. */
const NOT_BY_OWNERS_HOUR = ['status', 'operation'] as const;

export const METRICS = ['cost', 'requests', 'tokens', 'errors'] as const;
export type Metric = (typeof METRICS)[number];

/** What stays in the address between the parts of the page. */
export const KEPT = ['organisation', 'range', 'from', 'to', ...FILTER_NAMES] as const;

export type UsageState = {
  readonly range: Range | 'custom';
  readonly span: Span;
  readonly group: Group;
  readonly metric: Metric;
  readonly bucket: rest.ExplorerBucket;
  /** Those that can be asked for, of this span by these groups. */
  readonly buckets: readonly rest.ExplorerBucket[];
  readonly order: rest.ExplorerMeasure;
  /** Whether somebody asked for that order. */
  readonly ordered: boolean;
  readonly top: number;
  readonly compare: boolean;
  /** Whether it is usage of some owners only, which is kept apart from that of everybody. */
  readonly ofOwners: boolean;
  readonly filters: Filters;
};

/** As the catalog takes them. */
export type Filters = Readonly<Partial<Record<Exclude<FilterName, 'status'>, string>>> & {
  readonly status?: (typeof rest.USAGE_STATUSES)[number];
};

export type Looker = {
  readonly role: Role;
  /** Whether all organisations are looked at together. */
  readonly wide: boolean;
  readonly nowMs: number;
  readonly timeZone: string;
};

export const FEW = 10;

export function usageState(get: Get, looker: Looker): UsageState {
  const { range, span } = spanOf(get, looker);
  const filters = filtersOf(get, looker.wide);
  const named = get('group');
  const group = isOneOf(groupsFor(looker.wide), named) ? named : 'model';
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

/** What usage of these can be grouped by. Teams, users and keys are those of one organisation. */
export function groupsFor(wide: boolean): readonly Group[] {
  const all = Object.keys(GROUPS) as Group[];
  return all.filter((group) => (wide ? !OWNERS.includes(group) : group !== 'organisation'));
}

function spanOf(get: Get, { nowMs, timeZone }: Looker): { range: UsageState['range']; span: Span } {
  const range = get('range');
  const [from, to] = [dayOf(get('from'), timeZone), dayOf(get('to'), timeZone)];
  if (range === 'custom' && from !== undefined && to !== undefined) {
    const [first, last] = from.startMs <= to.startMs ? [from, to] : [to, from];
    return { range, span: { startMs: first.startMs, endMs: last.endMs } };
  }
  const known = isRange(range) ? range : DEFAULT_RANGE;
  return { range: known, span: spanOfRange(known, nowMs, timeZone) };
}

const DAY = /^(19[7-9]\d|20\d\d)-\d\d-\d\d$/;

/** "2026-03-29" as that day of the zone. */
function dayOf(text: string | undefined, timeZone: string): Span | undefined {
  if (text === undefined || !DAY.test(text)) return undefined;
  const noonMs = Date.parse(instantIn(`${text}T12:00:00`, timeZone));
  return Number.isNaN(noonMs) ? undefined : dayAt(noonMs, timeZone);
}

function filtersOf(get: Get, wide: boolean): Filters {
  const { shape } = rest.exploreUsage.query;
  const filters: Partial<Record<FilterName, string>> = {};
  for (const name of FILTER_NAMES) {
    const value = get(name);
    if (value === undefined || (wide && OWNERS.includes(name))) continue;
    if (shape[name].safeParse(value).success) filters[name] = value;
  }
  return filters as Filters;
}

const DAY_MS = 86_400_000;
/** As many points as the catalog answers with at once. */
const MOST_POINTS = 10_000;

type Shown = Pick<UsageState, 'span' | 'group' | 'filters' | 'top'> & { readonly role: Role };

/** The buckets that usage of this span is kept in, the finest first. */
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

/** The questions of the overview. The server and the page ask with the same words, or it is read twice. */
export function questions(state: UsageState) {
  const { span, bucket, group, order, top, compare, filters, ofOwners } = state;
  const of = { ...asQuery(span), ...filters };
  const flag = compare ? ({ compare: 'true' } as const) : {};
  return {
    totals: { ...of, bucket, ...flag },
    groups:
      group === 'time'
        ? undefined
        : { ...of, bucket, ...flag, groupBy: group, orderBy: order, top },
    latency: {
      ...of, // Hours of owners have no percentiles; days have.
      bucket: ofOwners && bucket === 'hour' ? ('day' as const) : bucket,
      latency: 'true' as const,
      ...flag,
    },
    /** The series of the period before, once it is known when that was. */
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

const ABANDONED = 'ABANDONED';

/** What the list of single requests is asked for: the result has another name there. */
export function recordsInput({
  span,
  filters,
}: UsageState): ListInput & { from: string; to: string } {
  const { status, operation: _operation, ...owners } = filters;
  return {
    ...asQuery(span),
    ...owners,
    ...(status === undefined ? {} : status === ABANDONED ? { mode: status } : { outcome: status }),
  };
}
