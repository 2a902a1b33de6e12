import type { Clock, Logger, Metrics } from '@tollgate/kit';
import type { Pool } from 'pg';

import { scraped, type Scraped } from '../db';

interface Figures {
  readonly failing: bigint;
  readonly disabled: bigint;
  readonly waiting: bigint;
  readonly removed: bigint;
  readonly since: Date | null;
}

/**
 * Gauges of all export destinations together, read when metrics are scraped. When the database does
 * not answer they keep their last values.
 */
export function createExportGauges(deps: {
  pool: Pool;
  metrics: Metrics;
  log: Logger;
  clock: Clock;
}): Scraped {
  const { pool, metrics, log, clock } = deps;
  const failing = metrics.gauge(
    'tollgate_export_failing_destinations',
    'Active export destinations whose last delivery failed.',
    [],
    'max',
  );
  const disabled = metrics.gauge(
    'tollgate_export_disabled_destinations',
    'Export destinations that the gateway disabled after failing for days.',
    [],
    'max',
  );
  const waiting = metrics.gauge(
    'tollgate_export_waiting_rows',
    'Rows that wait at active export destinations, counted up to a bound for each.',
    [],
    'max',
  );
  const lag = metrics.gauge(
    'tollgate_export_lag_seconds',
    'Age of the oldest row that waits at an active export destination.',
    [],
    'max',
  );
  const removed = metrics.gauge(
    'tollgate_export_removed_rows',
    'Rows that retention removed before they were exported, over all destinations that exist.',
    [],
    'max',
  );

  async function read(): Promise<void> {
    const { rows } = await pool.query<Figures>(
      `SELECT count(*) FILTER (WHERE status = 'ACTIVE' AND failures > 0) AS failing,
          count(*) FILTER (WHERE status = 'DISABLED') AS disabled,
          coalesce(sum(waiting_rows) FILTER (WHERE status = 'ACTIVE'), 0)::bigint AS waiting,
          min(waiting_since) FILTER (WHERE status = 'ACTIVE') AS since,
          (SELECT coalesce(sum(removed_rows), 0)::bigint FROM export_cursor) AS removed
        FROM export_destination`,
    );
    const [row] = rows;
    if (row === undefined) return;
    failing.set(Number(row.failing));
    disabled.set(Number(row.disabled));
    waiting.set(Number(row.waiting));
    removed.set(Number(row.removed));
    lag.set(row.since === null ? 0 : Math.max(0, clock.now() - row.since.getTime()) / 1000);
  }

  return scraped(log, 'export figures', read);
}
