import { migrateDown, migrateUp, openDatabase, type Database } from '.';
import { createTenant, objectIdsOf, startRest } from '../rest/test-support';
import { startTestCatalog, startTestDatabases, type TestDatabases } from '../test-support';
import { migrations } from './migrations';
import { fillEmptyTables, rowsOf, schemaOf, type Rows } from './test-support';

/** Migrations with rows in every table: each can be run up and down without losing data. */

let databases: TestDatabases;
beforeAll(async () => {
  databases = await startTestDatabases();
});
afterAll(() => databases.stop());

const names = migrations.map((migration) => new migration().name ?? '');

/** A database with what callers of the API create, and a row in every other table. */
async function databaseWithRows(): Promise<Database & { url: string }> {
  const database = await databases.fresh();
  const server = await startRest(database, { news: false });
  for (const slug of ['acme', 'rival']) {
    await objectIdsOf(server, database, await createTenant(server, slug));
  }
  await server.stop();
  await fillEmptyTables(database.pool);
  return database;
}

function emptyTables(rows: Rows): string[] {
  return [...rows].filter(([, found]) => found.length === 0).map(([table]) => table);
}

/** Each migration goes down and up several times; only ends a test that has failed. */
const DEADLINE_MS = 300_000;

test(
  'up, down and up again gives the same schema, whatever is in it',
  async () => {
    const database = await databaseWithRows();
    expect(emptyTables(await rowsOf(database.pool))).toEqual([]);
    const first = await schemaOf(database.pool);
    for (const name of names.toReversed()) expect(await migrateDown(database.url)).toBe(name);
    const left = (await schemaOf(database.pool)).filter(
      (line) => !line.includes('schema_migration'),
    );
    expect(left).toEqual([]);

    expect(await migrateUp(database.url)).toEqual(names);
    // Monthly partitions are created by the service, not by a migration.
    const cut = (line: string): boolean => /usage_record_\d{4}_\d\d/.test(line);
    expect((await schemaOf(database.pool)).filter((line) => !cut(line))).toEqual(
      first.filter((line) => !cut(line)),
    );
  },
  DEADLINE_MS,
);

/**
 * Intended changes of rows by a migration, as `table.column`, or `table` where it deletes rows.
 * Everything else must stay unchanged.
 */
const DOWN: Readonly<Record<string, readonly string[]>> = {
  McpUsage1764000000025: ['mcp_usage_record'],
  Routing1764000000015: ['routing_policy', 'api_key.routing_policy_id'],
  UsagePeriods1764000000014: ['invoice.number'],
  UpstreamKeys1764000000013: ['provider_api_key.status'],
};
const UP: Readonly<Record<string, readonly string[]>> = {
  McpUsage1764000000025: ['mcp_usage_record'],
  Identity1764000000012: ['organisation_invitation.status'],
  UsagePeriods1764000000014: ['invoice.status'],
  Routing1764000000015: ['routing_policy.strategy'],
};

/** Rows by their common columns, so that added and dropped columns do not count. */
function common(rows: Rows, other: Rows, changed: readonly string[]): Map<string, string[]> {
  const kept = new Map<string, string[]>();
  for (const [table, own] of rows) {
    const [there] = other.get(table) ?? [];
    if (there === undefined || changed.includes(table)) continue;
    const theirs = Object.keys(there).filter((name) => !changed.includes(`${table}.${name}`));
    const shared = theirs.filter((name) => own[0] === undefined || name in own[0]);
    kept.set(table, own.map((row) => JSON.stringify(shared.map((name) => row[name]))).toSorted());
  }
  return kept;
}

test(
  'step by step, down and up again, every row that a table keeps is as it was',
  async () => {
    const database = await databaseWithRows();
    let before = await rowsOf(database.pool);
    for (const name of names.toReversed()) {
      await migrateDown(database.url);
      const after = await rowsOf(database.pool);
      const changed = DOWN[name] ?? [];
      expect([name, common(after, before, changed)]).toEqual([
        name,
        common(before, after, changed),
      ]);

      // The same migration up over existing rows, and down again to continue from there.
      await stepUp(database, name);
      const again = await rowsOf(database.pool);
      const altered = UP[name] ?? [];
      expect([name, common(again, after, altered)]).toEqual([name, common(after, again, altered)]);
      await migrateDown(database.url);
      before = await rowsOf(database.pool);
    }
  },
  DEADLINE_MS,
);

/** Runs one migration as if it were the newest. */
async function stepUp({ orm }: Database, name: string): Promise<void> {
  const migration = migrations.map((one) => new one()).find((one) => one.name === name);
  if (migration === undefined) throw new Error(`there is no migration ${name}`);
  const runner = orm.createQueryRunner();
  try {
    await runner.startTransaction();
    await migration.up(runner);
    await runner.query('INSERT INTO schema_migration (timestamp, name) VALUES ($1, $2)', [
      name.slice(-13),
      name,
    ]);
    await runner.commitTransaction();
  } finally {
    await runner.release();
  }
}

test('two catalogs that start at once on an empty database migrate it once, and both serve', async () => {
  const url = await databases.blank();
  const catalogs = await Promise.all([startTestCatalog(url), startTestCatalog(url)]);
  try {
    for (const catalog of catalogs) {
      const answer = await fetch(`${catalog.url}/api/health`);
      expect(answer.status).toBe(200);
    }
    const migrated = catalogs.filter(({ logs }) =>
      logs.some((line) => line.includes('"schema migrated"')),
    );
    expect(migrated).toHaveLength(1);
    const database = await openDatabase({ url, poolSize: 1 });
    const { rows } = await database.pool.query<{ name: string }>(
      'SELECT name FROM schema_migration ORDER BY id',
    );
    await database.close();
    expect(rows.map(({ name }) => name)).toEqual(names);
  } finally {
    for (const catalog of catalogs) await catalog.stop();
  }
});
