import { createHash } from 'node:crypto';

import { migrateDown, migrateUp, migrationStatus, type Database } from '.';
import { createTenant, objectIdsOf, startRest } from '../rest/test-support';
import { startTestDatabases, type TestDatabases } from '../test-support';
import { migrations } from './migrations';
import {
  columnsOf,
  fillEmptyTables,
  incompatibilitiesOf,
  rowsOf,
  rulesOf,
  type Column,
  type Rows,
  type Schema,
} from './test-support';

/**
 * Services of the previous release keep running after this release's migrations. They read every
 * column they know, and their INSERTs name exactly those. So the schema may grow, and shrinks only
 * one release later. The previous release's migrations describe what it knows.
 */

/** The newest migration of the previous release. */
const PREVIOUS = 'SoftLimits1764000000011';

/** Tables that the previous release neither reads nor writes. */
const UNUSED = [
  'invoice',
  'invoice_line',
  'mcp_usage_record',
  'organisation_invitation',
  'routing_policy',
];

/** SHA-256 of the SQL of each released migration, up and down: they never change. */
const RELEASED: Readonly<Record<string, string>> = {
  Tenants1764000000001: '8687b27f02d87e90eb1c33606fa4532137e4f53d50662cc8cc5f26e4855169f7',
  Upstreams1764000000002: 'a27ed11d9fc84b18df8242e3ce986882ea357187653138b230a98cbc91cb0712',
  ApiKeys1764000000003: '885cc35c0995f31f8065c2763d8a0cfb3c39f91c54130f5eea1b27be493e76e2',
  Limits1764000000004: 'ed6cf7f04e1e4ec838240029cb9c9fcec81b0dc5c1fe948e9879b6ac298f8172',
  Ledger1764000000005: '72775d21e31f0f2a6c4cd2cdbeb4634e7c9d8140bc26a0cdc268f761b6e623d3',
  Trail1764000000006: 'c2235cf511e8d11a43dc5da0be4ac758a5911eead597604818961734f2fdb2d7',
  ModelNames1764000000007: '09d7260db38df49486cb2791e79017c9a3b49530bfae00abb73962fcd2d51430',
  Corrections1764000000008: '4ed60106e3a0028314f145fd222504a2bc814a551a9256a08b102f5b2d60f1c8',
  ReRating1764000000009: '5d18966341a753ce16e32b8b025dd1e3f609742155502f9540d1359b634a1359',
  Operators1764000000010: 'bcb611727e5e3da0de9f2c47cd179628bff895b8c1683917255768d2730b4719',
  SoftLimits1764000000011: 'd48f46f4f2f0a392b49dcc8388a3a1cc9320b48d433a43d5a8c1bbac154b95b2',
};

let databases: TestDatabases;
beforeAll(async () => {
  databases = await startTestDatabases();
});
afterAll(() => databases.stop());

const all = migrations.map((migration) => new migration());
const namesSince = all
  .map(({ name }) => name ?? '')
  .slice(1 + all.findIndex(({ name }) => name === PREVIOUS));

const schemaOf = async (pool: Parameters<typeof columnsOf>[0]): Promise<Schema> => ({
  columns: await columnsOf(pool),
  rules: await rulesOf(pool),
});

/** A database with rows, as the previous release left it. */
async function asBefore(): Promise<Database & { url: string }> {
  const database = await databases.fresh();
  const server = await startRest(database, { news: false });
  await objectIdsOf(server, database, await createTenant(server, 'acme'));
  await server.stop();
  await fillEmptyTables(database.pool);
  for (const name of namesSince.toReversed()) expect(await migrateDown(database.url)).toBe(name);
  expect((await migrationStatus(database.url)).applied.at(-1)).toBe(PREVIOUS);
  return database;
}

test('no released migration has been changed', async () => {
  const hashes: Record<string, string> = {};
  for (const migration of all) {
    const hash = createHash('sha256');
    const runner = { query: (sql: string) => Promise.resolve(hash.update(sql)) };
    for (const way of ['up', 'down'] as const) await migration[way](runner as never);
    hashes[migration.name ?? ''] = hash.digest('hex');
    if (migration.name === PREVIOUS) break;
  }
  expect(hashes).toEqual(RELEASED);
});

test('everything that the release before reads and writes is still there and takes as much', async () => {
  const database = await asBefore();
  const earlier = await schemaOf(database.pool);
  await migrateUp(database.url);
  expect(incompatibilitiesOf(earlier, await schemaOf(database.pool), UNUSED)).toEqual([]);
});

test('rows of the release before are kept, and it can write them again', async () => {
  const database = await asBefore();
  const columns = (await columnsOf(database.pool)).filter(({ table }) => !UNUSED.includes(table));
  const rows = await rowsOf(database.pool);
  await migrateUp(database.url);

  const now = await rowsOf(database.pool);
  for (const [table, own] of Map.groupBy(columns, (column) => column.table)) {
    const names = own.map(({ name }) => name);
    expect([table, asText(now, table, names)]).toEqual([table, asText(rows, table, names)]);
  }
  const connection = await database.pool.connect();
  try {
    await connection.query('BEGIN');
    // Foreign keys are checked elsewhere; tables are written in arbitrary order here.
    await connection.query('SET LOCAL session_replication_role = replica');
    for (const [table, own] of Map.groupBy(columns, (column) => column.table)) {
      await connection.query(`DELETE FROM "${table}"`);
      for (const row of rows.get(table) ?? []) {
        const { text, values } = insertOf(table, own, row);
        await connection.query(text, values);
      }
    }
    const written = await rowsOf(connection);
    for (const [table, own] of Map.groupBy(columns, (column) => column.table)) {
      const names = own.map(({ name }) => name);
      expect([table, asText(written, table, names)]).toEqual([table, asText(rows, table, names)]);
    }
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
});

function asText(rows: Rows, table: string, names: readonly string[]): string[] {
  const found = rows.get(table) ?? [];
  return found.map((row) => JSON.stringify(names.map((name) => row[name]))).toSorted();
}

function insertOf(
  table: string,
  columns: readonly Column[],
  row: Readonly<Record<string, string | null>>,
): { text: string; values: (string | null)[] } {
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const places = columns.map(({ type }, at) => `$${at + 1}::${type}`).join(', ');
  const text = `INSERT INTO "${table}" (${names}) OVERRIDING SYSTEM VALUE VALUES (${places})`;
  return { text, values: columns.map(({ name }) => row[name] ?? null) };
}

describe('a migration is found that', () => {
  it.each([
    ['drops a column', 'ALTER TABLE team DROP COLUMN name', /team\.name is gone/],
    ['renames a column', 'ALTER TABLE team RENAME COLUMN name TO label', /team\.name is gone/],
    ['changes a type', 'ALTER TABLE team ALTER COLUMN name TYPE varchar(9)', /varying\(9\) now/],
    ['takes a default', 'ALTER TABLE team ALTER COLUMN status DROP DEFAULT', /no default any more/],
    ['forbids null', 'ALTER TABLE api_key ALTER COLUMN team_id SET NOT NULL', /may not be null/],
    ['allows null', 'ALTER TABLE team ALTER COLUMN name DROP NOT NULL', /may be null/],
    ['asks for more', 'ALTER TABLE team ADD COLUMN x text NOT NULL', /team\.x has to be given/],
    [
      'checks more',
      `ALTER TABLE team ADD CONSTRAINT x CHECK (name <> '')`,
      /team\.x is a new rule/,
    ],
    ['is unique', 'CREATE UNIQUE INDEX x ON api_key (name)', /api_key\.x is a new rule/],
    [
      'refers',
      'ALTER TABLE team ADD CONSTRAINT x FOREIGN KEY (id) REFERENCES user_account',
      /new rule/,
    ],
    ['drops a table', 'DROP TABLE soft_limit_event', /soft_limit_event\.limit_id is gone/],
    [
      'allows fewer words',
      `ALTER TABLE provider_api_key DROP CONSTRAINT provider_api_key_status_check,
         ADD CONSTRAINT provider_api_key_status_check CHECK (status IN ('ACTIVE', 'GONE'))`,
      /provider_api_key_status_check is a new rule/,
    ],
    [
      'drops what ON CONFLICT names',
      'ALTER TABLE idempotency_key DROP CONSTRAINT idempotency_key_pkey',
      /idempotency_key_pkey is gone/,
    ],
  ])('%s', async (_what, sql, told) => {
    const { pool } = await databases.fresh();
    const connection = await pool.connect();
    try {
      const earlier = await schemaOf(connection);
      await connection.query('BEGIN');
      await connection.query(sql);
      expect(incompatibilitiesOf(earlier, await schemaOf(connection), []).join('\n')).toMatch(told);
    } finally {
      await connection.query('ROLLBACK');
      connection.release();
    }
  });

  it('only adds is not', async () => {
    const { pool } = await databases.fresh();
    const earlier = await schemaOf(pool);
    await pool.query(`ALTER TABLE team ADD COLUMN x text, ADD COLUMN y int NOT NULL DEFAULT 1,
      ADD CONSTRAINT y CHECK (y > 0)`);
    await pool.query('CREATE TABLE later (id uuid PRIMARY KEY, name text NOT NULL UNIQUE)');
    await pool.query('CREATE INDEX later_x ON team (x)');
    expect(incompatibilitiesOf(earlier, await schemaOf(pool), [])).toEqual([]);
  });
});
