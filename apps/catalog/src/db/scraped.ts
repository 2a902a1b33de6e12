import { withDeadline, type Logger } from '@tollgate/kit';

const DEADLINE_MS = 2_000;

/** Figures that are read from the database when metrics are scraped. */
export interface Scraped {
  refresh(): Promise<void>;
}

/** When the database does not answer, the gauges keep their last values: health checks report that failure. */
export function scraped(log: Logger, what: string, read: () => Promise<void>): Scraped {
  return {
    async refresh() {
      try {
        await withDeadline(read(), DEADLINE_MS, 'the database');
      } catch (error) {
        log.debug(`${what} not read`, { error });
      }
    },
  };
}
