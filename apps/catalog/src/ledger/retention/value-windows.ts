import type { Clock } from '@tollgate/kit';
import type { Pool } from 'pg';

// Windows of values are removed once nothing can count in them: there may be very many.

const DAY_MS = 86_400_000;
/** A settle may come late. */
export const AFTER_END_MS = 8 * DAY_MS;
/** A window that never ends is forgotten this long after its last charge. */
export const LIFETIME_IDLE_MS = 90 * DAY_MS;
const BATCH = 5_000;
const MAX_BATCHES = 200;

/** Each in a statement of its own, which an index answers. The condition on the end is that of the index. */
const OLD = {
  ended: { condition: 'ends_at < $1', afterMs: AFTER_END_MS },
  idle: { condition: `ends_at > '9000-01-01Z' AND updated_at < $1`, afterMs: LIFETIME_IDLE_MS },
} as const;

/** One round; the next one continues. Returns how many were removed. Replicas may run it concurrently. */
export async function removeValueWindows(pool: Pool, clock: Clock): Promise<number> {
  const now = clock.now();
  let removed = 0;
  for (const [name, { afterMs, condition }] of Object.entries(OLD)) {
    for (let round = 0; round < MAX_BATCHES; round += 1) {
      const { rowCount } = await pool.query({
        name: `ledger-remove-value-windows-${name}`,
        text: `DELETE FROM value_window WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM value_window WHERE ${condition} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
        values: [new Date(now - afterMs).toISOString(), BATCH],
      });
      removed += rowCount ?? 0;
      if ((rowCount ?? 0) < BATCH) break;
    }
  }
  return removed;
}
