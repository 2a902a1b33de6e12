import { namesTenants, type Clock, type Logger, type Metrics } from '@tollgate/kit';

import type { Config } from '../config';
import { createExportGauges } from '../exports';
import { createBacklogGauges, createTenantNames, createUpstreamGauges } from '../ledger';
import type { Database } from '../schema';

export interface DatabaseGaugesDeps {
  readonly config: Config;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly clock: Clock;
}

/** The metrics, with the gauges that are read from the database refreshed for each scrape. */
export function withDatabaseGauges({
  config,
  database,
  metrics,
  log,
  clock,
}: DatabaseGaugesDeps): Pick<Metrics, 'exposition'> {
  const { pool } = database;
  const backlog = createBacklogGauges({ pool, metrics, log });
  const exports = createExportGauges({ pool, metrics, log, clock });
  const upstreams = createUpstreamGauges({ pool, metrics, log, clock });
  const names = namesTenants(config) ? createTenantNames({ pool, metrics, log, clock }) : undefined;
  return {
    exposition: async (accept) => {
      await Promise.all([
        backlog.refresh(),
        exports.refresh(),
        upstreams.refresh(),
        names?.refresh(),
      ]);
      return metrics.exposition(accept);
    },
  };
}
