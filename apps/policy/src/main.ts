import {
  collectStartGarbage,
  ConfigError,
  createLogger,
  isPrimaryOfWorkers,
  reportReady,
  superviseWorkers,
  tuneForShortLivedObjects,
} from '@tollgate/kit';

import { startPolicy } from './app';
import { loadConfig } from './config';

async function main(): Promise<void> {
  tuneForShortLivedObjects();
  const config = loadConfig();
  const { POLICY_WORKERS: count, LOG_LEVEL: level, SHUTDOWN_TIMEOUT_MS } = config;
  if (isPrimaryOfWorkers(count)) {
    const log = createLogger({ service: 'policy', level });
    superviseWorkers({ count, log, stopMs: SHUTDOWN_TIMEOUT_MS + 5_000 });
    return;
  }
  const policy = await startPolicy(config);
  policy.handleSignals();
  await collectStartGarbage();
  reportReady();
}

main().catch((error: unknown) => {
  const message = error instanceof ConfigError ? error.message : String(error);
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
