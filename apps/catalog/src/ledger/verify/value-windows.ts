import { LIFETIME_END_MS, shardOf } from '@tollgate/contracts';
import type { Pool, PoolClient } from 'pg';

import { inTransaction, type Tx } from '../../db';
import { appendOutbox, raiseRevision } from '../../outbox';
import { AMOUNT_COLUMNS } from '../records/amounts';
import { lockShard } from '../records/shards';
import { AFTER_END_MS, LIFETIME_IDLE_MS } from '../retention/value-windows';
import { SUM_OF_METRIC } from '../windows/windows';

// The totals of limits on each value, compared with the records that name their counters. PostgreSQL does the sums and
// the comparison: this process keeps one page of what differs, however many values there are.

/** A total of one value that differs from its records. */
export interface ValueBreach {
  limitId: string;
  /** Names the value in the id of its counter. */
  valueHash: string;
  organisationId: string;
  startMs: number;
  endMs: number;
  /** The total in the window row; 0 without a row. */
  booked: bigint;
  /** The sum of the records that count in it, with their adjustments. */
  truth: bigint;
}

const IDLE_FROM = `now() - interval '${LIFETIME_IDLE_MS / 1_000} seconds'`;
const inMs = (instant: string): string => `(extract(epoch FROM ${instant}) * 1000)::bigint`;
const instantOf = (ms: string): string => `to_timestamp((${ms} / 1000)::float8)`;

/**
 * SQL: totals that differ from the records, of the organisation `$1` or of all.
 *
 * A row counts the requests that were booked since its `counts_from`. A missing row is right when the window was
 * removed: some days after its end, or, without an end, when nothing was charged for so long. Where retention has
 * removed records of the window, the total must be at least the sum of those that are left.
 */
const BREACHES = `
  WITH limits AS (
    SELECT id, organisation_id, 'COST' AS metric FROM budget WHERE value_key IS NOT NULL
    UNION ALL
    SELECT id, organisation_id, metric FROM quota WHERE value_key IS NOT NULL
  ), adjusted AS (
    SELECT request_id, ${AMOUNT_COLUMNS.map((c) => `sum(${c}) AS ${c}`).join(', ')}
    FROM usage_adjustment WHERE $1::uuid IS NULL OR organisation_id = $1::uuid GROUP BY request_id
  ), counted AS (
    SELECT u.organisation_id, u.recorded_at, u.limit_values,
      ${AMOUNT_COLUMNS.map((c) => `u.${c} + coalesce(a.${c}, 0) AS ${c}`).join(', ')}
    FROM usage_record u LEFT JOIN adjusted a ON a.request_id = u.id
    WHERE u.limit_values IS NOT NULL AND ($1::uuid IS NULL OR u.organisation_id = $1::uuid)
  ), named AS (
    SELECT l.id AS limit_id, l.organisation_id, split_part(v.value ->> 0, '~', 2) AS hash,
      (v.value ->> 1)::bigint AS start_ms, (v.value ->> 2)::bigint AS end_ms, r.recorded_at,
      CASE l.metric ${SUM_OF_METRIC} END AS amount
    FROM counted r CROSS JOIN LATERAL jsonb_array_elements(r.limit_values) AS v
    JOIN limits l ON l.id::text = split_part(v.value ->> 0, '~', 1)
      AND l.organisation_id = r.organisation_id
  ), stored AS (
    SELECT w.limit_id, w.organisation_id, w.value_hash AS hash, w.amount, w.counts_from,
      ${inMs('w.starts_at')} AS start_ms, ${inMs('w.ends_at')} AS end_ms
    FROM value_window w JOIN limits l ON l.id = w.limit_id
    WHERE $1::uuid IS NULL OR w.organisation_id = $1::uuid
  ), placed AS (
    SELECT limit_id, hash, start_ms, end_ms, s.amount AS stored, n.amount, n.recorded_at,
      coalesce(s.organisation_id, n.organisation_id) AS organisation_id,
      coalesce(s.counts_from,
        CASE WHEN end_ms = ${LIFETIME_END_MS} THEN ${IDLE_FROM} ELSE '-infinity' END) AS counts_from
    FROM stored s FULL JOIN named n USING (limit_id, hash, start_ms, end_ms)
  ), compared AS (
    SELECT limit_id, organisation_id, hash, start_ms, end_ms, stored,
      coalesce(sum(amount) FILTER (WHERE recorded_at >= counts_from), 0)::bigint AS truth,
      min(recorded_at) FILTER (WHERE recorded_at >= counts_from) AS first_at
    FROM placed GROUP BY limit_id, organisation_id, hash, start_ms, end_ms, stored
  )
  SELECT limit_id, organisation_id, hash, start_ms, end_ms, coalesce(stored, 0) AS booked, truth, first_at
  FROM compared c
  WHERE (stored IS NOT NULL OR end_ms > ${inMs('now()')} - ${AFTER_END_MS})
    AND CASE WHEN EXISTS (SELECT FROM usage_removed u WHERE u.organisation_id = c.organisation_id
        AND u.records_from > ${instantOf('c.start_ms')})
      THEN coalesce(stored, 0) < truth ELSE coalesce(stored, 0) <> truth END`;

interface BreachRow {
  limit_id: string;
  organisation_id: string;
  hash: string;
  start_ms: bigint | number;
  end_ms: bigint | number;
  booked: bigint;
  truth: bigint;
}

/** The first `limit` totals that differ, by limit, window and value. */
export async function findValueBreaches(tx: PoolClient, limit: number): Promise<ValueBreach[]> {
  const { rows } = await tx.query<BreachRow>(
    `${BREACHES} ORDER BY limit_id, start_ms, end_ms, hash LIMIT $2`,
    [null, limit],
  );
  return rows.map((row) => ({
    limitId: row.limit_id,
    valueHash: row.hash,
    organisationId: row.organisation_id,
    startMs: Number(row.start_ms),
    endMs: Number(row.end_ms),
    booked: row.booked,
    truth: row.truth,
  }));
}

export interface ValueRepair {
  /** Organisations with totals that were written again, and how many. */
  readonly repaired: ReadonlyMap<string, number>;
  /** Organisations whose totals still differ. */
  readonly remaining: readonly string[];
}

/** Counters that one event of the outbox names. */
const FORGET_PAGE = 500;

/**
 * Writes totals of values again where they differ from their records, and has their counters forgotten. Each
 * organisation is one transaction under its shard's row lock, so bookings of that shard wait and none is lost.
 */
export async function repairValueWindows(
  pool: Pool,
  say: (organisationId: string, totals: number) => void = () => {},
): Promise<ValueRepair> {
  const repaired = new Map<string, number>();
  for (const id of await organisationsWithBreaches(pool)) {
    const totals = await inTransaction(pool, (tx) => repair(tx, id));
    repaired.set(id, totals);
    say(id, totals);
  }
  return { repaired, remaining: repaired.size === 0 ? [] : await organisationsWithBreaches(pool) };
}

function organisationsWithBreaches(pool: Pool): Promise<string[]> {
  return inTransaction(
    pool,
    async (tx) => {
      const { rows } = await tx.query<{ organisation_id: string }>(
        `SELECT DISTINCT organisation_id FROM (${BREACHES}) AS breaches ORDER BY 1`,
        [null],
      );
      return rows.map((row) => row.organisation_id);
    },
    'REPEATABLE READ READ ONLY',
  );
}

async function repair(tx: Tx, organisationId: string): Promise<number> {
  await lockShard(tx, shardOf(organisationId));
  await tx.query(`CREATE TEMPORARY TABLE value_repair (place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    limit_id uuid, hash text, start_ms bigint, end_ms bigint, truth bigint, first_at timestamptz) ON COMMIT DROP`);
  await tx.query(
    `INSERT INTO value_repair (limit_id, hash, start_ms, end_ms, truth, first_at)
     SELECT limit_id, hash, start_ms, end_ms, truth, first_at FROM (${BREACHES}) AS breaches`,
    [organisationId],
  );
  const { rowCount } = await tx.query(
    `INSERT INTO value_window AS v
       (limit_id, starts_at, ends_at, value_hash, organisation_id, amount, counts_from)
     SELECT limit_id, ${instantOf('start_ms')}, ${instantOf('end_ms')}, hash, $1, truth, coalesce(first_at, now())
     FROM value_repair
     ON CONFLICT (limit_id, starts_at, ends_at, value_hash)
       DO UPDATE SET amount = excluded.amount, updated_at = now()`,
    [organisationId],
  );
  await forgetRepaired(tx, organisationId);
  return rowCount ?? 0;
}

async function forgetRepaired(tx: Tx, organisationId: string): Promise<void> {
  const rev = await raiseRevision(tx, organisationId);
  for (let after = 0; ; after += FORGET_PAGE) {
    const { rows } = await tx.query<{ id: string }>(
      `SELECT DISTINCT limit_id || '~' || hash AS id FROM value_repair WHERE place > $1 AND place <= $2`,
      [after, after + FORGET_PAGE],
    );
    if (rows.length === 0) return;
    const limitIds = rows.map(({ id }) => id);
    await appendOutbox(tx, { kind: 'LEDGER', organisationId, rev, limitIds });
  }
}
