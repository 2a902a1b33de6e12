import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

import { startPreparedPostgres, type PostgresServer, type PreparedCluster } from '.';

let folder = '';
let made = 0;
let wanted: PreparedCluster;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-prepared-'));
  made = 0;
  await mkdir(join(folder, 'sources'));
  await mkdir(join(folder, 'more'));
  await writeFile(join(folder, 'sources', 'table.ts'), 'one');
  await writeFile(join(folder, 'more', 'rows.ts'), 'one');
  wanted = {
    cache: join(folder, 'cache'),
    sources: [join(folder, 'sources'), join(folder, 'more')],
    prepare: async (server) => {
      made += 1;
      await ask(server, 'create table ready (n int)');
    },
  };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function ask(server: PostgresServer, query: string): Promise<unknown[]> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query<object>(query)).rows;
  } finally {
    await client.end();
  }
}

test('a cluster is prepared once for each state of its sources, and every server has its own copy', async () => {
  const first = await startPreparedPostgres(wanted);
  const second = await startPreparedPostgres(wanted).catch(async (error: unknown) => {
    await first.stop();
    throw error;
  });
  try {
    await ask(first, 'insert into ready values (1)');
    expect(await ask(second, 'select n from ready')).toEqual([]);
    expect(made).toBe(1);
  } finally {
    await first.stop();
    await second.stop();
  }
  expect(await readdir(tmpdir())).not.toContain(first.dir.split('/').at(-1));
  await writeFile(join(folder, 'more', 'rows.ts'), 'two');
  await (await startPreparedPostgres(wanted)).stop();
  expect(made).toBe(2);
});

test('a cluster that was not used for a day is removed when a new one is made', async () => {
  await (await startPreparedPostgres(wanted)).stop();
  const [old = ''] = await readdir(wanted.cache);
  const dayAgo = new Date(Date.now() - 90_000_000);
  await utimes(join(wanted.cache, old), dayAgo, dayAgo);
  await writeFile(join(folder, 'more', 'rows.ts'), 'two');
  await (await startPreparedPostgres(wanted)).stop();
  const kept = await readdir(wanted.cache);
  expect(kept).toHaveLength(1);
  expect(kept).not.toContain(old);
});

test('a cluster whose preparation failed is not kept', async () => {
  const failing = startPreparedPostgres({
    ...wanted,
    prepare: () => Promise.reject(new Error('no schema')),
  });
  await expect(failing).rejects.toThrow('no schema');
  expect(await readdir(wanted.cache)).toEqual([]);
});
