import { setTimeout as pause } from 'node:timers/promises';
import type { Metrics } from '@tollgate/kit';

import { isDatabaseAway } from '../db';
import { exportNext, type Attempt, type ExportDeps } from './deliver';
import { measureNext } from './measure';

const IDLE_MS = 1_000;
/** Steps at the same time, so that a receiver that times out does not hold up the others. */
const WORKERS = 3;

/** Delivers to due destinations in the background. `stop` waits for the steps that run. */
export function startExports(
  deps: Omit<ExportDeps, 'onAttempt'> & { metrics: Metrics; idleMs?: number },
): { stop(): Promise<void> } {
  const { metrics, idleMs = IDLE_MS, ...rest } = deps;
  const onAttempt = countAttempts(metrics);
  const stopping = new AbortController();

  async function repeat(what: string, step: () => Promise<boolean>): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if (await step()) continue;
      } catch (error) {
        if (isDatabaseAway(error)) rest.log.debug(`${what} waits for the database`, { error });
        else rest.log.error(`${what} failed, retrying`, { error });
      }
      await pause(idleMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const running = [
    ...Array.from({ length: WORKERS }, () =>
      repeat('record export', async () => (await exportNext({ ...rest, onAttempt })) !== undefined),
    ),
    repeat('measuring of exports', () => measureNext(rest.pool, rest.clock)),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

function countAttempts(metrics: Metrics): (attempt: Attempt) => void {
  const attempts = metrics.counter(
    'tollgate_export_attempts_total',
    'Attempts to deliver a batch of records to an export destination.',
    ['target', 'outcome'],
  );
  const rows = metrics.counter(
    'tollgate_export_rows_total',
    'Rows delivered to export destinations.',
    ['record'],
  );
  return ({ target, record, rows: count, outcome }) => {
    attempts.inc({ target, outcome });
    if (outcome === 'DELIVERED') rows.inc({ record }, count);
  };
}
