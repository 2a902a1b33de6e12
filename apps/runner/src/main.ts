import { collectStartGarbage, ConfigError, reportReady } from '@tollgate/kit';

import { startRunner } from './app';
import { CommandsFileError } from './commands';
import { loadConfig, ownEnvironment } from './config';

async function main(): Promise<void> {
  const runner = await startRunner(loadConfig(), { env: ownEnvironment() });
  runner.handleSignals();
  await collectStartGarbage();
  reportReady();
}

main().catch((error: unknown) => {
  const known = error instanceof ConfigError || error instanceof CommandsFileError;
  process.stderr.write(`${known ? error.message : String(error)}\n`);
  process.exit(1);
});
