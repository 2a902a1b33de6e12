import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@tollgate/kit';
import type { Pool } from 'pg';

import { isDatabaseAway } from '../../db';
import { rerateBatch } from './rerate';

const IDLE_MS = 1_000;

/** Runs pending re-ratings, batch by batch. `stop` waits for the running batch. */
export function startRerating(deps: { pool: Pool; log: Logger; idleMs?: number }): {
  stop(): Promise<void>;
} {
  const { pool, log, idleMs = IDLE_MS } = deps;
  const stopping = new AbortController();

  async function step(): Promise<boolean> {
    try {
      const outcome = await rerateBatch(pool);
      if (outcome === 'FAILED') log.error('re-rating batch failed, see its row for the error');
      return outcome === 'MOVED';
    } catch (error) {
      if (isDatabaseAway(error)) log.debug('re-rating waits for the database', { error });
      else log.error('re-rating failed, retrying', { error });
      return false;
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (await step()) continue;
      await pause(idleMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
