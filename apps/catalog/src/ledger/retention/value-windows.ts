import type { Clock } from '@tollgate/kit';
import type { Pool } from 'pg';

// Windows of values are removed once nothing can count in them: there may be very many.

const DAY_MS = 86_400_000;
/** A settle may come late. */
const AFTER_END_MS = 8 * DAY_MS;
/** A window that never ends is forgotten this long after its last use. */
export const LIFETIME_IDLE_MS = 90 * DAY_MS;
const BATCH = 5_000;
const MAX_BATCHES = 200;

/** One round; the next one continues. Returns how many were removed. Replicas may run it concurrently. */
export async function removeValueWindows(pool: Pool, clock: Clock): Promise<number> {
  const now = clock.now();
  let removed = 0;
  for (let round = 0; round < MAX_BATCHES; round += 1) {
    const { rowCount } = await pool.query({
      name: 'ledger-remove-value-windows',
      text: `DELETE FROM value_window WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM value_window
          WHERE ends_at < $1 OR (ends_at > $3 AND updated_at < $2) LIMIT $4 FOR UPDATE SKIP LOCKED))`,
      values: [
        new Date(now - AFTER_END_MS).toISOString(),
        new Date(now - LIFETIME_IDLE_MS).toISOString(),
        new Date(now + 10 * 365 * DAY_MS).toISOString(),
        BATCH,
      ],
    });
    removed += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) break;
  }
  return removed;
}
