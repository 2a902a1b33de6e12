import {
  BUDGET_PERIODS,
  formatUsd,
  isOneOf,
  LIMIT_KINDS,
  LIMIT_SCOPES,
  QUOTA_METRICS,
  type rest,
} from '@tollgate/contracts';
import type { KeyRefusals__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { Pool } from 'pg';

import { isUuid } from '../records/entry-values';
import { detailsOf } from './refusal-details';
import { isInstant, iso, storable } from './report-values';
import { addShadowSkips } from './shadow-skips';

const MAX_REPORTED = 500;
/** For each key; the least recently seen are deleted first. */
export const REFUSALS_KEPT = 100;

const NEWER = 'excluded.last_at >= r.last_at';

// Sorted by key, so that two replicas cannot deadlock. Deleted keys and playground keys are left
// out.
const ADD = `
  INSERT INTO api_key_refusal AS r (id, organisation_id, api_key_id, code, about, reason, count,
    first_at, last_at, last_request_id, last_model, message, limit_state, need)
  SELECT u.id, k.organisation_id, k.id, u.code, u.about, u.reason, u.count, u.first_at, u.last_at,
    u.last_request_id, u.last_model, u.message, u.limit_state, u.need
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::bigint[],
      $8::timestamptz[], $9::timestamptz[], $10::uuid[], $11::text[], $12::text[], $13::jsonb[],
      $14::jsonb[])
    AS u(id, organisation_id, api_key_id, code, about, reason, count, first_at, last_at,
      last_request_id, last_model, message, limit_state, need)
  JOIN api_key k ON k.organisation_id = u.organisation_id AND k.id = u.api_key_id
    AND k.kind = 'NORMAL'
  ORDER BY k.id, u.code, u.about
  ON CONFLICT (api_key_id, code, about) DO UPDATE SET
    count = r.count + excluded.count,
    first_at = least(r.first_at, excluded.first_at),
    last_at = greatest(r.last_at, excluded.last_at),
    reason = CASE WHEN ${NEWER} THEN excluded.reason ELSE r.reason END,
    last_request_id = CASE WHEN ${NEWER} THEN excluded.last_request_id ELSE r.last_request_id END,
    last_model = CASE WHEN ${NEWER} THEN coalesce(excluded.last_model, r.last_model)
      ELSE r.last_model END,
    message = CASE WHEN ${NEWER} THEN excluded.message ELSE r.message END,
    limit_state = CASE WHEN ${NEWER} THEN excluded.limit_state ELSE r.limit_state END,
    need = CASE WHEN ${NEWER} THEN excluded.need ELSE r.need END
  RETURNING r.api_key_id`;

// Skips locked rows: a row that is being updated is not an old one.
const TRIM = `
  DELETE FROM api_key_refusal WHERE id IN (
    SELECT o.id FROM unnest($1::uuid[]) AS k(id) CROSS JOIN LATERAL (
      SELECT id FROM api_key_refusal WHERE api_key_id = k.id
      ORDER BY last_at DESC, id DESC OFFSET ${REFUSALS_KEPT} FOR UPDATE SKIP LOCKED) AS o)`;

/** Adds reported refusals to the stored sums. Returns the number of rows written. */
export async function addRefusals(
  pool: Pool,
  reported: readonly KeyRefusals__Output[],
): Promise<number> {
  if (reported.length > MAX_REPORTED) throw new RangeError(`at most ${MAX_REPORTED} at a time`);
  for (const one of reported) check(one);
  const rows = [...summed(reported)];
  if (rows.length === 0) return 0;
  const { rows: added } = await pool.query<{ api_key_id: string }>({
    name: 'ledger-report-refusals',
    text: ADD,
    values: [
      rows.map(() => uuidv7()),
      rows.map((row) => row.organisationId),
      rows.map((row) => row.apiKeyId),
      rows.map((row) => row.code),
      rows.map((row) => storable(row.about)),
      rows.map((row) => storable(row.reason) || null),
      rows.map((row) => row.count),
      rows.map((row) => iso(row.firstAtMs)),
      rows.map((row) => iso(row.lastAtMs)),
      rows.map((row) => row.requestId),
      rows.map((row) => storable(row.model) || null),
      rows.map((row) => storable(row.message)),
      rows.map((row) => (row.limit === null ? null : JSON.stringify(limitOf(row, row.limit)))),
      rows.map(({ detailsJson }) => {
        const { need } = detailsOf(detailsJson);
        return need && JSON.stringify(need);
      }),
    ],
  });
  if (added.length < rows.length) await addShadowSkips(pool, rows);
  const keys = [...new Set(added.map((row) => row.api_key_id))];
  await pool.query({ name: 'ledger-trim-refusals', text: TRIM, values: [keys] });
  return added.length;
}

// ON CONFLICT can update each row only once for each statement.
function summed(reported: readonly KeyRefusals__Output[]): Iterable<KeyRefusals__Output> {
  const sums = new Map<string, KeyRefusals__Output>();
  for (const one of reported) {
    const key = `${one.apiKeyId} ${one.code} ${storable(one.about)}`;
    const other = sums.get(key);
    const newest = other !== undefined && other.lastAtMs > one.lastAtMs ? other : one;
    sums.set(key, {
      ...newest,
      count: one.count + (other?.count ?? 0),
      firstAtMs: Math.min(one.firstAtMs, other?.firstAtMs ?? one.firstAtMs),
    });
  }
  return sums.values();
}

type WireLimit = NonNullable<KeyRefusals__Output['limit']>;

/** In the shape of the REST API: money in US dollars, everything else a count. */
function limitOf(row: KeyRefusals__Output, limit: WireLimit): rest.RefusingLimit {
  const fail = failing(row);
  const { kind, metric, scopeType, period, windowSeconds, resetsAtMs } = limit;
  const amount = (text: string, field: string): string | number => {
    if (!/^-?\d{1,16}$/.test(text || '0')) return fail(field);
    return metric === 'COST' ? formatUsd(BigInt(text || '0')) : Number(text);
  };
  return {
    id: limit.limitId.slice(0, 36),
    kind: isOneOf(LIMIT_KINDS, kind) ? kind : fail('limit.kind'),
    metric: metric === '' ? null : isOneOf(QUOTA_METRICS, metric) ? metric : fail('limit.metric'),
    scope: {
      type: isOneOf(LIMIT_SCOPES, scopeType) ? scopeType : fail('limit.scope_type'),
      id: isUuid(limit.scopeId) ? limit.scopeId : fail('limit.scope_id'),
    },
    period: period === '' ? null : isOneOf(BUDGET_PERIODS, period) ? period : fail('limit.period'),
    windowSeconds: windowSeconds === 0 ? null : windowSeconds,
    limit: amount(limit.limit, 'limit.limit'),
    spent: amount(limit.settled, 'limit.settled'),
    held: amount(limit.held, 'limit.held'),
    resetsAt: resetsAtMs === 0 ? null : iso(resetsAtMs),
  };
}

function check(row: KeyRefusals__Output): void {
  const fail = failing(row);
  if (!isUuid(row.organisationId)) fail('organisation_id');
  if (!isUuid(row.apiKeyId)) fail('api_key_id');
  if (!isUuid(row.requestId)) fail('request_id');
  // Codes of a later release are accepted.
  if (!/^[a-z_]{1,64}$/.test(row.code)) fail('code');
  if (row.about.length > 200) fail('about');
  if (row.reason.length > 200) fail('reason');
  if (row.model.length > 200) fail('model');
  if (row.message.length > 1_000) fail('message');
  if (row.detailsJson.length > 4_000) fail('details_json');
  if (!Number.isSafeInteger(row.count) || row.count <= 0) fail('count');
  const { firstAtMs, lastAtMs, limit } = row;
  for (const [field, ms] of Object.entries({ firstAtMs, lastAtMs })) {
    if (!isInstant(ms) || ms === 0) fail(field);
  }
  if (limit === null) return;
  if (!isUuid(limit.limitId.slice(0, 36))) fail('limit.limit_id');
  if (!isInstant(limit.resetsAtMs)) fail('limit.resets_at_ms');
  limitOf(row, limit);
}

function failing(row: KeyRefusals__Output): (field: string) => never {
  return (field) => {
    throw new RangeError(`refusals of key ${row.apiKeyId}: ${field} cannot be stored`);
  };
}
