import { ConfigError } from '@tollgate/kit';
import { runtime } from './runtime';

/** Reads the configuration, or says everything that is wrong with it and ends the process. */
export function start(): void {
  try {
    const { config, log } = runtime();
    log.info('started', { ...config });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
