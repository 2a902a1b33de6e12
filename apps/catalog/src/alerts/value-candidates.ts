import { tagValueOf } from '../ledger/records/tag-value';
import {
  BUDGETS,
  FIXED,
  limitJoin,
  PERIODIC,
  QUOTAS,
  SPAN_TABLES,
  type Limits,
} from './limit-candidates';

/**
 * Limits on each end user, session or tag of which values have reached a threshold.
 *
 * An alert tells how many values have reached the threshold and names those that used most. The next one is due when
 * more have reached it than an alert of the window told of, for this threshold or a higher one: at most one in an hour for
 * each limit and threshold, so a million values raise no more alerts than one (decision 116).
 */

/** Values that are counted; beyond it an alert says "at least". */
export const COUNTED_MAX = 10_000;
/** Values that an alert names. */
const NAMED_MAX = 5;

const LIMIT_NAME = `coalesce((SELECT name FROM organisation WHERE id = c.scope_id),
  (SELECT name FROM team WHERE id = c.scope_id), (SELECT name FROM api_key WHERE id = c.scope_id))`;

/** The totals of a window that have reached a threshold. An index has them in order. */
const REACHED = `FROM value_window v WHERE v.limit_id = l.id AND v.starts_at = s.starts_at
  AND v.ends_at = s.ends_at AND v.amount > 0
  AND v.amount >= ceil(t.percent * w.amount / 100)::bigint`;

/** The highest threshold with news. The hour of an alert is its span, within the limit's window. */
function part(limits: Limits, kind: string, windowJoin: string): string {
  const { amount, metric, subject, windowSeconds } = limits;
  return `SELECT r.id AS rule_id, r.organisation_id, r.name AS rule_name, l.id::text AS subject_id,
      '${subject}' AS subject_type, l.scope_type, l.scope_id, l.tag_key, ${metric} AS metric, l.period,
      ${windowSeconds} AS window_seconds, s.starts_at, s.ends_at, h.starts_at AS hour_starts_at,
      h.ends_at AS hour_ends_at, ${amount} AS limit_amount, found.threshold, found.count, l.id AS limit_id
    FROM alert_rule r
    JOIN organisation o ON o.id = r.organisation_id AND o.status = 'ACTIVE'
    ${limitJoin(limits)}
      AND l.value_key IS NOT NULL
    ${windowJoin}
    CROSS JOIN LATERAL (SELECT ${amount}::numeric AS amount) AS w
    CROSS JOIN LATERAL (
      SELECT greatest(s.starts_at, date_trunc('hour', i.last, 'UTC')) AS starts_at,
        least(s.ends_at, date_trunc('hour', i.last, 'UTC') + interval '1 hour') AS ends_at
      FROM (SELECT least(max(instant), s.ends_at - interval '1 second') AS last FROM clock) AS i) AS h
    CROSS JOIN LATERAL (
      SELECT t.percent AS threshold, n.count
      FROM (SELECT p.percent::integer AS percent
        FROM jsonb_array_elements_text(r.condition -> 'thresholds') AS p(percent)) AS t
      CROSS JOIN LATERAL (SELECT count(*)::integer AS count
        FROM (SELECT 1 ${REACHED} LIMIT ${COUNTED_MAX}) AS reached) AS n
      WHERE n.count > coalesce((SELECT max(a.value_count) FROM alert_told_values a
          WHERE a.rule_id = r.id AND a.subject_id = l.id::text AND a.window_starts_at = s.starts_at
            AND a.threshold >= t.percent AND a.limit_amount = ${amount}), 0)
        AND NOT EXISTS (SELECT FROM alert a
          WHERE a.rule_id = r.id AND a.subject_id = l.id::text AND a.window_starts_at = h.starts_at
            AND a.threshold = t.percent AND a.limit_amount = ${amount})
      ORDER BY t.percent DESC LIMIT 1) AS found
    WHERE r.kind = '${kind}' AND r.status = 'ACTIVE'`;
}

/** The values that have used most, with the names that the records of their latest requests have. */
const FIRST = `(SELECT jsonb_agg(jsonb_build_object('name', named.name, 'amount', named.amount::text)
      ORDER BY named.amount DESC, named.name)
    FROM (SELECT v.amount, (SELECT CASE c.scope_type WHEN 'END_USER' THEN u.end_user
          WHEN 'SESSION' THEN u.session ELSE ${tagValueOf('u.tags', 'c.tag_key')} END
        FROM usage_record u WHERE u.id = v.request_id AND u.organisation_id = c.organisation_id) AS name
      FROM value_window v WHERE v.limit_id = c.limit_id AND v.starts_at = c.starts_at
        AND v.ends_at = c.ends_at ORDER BY v.amount DESC LIMIT least(${NAMED_MAX}, c.count)) AS named)`;

function statement(parts: readonly string[]): string {
  return `WITH ${SPAN_TABLES}, c AS (${parts.join(' UNION ALL ')} LIMIT $6)
    SELECT c.rule_id AS "ruleId", c.organisation_id AS "organisationId",
      c.rule_name AS "ruleName", c.subject_type AS "subjectType", c.subject_id AS "subjectId",
      ${LIMIT_NAME} AS name, c.scope_type AS "scopeType", c.metric, c.period,
      c.window_seconds AS "windowSeconds", c.hour_starts_at AS "windowStart",
      c.hour_ends_at AS "windowEnd", c.threshold, c.limit_amount AS "limitAmount",
      (f.first -> 0 ->> 'amount')::bigint AS value, NULL::bigint AS total,
      jsonb_build_object('count', c.count, 'tagKey', c.tag_key, 'first', f.first) AS values,
      c.starts_at AS "limitStart", c.ends_at AS "limitEnd"
    FROM c CROSS JOIN LATERAL (SELECT ${FIRST} AS first) AS f`;
}

/** Each statement takes the columns of `Spans` and the most rows. */
export const VALUE_CANDIDATES = new Map([
  ['BUDGET_USED', statement([part(BUDGETS, 'BUDGET_USED', PERIODIC)])],
  [
    'QUOTA_USED',
    statement([part(QUOTAS, 'QUOTA_USED', PERIODIC), part(QUOTAS, 'QUOTA_USED', FIXED)]),
  ],
]);
