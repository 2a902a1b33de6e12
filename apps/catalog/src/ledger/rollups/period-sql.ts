import { AMOUNT_COLUMNS } from '../records/amounts';
import { BUCKET_LIMITS_MS, LATENCY_BUCKETS } from './latency';

/** The columns of `usage_period`, and the SQL that rebuilds it from records and adjustments. */

/**
 * OWNER rows sum a day or month of one team, user and key, over all models and statuses; WHOLE rows
 * one of an organisation. Their number does not grow with the traffic.
 */
export const PERIODS = [
  'HOUR',
  'DAY',
  'MONTH',
  'OWNER_DAY',
  'OWNER_MONTH',
  'WHOLE_DAY',
  'WHOLE_MONTH',
] as const;
export type Period = (typeof PERIODS)[number];

export interface Grain {
  readonly period: Period;
  readonly unit: 'hour' | 'day' | 'month';
  /** Keyed by team, user and key. */
  readonly owners: boolean;
  /** Keyed by model, provider, MCP server, operation and status. */
  readonly detail: boolean;
}

/** Every period is kept by model and provider; days and months also by owner. */
export const DETAILED: readonly Grain[] = [
  { period: 'HOUR', unit: 'hour', owners: false, detail: true },
  { period: 'DAY', unit: 'day', owners: false, detail: true },
  { period: 'DAY', unit: 'day', owners: true, detail: true },
  { period: 'MONTH', unit: 'month', owners: false, detail: true },
  { period: 'MONTH', unit: 'month', owners: true, detail: true },
];
export const NARROW: readonly Grain[] = [
  { period: 'OWNER_DAY', unit: 'day', owners: true, detail: false },
  { period: 'OWNER_MONTH', unit: 'month', owners: true, detail: false },
  { period: 'WHOLE_DAY', unit: 'day', owners: false, detail: false },
  { period: 'WHOLE_MONTH', unit: 'month', owners: false, detail: false },
];
export const GRAINS: readonly Grain[] = [...DETAILED, ...NARROW];

function counts(prefix: string): string[] {
  return Array.from(
    { length: LATENCY_BUCKETS },
    (_, bucket) => `${prefix}_${String(bucket).padStart(2, '0')}`,
  );
}

/** Names of the histograms' columns, by bucket: total latency, and time to the first token. */
export const LATENCY_COUNTS = counts('latency');
export const FIRST_TOKEN_COUNTS = counts('first_token');
export const PERIOD_COUNTS: readonly string[] = [...LATENCY_COUNTS, ...FIRST_TOKEN_COUNTS];

type Columns = readonly string[];

const OWNERS: Columns = ['team_id', 'user_id', 'api_key_id'];
const SERVED: Columns = ['model_id', 'provider_id', 'mcp_server_id'];
const dimensionsOf = (served: Columns): Columns => ['organisation_id', ...OWNERS, ...served];
const prefixed = (alias: string, names: Columns): string =>
  names.map((name) => `${alias}.${name}`).join(', ');
/** The places of the first `count` columns of a SELECT, to group by. */
const places = (count: number): string =>
  Array.from({ length: count }, (_, at) => at + 1).join(', ');

/** A migration passes the columns of its own time. */
interface Schema {
  /** Summed columns. */
  readonly amounts?: Columns;
  /** Columns that name what was called. */
  readonly served?: Columns;
}

/**
 * SQL: every record and adjustment with the status under which it counts. Late usage moves an
 * abandoned request out of ABANDONED; corrections from before it stay there.
 */
function booked(
  where: string,
  zone: string,
  { amounts, served }: Required<Schema>,
  also = '',
): string {
  const dimensions = dimensionsOf(served);
  const r = (sign: string) => amounts.map((name) => `${sign}r.${name}`).join(', ');
  const a = amounts.map((name) => `a.${name}`).join(', ');
  const both = amounts.map((name) => `r.${name} + a.${name}`).join(', ');
  return `
  SELECT ${prefixed('r', dimensions)}, ${zone} AS time_zone, r.authorised_at, r.operation${also},
    CASE r.mode WHEN 'ABANDONED' THEN 'ABANDONED' ELSE coalesce(r.outcome, 'COMPLETED') END AS status,
    ${r('')}, CASE r.mode WHEN 'ABANDONED' THEN NULL ELSE r.latency_ms END AS latency,
    CASE r.mode WHEN 'ABANDONED' THEN NULL ELSE r.first_token_ms END AS first_token
  FROM usage_record r WHERE ${where}
  UNION ALL
  SELECT ${prefixed('r', dimensions)}, ${zone}, r.authorised_at, r.operation${also},
    'ABANDONED', ${r('-')}, NULL, NULL
  FROM usage_adjustment a JOIN usage_record r ON r.id = a.request_id
  WHERE ${where} AND a.kind = 'LATE_SETTLED' AND a.part = 0 AND NOT EXISTS (
    SELECT FROM usage_adjustment b
    WHERE b.request_id = a.request_id AND b.kind = 'LATE_SETTLED' AND b.part = 1)
  UNION ALL
  SELECT ${prefixed('a', dimensions)}, ${zone}, a.authorised_at, r.operation${also},
    coalesce(a.outcome, 'COMPLETED'),
    ${both}, NULL, NULL
  FROM usage_adjustment a JOIN usage_record r ON r.id = a.request_id
  WHERE ${where} AND a.kind = 'LATE_SETTLED' AND a.part = 0 AND NOT EXISTS (
    SELECT FROM usage_adjustment b
    WHERE b.request_id = a.request_id AND b.kind = 'LATE_SETTLED' AND b.part = 1)
  UNION ALL
  SELECT ${prefixed('a', dimensions)}, ${zone}, a.authorised_at, r.operation${also},
    CASE WHEN a.kind = 'LATE_CANCELLED' OR (a.kind = 'LATE_SETTLED' AND a.part = 0) THEN 'ABANDONED'
      WHEN a.kind = 'LATE_SETTLED' THEN coalesce(a.outcome, 'COMPLETED')
      WHEN r.mode <> 'ABANDONED' THEN coalesce(r.outcome, 'COMPLETED')
      ELSE coalesce((SELECT coalesce(t.outcome, 'COMPLETED') FROM usage_adjustment t
        WHERE t.request_id = a.request_id AND t.kind = 'LATE_SETTLED'
          AND t.created_at < a.created_at LIMIT 1), 'ABANDONED')
    END,
    ${a}, NULL, NULL
  FROM usage_adjustment a JOIN usage_record r ON r.id = a.request_id
  WHERE ${where} AND (NOT (a.kind = 'LATE_SETTLED' AND a.part = 0) OR EXISTS (
    SELECT FROM usage_adjustment b
    WHERE b.request_id = a.request_id AND b.kind = 'LATE_SETTLED' AND b.part = 1))`;
}

/** SQL: the same with more columns, by name, of the record `r`. Both arguments must be trusted SQL. */
export function bookedWith(where: string, more: Readonly<Record<string, string>>): string {
  const schema = { amounts: AMOUNT_COLUMNS, served: SERVED };
  const also = Object.entries(more).map(([name, value]) => `, ${value} AS ${name}`);
  return booked(where, 'r.time_zone', schema, also.join(''));
}

const LIMITS = `ARRAY[${BUCKET_LIMITS_MS.map((ms) => ms + 1).join(', ')}]`;
const bucketed = (value: string, names: readonly string[]): string =>
  names
    .map((name, at) => `count(*) FILTER (WHERE ${value} = ${at})::integer AS ${name}`)
    .join(',\n    ');

const TIMES = ['latency_ms', 'latency_count', 'first_token_ms', 'first_token_count'];
const keyColumns = (served: Columns): Columns => [
  'organisation_id',
  'period',
  'starts',
  'owners',
  ...OWNERS,
  ...served,
  'operation',
  'status',
];
const insert = ({ amounts, served }: Required<Schema>): string =>
  `INSERT INTO usage_period (${[
    'id',
    ...keyColumns(served),
    ...amounts,
    ...TIMES,
    ...PERIOD_COUNTS,
  ].join(', ')})`;

/**
 * SQL: sums rows of the finest grain, by owner and day, to these grains. `days` must be a trusted
 * table name.
 */
function summedUp(
  days: string,
  grains: readonly Grain[],
  { amounts, served }: Required<Schema>,
): string {
  const added = [
    ...[...amounts, ...TIMES].map((name) => `sum(${name})::bigint AS ${name}`),
    ...PERIOD_COUNTS.map((name) => `sum(${name})::integer AS ${name}`),
  ].join(', ');
  const list = grains
    .map(({ period, unit, owners, detail }) => `('${period}', '${unit}', ${owners}, ${detail})`)
    .join(', ');
  const kept = (flag: string, name: string, otherwise: string): string =>
    `CASE WHEN g.${flag} THEN d.${name} ${otherwise} END AS ${name}`;
  return `SELECT d.organisation_id, g.period, date_trunc(g.unit, d.starts) AS starts, g.owners,
      ${OWNERS.map((name) => kept('owners', name, '')).join(', ')},
      ${served.map((name) => kept('detail', name, '')).join(', ')},
      ${['operation', 'status'].map((name) => kept('detail', name, `ELSE ''`)).join(', ')}, ${added}
    FROM ${days} AS d CROSS JOIN (VALUES ${list}) AS g(period, unit, owners, detail)
    GROUP BY ${places(keyColumns(served).length)}`;
}

/** SQL: sums the detailed rows to the narrow ones. `where` must be trusted SQL. */
export function sumNarrowRows(
  where = 'true',
  { amounts = AMOUNT_COLUMNS, served = SERVED }: Schema = {},
): string {
  const schema = { amounts, served };
  return `${insert(schema)} SELECT ${idOf('g', served)}, g.* FROM (
    ${summedUp(`(SELECT * FROM usage_period WHERE period = 'DAY' AND owners AND ${where})`, NARROW, schema)}
  ) AS g`;
}

/**
 * The zone in which a record was booked. It is null for old records, which use the organisation's
 * present zone.
 */
const BOOKED_ZONE = 'r.time_zone';

interface RebuildOptions extends Schema {
  readonly grains?: readonly Grain[];
  readonly zone?: string;
}

/**
 * SQL: rebuilds `usage_period` from records and adjustments, for an empty table or after a bulk
 * load. Records that retention has removed are missing from it.
 *
 * Records are read once for the hours and once for the days by owner; everything else is summed
 * from those days. `where` filters the records (alias `r`); `where` and `zone` must be trusted SQL.
 */
export function rebuildPeriods(
  where = 'true',
  {
    grains = GRAINS,
    zone = BOOKED_ZONE,
    amounts = AMOUNT_COLUMNS,
    served = SERVED,
  }: RebuildOptions = {},
): string {
  const schema = { amounts, served };
  const summed = amounts.map((name) => `sum(${name})::bigint AS ${name}`).join(', ');
  const cut = (starts: string, period: string, owners: boolean): string => `
    SELECT organisation_id, '${period}' AS period, ${starts} AS starts, ${owners} AS owners,
      ${OWNERS.map((id) => (owners ? id : `NULL::uuid AS ${id}`)).join(', ')},
      ${served.join(', ')}, operation, status, ${summed},
      coalesce(sum(latency), 0)::bigint AS latency_ms, count(latency) AS latency_count,
      coalesce(sum(first_token), 0)::bigint AS first_token_ms,
      count(first_token) AS first_token_count,
    ${bucketed('latency_bucket', LATENCY_COUNTS)},
    ${bucketed('first_token_bucket', FIRST_TOKEN_COUNTS)}
    FROM (SELECT b.*, coalesce(b.time_zone, o.time_zone, 'UTC') AS zone,
        width_bucket(b.latency, ${LIMITS}) AS latency_bucket,
        width_bucket(b.first_token, ${LIMITS}) AS first_token_bucket
      FROM (${booked(where, zone, schema)}) AS b LEFT JOIN organisation o ON o.id = b.organisation_id
    ) AS b
    GROUP BY ${places(keyColumns(served).length)}`;
  const rest = grains.filter(
    ({ period, owners }) => period !== 'HOUR' && !(period === 'DAY' && owners),
  );
  return `WITH days AS MATERIALIZED (${cut(`date_trunc('day', authorised_at AT TIME ZONE zone)`, 'DAY', true)}
  )
  ${insert(schema)} SELECT ${idOf('g', served)}, g.* FROM (
    SELECT * FROM days
    UNION ALL ${summedUp('days', rest, schema)}
    UNION ALL ${cut(`date_trunc('hour', authorised_at AT TIME ZONE 'UTC')`, 'HOUR', false)}
  ) AS g`;
}

const COUNTED_STATUSES = [
  'COMPLETED',
  'PARTIAL',
  'FAILED',
  'BUDGET_STOPPED',
  'CLIENT_CLOSED',
  'ABANDONED',
];

/** SQL: rebuilds the hourly rollup `usage` in the same way. */
export function rebuildHours(where = 'true'): string {
  const dimensions = dimensionsOf(SERVED).join(', ');
  const schema = { amounts: AMOUNT_COLUMNS, served: SERVED };
  return `INSERT INTO usage (id, ${dimensions}, hour, ${AMOUNT_COLUMNS.join(', ')},
    ${COUNTED_STATUSES.map((end) => end.toLowerCase()).join(', ')}, latency_ms, latency_count)
  SELECT gen_random_uuid(), g.* FROM (
    SELECT ${dimensions}, date_trunc('hour', authorised_at, 'UTC'),
      ${AMOUNT_COLUMNS.map((name) => `sum(${name})::bigint`).join(', ')},
      ${COUNTED_STATUSES.map((end) => `coalesce(sum(requests) FILTER (WHERE status = '${end}'), 0)::bigint`).join(', ')},
      coalesce(sum(latency), 0)::bigint, count(latency)
    FROM (${booked(where, 'NULL', schema)}) AS b
    GROUP BY ${dimensions}, date_trunc('hour', authorised_at, 'UTC')
  ) AS g`;
}

/** SQL: the id of a row, hashed from the same key as in `keyOf`. */
function idOf(row: string, served: Columns): string {
  const text = ['organisation_id', ...OWNERS, 'model_id', 'provider_id']
    .map((name) => `coalesce(${row}.${name}::text, '')`)
    .join(` || '/' || `);
  const server = served.includes('mcp_server_id')
    ? ` || coalesce('/' || ${row}.mcp_server_id::text, '')`
    : '';
  return `md5(${row}.period || '/' || to_char(${row}.starts, 'YYYY-MM-DD"T"HH24:MI') || '/' || ${row}.owners::text || '/'
    || ${text} || '/' || ${row}.operation || '/' || ${row}.status${server})::uuid`;
}
