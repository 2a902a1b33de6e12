import type { Logger } from '@tollgate/kit';

import type { AskKey, LimitMetrics } from './limit-metrics';

const REFRESH_MS = 30_000;

export interface LimitRefreshDeps {
  readonly metrics: Pick<LimitMetrics, 'refreshLimits'>;
  readonly ask: AskKey;
  readonly log: Logger;
  readonly everyMs?: number;
}

/** Refreshes the gauges of limits that no request reads any more. A round is skipped while the previous one runs. */
export function startLimitRefresh({ metrics, ask, log, everyMs = REFRESH_MS }: LimitRefreshDeps) {
  let running = false;
  const refresh = async (): Promise<void> => {
    if (running) return;
    running = true;
    try {
      await metrics.refreshLimits(ask);
    } catch (error) {
      log.warn('the limits in the metrics could not be refreshed', { error });
    } finally {
      running = false;
    }
  };
  const timer = setInterval(() => void refresh(), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
