// Starts the edge with the environment's configuration, and stops it on a signal.

import {
  collectStartGarbage,
  createLifecycle,
  createLogger,
  isPrimaryOfWorkers,
  readConfig,
  reportReady,
  superviseWorkers,
  tuneForShortLivedObjects,
} from '@tollgate/kit';

import { startEdge } from './app';
import { configShape, environment } from './config';
import { lingerMsOf, RETIRED_LINGER_MS } from './linger';

async function main(): Promise<void> {
  tuneForShortLivedObjects();
  const config = readConfig('edge', configShape, environment);
  const log = createLogger({ service: 'edge', level: config.LOG_LEVEL });
  const { DRAIN_MS, EDGE_LINGER_MS: lingerMs } = config;
  const stopMs = DRAIN_MS + Math.max(lingerMs, RETIRED_LINGER_MS) + 15_000;
  if (isPrimaryOfWorkers(config.EDGE_WORKERS)) {
    superviseWorkers({ count: config.EDGE_WORKERS, log, stopMs: stopMs + 5_000 });
    return;
  }
  const lifecycle = createLifecycle(log, { timeoutMs: stopMs });
  lifecycle.handleSignals();
  const edge = await startEdge(config, { log });
  lifecycle.onStop('edge', (reason) => edge.stop({ lingerMs: lingerMsOf(reason, lingerMs) }));
  await collectStartGarbage();
  reportReady();
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
