import type { RefusedSum__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { Pool } from 'pg';

import { isUuid } from '../records/entry-values';
import { detailsOf } from './refusal-details';
import { isInstant, iso, storable } from './report-values';

const MAX_REPORTED = 500;
/** Causes told apart in one hour: of an organisation, and of requests without a known key. */
export const CAUSES_KEPT = 500;
const MODEL_MAX = 200;
const DETAILS_MAX = 4_000;
/** Any number, the same in each process: reports are stored one after the other. */
const LOCK = 7_320_032;

const NEWER = 'excluded.last_at >= r.last_at';

const CONFLICT = `
  ON CONFLICT (hour, cause) DO UPDATE SET
    count = r.count + excluded.count,
    first_at = least(r.first_at, excluded.first_at),
    last_at = greatest(r.last_at, excluded.last_at),
    last_request_id = CASE WHEN ${NEWER} THEN excluded.last_request_id ELSE r.last_request_id END,
    limit_state = CASE WHEN ${NEWER} THEN excluded.limit_state ELSE r.limit_state END,
    need = CASE WHEN ${NEWER} THEN excluded.need ELSE r.need END`;

const COLUMNS = `id, hour, cause, organisation_id, api_key_id, key_print, code, limit_id, model,
  provider_id, other, count, first_at, last_at, last_request_id, limit_state, need`;

const CAUSE = `concat_ws('|', organisation_id, '', api_key_id, '', key_print, code, limit_id, model,
  provider_id, '', other)`;

// Several sums may have the same cause once keys are resolved, such as two keys of a playground.
const ADD = `
  WITH told AS (
    SELECT u.*, k.organisation_id, CASE k.kind WHEN 'NORMAL' THEN k.id END AS api_key_id,
      CASE WHEN k.id IS NULL AND u.key_sha256 IS NOT NULL
        THEN encode(substring(u.key_sha256 FROM 1 FOR 5), 'hex') ELSE '' END AS key_print
    FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::bytea[], $5::text[], $6::uuid[],
        $7::text[], $8::bigint[], $9::timestamptz[], $10::timestamptz[], $11::uuid[], $12::jsonb[],
        $13::jsonb[], $14::boolean[])
      AS u(id, hour, code, key_sha256, model, provider_id, limit_id, count, first_at, last_at,
        last_request_id, limit_state, need, other)
    LEFT JOIN api_key k ON k.key_sha256 = u.key_sha256
  ), named AS (SELECT *, ${CAUSE} AS cause FROM told)
  INSERT INTO refused_request AS r (${COLUMNS})
  SELECT DISTINCT ON (hour, cause) id, hour, cause, organisation_id, api_key_id, key_print, code,
    limit_id, model, provider_id, other, (sum(count) OVER w)::bigint, min(first_at) OVER w,
    max(last_at) OVER w, last_request_id, limit_state, need
  FROM named WINDOW w AS (PARTITION BY hour, cause)
  ORDER BY hour, cause, last_at DESC
  ${CONFLICT}
  RETURNING r.organisation_id`;

// Causes seen most often stay; the rest is summed by code. Of unknown keys made up by an attacker,
// each is seen once.
const FOLD = `
  WITH ranked AS (
    SELECT id, row_number() OVER (
      PARTITION BY organisation_id, hour ORDER BY count DESC, last_at DESC, id) AS place
    FROM refused_request
    WHERE NOT other AND hour = ANY($1::timestamptz[])
      AND (organisation_id = ANY($2::uuid[]) OR (organisation_id IS NULL AND $3))
  ), surplus AS (
    DELETE FROM refused_request r USING ranked
    WHERE ranked.id = r.id AND ranked.place > ${CAUSES_KEPT}
    RETURNING r.*
  ), summed AS (
    SELECT DISTINCT ON (hour, organisation_id, code) id, hour, organisation_id,
      NULL::uuid AS api_key_id, '' AS key_print, code, '' AS limit_id, '' AS model,
      NULL::uuid AS provider_id, true AS other, (sum(count) OVER w)::bigint AS count,
      min(first_at) OVER w AS first_at, max(last_at) OVER w AS last_at, last_request_id
    FROM surplus WINDOW w AS (PARTITION BY hour, organisation_id, code)
    ORDER BY hour, organisation_id, code, last_at DESC
  )
  INSERT INTO refused_request AS r (${COLUMNS})
  SELECT id, hour, ${CAUSE}, organisation_id, api_key_id, key_print, code, limit_id, model,
    provider_id, other, count, first_at, last_at, last_request_id, NULL, NULL
  FROM summed ORDER BY hour, code
  ${CONFLICT}`;

/**
 * Adds an edge's sums to the stored ones, by hour. Returns the number of rows written.
 * @throws RangeError naming the field that cannot be stored
 */
export async function addRefusedRequests(
  pool: Pool,
  sums: readonly RefusedSum__Output[],
): Promise<number> {
  if (sums.length > MAX_REPORTED) throw new RangeError(`at most ${MAX_REPORTED} at a time`);
  for (const sum of sums) check(sum);
  if (sums.length === 0) return 0;
  const details = sums.map(({ detailsJson }) => detailsOf(detailsJson));
  const hours = sums.map(({ lastAtMs }) => iso(lastAtMs - (lastAtMs % 3_600_000)));
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const { rows } = await client.query<{ organisation_id: string | null }>({
      name: 'ledger-add-refused',
      text: ADD,
      values: [
        sums.map(() => uuidv7()),
        hours,
        sums.map(({ code }) => code),
        sums.map(({ keySha256 }) => (keySha256.length === 0 ? null : keySha256)),
        sums.map(({ model }) => storable(model)),
        sums.map(({ providerId }) => providerId || null),
        sums.map(({ limitId }) => storable(limitId)),
        sums.map(({ count }) => count),
        sums.map(({ firstAtMs }) => iso(firstAtMs)),
        sums.map(({ lastAtMs }) => iso(lastAtMs)),
        sums.map(({ requestId }) => requestId),
        details.map(({ limit }) => limit && JSON.stringify(limit)),
        details.map(({ need }) => need && JSON.stringify(need)),
        sums.map(({ other }) => other),
      ],
    });
    const organisations = new Set(rows.map((row) => row.organisation_id));
    const known = [...organisations].filter((id) => id !== null);
    await client.query({
      name: 'ledger-fold-refused',
      text: FOLD,
      values: [[...new Set(hours)], known, organisations.has(null)],
    });
    await client.query('COMMIT');
    return rows.length;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

function check(sum: RefusedSum__Output): void {
  const fail = (field: string): never => {
    throw new RangeError(`refused requests: ${field} cannot be stored`);
  };
  // Codes of a later release are accepted.
  if (!/^[a-z_]{1,64}$/.test(sum.code)) fail('code');
  if (sum.keySha256.length !== 0 && sum.keySha256.length !== 32) fail('key_sha256');
  if (sum.model.length > MODEL_MAX) fail('model');
  if (sum.providerId !== '' && !isUuid(sum.providerId)) fail('provider_id');
  if (sum.limitId.length > 100) fail('limit_id');
  if (!Number.isSafeInteger(sum.count) || sum.count <= 0) fail('count');
  if (!isUuid(sum.requestId)) fail('request_id');
  if (sum.detailsJson.length > DETAILS_MAX) fail('details_json');
  const { firstAtMs, lastAtMs } = sum;
  for (const [field, ms] of Object.entries({ firstAtMs, lastAtMs })) {
    if (!isInstant(ms) || ms === 0) fail(field);
  }
}
