import type { Tx } from '../db';
import { isAhead } from './sources';

/**
 * Counts rows that retention is about to remove before they are in a batch, for each destination.
 * Retention is not held back: a promise to delete does not wait for a receiver that is away. To be
 * called in the transaction that removes them, before it does.
 */
export async function noteRemovedRows(
  tx: Tx,
  organisationId: string,
  requestIds: readonly string[],
): Promise<void> {
  const { rows } = await tx.query(
    `SELECT FROM export_cursor c JOIN export_destination d ON d.id = c.destination_id
      WHERE d.organisation_id IS NULL OR d.organisation_id = $1
      ORDER BY c.destination_id, c.record FOR UPDATE OF c`,
    [organisationId],
  );
  if (rows.length === 0) return;
  for (const [record, table, id] of [
    ['USAGE', 'usage_record', 'id'],
    ['MCP_USAGE', 'usage_record', 'id'],
    ['ADJUSTMENT', 'usage_adjustment', 'request_id'],
  ] as const) {
    await tx.query(
      `UPDATE export_cursor u SET removed_rows = u.removed_rows + gone.count
        FROM (SELECT c.destination_id, count(*) AS count
                FROM export_cursor c
                JOIN export_destination d ON d.id = c.destination_id
                  AND (d.organisation_id IS NULL OR d.organisation_id = $1)
                JOIN ${table} r ON r.${id} = ANY($2::uuid[])
               WHERE c.record = '${record}' AND ${isAhead(record)}
               GROUP BY c.destination_id) gone
        WHERE u.destination_id = gone.destination_id AND u.record = '${record}'`,
      [organisationId, requestIds],
    );
  }
}
