import type { Pool, PoolClient } from 'pg';

export type Isolation = 'READ COMMITTED' | 'REPEATABLE READ' | 'REPEATABLE READ READ ONLY';

/**
 * One transaction on a connection of its own. A connection whose transaction could not be ended is
 * closed rather than handed on.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (tx: PoolClient) => Promise<T>,
  isolation: Isolation = 'READ COMMITTED',
): Promise<T> {
  const tx = await pool.connect();
  let broken: Error | undefined;
  try {
    await tx.query(`BEGIN ISOLATION LEVEL ${isolation.replace(' READ ONLY', ', READ ONLY')}`);
    const result = await work(tx);
    await tx.query('COMMIT');
    return result;
  } catch (error) {
    await tx.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    tx.release(broken);
  }
}
