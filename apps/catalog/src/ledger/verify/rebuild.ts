import { shardOf } from '@tollgate/contracts';
import type { Pool } from 'pg';
import { inTransaction, type Tx } from '../../db';
import { NARROW, rebuildHours, rebuildPeriods, sumNarrowRows } from '../rollups/period-sql';
import { lockShard } from '../records/shards';
import { findRollupBreaches } from './verify';

/**
 * Sums the rollups up anew from records and adjustments, one organisation after the other under its
 * shard's row: after loading data in bulk. An organisation that retention has removed records of is
 * left as it is, for its rollups know more than its records; answers the others.
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

export type Mended = {
  /** Organisations whose rollups were summed up anew. */
  readonly mended: readonly string[];
  /** Organisations whose rollups do not agree with the books afterwards: the first 100. */
  readonly left: readonly string[];
};

/**
 * Finds organisations whose rollups do not add up to the books, as after a release that did not know
 * all of them, and sums theirs up anew; each in a transaction of its own under its shard's row, so
 * bookings of that shard wait meanwhile and none is lost or counted twice. Stopped half-way, it goes on
 * with those that are left. Where retention has removed records, only the rows that sum up others are
 * made anew. PostgreSQL does the sums: nothing is held here but ids.
 */
export async function mendRollups(
  pool: Pool,
  say: (organisationId: string) => void = () => {},
): Promise<Mended> {
  const mended: string[] = [];
  const breaches = (after?: string): Promise<string[]> =>
    inTransaction(pool, (tx) => findRollupBreaches(tx, after), 'REPEATABLE READ READ ONLY');
  // One after the other by id: those that cannot be mended keep nobody else's from it.
  for (let page = await breaches(); page.length > 0; page = await breaches(page.at(-1))) {
    for (const id of page) {
      await inTransaction(pool, (tx) => mend(tx, id));
      mended.push(id);
      say(id);
    }
  }
  return { mended, left: mended.length === 0 ? [] : await breaches() };
}

async function mend(tx: Tx, organisationId: string): Promise<void> {
  await lockShard(tx, shardOf(organisationId));
  const { rowCount } = await tx.query('SELECT FROM usage_removed WHERE organisation_id = $1', [
    organisationId,
  ]);
  await (rowCount === 0 ? rebuild(tx, organisationId) : rebuildNarrow(tx, organisationId));
}
