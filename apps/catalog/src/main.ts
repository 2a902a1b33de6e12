/** Starts the catalog with the environment's configuration, and stops it on a signal. */
import {
  collectStartGarbage,
  createLifecycle,
  createLogger,
  readConfig,
  tuneForShortLivedObjects,
} from '@tollgate/kit';

import { startCatalog } from './composition';
import { configShape, environment } from './config';

const STOP_TIMEOUT_MS = 20_000;

async function main(): Promise<void> {
  tuneForShortLivedObjects();
  const config = readConfig('catalog', configShape, environment);
  const log = createLogger({ service: 'catalog', level: config.LOG_LEVEL });
  const lifecycle = createLifecycle(log, { timeoutMs: STOP_TIMEOUT_MS });
  lifecycle.handleSignals();
  const catalog = await startCatalog(config, { log });
  lifecycle.onStop('catalog', () => catalog.stop());
  await collectStartGarbage();
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
