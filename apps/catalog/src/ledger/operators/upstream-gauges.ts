import type { Clock, Logger, Metrics } from '@tollgate/kit';
import type { Pool } from 'pg';

import { scraped, type Scraped } from '../../db';

interface Figures {
  readonly open: bigint;
  readonly half_open: bigint;
  readonly cooldown: bigint;
}

/**
 * A gauge of the upstreams that rest, read when metrics are scraped. When the database does not answer it
 * keeps its last values.
 */
export function createUpstreamGauges(deps: {
  pool: Pool;
  metrics: Metrics;
  log: Logger;
  clock: Clock;
}): Scraped {
  const { pool, metrics, log, clock } = deps;
  const resting = metrics.gauge(
    'tollgate_upstreams_resting',
    'Models of provider connections that routed requests avoid (open), try one at a time (half_open), or leave alone because the provider asked for it (cooldown).',
    ['state'],
    'max',
  );

  async function read(): Promise<void> {
    // With time a breaker becomes half open, and then closed.
    const { rows } = await pool.query<Figures>(
      `SELECT count(*) FILTER (WHERE failing AND state = 'OPEN' AND open_until > $1) AS open,
          count(*) FILTER (WHERE failing AND NOT (state = 'OPEN' AND coalesce(open_until > $1, false)))
            AS half_open,
          count(*) FILTER (WHERE cooldown_until > $1) AS cooldown
        FROM (
          SELECT *, state <> 'CLOSED' AND NOT coalesce(expires_at <= $1, false) AS failing
          FROM upstream_state
        ) upstream`,
      [new Date(clock.now())],
    );
    const [row] = rows;
    if (row === undefined) return;
    for (const state of ['open', 'half_open', 'cooldown'] as const) {
      resting.set({ state }, Number(row[state]));
    }
  }

  return scraped(log, 'states of upstreams', read);
}
