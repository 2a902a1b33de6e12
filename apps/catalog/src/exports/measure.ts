import { rest } from '@tollgate/contracts';
import type { Clock } from '@tollgate/kit';
import type { Pool } from 'pg';

import { inTransaction, type Tx } from '../db';
import { pastHistory, waitingAfter, type Cursor, type Waiting } from './sources';

/** Counts what waits at a destination, whatever its status, for the API and for metrics. */

/** A measurement is at least this old before the next one. */
export const MEASURE_EVERY_MS = 30_000;

interface Measured {
  readonly id: string;
  readonly organisation_id: string | null;
}

/** Measures the destination whose figures are oldest; false when all are fresh. */
export async function measureNext(pool: Pool, clock: Clock): Promise<boolean> {
  const nowMs = clock.now();
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<Measured>(
      `SELECT id, organisation_id FROM export_destination
        WHERE coalesce(measured_at, '-infinity') <= $1
        ORDER BY measured_at NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [new Date(nowMs - MEASURE_EVERY_MS)],
    );
    const [destination] = rows;
    if (destination === undefined) return false;
    const parts = await measure(tx, destination);
    const rowCount = parts.reduce((sum, { count }) => sum + Number(count), 0);
    const instants = parts.flatMap(({ oldest }) => oldest?.getTime() ?? []);
    const since = instants.length === 0 ? null : new Date(Math.min(...instants));
    await tx.query(
      `UPDATE export_destination SET waiting_rows = $2, waiting_since = $3, measured_at = $4
        WHERE id = $1`,
      [destination.id, rowCount, since, new Date(nowMs)],
    );
    return true;
  });
}

/** The pending batch, and the rows after each cursor. */
async function measure(
  tx: Tx,
  { id, organisation_id: organisationId }: Measured,
): Promise<Waiting[]> {
  const pending = await tx.query<Waiting>(
    `SELECT coalesce(sum(row_count), 0)::bigint AS count, min(oldest_at) AS oldest
      FROM export_batch WHERE destination_id = $1 AND status = 'PENDING'`,
    [id],
  );
  const { rows: cursors } = await tx.query<Cursor>(
    'SELECT * FROM export_cursor WHERE destination_id = $1',
    [id],
  );
  const parts = [...pending.rows];
  for (const cursor of cursors) {
    const places = cursor.history_from === null ? [cursor] : [cursor, pastHistory(cursor)];
    for (const place of places) {
      parts.push(await waitingAfter(tx, place, organisationId, rest.EXPORT_WAITING_COUNTED));
    }
  }
  return parts;
}
