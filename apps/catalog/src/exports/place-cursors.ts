import type { rest } from '@tollgate/contracts';

import type { Tx } from '../db';
import { FIRST_ID, historyStart } from './sources';

/**
 * Gives a destination a cursor for each of these kinds that it lacks, and removes those of others. A
 * new cursor begins now: transactions that run at this moment are included.
 */
export async function placeCursors(
  tx: Tx,
  destinationId: string,
  records: readonly rest.ExportRecord[],
  { startFrom, nowMs }: { readonly startFrom: Date | null; readonly nowMs: number },
): Promise<void> {
  await tx.query('DELETE FROM export_cursor WHERE destination_id = $1 AND record <> ALL($2)', [
    destinationId,
    records,
  ]);
  await tx.query(
    `INSERT INTO export_cursor
       (destination_id, record, start_xid, xid, row_id, history_from, history_row_id, due_at)
     SELECT $1, record, settled_xid(), settled_xid(), $3, $4, $5, $6 FROM unnest($2::text[]) record
     ON CONFLICT DO NOTHING`,
    [
      destinationId,
      records,
      FIRST_ID,
      startFrom,
      startFrom === null ? null : historyStart(startFrom),
      new Date(nowMs),
    ],
  );
}
