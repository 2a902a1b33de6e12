// Starts the edge with the environment's configuration, and stops it on a signal.

import {
  createLifecycle,
  createLogger,
  isPrimaryOfWorkers,
  readConfig,
  reportReady,
  RETIRED,
  superviseWorkers,
  tuneForShortLivedObjects,
} from '@tollgate/kit';

import { startEdge } from './app';
import { configShape, environment } from './config';

/**
 * A client's next request on an open connection arrives within this time, or finds the connection
 * closed.
 */
const LINGER_MS = 5_000;

async function main(): Promise<void> {
  tuneForShortLivedObjects();
  const config = readConfig('edge', configShape, environment);
  const log = createLogger({ service: 'edge', level: config.LOG_LEVEL });
  const stopMs = config.DRAIN_MS + LINGER_MS + 15_000;
  if (isPrimaryOfWorkers(config.EDGE_WORKERS)) {
    superviseWorkers({ count: config.EDGE_WORKERS, log, stopMs: stopMs + 5_000 });
    return;
  }
  const lifecycle = createLifecycle(log, { timeoutMs: stopMs });
  lifecycle.handleSignals();
  const edge = await startEdge(config, { log });
  lifecycle.onStop('edge', (reason) => edge.stop({ lingerMs: reason === RETIRED ? LINGER_MS : 0 }));
  reportReady();
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
