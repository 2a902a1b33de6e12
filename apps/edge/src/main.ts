// Starts the edge with the environment's configuration, and stops it on a signal.

import { createLifecycle, createLogger, readConfig } from '@tollgate/kit';
import { startEdge } from './app';
import { configShape } from './config';

async function main(): Promise<void> {
  const config = readConfig('edge', configShape, process.env);
  const log = createLogger({ service: 'edge', level: config.LOG_LEVEL });
  const lifecycle = createLifecycle(log, { timeoutMs: config.DRAIN_MS + 15_000 });
  lifecycle.handleSignals();
  const edge = await startEdge(config, { log });
  lifecycle.onStop('edge', edge.stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
