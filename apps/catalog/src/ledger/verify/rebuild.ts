import { shardOf } from '@tollgate/contracts';
import type { Pool } from 'pg';

import { inTransaction, type Tx } from '../../db';
import { lockShard } from '../records/shards';
import { NARROW, rebuildHours, rebuildPeriods, sumNarrowRows } from '../rollups/period-sql';
import { findRollupBreaches } from './verify';

/**
 * Rebuilds the rollups from records and adjustments after a bulk load, one organisation at a time
 * under its shard's row lock. Skips organisations from which retention has removed records, because
 * their rollups contain more than their records. Returns the ids of the others.
 */
export async function rebuildRollups(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM organisation o
     WHERE NOT EXISTS (SELECT FROM usage_removed u WHERE u.organisation_id = o.id) ORDER BY id`,
  );
  for (const { id } of rows) {
    await inTransaction(pool, async (tx) => {
      await lockShard(tx, shardOf(id));
      await rebuild(tx, id);
    });
  }
  return rows.map((row) => row.id);
}

async function rebuild(tx: Tx, organisationId: string): Promise<void> {
  for (const [table, statement] of [
    ['usage', rebuildHours],
    ['usage_period', rebuildPeriods],
  ] as const) {
    await tx.query(`DELETE FROM ${table} WHERE organisation_id = $1`, [organisationId]);
    await tx.query(statement('r.organisation_id = $1'), [organisationId]);
  }
}

async function rebuildNarrow(tx: Tx, organisationId: string): Promise<void> {
  await tx.query(
    'DELETE FROM usage_period WHERE organisation_id = $1 AND period = ANY($2::text[])',
    [organisationId, NARROW.map(({ period }) => period)],
  );
  await tx.query(sumNarrowRows('organisation_id = $1'), [organisationId]);
}

export interface RollupRepair {
  /** Organisations whose rollups were rebuilt. */
  readonly repaired: readonly string[];
  /** Organisations whose rollups still disagree with the books; the first 100. */
  readonly remaining: readonly string[];
}

/**
 * Finds organisations whose rollups disagree with the books, for example after a rollback to a
 * release that does not write all of them, and rebuilds theirs.
 *
 * Each organisation is one transaction under its shard's row lock, so bookings of that shard wait
 * and none is lost or counted twice. After an interruption, the next run continues with the rest.
 * Where retention has removed records, only the narrow rows are rebuilt. PostgreSQL does the sums:
 * this process keeps only ids in memory.
 */
export async function repairRollups(
  pool: Pool,
  say: (organisationId: string) => void = () => {},
): Promise<RollupRepair> {
  const repaired: string[] = [];
  const breaches = (after?: string): Promise<string[]> =>
    inTransaction(pool, (tx) => findRollupBreaches(tx, after), 'REPEATABLE READ READ ONLY');
  // Pages by id, so that organisations that cannot be repaired do not hide the others.
  for (let page = await breaches(); page.length > 0; page = await breaches(page.at(-1))) {
    for (const id of page) {
      await inTransaction(pool, (tx) => repair(tx, id));
      repaired.push(id);
      say(id);
    }
  }
  return { repaired, remaining: repaired.length === 0 ? [] : await breaches() };
}

async function repair(tx: Tx, organisationId: string): Promise<void> {
  await lockShard(tx, shardOf(organisationId));
  const { rowCount } = await tx.query('SELECT FROM usage_removed WHERE organisation_id = $1', [
    organisationId,
  ]);
  await (rowCount === 0 ? rebuild(tx, organisationId) : rebuildNarrow(tx, organisationId));
}
