import { shardOf, windowAt } from '@tollgate/contracts';
import { systemClock, uuidv7, type Clock } from '@tollgate/kit';
import type { Pool, PoolClient } from 'pg';

import { inTransaction, type Tx } from '../../db';
import { AMOUNT_COLUMNS } from '../records/amounts';
import { lockShard } from '../records/shards';

/**
 * Removes usage records, with their adjustments and their rows of MCP requests, after their
 * organisation's retention period.
 * Rollups, windows and invoices stay, and `usage_removed` keeps the sums of what is removed, so
 * that the books still add up. A window created later counts removed usage from the hourly rollup.
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Records for each lock of the shard's row, so that requests are booked in between. */
const BATCH = 2_000;
/** For each organisation in one round; the next round continues. */
const MAX_BATCHES = 500;

export interface Removal {
  organisationId: string;
  recordsFrom: Date;
  records: number;
}

export interface RetentionOptions {
  readonly batch?: number;
  /** Called in the transaction that removes these requests, before it does. */
  readonly beforeRemoval?: (
    tx: Tx,
    organisationId: string,
    requestIds: readonly string[],
  ) => Promise<void>;
}

/** One round over all organisations. Replicas may run it concurrently. */
export async function enforceRetention(
  pool: Pool,
  clock: Clock = systemClock,
  options: RetentionOptions = {},
): Promise<Removal[]> {
  const { rows } = await pool.query<{ id: string; time_zone: string; retention_days: number }>(
    'SELECT id, time_zone, retention_days FROM organisation WHERE retention_days IS NOT NULL ORDER BY id',
  );
  const removals: Removal[] = [];
  for (const { id, time_zone: timeZone, retention_days: days } of rows) {
    const recordsFrom = cutAt(clock.now() - days * DAY_MS, timeZone);
    const records = await removeBefore(pool, id, recordsFrom, options);
    if (records > 0) removals.push({ organisationId: id, recordsFrom, records });
  }
  return removals;
}

/**
 * The full hour in which the day begins, because hourly rollups can only be split at full hours.
 */
function cutAt(instantMs: number, timeZone: string): Date {
  const { startMs } = windowAt({ period: 'DAILY' }, Math.max(0, instantMs), timeZone);
  return new Date(Math.floor(startMs / HOUR_MS) * HOUR_MS);
}

async function removeBefore(
  pool: Pool,
  organisationId: string,
  recordsFrom: Date,
  { batch = BATCH, beforeRemoval }: RetentionOptions,
): Promise<number> {
  let records = 0;
  for (let round = 0; round < MAX_BATCHES; round += 1) {
    const removed = await inTransaction(pool, async (tx) => {
      if (!(await hasOlder(tx, organisationId, recordsFrom))) return 0;
      await lockShard(tx, shardOf(organisationId));
      const ids = await oldestIds(tx, organisationId, recordsFrom, batch);
      await beforeRemoval?.(tx, organisationId, ids);
      return removeRecords(tx, organisationId, recordsFrom, ids);
    });
    records += removed;
    if (removed < batch) break;
  }
  if (records > 0) await noteRemoval(pool, organisationId, recordsFrom, records);
  return records;
}

async function hasOlder(tx: Tx, organisationId: string, recordsFrom: Date): Promise<boolean> {
  const { rows } = await tx.query(
    'SELECT FROM usage_record WHERE organisation_id = $1 AND authorised_at < $2 LIMIT 1',
    [organisationId, recordsFrom.toISOString()],
  );
  return rows.length > 0;
}

async function oldestIds(
  tx: Tx,
  organisationId: string,
  recordsFrom: Date,
  batch: number,
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'ledger-oldest-records',
    text: `SELECT id FROM usage_record WHERE organisation_id = $1 AND authorised_at < $2
      ORDER BY authorised_at, id LIMIT $3`,
    values: [organisationId, recordsFrom.toISOString(), batch],
  });
  return rows.map(({ id }) => id);
}

const SUMS = [...AMOUNT_COLUMNS, 'estimate_shortfall_nano_usd'];
const COUNTS = ['records', 'abandoned', 'adjustments'];
const KEPT = [...COUNTS, ...SUMS];

/** Deletes records and adds their sums to `usage_removed`, in one statement. */
async function removeRecords(
  tx: PoolClient,
  organisationId: string,
  recordsFrom: Date,
  ids: readonly string[],
): Promise<number> {
  const { rows } = await tx.query<{ count: bigint }>({
    name: 'ledger-remove-records',
    text: `WITH gone AS (
        DELETE FROM usage_record WHERE id = ANY($3::uuid[])
        RETURNING id, mode, ${SUMS.join(', ')}
      ), described AS (
        DELETE FROM mcp_usage_record WHERE id IN (SELECT id FROM gone)
      ), corrected AS (
        DELETE FROM usage_adjustment WHERE request_id IN (SELECT id FROM gone)
        RETURNING ${AMOUNT_COLUMNS.join(', ')}
      ), removed AS (
        SELECT 1 AS records, (mode = 'ABANDONED')::integer AS abandoned, 0 AS adjustments,
          ${SUMS.join(', ')} FROM gone
        UNION ALL
        SELECT 0, 0, 1, ${AMOUNT_COLUMNS.join(', ')}, 0 FROM corrected
      ), kept AS (
        INSERT INTO usage_removed (organisation_id, records_from, ${KEPT.join(', ')})
        SELECT $1, $2, ${KEPT.map((name) => `coalesce(sum(${name}), 0)::bigint`).join(', ')}
        FROM removed
        ON CONFLICT (organisation_id) DO UPDATE SET updated_at = now(),
          records_from = greatest(usage_removed.records_from, excluded.records_from),
          ${KEPT.map((name) => `${name} = usage_removed.${name} + excluded.${name}`).join(', ')}
      )
      SELECT count(*) AS count FROM gone`,
    values: [organisationId, recordsFrom.toISOString(), ids],
  });
  return Number(rows[0]?.count ?? 0n);
}

async function noteRemoval(
  pool: Pool,
  organisationId: string,
  recordsFrom: Date,
  records: number,
): Promise<void> {
  await pool.query(
    `INSERT INTO audit_event (id, organisation_id, actor_kind, action, target_type, target_id, details)
     VALUES ($1, $2, 'SYSTEM', 'usage.remove-expired', 'organisation', $3, $4)`,
    [
      uuidv7(),
      organisationId,
      organisationId,
      { after: { records, recordsFrom: recordsFrom.toISOString() } },
    ],
  );
}
