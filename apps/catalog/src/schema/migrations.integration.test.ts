import { uuidv7 } from '@tollgate/kit';
import { Client } from 'pg';

import {
  createDataSource,
  ensurePartitions,
  entities,
  migrateDown,
  migrateUp,
  migrationStatus,
  type Database,
} from '.';
import { migrateCommand } from '../commands';
import {
  appendNext,
  createMcpServer,
  createTenant,
  entryOf,
  mcpEntryOf,
  startTestDatabases,
  type TestDatabases,
} from '../test-support';
import { migrations } from './migrations';

let databases: TestDatabases;
beforeAll(async () => {
  databases = await startTestDatabases();
});
afterAll(() => databases.stop());

/** Every table, column, constraint, index, function and trigger, as text. */
async function schemaOf(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ line: string }>(`
      SELECT format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) AS line
        FROM information_schema.columns WHERE table_schema = 'public'
      UNION ALL SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
      UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
      UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
      ORDER BY line`);
    return rows.map((row) => row.line);
  } finally {
    await client.end();
  }
}

test('up, down and up again gives the same schema, and down leaves nothing', async () => {
  const url = await databases.blank();
  expect(await migrateUp(url)).toHaveLength(migrations.length);
  const first = await schemaOf(url);

  for (const _ of migrations) expect(await migrateDown(url)).toBeDefined();
  expect(await migrateDown(url)).toBeUndefined();
  const left = (await schemaOf(url)).filter((line) => !line.includes('schema_migration'));
  expect(left).toEqual([]);

  await migrateUp(url);
  expect(await schemaOf(url)).toEqual(first);
});

test('going down takes the month partitions along', async () => {
  const database = await databases.fresh();
  await ensurePartitions(database.pool);
  for (const _ of migrations) await migrateDown(database.url);
  const left = (await schemaOf(database.url)).filter((line) => !line.includes('schema_migration'));
  expect(left).toEqual([]);
});

test('two services that start at once migrate once', async () => {
  const url = await databases.blank();
  const ran = await Promise.all([migrateUp(url), migrateUp(url), migrateUp(url)]);
  expect(ran.map((names) => names.length).sort((a, b) => a - b)).toEqual([0, 0, migrations.length]);
});

test('the status names what is applied and what is pending', async () => {
  const url = await databases.blank();
  const before = await migrationStatus(url);
  expect(before.applied).toEqual([]);
  expect(before.pending).toHaveLength(migrations.length);
  await migrateUp(url);
  const after = await migrationStatus(url);
  expect(after).toEqual({ applied: before.pending, pending: [] });
});

test('entities and migrations describe the same schema', async () => {
  const { orm } = await databases.fresh();
  const drift = await orm.driver.createSchemaBuilder().log();
  expect(drift.upQueries.map((query) => query.query)).toEqual([]);
});

test('every CHECK of an entity has the body that the migrations gave it', async () => {
  const { url, pool } = await databases.fresh();
  const { rows } = await pool.query<{ conname: string; body: string }>(`
    SELECT conname, pg_get_constraintdef(oid) AS body FROM pg_constraint
    WHERE contype = 'c' AND connamespace = 'public'::regnamespace AND conislocal AND conparentid = 0`);
  const stored = new Map(rows.map((row) => [row.conname, row.body]));

  // Compares the bodies as PostgreSQL prints them.
  const blank = createDataSource({ url, poolSize: 1 });
  await blank.initialize();
  try {
    for (const { checks, tableName } of blank.entityMetadatas) {
      for (const check of checks) {
        const probe = `${check.name}_probe`.slice(-63);
        await blank.query(
          `ALTER TABLE "${tableName}" ADD CONSTRAINT "${probe}" CHECK (${check.expression}) NOT VALID`,
        );
        const [row] = await blank.query<{ body: string }[]>(
          `SELECT pg_get_constraintdef(oid) AS body FROM pg_constraint WHERE conname = $1 AND conparentid = 0`,
          [probe],
        );
        expect([check.name, row?.body.replace(' NOT VALID', '')]).toEqual([
          check.name,
          stored.get(check.name),
        ]);
      }
    }
  } finally {
    await blank.destroy();
  }
});

test('every table has an entity', async () => {
  const { pool, orm } = await databases.fresh();
  const { rows } = await pool.query<{ name: string }>(`
    SELECT relname AS name FROM pg_class
    WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace
      AND relname <> 'schema_migration'`);
  const tables = entities.map((entity) => orm.getMetadata(entity).tableName);
  expect(rows.map((row) => row.name).sort()).toEqual(tables.sort());
});

describe('the command line', () => {
  const run = async (words: string[], url: string) => {
    const lines: string[] = [];
    const code = await migrateCommand(words, { DATABASE_URL: url }, (line) => lines.push(line));
    return { code, output: lines.join('') };
  };

  test('goes up, tells where it stands and goes down, with exit code 0', async () => {
    const url = await databases.blank();
    expect(await run(['up'], url)).toMatchObject({ code: 0 });
    expect((await run(['status'], url)).output).toContain('"pending":[]');
    const latest = migrations.map((migration) => new migration().name).at(-1);
    expect((await run(['down'], url)).output).toContain(`"reverted":"${latest}"`);
  });

  test('fails with 1 when the database is not available and with 2 when wrongly called', async () => {
    const away = await run(['up'], 'postgres://nobody:hidden@127.0.0.1:1/none');
    expect(away.code).toBe(1);
    expect(away.output).not.toContain('hidden');
    expect(await run(['sideways'], 'postgres://127.0.0.1:1/none')).toMatchObject({ code: 2 });
    expect(await run(['up'], '')).toMatchObject({ code: 2 });
  });
});

describe('partitions', () => {
  const partitionOf = async ({ pool }: Database, id: string, table = 'usage_record') => {
    const { rows } = await pool.query<{ partition: string }>(
      `SELECT tableoid::regclass::text AS partition FROM ${table} WHERE id = $1`,
      [id],
    );
    return rows[0]?.partition;
  };

  test('records lie in the month of their request id, and in the default where none is cut', async () => {
    const database = await databases.fresh();
    const tenant = await createTenant(database.orm);
    const now = Date.now();
    const [present, far] = [uuidv7(now), uuidv7(now + 400 * 86_400_000)];
    await appendNext(database.pool, tenant, [
      entryOf(tenant, { requestId: present }),
      entryOf(tenant, { requestId: far }),
    ]);
    const month = new Date(now).toISOString().slice(0, 7).replace('-', '_');
    expect(await partitionOf(database, present)).toBe(`usage_record_${month}`);
    expect(await partitionOf(database, far)).toBe('usage_record_default');
  });

  test('a month cut late takes over its records from the default, once', async () => {
    const database = await databases.fresh();
    const tenant = await createTenant(database.orm);
    const then = Date.UTC(2231, 4, 15);
    const id = uuidv7(then);
    const serverId = await createMcpServer(database.orm, tenant);
    await appendNext(database.pool, tenant, [mcpEntryOf(tenant, serverId, { requestId: id })]);
    for (const table of ['usage_record', 'mcp_usage_record']) {
      expect(await partitionOf(database, id, table)).toBe(`${table}_default`);
    }
    const clock = { now: () => then };
    const made = await Promise.all([1, 2].map(() => ensurePartitions(database.pool, clock)));
    expect(new Set(made.flat())).toEqual(
      new Set(
        ['2231_04', '2231_05', '2231_06', '2231_07', '2231_08'].flatMap((m) => [
          `usage_record_${m}`,
          `mcp_usage_record_${m}`,
        ]),
      ),
    );
    expect(await ensurePartitions(database.pool, clock)).toEqual([]);
    for (const table of ['usage_record', 'mcp_usage_record']) {
      expect(await partitionOf(database, id, table)).toBe(`${table}_2231_05`);
      const { rowCount } = await database.pool.query(`SELECT FROM ${table}`);
      expect(rowCount).toBe(1);
    }
  });

  test('partitions of the release before are described again, with the MCP server', async () => {
    const database = await databases.fresh();
    const described = async (): Promise<boolean[]> => {
      const { rows } = await database.pool.query<{ server: boolean }>(`
        SELECT a.attname IS NOT NULL AS server FROM pg_inherits i
        JOIN pg_statistic_ext s ON s.stxrelid = i.inhrelid
        LEFT JOIN pg_attribute a ON a.attrelid = s.stxrelid AND a.attnum = ANY(s.stxkeys)
          AND a.attname = 'mcp_server_id'
        WHERE i.inhparent = 'usage_record'::regclass`);
      return rows.map(({ server }) => server);
    };
    await ensurePartitions(database.pool);
    const partitions = (await described()).length;
    expect(partitions).toBeGreaterThan(1);
    for (let name; name !== 'McpUsage1764000000025';) name = await migrateDown(database.url);
    await database.pool.query(`DO $$ DECLARE part text; BEGIN
      FOR part IN SELECT inhrelid::regclass::text FROM pg_inherits
        WHERE inhparent = 'usage_record'::regclass
      LOOP EXECUTE format('CREATE STATISTICS %I (dependencies) ON organisation_id, model_id FROM %I',
        part || '_owners', part); END LOOP; END $$`);
    await migrateUp(database.url);
    await ensurePartitions(database.pool);
    expect(await described()).toEqual(Array.from({ length: partitions }, () => true));
  });

  test('the planner knows that a model belongs to one organisation', async () => {
    const database = await databases.fresh();
    await ensurePartitions(database.pool);
    const tenants = [];
    for (let count = 0; count < 8; count += 1) tenants.push(await createTenant(database.orm));
    for (const tenant of tenants) await appendNext(database.pool, tenant, [entryOf(tenant)]);
    await database.pool.query(`INSERT INTO usage_record
      SELECT (jsonb_populate_record(r, jsonb_build_object('id',
        overlay(gen_random_uuid()::text PLACING left(r.id::text, 13) FROM 1)))).*
      FROM usage_record r, generate_series(1, 200)`);
    await database.pool.query('ANALYZE');
    const [tenant] = tenants;
    const { rows } = await database.pool.query<{
      'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }];
    }>(
      `EXPLAIN (FORMAT JSON) SELECT * FROM usage_record
       WHERE organisation_id = '${tenant?.organisationId}' AND model_id = '${tenant?.modelId}'`,
    );
    // 201 of 1,608 rows; without statistics the planner assumes independence and estimates an
    // eighth of that.
    expect(rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows']).toBeGreaterThan(150);
    expect(await ensurePartitions(database.pool)).toEqual([]);
  });
});

const OWNED = [
  ['usage_record', ['team', 'user', 'mcp_server']],
  ['usage_period', ['team', 'user']],
] as const;

test.each(OWNED)(
  'rows of %s of a team, user or MCP server are found by an index that has no others',
  async (table, owners) => {
    const { pool } = await databases.fresh();
    const connection = await pool.connect();
    try {
      await connection.query(
        'BEGIN; SET LOCAL enable_seqscan = off; SET plan_cache_mode = force_generic_plan',
      );
      for (const owner of owners) {
        const where =
          table === 'usage_record'
            ? `${owner}_id = $1 ORDER BY authorised_at DESC, id DESC LIMIT 10`
            : `owners AND ${owner}_id = ANY ($1::uuid[]) AND period = 'DAY'`;
        await connection.query(`PREPARE by_${owner} AS SELECT * FROM ${table} WHERE ${where}`);
        const value = table === 'usage_record' ? uuidv7() : `{${uuidv7()}}`;
        const plan = await connection.query<{ 'QUERY PLAN': string }>(
          `EXPLAIN EXECUTE by_${owner}('${value}')`,
        );
        const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(text).toMatch(new RegExp(`${table}\\w*_${owner}_(id_authorised_at_id_)?idx`));
      }
    } finally {
      await connection.query('ROLLBACK; DEALLOCATE ALL; RESET plan_cache_mode');
      connection.release();
    }
    const { rows } = await pool.query<{ indexdef: string }>(
      `SELECT indexdef FROM pg_indexes WHERE indexname ~ $1`,
      [`^${table}_(${owners.join('|')})_(id_authorised_at_id_)?idx$`],
    );
    expect(rows).toHaveLength(owners.length);
    for (const { indexdef } of rows) {
      expect(indexdef).toMatch(new RegExp(`(${owners.join('|')})_id IS NOT NULL`));
    }
  },
);

/** PostgreSQL names the index of a partition by its columns. */
test.each([
  ['name', `left(name, 100) = left('x', 100) AND name = 'x'`, 'organisation_id_left_called_at_id'],
  ['method', `method = 'x'`, 'organisation_id_method_called_at'],
  ['isError', 'is_error', 'organisation_id_called_at_id_idx1'],
  ['outcome', `outcome = 'FAILED'`, 'organisation_id_outcome_called_at'],
])('MCP records are found by %s in the order of time', async (_filter, where, index) => {
  const { pool } = await databases.fresh();
  const connection = await pool.connect();
  try {
    await connection.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off');
    const plan = await connection.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT * FROM mcp_usage_record WHERE organisation_id = '${uuidv7()}' AND ${where}
       ORDER BY called_at DESC, id DESC LIMIT 10`,
    );
    const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(text).toContain(index);
    expect(text).not.toMatch(/\bSort  \(/);
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
});

test('audit events are only ever added', async () => {
  const { pool } = await databases.fresh();
  await pool.query(`INSERT INTO audit_event (id, actor_kind, action, target_type)
    VALUES (gen_random_uuid(), 'SYSTEM', 'test.run', 'test')`);
  for (const change of [
    'UPDATE audit_event SET action = $$x$$',
    'DELETE FROM audit_event',
    'TRUNCATE audit_event',
  ]) {
    await expect(pool.query(change)).rejects.toThrow('only ever added');
  }
});
