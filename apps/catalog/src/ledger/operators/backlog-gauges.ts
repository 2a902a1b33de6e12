import type { Logger, Metrics } from '@tollgate/kit';
import type { Pool } from 'pg';

import { scraped, type Scraped } from '../../db';

/**
 * Gauges of what waits for an operator, counted when metrics are scraped. When the database does
 * not answer they keep their last values: health checks report that failure.
 */
export function createBacklogGauges(deps: { pool: Pool; metrics: Metrics; log: Logger }): Scraped {
  const { pool, metrics, log } = deps;
  const quarantined = metrics.gauge(
    'tollgate_ledger_quarantine_open',
    'Ledger entries set aside that nobody has booked or dismissed yet.',
    [],
    'max',
  );
  const abandoned = metrics.gauge(
    'tollgate_ledger_abandoned_open',
    'Abandoned holds, charged in full, whose truth has not come and that nobody has resolved.',
    [],
    'max',
  );

  async function count(): Promise<void> {
    const { rows } = await pool.query<{ quarantined: bigint; abandoned: bigint }>(
      `SELECT (SELECT count(*) FROM ledger_quarantine WHERE status = 'OPEN') AS quarantined,
         (SELECT count(*) FROM budget_request WHERE state = 'ABANDONED') AS abandoned`,
    );
    const [row] = rows;
    if (row === undefined) return;
    quarantined.set(Number(row.quarantined));
    abandoned.set(Number(row.abandoned));
  }

  return scraped(log, 'ledger backlog', count);
}
