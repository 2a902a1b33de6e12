import { rest } from '@tollgate/contracts';

import {
  chargedOf,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { appendNext, entryOf, startTestDatabases, type TestDatabases } from '../../test-support';
import { LAST_USE } from './last-use';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let params: { organisationId: string };
const keyIds: Record<string, string> = {};
const DAYS = { early: '2026-10-01', late: '2026-10-20', both: '2026-10-20' };

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  params = { organisationId: tenant.organisationId };
  for (const name of ['early', 'late', 'both', 'unused']) {
    const { id } = await server.ok(tenant.callers.ORG_ADMIN, rest.createApiKey, {
      params,
      body: { name, type: 'ORGANISATION', modelIds: [tenant.modelId] },
    });
    keyIds[name] = id;
  }
  await use('early', DAYS.early);
  await use('late', DAYS.late);
  await use('both', DAYS.both);
  await use('both', DAYS.early);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

async function use(key: string, day: string): Promise<void> {
  const authorisedAtMs = Date.parse(`${day}T12:00:00Z`);
  const charged = { ...chargedOf(tenant), apiKeyId: keyIds[key] ?? '' };
  const entry = entryOf(charged, { authorisedAtMs, closedAtMs: authorisedAtMs + 500 });
  await appendNext(database.pool, tenant, [entry]);
}

async function all(sort: 'lastUsedOn' | '-lastUsedOn'): Promise<[string, string | null][]> {
  const seen: [string, string | null][] = [];
  let cursor: string | undefined;
  do {
    const page = await server.ok(tenant.callers.ORG_ADMIN, rest.listApiKeys, {
      params,
      query: { sort, limit: 1, ...(cursor === undefined ? {} : { cursor }) },
    });
    seen.push(...page.data.map(({ id, lastUsedOn }): [string, string | null] => [id, lastUsedOn]));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return seen;
}

test('keys are sorted by the day of their last use, over all pages, each once', async () => {
  const down = await all('-lastUsedOn');
  expect(await all('lastUsedOn')).toEqual([...down].reverse());
  expect(new Set(down.map(([id]) => id)).size).toBe(down.length);
  const days = new Map(down);
  expect(days.get(keyIds['both'] ?? '')).toBe(DAYS.both);
  expect(days.get(keyIds['unused'] ?? '')).toBeNull();
  expect(down.map(([, day]) => day).slice(0, 4)).toEqual([DAYS.both, DAYS.late, DAYS.early, null]);
});

test('the other orders tell it too', async () => {
  const { data } = await server.ok(tenant.callers.ORG_ADMIN, rest.listApiKeys, {
    params,
    query: { search: 'early' },
  });
  expect(data.map(({ lastUsedOn }) => lastUsedOn)).toEqual([DAYS.early]);
});

test('it is read from an index of daily sums, one step for each key', async () => {
  const client = await database.pool.connect();
  try {
    // The planner would scan a table of so few rows.
    await client.query('SET enable_seqscan = off');
    const { rows } = await client.query<Record<'QUERY PLAN', string>>(`EXPLAIN ${LAST_USE}`, [
      Object.values(keyIds),
    ]);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Limit[\s\S]*Index.* Backward using usage_period_api_key_idx/);
  } finally {
    await client.query('RESET enable_seqscan');
    client.release();
  }
});

test('a forged cursor is refused before the query', async () => {
  const forged = ['-lastUsedOn', 'yesterday', tenant.userKeyId];
  const cursor = Buffer.from(JSON.stringify(forged)).toString('base64url');
  const query = { sort: '-lastUsedOn', cursor } as const;
  expect(
    await server.refused(tenant.callers.ORG_ADMIN, rest.listApiKeys, { params, query }),
  ).toMatchObject({ status: 422, path: 'cursor' });
});
