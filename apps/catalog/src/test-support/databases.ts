import { join } from 'node:path';
import { startPreparedPostgres, type PostgresServer } from '@tollgate/stack';

import { ensurePartitions, migrateUp, openDatabase, type Database } from '../schema';

export interface TestDatabases {
  /** A migrated, empty database, opened; closed by `stop`. */
  fresh(): Promise<Database & { url: string }>;
  /** A database without migrations. */
  blank(): Promise<string>;
  stop(): Promise<void>;
}

const TEMPLATE = 'catalog_template';

/**
 * A PostgreSQL server for one test file: `beforeAll(async () => { databases = await
 * startTestDatabases(); })`. Databases are copies of a migrated template.
 */
export async function startTestDatabases(): Promise<TestDatabases> {
  const server = await startPreparedPostgres({
    cache: join(__dirname, '../../node_modules/.cache/tollgate-postgres'),
    // Two migrations take SQL from the rollups.
    sources: [join(__dirname, '../schema'), join(__dirname, '../ledger/rollups')],
    // Partitions are those of this month.
    state: new Date().toISOString().slice(0, 7),
    prepare: makeTemplate,
  });
  const open: Database[] = [];
  let made = 0;

  return {
    async fresh() {
      const url = await server.createDatabase(`catalog_${(made += 1)}`, TEMPLATE);
      const database = await openDatabase({ url, poolSize: 4 });
      open.push(database);
      return { ...database, url };
    },
    blank: () => server.createDatabase(`blank_${(made += 1)}`),
    async stop() {
      await Promise.all(open.map((database) => database.close()));
      await server.stop();
    },
  };
}

async function makeTemplate(server: PostgresServer): Promise<void> {
  const url = await server.createDatabase(TEMPLATE);
  await migrateUp(url);
  const database = await openDatabase({ url, poolSize: 1 });
  await ensurePartitions(database.pool);
  await database.close();
}
