import { ConfigError } from '@tollgate/kit';

import { startPolicy } from './app';
import { loadConfig } from './config';

async function main(): Promise<void> {
  const policy = await startPolicy(loadConfig());
  policy.handleSignals();
}

main().catch((error: unknown) => {
  const message = error instanceof ConfigError ? error.message : String(error);
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
