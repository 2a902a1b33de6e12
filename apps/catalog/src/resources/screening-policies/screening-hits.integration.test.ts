import { rest } from '@tollgate/contracts';

import {
  bookRecord,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let rival: Tenant;
let admin: Who;
let params: { organisationId: string; screeningPolicyId: string };

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  rival = await createTenant(server, 'rival');
  admin = tenant.callers.ORG_ADMIN;
  params = {
    organisationId: tenant.organisationId,
    screeningPolicyId: tenant.screeningPolicyId,
  };
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const DAY_MS = 86_400_000;

/** The tenant's policy is named `house`. */
async function found(screening: string | null, agoMs = 60_000, of = tenant): Promise<string> {
  const id = await bookRecord(database.orm, of, Date.now() - agoMs);
  await database.pool.query('UPDATE usage_record SET screening = $2 WHERE id = $1', [
    id,
    screening,
  ]);
  return id;
}
const hits = (query: { from?: string; to?: string; version?: number } = {}) =>
  server.ok(admin, rest.getScreeningHits, { params, query });

test('requests are counted by rule, action, key and team', async () => {
  const both = await found(
    'house/mail;v=1;in=input;action=observe;hits=2, house/mail;v=1;in=output;action=observe;hits=1, other/mail;v=1;in=input;action=block;hits=1',
  );
  await found('house/mail;v=2;in=input;action=observe;hits=1');
  await found('house/ask;v=2;in=input;action=block;failed=1;ms=2000');
  await found('warehouse/mail;v=1;in=input;action=observe;hits=1');
  await found(null);
  await found('house/mail;v=1;in=input;action=observe;hits=1', 3 * DAY_MS);
  await found('house/mail;v=1;in=input;action=observe;hits=1', 60_000, rival);
  const key = { id: tenant.userKeyId, name: expect.any(String) as string };
  const team = { id: tenant.teamId, name: expect.any(String) as string };
  const { complete, rules } = await hits();
  expect(complete).toBe(true);
  expect(rules).toEqual([
    {
      ruleId: 'ask',
      action: 'BLOCK',
      requests: 0,
      failed: 1,
      versions: [{ version: 2, requests: 0, failed: 1 }],
      apiKeys: [],
      teams: [],
    },
    {
      ruleId: 'mail',
      action: 'OBSERVE',
      requests: 2,
      failed: 0,
      versions: [
        { version: 2, requests: 1, failed: 0 },
        { version: 1, requests: 1, failed: 0 },
      ],
      apiKeys: [{ ...key, requests: 2 }],
      teams: [{ ...team, requests: 2 }],
    },
  ]);
  expect((await hits({ version: 1 })).rules).toMatchObject([
    { ruleId: 'mail', requests: 1, versions: [{ version: 1 }], apiKeys: [{ requests: 1 }] },
  ]);
  expect((await hits({ version: 7 })).rules).toEqual([]);
  const from = new Date(Date.now() - 7 * DAY_MS).toISOString();
  expect((await hits({ from })).rules[1]).toMatchObject({ requests: 3 });

  const shown = await server.ok(admin, rest.listUsageRecords, {
    params: { organisationId: tenant.organisationId },
    query: { screening: 'other/mail' },
  });
  expect(shown.data.map(({ id }) => id)).toEqual([both]);
  const house = await server.ok(admin, rest.listUsageRecords, {
    params: { organisationId: tenant.organisationId },
    query: { screening: 'house/mail' },
  });
  expect(house.data).toHaveLength(3);
});

test('a record that names only its first rules makes the count incomplete', async () => {
  await found('house/mail;v=1;in=input;action=observe;hits=1, more;rules=40', 5 * DAY_MS);
  const from = new Date(Date.now() - 6 * DAY_MS).toISOString();
  expect(await hits({ from })).toMatchObject({ complete: false });
  const to = new Date(Date.now() - 4 * DAY_MS).toISOString();
  const later = new Date(Date.now() - 4.5 * DAY_MS).toISOString();
  expect(await hits({ from: later, to })).toMatchObject({ complete: true });
});

test.each([
  ['a longer period', { from: new Date(Date.now() - 40 * DAY_MS).toISOString() }, 'from'],
  ['a period without time', { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'from'],
])('%s is refused', async (_, query, path) => {
  const reply = await server.refused(admin, rest.getScreeningHits, { params, query });
  expect(reply).toMatchObject({ status: 422, path });
});

test('records are found by a whole tag, and by nothing else', async () => {
  const params = { organisationId: tenant.organisationId };
  const tagged = async (tags: string | null): Promise<string> => {
    const id = await bookRecord(database.orm, tenant, Date.now());
    await database.pool.query('UPDATE usage_record SET tags = $2 WHERE id = $1', [id, tags]);
    return id;
  };
  const both = await tagged('my_project:blue, tier:gold');
  await tagged('my_project:blueish, xtier:gold');
  await tagged('myXproject:blue');
  const idsOf = async (tag: string): Promise<string[]> => {
    const { data } = await server.ok(admin, rest.listUsageRecords, { params, query: { tag } });
    return data.map(({ id }) => id);
  };
  expect(await idsOf('my_project:blue')).toEqual([both]);
  expect(await idsOf('tier:gold')).toEqual([both]);
  expect(await idsOf('tier:gol')).toEqual([]);
  const reply = await server.refused(admin, rest.listUsageRecords, { params, query: { tag: '%' } });
  expect(reply).toMatchObject({ status: 422, path: 'tag' });
});

test('a filter that names no rule is refused', async () => {
  const reply = await server.refused(admin, rest.listUsageRecords, {
    params: { organisationId: tenant.organisationId },
    query: { screening: '%' },
  });
  expect(reply).toMatchObject({ status: 422, path: 'screening' });
});
