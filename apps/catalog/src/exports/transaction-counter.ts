import type { Logger } from '@tollgate/kit';
import type { Pool } from 'pg';

import { inTransaction, type Tx } from '../db';
import { SOURCE_TABLES } from './sources';

/**
 * The order of the export is that of PostgreSQL's transaction counter, which only rises. A dump that
 * is loaded into another server keeps the numbers of its rows, while that server's own counter is
 * lower: new rows would sort before those that are exported, and never leave. An offset in
 * `xid_offset()` lifts the numbers of new rows above all stored ones. A restore of a base backup
 * continues the counter and needs none.
 */

const LOCK = `hashtext('tollgate.transaction-counter')`;

export interface CounterState {
  /** The highest stored number: of a row, or of a cursor. */
  readonly newest: bigint;
  /** The number of the next transaction. */
  readonly next: bigint;
}

/** Reads the counter. `newest` is below `next` unless the counter went back. */
export async function readCounter(tx: Tx): Promise<CounterState> {
  const newest = SOURCE_TABLES.map(
    (table) => `(SELECT written_xid FROM ${table} WHERE written_xid IS NOT NULL
      ORDER BY written_xid DESC LIMIT 1)`,
  );
  const { rows } = await tx.query<CounterState>(
    `SELECT coalesce(greatest(${newest.join(', ')}, (SELECT max(xid) - 1 FROM export_cursor)), 0)
        AS newest,
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint + xid_offset() AS next`,
  );
  const [state] = rows;
  if (state === undefined) throw new Error('the transaction counter was not returned');
  return state;
}

/** Lifts the offset if the counter went back. To be called before anything is booked. */
export async function alignTransactionCounter(pool: Pool, log: Logger): Promise<void> {
  if (!wentBack(await readCounter(pool))) return;
  const lifted = await inTransaction(pool, async (tx) => {
    await tx.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    const state = await readCounter(tx);
    if (!wentBack(state)) return undefined;
    const { rows } = await tx.query<{ xid_offset: bigint }>('SELECT xid_offset()');
    const offset = (rows[0]?.xid_offset ?? 0n) + state.newest - state.next + 1n;
    await tx.query(`CREATE OR REPLACE FUNCTION xid_offset() RETURNS bigint
      LANGUAGE sql IMMUTABLE AS 'SELECT ${offset}::bigint'`);
    return offset;
  });
  if (lifted === undefined) return;
  log.warn('the database was loaded from a dump: the order of exported records continues', {
    offset: String(lifted),
  });
}

export function wentBack({ newest, next }: CounterState): boolean {
  return newest >= next;
}
