import { ConfigError, createLogger, readConfig, type Env } from '@tollgate/kit';

import { migrateConfigShape } from '../config';
import { migrateDown, migrateUp, migrationStatus } from '../schema/migrate';

const commands: Record<string, (url: string) => Promise<Record<string, unknown>>> = {
  up: async (url) => ({ applied: await migrateUp(url) }),
  down: async (url) => ({ reverted: (await migrateDown(url)) ?? null }),
  status: async (url) => ({ ...(await migrationStatus(url)) }),
};

/**
 * The command line `migrate up | down | status`. Returns the exit code: 0 success, 1 failure, 2
 * wrong usage or configuration.
 */
export async function migrateCommand(
  words: readonly string[],
  env: Env,
  write: (line: string) => void,
): Promise<number> {
  const [name = 'up', ...rest] = words;
  const command = commands[name];
  if (command === undefined || rest.length > 0) {
    write(`usage: migrate ${Object.keys(commands).join(' | ')}\n`);
    return 2;
  }
  try {
    const config = readConfig('catalog', migrateConfigShape, env);
    const log = createLogger({ service: 'catalog-migrate', level: config.LOG_LEVEL, write });
    try {
      log.info(`schema ${name}`, await command(config.DATABASE_URL));
      return 0;
    } catch (error) {
      log.error(`schema ${name} failed`, { error });
      return 1;
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    write(`${error.message}\n`);
    return 2;
  }
}
