/**
 * `node dist/rebuild.js`: rebuilds rollups, and totals of limits on each value, that disagree with the
 * books, and prints each organisation. Exit code 0 when all agree afterwards, 1 when not, 2 when configured wrongly.
 */
import { ConfigError, readConfig } from '@tollgate/kit';

import { environment, migrateConfigShape } from './config';
import { repairRollups, repairValueWindows } from './ledger';
import { openDatabase } from './schema';

const STATEMENT_TIMEOUT_MS = 3_600_000;

async function main(): Promise<number> {
  const config = readConfig('catalog', migrateConfigShape, environment);
  const database = await openDatabase({
    url: config.DATABASE_URL,
    poolSize: 2,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const say = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  try {
    const { repaired, remaining } = await repairRollups(database.pool, (id) =>
      say(`rebuilt: ${id}`),
    );
    for (const id of remaining) say(`still disagrees with the books: ${id}`);
    say(`${repaired.length} organisations rebuilt, ${remaining.length} still disagree`);
    const values = await repairValueWindows(database.pool, (id, totals) =>
      say(`written again: ${totals} totals of values of ${id}`),
    );
    for (const id of values.remaining) say(`totals of values still disagree with the books: ${id}`);
    return remaining.length === 0 && values.remaining.length === 0 ? 0 : 1;
  } finally {
    await database.close();
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof ConfigError ? 2 : 1;
  },
);
