// Starts the simulator from the environment's configuration.
import { createLifecycle, createLogger, readConfig } from '@tollgate/kit';

import { configShape, environment } from './config';
import { startSimulator } from './simulator';

const STOP_TIMEOUT_MS = 5_000;

async function main(): Promise<void> {
  const config = readConfig('simulator', configShape, environment);
  const log = createLogger({ service: 'simulator', level: config.LOG_LEVEL });
  const lifecycle = createLifecycle(log, { timeoutMs: STOP_TIMEOUT_MS });
  lifecycle.handleSignals();
  const simulator = await startSimulator(config);
  lifecycle.onStop('http', simulator.stop);
  log.info('listening', { url: simulator.url });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
