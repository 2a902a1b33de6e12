import type { Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { EntityManager } from 'typeorm';

import { exactTypes } from './exact-types';

/** Runs statements: a connection of the pool, or the result of `transactionOf`. */
export interface Tx {
  query<R extends QueryResultRow>(
    statement: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<R>>;
}

export type Isolation = 'READ COMMITTED' | 'REPEATABLE READ' | 'REPEATABLE READ READ ONLY';

/**
 * Limits of each statement in a transaction, in milliseconds: in total, and for waiting on locks.
 */
export interface StatementTimeouts {
  readonly statementMs: number;
  readonly lockMs: number;
}

/**
 * Runs one transaction on its own connection. A connection that fails to roll back is closed
 * instead of reused. Without `limits` the pool's timeouts apply.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (tx: PoolClient) => Promise<T>,
  isolation: Isolation = 'READ COMMITTED',
  limits?: StatementTimeouts,
): Promise<T> {
  const tx = await pool.connect();
  let broken: Error | undefined;
  try {
    const begin = `BEGIN ISOLATION LEVEL ${isolation.replace(' READ ONLY', ', READ ONLY')}`;
    await tx.query(limits === undefined ? begin : `${begin}; ${timeouts(limits)}`);
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

const timeouts = ({ statementMs, lockMs }: StatementTimeouts): string =>
  `SET LOCAL statement_timeout = ${statementMs}; SET LOCAL lock_timeout = ${lockMs}`;

/**
 * The connection of an entity manager's transaction, so that entities and the ledger's SQL share
 * one transaction. Reads int8 as a bigint.
 */
export async function transactionOf(manager: EntityManager): Promise<Tx> {
  const runner = manager.queryRunner;
  if (runner === undefined) throw new Error('the ledger can only be changed in a transaction');
  const connection = (await runner.connect()) as PoolClient;
  return {
    query: (statement, values) => {
      const config = typeof statement === 'string' ? { text: statement } : statement;
      return connection.query({
        ...config,
        ...(values === undefined ? {} : { values }),
        types: exactTypes,
      });
    },
  };
}
