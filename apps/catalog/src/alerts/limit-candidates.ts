import { FORECAST_FROM_PART } from '@tollgate/contracts';

/**
 * Budgets and quotas whose booked window has reached a threshold. A window without a row is not
 * looked at: the ledger creates the row with the first request after a limit is created.
 *
 * A limit has crossed a threshold if it is above it, and no alert of this window has told of it or a
 * higher one with an amount that is above it still, measured by the limit of now. So a jump over
 * several thresholds raises one alert, and a raised limit arms the thresholds that are above what
 * was told (decision 99).
 */

/** The named windows and the instants of `Spans`, as tables. */
export const SPAN_TABLES = `spans AS (SELECT * FROM
  unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[])
    AS s(zone, name, starts_at, ends_at)), clock AS (SELECT unnest($5::timestamptz[]) AS instant)`;

const SCOPE_NAME = `CASE c.scope_type
  WHEN 'ORGANISATION' THEN (SELECT name FROM organisation WHERE id = c.scope_id)
  WHEN 'TEAM' THEN (SELECT name FROM team WHERE id = c.scope_id)
  WHEN 'USER' THEN (SELECT name FROM user_account WHERE id = c.scope_id)
  WHEN 'API_KEY' THEN coalesce((SELECT name FROM api_key WHERE id = c.scope_id),
    (SELECT 'shadow of ' || name FROM experiment WHERE id = c.scope_id))
  WHEN 'MODEL' THEN (SELECT name FROM model WHERE id = c.scope_id)
  WHEN 'MCP_SERVER' THEN (SELECT name FROM mcp_server WHERE id = c.scope_id) END`;

export interface Limits {
  readonly subject: 'BUDGET' | 'QUOTA';
  readonly table: string;
  readonly amount: string;
  readonly windows: string;
  readonly windowOf: string;
  readonly total: string;
  readonly metric: string;
  readonly windowSeconds: string;
  readonly only: string;
}

export const BUDGETS: Limits = {
  subject: 'BUDGET',
  table: 'budget',
  amount: 'l.limit_nano_usd',
  windows: 'budget_window',
  windowOf: 'budget_id',
  total: 'w.spent_nano_usd',
  metric: `'COST'`,
  windowSeconds: 'NULL::integer',
  only: 'budgetId',
};

export const QUOTAS: Limits = {
  subject: 'QUOTA',
  table: 'quota',
  amount: 'l.limit_amount',
  windows: 'quota_window',
  windowOf: 'quota_id',
  total: 'w.used',
  metric: 'l.metric',
  windowSeconds: 'l.window_seconds',
  only: 'quotaId',
};

/** The current window of a limit with a calendar period. */
export const PERIODIC = `JOIN spans s ON s.zone = o.time_zone AND s.name = l.period`;
/** The same for a quota with a fixed number of seconds, aligned to the epoch. */
export const FIXED = `CROSS JOIN LATERAL (SELECT DISTINCT
    to_timestamp(f.start) AS starts_at, to_timestamp(f.start + l.window_seconds) AS ends_at
  FROM clock i, LATERAL (SELECT
    floor(extract(epoch FROM i.instant) / l.window_seconds) * l.window_seconds AS start) AS f) AS s`;

/** The active limits of a rule's organisation that the rule is about. */
export function limitJoin({ amount, only, table }: Limits): string {
  return `JOIN ${table} l ON l.organisation_id = r.organisation_id AND l.status = 'ACTIVE'
      AND ${amount} > 0
      AND (jsonb_typeof(r.condition -> 'scopeTypes') IS DISTINCT FROM 'array'
        OR r.condition -> 'scopeTypes' ? l.scope_type)
      AND coalesce(r.condition ->> '${only}', l.id::text) = l.id::text`;
}

/** One statement's part: rules, their limits and windows, and what of them counts. */
function part(limits: Limits, kind: string, windowJoin: string, found: string): string {
  const { subject, amount, windows, windowOf, total, metric, windowSeconds } = limits;
  return `SELECT r.id AS rule_id, r.organisation_id, r.name AS rule_name, l.id::text AS subject_id,
      '${subject}' AS subject_type, l.scope_type, l.scope_id, ${metric} AS metric, l.period,
      ${windowSeconds} AS window_seconds, w.starts_at, w.ends_at, ${amount} AS limit_amount,
      found.threshold, found.value
    FROM alert_rule r
    JOIN organisation o ON o.id = r.organisation_id AND o.status = 'ACTIVE'
    ${limitJoin(limits)}
      AND l.value_key IS NULL
    ${windowJoin}
    JOIN ${windows} w ON w.${windowOf} = l.id AND w.starts_at = s.starts_at
      AND w.ends_at = s.ends_at AND ${total} > 0
    CROSS JOIN LATERAL (${found}) AS found
    WHERE r.kind = '${kind}' AND r.status = 'ACTIVE' AND found.threshold IS NOT NULL`;
}

/** The highest threshold that is reached. */
function reached({ amount, total }: Limits): string {
  return `SELECT max(t.percent::integer) AS threshold, ${total} AS value
    FROM jsonb_array_elements_text(r.condition -> 'thresholds') AS t(percent)
    WHERE ${total}::numeric * 100 >= t.percent::numeric * ${amount}`;
}

/** Spent at the window's end at the pace so far, if the budget is not spent yet but will be. */
const FORECAST = `SELECT CASE WHEN p.forecast >= l.limit_nano_usd THEN 100 END AS threshold,
    p.forecast AS value
  FROM (SELECT least(floor(w.spent_nano_usd::numeric * extract(epoch FROM w.ends_at - w.starts_at)
      / extract(epoch FROM t.now - w.starts_at)), 9000000000000000000)::bigint AS forecast
    FROM (SELECT max(instant) AS now FROM clock) AS t
    WHERE w.spent_nano_usd < l.limit_nano_usd AND t.now < w.ends_at
      AND t.now - w.starts_at >= (w.ends_at - w.starts_at) * ${FORECAST_FROM_PART}) AS p`;

/** No alert of this window told of the threshold, or only of a lower limit's. */
const NEWLY_REACHED = `NOT EXISTS (SELECT FROM alert a
  WHERE a.rule_id = c.rule_id AND a.subject_id = c.subject_id
    AND a.window_starts_at = c.starts_at AND a.threshold >= c.threshold
    AND a.value::numeric * 100 >= c.threshold::numeric * c.limit_amount)`;
/** A forecast goes up and down, so it is told once for a limit's amount. */
const NEWLY_FORECAST = `NOT EXISTS (SELECT FROM alert a
  WHERE a.rule_id = c.rule_id AND a.subject_id = c.subject_id
    AND a.window_starts_at = c.starts_at AND a.threshold = c.threshold
    AND a.limit_amount = c.limit_amount)`;

function statement(parts: readonly string[], isNew: string): string {
  return `WITH ${SPAN_TABLES}, c AS (${parts.join(' UNION ALL ')})
    SELECT c.rule_id AS "ruleId", c.organisation_id AS "organisationId",
      c.rule_name AS "ruleName", c.subject_type AS "subjectType", c.subject_id AS "subjectId",
      ${SCOPE_NAME} AS name, c.scope_type AS "scopeType", c.metric, c.period,
      c.window_seconds AS "windowSeconds", c.starts_at AS "windowStart", c.ends_at AS "windowEnd",
      c.threshold, c.limit_amount AS "limitAmount", c.value, NULL::bigint AS total
    FROM c WHERE ${isNew} LIMIT $6`;
}

/** Each statement takes the columns of `Spans` and the most rows. */
export const LIMIT_CANDIDATES = new Map([
  [
    'BUDGET_USED',
    statement([part(BUDGETS, 'BUDGET_USED', PERIODIC, reached(BUDGETS))], NEWLY_REACHED),
  ],
  [
    'BUDGET_FORECAST',
    statement([part(BUDGETS, 'BUDGET_FORECAST', PERIODIC, FORECAST)], NEWLY_FORECAST),
  ],
  [
    'QUOTA_USED',
    statement(
      [
        part(QUOTAS, 'QUOTA_USED', PERIODIC, reached(QUOTAS)),
        part(QUOTAS, 'QUOTA_USED', FIXED, reached(QUOTAS)),
      ],
      NEWLY_REACHED,
    ),
  ],
]);
