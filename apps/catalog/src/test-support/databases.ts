import { startPostgres } from '@tollgate/stack';

import { ensurePartitions, migrateUp, openDatabase, type Database } from '../schema';

export interface TestDatabases {
  /** A migrated, empty database, opened; closed by `stop`. */
  fresh(): Promise<Database & { url: string }>;
  /** A database without migrations. */
  blank(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * A PostgreSQL server for one test file: `beforeAll(async () => { databases = await
 * startTestDatabases(); })`. Databases are copies of a migrated template.
 */
export async function startTestDatabases(): Promise<TestDatabases> {
  const server = await startPostgres({ volatile: true });
  const open: Database[] = [];
  let made = 0;
  let template: Promise<string> | undefined;

  async function makeTemplate(): Promise<string> {
    const name = 'catalog_template';
    const url = await server.createDatabase(name);
    await migrateUp(url);
    const database = await openDatabase({ url, poolSize: 1 });
    await ensurePartitions(database.pool);
    await database.close();
    return name;
  }

  return {
    async fresh() {
      template ??= makeTemplate();
      const url = await server.createDatabase(`catalog_${(made += 1)}`, await template);
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
