import { AMOUNT_COLUMNS } from './amounts';
import { BUCKET_LIMITS_MS, LATENCY_BUCKETS } from './latency';

/** The columns of `usage_period`, and the statement that sums it up anew from the books. */

export const PERIODS = ['HOUR', 'DAY', 'MONTH'] as const;
export type Period = (typeof PERIODS)[number];

/** Each period is kept by what served it; days and months also by whom it is charged to. */
export const GRAINS: readonly { readonly period: Period; readonly owners: boolean }[] = [
  { period: 'HOUR', owners: false },
  { period: 'DAY', owners: false },
  { period: 'DAY', owners: true },
  { period: 'MONTH', owners: false },
  { period: 'MONTH', owners: true },
];

export const PERIOD_AMOUNTS = AMOUNT_COLUMNS;

function counts(prefix: string): string[] {
  return Array.from(
    { length: LATENCY_BUCKETS },
    (_, bucket) => `${prefix}_${String(bucket).padStart(2, '0')}`,
  );
}

/** How many requests took that long, by bucket: in all, and to the first token. */
export const LATENCY_COUNTS = counts('latency');
export const FIRST_TOKEN_COUNTS = counts('first_token');
export const PERIOD_COUNTS: readonly string[] = [...LATENCY_COUNTS, ...FIRST_TOKEN_COUNTS];

const DIMENSIONS = 'organisation_id, team_id, user_id, api_key_id, model_id, provider_id';
const prefixed = (alias: string, names: string): string =>
  names.replace(/\w+/g, (name) => `${alias}.${name}`);

const r = (sign: string) => AMOUNT_COLUMNS.map((name) => `${sign}r.${name}`).join(', ');
const a = AMOUNT_COLUMNS.map((name) => `a.${name}`).join(', ');
const both = AMOUNT_COLUMNS.map((name) => `r.${name} + a.${name}`).join(', ');

/**
 * SQL: every record and adjustment under the status it counts for. Late truth takes an abandoned
 * request out of ABANDONED, and what was corrected before it came stays there.
 */
const booked = (where: string): string => `
  SELECT ${prefixed('r', DIMENSIONS)}, r.authorised_at, r.operation,
    CASE r.mode WHEN 'ABANDONED' THEN 'ABANDONED' ELSE coalesce(r.outcome, 'COMPLETED') END AS status,
    ${r('')}, CASE r.mode WHEN 'ABANDONED' THEN NULL ELSE r.latency_ms END AS latency,
    CASE r.mode WHEN 'ABANDONED' THEN NULL ELSE r.first_token_ms END AS first_token
  FROM usage_record r WHERE ${where}
  UNION ALL
  SELECT ${prefixed('r', DIMENSIONS)}, r.authorised_at, r.operation, 'ABANDONED', ${r('-')}, NULL, NULL
  FROM usage_adjustment a JOIN usage_record r ON r.id = a.request_id
  WHERE ${where} AND a.kind = 'LATE_SETTLED' AND a.part = 0 AND NOT EXISTS (
    SELECT FROM usage_adjustment b
    WHERE b.request_id = a.request_id AND b.kind = 'LATE_SETTLED' AND b.part = 1)
  UNION ALL
  SELECT ${prefixed('a', DIMENSIONS)}, a.authorised_at, r.operation, coalesce(a.outcome, 'COMPLETED'),
    ${both}, NULL, NULL
  FROM usage_adjustment a JOIN usage_record r ON r.id = a.request_id
  WHERE ${where} AND a.kind = 'LATE_SETTLED' AND a.part = 0 AND NOT EXISTS (
    SELECT FROM usage_adjustment b
    WHERE b.request_id = a.request_id AND b.kind = 'LATE_SETTLED' AND b.part = 1)
  UNION ALL
  SELECT ${prefixed('a', DIMENSIONS)}, a.authorised_at, r.operation,
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

const LIMITS = `ARRAY[${BUCKET_LIMITS_MS.map((ms) => ms + 1).join(', ')}]`;
const bucketed = (value: string, names: readonly string[]): string =>
  names
    .map((name, at) => `count(*) FILTER (WHERE ${value} = ${at})::integer AS ${name}`)
    .join(',\n    ');

/**
 * SQL: `usage_period` from the records and adjustments there are, dates by the zone that each
 * organisation has now. For a table that is empty, and for loading data in bulk; what has been
 * removed by retention is not in it. `where` narrows the records, `r`; it is ours, never a text from outside.
 */
export function rebuildPeriods(where = 'true'): string {
  const grains = GRAINS.map(({ period, owners }) => `('${period}', ${owners})`).join(', ');
  const sums = AMOUNT_COLUMNS.map((name) => `sum(${name})::bigint`).join(', ');
  return `INSERT INTO usage_period (id, organisation_id, period, starts, owners, team_id, user_id,
    api_key_id, model_id, provider_id, operation, status, ${AMOUNT_COLUMNS.join(', ')}, latency_ms,
    latency_count, first_token_ms, first_token_count, ${PERIOD_COUNTS.join(', ')})
  SELECT ${idOf('g')}, g.* FROM (
    SELECT organisation_id, period, starts, owners, team_id, user_id, api_key_id, model_id,
      provider_id, operation, status, ${sums}, coalesce(sum(latency), 0)::bigint, count(latency),
      coalesce(sum(first_token), 0)::bigint, count(first_token),
    ${bucketed('latency_bucket', LATENCY_COUNTS)},
    ${bucketed('first_token_bucket', FIRST_TOKEN_COUNTS)}
    FROM (
      SELECT b.organisation_id, p.period, p.owners, b.model_id, b.provider_id, b.operation, b.status,
        CASE WHEN p.owners THEN b.team_id END AS team_id,
        CASE WHEN p.owners THEN b.user_id END AS user_id,
        CASE WHEN p.owners THEN b.api_key_id END AS api_key_id,
        CASE p.period WHEN 'HOUR' THEN date_trunc('hour', b.authorised_at AT TIME ZONE 'UTC')
          WHEN 'DAY' THEN date_trunc('day', b.authorised_at AT TIME ZONE b.time_zone)
          ELSE date_trunc('month', b.authorised_at AT TIME ZONE b.time_zone) END AS starts,
        b.latency, b.first_token, ${AMOUNT_COLUMNS.map((name) => `b.${name}`).join(', ')},
        width_bucket(b.latency, ${LIMITS}) AS latency_bucket,
        width_bucket(b.first_token, ${LIMITS}) AS first_token_bucket
      FROM (SELECT booked.*, coalesce(o.time_zone, 'UTC') AS time_zone
        FROM (${booked(where)}) AS booked LEFT JOIN organisation o ON o.id = booked.organisation_id) AS b
      CROSS JOIN (VALUES ${grains}) AS p(period, owners)
    ) AS cut
    GROUP BY organisation_id, period, starts, owners, team_id, user_id, api_key_id, model_id,
      provider_id, operation, status
  ) AS g`;
}

const ENDS = ['COMPLETED', 'PARTIAL', 'FAILED', 'BUDGET_STOPPED', 'CLIENT_CLOSED', 'ABANDONED'];

/** SQL: the hourly rollup `usage` likewise. */
export function rebuildHours(where = 'true'): string {
  return `INSERT INTO usage (id, ${DIMENSIONS}, hour, ${AMOUNT_COLUMNS.join(', ')},
    ${ENDS.map((end) => end.toLowerCase()).join(', ')}, latency_ms, latency_count)
  SELECT gen_random_uuid(), g.* FROM (
    SELECT ${DIMENSIONS}, date_trunc('hour', authorised_at, 'UTC'),
      ${AMOUNT_COLUMNS.map((name) => `sum(${name})::bigint`).join(', ')},
      ${ENDS.map((end) => `coalesce(sum(requests) FILTER (WHERE status = '${end}'), 0)::bigint`).join(', ')},
      coalesce(sum(latency), 0)::bigint, count(latency)
    FROM (${booked(where)}) AS b
    GROUP BY ${DIMENSIONS}, date_trunc('hour', authorised_at, 'UTC')
  ) AS g`;
}

/** SQL: the id of a row, from everything that tells it from others; as `periodKey` is hashed. */
function idOf(row: string): string {
  const text = ['organisation_id', 'team_id', 'user_id', 'api_key_id', 'model_id', 'provider_id']
    .map((name) => `coalesce(${row}.${name}::text, '')`)
    .join(` || '/' || `);
  return `md5(${row}.period || '/' || to_char(${row}.starts, 'YYYY-MM-DD"T"HH24:MI') || '/' || ${row}.owners::text || '/'
    || ${text} || '/' || ${row}.operation || '/' || ${row}.status)::uuid`;
}
