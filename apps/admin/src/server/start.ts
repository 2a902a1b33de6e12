import { ConfigError } from '@tollgate/kit';

import { createAddressOf, markAddresses } from './client-address';
import { followLocales } from './locales';
import { runtime } from './runtime';

/** Reads the configuration, or logs all its errors and exits. */
export function start(): void {
  try {
    const { config, log, addressHeader } = runtime();
    markAddresses(addressHeader, createAddressOf(config.CONSOLE_TRUSTED_PROXIES));
    followLocales();
    if (config.INTERNAL_TOKEN === '') {
      log.warn('INTERNAL_TOKEN is not set: the catalog counts all failed sign-ins by one address');
    }
    log.info('started', { ...config });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
