import { SPAN_TABLES } from './limit-candidates';

/**
 * Conditions of requests in an hour or a day: refused ones, those that a provider failed, and
 * requests to models without a price. Sums are by UTC hour, so a day of a zone that is off by half
 * an hour is shifted by as much.
 */

/** Codes of a provider's failures; the others are refusals by the gateway. */
const FAILURES = `'upstream_error', 'upstream_timeout'`;
const BY_PROVIDER = `${FAILURES}, 'provider_auth_failed', 'upstream_rate_limited', 'upstream_rejected'`;

const RULES = `FROM alert_rule r
  JOIN organisation o ON o.id = r.organisation_id AND o.status = 'ACTIVE'
  JOIN spans s ON s.zone = o.time_zone AND s.name = r.condition ->> 'span'`;

/**
 * `found` gives rule_id, subject_id, starts_at, ends_at, threshold, value and total; a span in which
 * an alert was raised above the threshold is left out.
 */
function statement(kind: string, subjectType: string, name: string, found: string): string {
  return `WITH ${SPAN_TABLES}, found AS (${found})
    SELECT r.id AS "ruleId", r.organisation_id AS "organisationId", r.name AS "ruleName",
      ${subjectType} AS "subjectType", f.subject_id AS "subjectId", ${name} AS name,
      NULL AS "scopeType", NULL AS metric, NULL AS period, NULL::integer AS "windowSeconds",
      f.starts_at AS "windowStart", f.ends_at AS "windowEnd", f.threshold,
      0::bigint AS "limitAmount", f.value::bigint AS value, f.total::bigint AS total
    FROM found f JOIN alert_rule r ON r.id = f.rule_id
    WHERE r.kind = '${kind}' AND NOT EXISTS (SELECT FROM alert a
      WHERE a.rule_id = f.rule_id AND a.subject_id = f.subject_id
        AND a.window_starts_at = f.starts_at AND a.value >= f.threshold)
    LIMIT $6`;
}

const REFUSED = `
  SELECT r.id AS rule_id, s.starts_at, s.ends_at, (r.condition ->> 'requests')::integer AS threshold,
    coalesce(k.id, r.organisation_id)::text AS subject_id, sum(q.count) AS value,
    NULL::bigint AS total
  ${RULES}
  JOIN refused_request q ON q.organisation_id = r.organisation_id
    AND q.hour >= s.starts_at AND q.hour < s.ends_at AND q.code NOT IN (${BY_PROVIDER})
  LEFT JOIN api_key k ON r.condition ->> 'per' = 'API_KEY' AND k.id = q.api_key_id
  WHERE r.kind = 'REQUESTS_REFUSED' AND r.status = 'ACTIVE'
    AND (r.condition ->> 'per' = 'ORGANISATION' OR k.id IS NOT NULL)
  GROUP BY r.id, s.starts_at, s.ends_at, coalesce(k.id, r.organisation_id)
  HAVING sum(q.count) >= (r.condition ->> 'requests')::bigint`;

const KEY_REFUSED = `
  SELECT r.id AS rule_id, s.starts_at, s.ends_at, 1 AS threshold, q.provider_id::text AS subject_id,
    sum(q.count) AS value, NULL::bigint AS total
  ${RULES}
  JOIN refused_request q ON q.organisation_id = r.organisation_id
    AND q.hour >= s.starts_at AND q.hour < s.ends_at AND q.code = 'provider_auth_failed'
    AND q.provider_id IS NOT NULL
  WHERE r.kind = 'PROVIDER_KEY_REFUSED' AND r.status = 'ACTIVE'
  GROUP BY r.id, s.starts_at, s.ends_at, q.provider_id`;

// A failed request may be booked as well as reported, so the larger of the two counts is taken.
const ERRORS = `
  SELECT g.rule_id, g.starts_at, g.ends_at, (r.condition ->> 'percent')::integer AS threshold,
    g.provider_id::text AS subject_id, floor(g.failed * 100 / g.total) AS value, g.total
  FROM (
    SELECT rule_id, starts_at, ends_at, provider_id,
      greatest(sum(reported), sum(errors)) AS failed,
      sum(requests) - sum(errors) + greatest(sum(reported), sum(errors)) AS total
    FROM (
      SELECT r.id AS rule_id, s.starts_at, s.ends_at, q.provider_id, q.count AS reported,
        0 AS errors, 0 AS requests
      ${RULES}
      JOIN refused_request q ON q.organisation_id = r.organisation_id
        AND q.hour >= s.starts_at AND q.hour < s.ends_at AND q.code IN (${FAILURES})
      WHERE r.kind = 'PROVIDER_ERRORS' AND r.status = 'ACTIVE'
      UNION ALL
      SELECT r.id, s.starts_at, s.ends_at, u.provider_id, 0, u.errors, u.requests
      ${RULES}
      JOIN usage u ON u.organisation_id = r.organisation_id
        AND u.hour >= s.starts_at AND u.hour < s.ends_at
      WHERE r.kind = 'PROVIDER_ERRORS' AND r.status = 'ACTIVE'
    ) AS both_sources WHERE provider_id IS NOT NULL
    GROUP BY rule_id, starts_at, ends_at, provider_id
  ) AS g JOIN alert_rule r ON r.id = g.rule_id
  WHERE g.total >= (r.condition ->> 'minimumRequests')::bigint
    AND g.failed * 100 >= (r.condition ->> 'percent')::bigint * g.total`;

const UNPRICED = `
  SELECT r.id AS rule_id, s.starts_at, s.ends_at, 1 AS threshold, m.id::text AS subject_id,
    sum(u.requests) AS value, NULL::bigint AS total
  ${RULES}
  JOIN usage u ON u.organisation_id = r.organisation_id
    AND u.hour >= s.starts_at AND u.hour < s.ends_at
  JOIN model m ON m.id = u.model_id AND m.status = 'ACTIVE'
  WHERE r.kind = 'UNPRICED_MODEL' AND r.status = 'ACTIVE' AND NOT EXISTS (
    SELECT FROM price p WHERE p.model_id = m.id
      AND p.effective_from <= (SELECT max(instant) FROM clock))
  GROUP BY r.id, s.starts_at, s.ends_at, m.id
  HAVING sum(u.requests) > 0`;

const PROVIDER_NAME = '(SELECT name FROM provider WHERE id = f.subject_id::uuid)';

/** Each statement takes the columns of `Spans` and the most rows. */
export const TRAFFIC_CANDIDATES = new Map([
  [
    'REQUESTS_REFUSED',
    statement(
      'REQUESTS_REFUSED',
      `r.condition ->> 'per'`,
      `CASE r.condition ->> 'per'
        WHEN 'API_KEY' THEN (SELECT name FROM api_key WHERE id = f.subject_id::uuid)
        ELSE (SELECT name FROM organisation WHERE id = f.subject_id::uuid) END`,
      REFUSED,
    ),
  ],
  [
    'PROVIDER_KEY_REFUSED',
    statement('PROVIDER_KEY_REFUSED', `'PROVIDER'`, PROVIDER_NAME, KEY_REFUSED),
  ],
  ['PROVIDER_ERRORS', statement('PROVIDER_ERRORS', `'PROVIDER'`, PROVIDER_NAME, ERRORS)],
  [
    'UNPRICED_MODEL',
    statement(
      'UNPRICED_MODEL',
      `'MODEL'`,
      '(SELECT name FROM model WHERE id = f.subject_id::uuid)',
      UNPRICED,
    ),
  ],
]);
