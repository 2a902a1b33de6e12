import { rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import {
  chargedOf,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import {
  appendNext,
  entryOf,
  startTestDatabases,
  type EntryValues,
  type TestDatabases,
} from '../../test-support';
import { firstDay, USES_OF_NAME } from './retirements';

const DAY_MS = 86_400_000;
const NOW = Date.now();

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };
let newer: string;
let old: string;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
  const make = async (name: string, retirement: object | null = null) => {
    const body = { name, providerId: tenant.providerId, retirement };
    return (await server.ok(admin, rest.createModel, { params, body })).id;
  };
  newer = await make('newer');
  old = await make('old', { sunsetAt: '2031-01-01T00:00:00Z', replacementModelId: newer });
  await make('unused', { deprecatedAt: '2026-01-01T00:00:00Z' });
  await server.ok(admin, rest.createModelAlias, {
    params,
    body: {
      name: 'fast',
      targets: [{ modelId: newer }],
      retirement: { deprecatedAt: '2026-02-01T00:00:00Z' },
    },
  });
  await appendNext(database.pool, tenant, [
    entry(1, old),
    entry(2, old, { apiKeyId: tenant.organisationKeyId, teamId: '' }),
    entry(10, old),
    entry(40, old),
    // Another model answered for it.
    entry(1, newer, {}, 'old'),
    entry(1, newer, {}, 'fast'),
    entry(8, newer, {}, 'fast'),
    entry(35, newer, {}, 'fast'),
    entry(1, newer),
  ]);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

/** A request some days ago. */
function entry(days: number, modelId: string, charged: object = {}, requestedModel = '') {
  const at = NOW - days * DAY_MS;
  const values: EntryValues = {
    requestId: uuidv7(at),
    authorisedAtMs: at,
    settle: { costNanoUsd: '1000000', requestedModel, modelId },
  };
  return entryOf({ ...chargedOf(tenant), modelId, ...charged }, values);
}

const ask = (query: object = {}, who: Who = admin) =>
  server.ok(who, rest.listRetirements, { params, query });

test('each name that comes to an end has the keys that used it', async () => {
  const { data, nextCursor } = await ask();
  expect(nextCursor).toBeNull();
  expect(data.map(({ kind, name, replacement }) => [kind, name, replacement])).toEqual([
    ['ALIAS', 'fast', null],
    ['MODEL', 'old', 'newer'],
    ['MODEL', 'unused', null],
  ]);
  const [fast, model, unused] = data;
  const key = {
    apiKeyId: tenant.userKeyId,
    apiKeyName: 'user',
    teamId: tenant.teamId,
    teamName: 'Research',
  };
  expect(fast?.uses).toEqual([
    {
      ...key,
      requests7: 1,
      requests30: 2,
      costUsd7: '0.001',
      costUsd30: '0.002',
      lastUsedOn: new Date(NOW - DAY_MS).toISOString().slice(0, 10),
    },
  ]);
  expect(model?.uses).toMatchObject([
    { ...key, requests7: 2, requests30: 3, costUsd7: '0.002', costUsd30: '0.003' },
    {
      apiKeyId: tenant.organisationKeyId,
      apiKeyName: 'org',
      teamName: null,
      requests7: 1,
      requests30: 1,
    },
  ]);
  expect(unused).toMatchObject({ uses: [], moreUses: false });
});

test('pages follow the names', async () => {
  const first = await ask({ limit: 2 });
  expect(first.data.map(({ name }) => name)).toEqual(['fast', 'old']);
  expect(first.nextCursor).toBe('old');
  const second = await ask({ limit: 2, cursor: 'old' });
  expect(second.data.map(({ name }) => name)).toEqual(['unused']);
  expect(second.nextCursor).toBeNull();
});

test('it is for administrators: a manager is refused', async () => {
  const { status } = await server.call(tenant.callers.MANAGER, rest.listRetirements, { params });
  expect(status).toBe(403);
});

test('the records of a name are found by their index', async () => {
  const connection = await database.pool.connect();
  try {
    await connection.query('BEGIN');
    // The table is too small for the planner to need an index.
    await connection.query('SET LOCAL enable_seqscan = off');
    const { rows } = await connection.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${USES_OF_NAME}`, [
      tenant.organisationId,
      'fast',
      '2026-01-01',
      '2026-01-24',
      'UTC',
      100,
    ]);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index Scan.* using usage_record_\w*requested_model/);
    expect(plan).not.toContain('Seq Scan');
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
});

test('days are those of the organisation', () => {
  const midnight = Date.parse('2026-03-01T23:30:00Z');
  expect(firstDay(midnight, 'UTC', 7)).toBe('2026-02-23');
  expect(firstDay(midnight, 'Europe/Berlin', 7)).toBe('2026-02-24');
});
