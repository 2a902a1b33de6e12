import { parseKeyRing } from '@tollgate/contracts/node';
import type { Clock, Logger, Metrics } from '@tollgate/kit';

import { addressRulesOf, type Config } from '../config';
import { startExports } from '../exports';
import { recordReaders } from '../resources/export-destinations/record-readers';
import type { Database } from '../schema';

/** Delivers records in the background, with the lines that the resources define. */
export function startRecordExport(deps: {
  config: Config;
  database: Database;
  metrics: Metrics;
  log: Logger;
  clock: Clock;
}): { stop(): Promise<void> } {
  const { config, database, ...rest } = deps;
  return startExports({
    orm: database.orm,
    pool: database.pool,
    readers: recordReaders,
    ring: parseKeyRing(config.KEY_ENCRYPTION_KEYS),
    addressRules: addressRulesOf(config),
    ...rest,
  });
}
