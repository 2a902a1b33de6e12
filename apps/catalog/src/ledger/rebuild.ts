import { shardOf } from '@tollgate/contracts';
import type { Pool } from 'pg';
import { inTransaction } from '../db';
import { rebuildHours, rebuildPeriods } from './period-sql';
import { lockShard } from './shards';

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
      for (const [table, statement] of [
        ['usage', rebuildHours],
        ['usage_period', rebuildPeriods],
      ] as const) {
        await tx.query(`DELETE FROM ${table} WHERE organisation_id = $1`, [id]);
        await tx.query(statement('r.organisation_id = $1'), [id]);
      }
    });
  }
  return rows.map((row) => row.id);
}
