import { rest } from '@tollgate/contracts';

import {
  chargedOf,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { appendNext, entryOf, startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };
const NOW_MS = Date.now();
const A_MONTH_AGO_MS = NOW_MS - 35 * 86_400_000;
const teamIds: Record<string, string> = {};

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
  for (const name of ['Cheap', 'Dear', 'Equal']) {
    teamIds[name] = (await server.ok(admin, rest.createTeam, { params, body: { name } })).id;
  }
  await spend('Cheap', 1_000_000_000);
  await spend('Cheap', 500_000_000);
  await spend('Dear', 9_000_000_000, tenant.userIds.MANAGER);
  await spend('Equal', 1_500_000_000);
  await spend('Cheap', 99_000_000_000, tenant.userIds.USER, A_MONTH_AGO_MS);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

async function spend(
  team: string,
  nanoUsd: number,
  userId = tenant.userIds.USER,
  authorisedAtMs = NOW_MS,
): Promise<void> {
  const charged = { ...chargedOf(tenant), teamId: teamIds[team] ?? '', userId };
  const entry = entryOf(charged, {
    authorisedAtMs,
    closedAtMs: authorisedAtMs + 500,
    settle: { costNanoUsd: String(nanoUsd) },
  });
  await appendNext(database.pool, tenant, [entry]);
}

type Query = NonNullable<Parameters<typeof server.ok<typeof rest.listTeams>>[2]>['query'];

async function allTeams(query: Query) {
  const seen: [string, string][] = [];
  let cursor: string | undefined;
  do {
    const page = await server.ok(admin, rest.listTeams, {
      params,
      query: { ...query, ...(cursor === undefined ? {} : { cursor }) },
    });
    seen.push(...page.data.map(({ name, spentUsd }): [string, string] => [name, spentUsd]));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return seen;
}

test('teams are sorted by what they spent this month, over all pages, each once', async () => {
  const down = await allTeams({ sort: '-spentUsd', limit: 1 });
  expect(down).toEqual([
    ['Dear', '9.00'],
    ['Equal', '1.50'],
    ['Cheap', '1.50'],
    ['Sales', '0.00'],
    ['Research', '0.00'],
  ]);
  expect(await allTeams({ sort: 'spentUsd', limit: 2 })).toEqual([...down].reverse());
  // The other orders tell it too.
  expect(await allTeams({ search: 'dear' })).toEqual([['Dear', '9.00']]);
});

test('keys are sorted in the same way', async () => {
  const query = { sort: '-spentUsd' } as const;
  const { data } = await server.ok(admin, rest.listApiKeys, { params, query });
  expect(data[0]).toMatchObject({ id: tenant.userKeyId, spentUsd: '12.00' });
  expect(new Set(data.slice(1).map(({ spentUsd }) => spentUsd))).toEqual(new Set(['0.00']));
});

test('a user learns what they themselves spent, not what the team did', async () => {
  const own = { userId: tenant.userIds.USER };
  for (const name of ['Dear', 'Equal']) {
    const at = { params: { ...params, teamId: teamIds[name] ?? '' } };
    await server.ok(admin, rest.addTeamMember, { ...at, body: own });
  }
  const { data } = await server.ok(tenant.callers.USER, rest.listTeams, { params });
  const spent = new Map(data.map(({ name, spentUsd }) => [name, spentUsd]));
  expect(spent.get('Dear')).toBe('0.00');
  expect(spent.get('Equal')).toBe('1.50');
});

test('an ETag of a team does not change with its usage', async () => {
  const at = { params: { ...params, teamId: teamIds['Equal'] ?? '' } };
  const tag = async () => (await server.call(admin, rest.getTeam, at)).headers.get('etag');
  const before = await tag();
  await spend('Equal', 1);
  expect(await tag()).toBe(before);
});

test('a forged cursor is refused before the query', async () => {
  const forged = ['-spentUsd', 'much', tenant.teamId];
  const cursor = Buffer.from(JSON.stringify(forged)).toString('base64url');
  const query = { sort: '-spentUsd', cursor } as const;
  expect(await server.refused(admin, rest.listTeams, { params, query })).toMatchObject({
    status: 422,
    path: 'cursor',
  });
});

test.each([
  ['users', rest.listUsers],
  ['models', rest.listModels],
  ['providers', rest.listProviders],
] as const)(
  '%s are sorted by what was spent, over all pages, each once',
  async (_name, endpoint) => {
    const all = async (sort: 'spentUsd' | '-spentUsd'): Promise<[string, string][]> => {
      const seen: [string, string][] = [];
      let cursor: string | undefined;
      do {
        const query = { sort, limit: 1, ...(cursor === undefined ? {} : { cursor }) };
        const page = await server.ok(admin, endpoint as typeof rest.listUsers, { params, query });
        seen.push(...page.data.map(({ id, spentUsd }): [string, string] => [id, spentUsd]));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return seen;
    };
    const down = await all('-spentUsd');
    expect(await all('spentUsd')).toEqual([...down].reverse());
    expect(new Set(down.map(([id]) => id)).size).toBe(down.length);
    const spent = new Map(down);
    if (endpoint === rest.listUsers) {
      // By hand: of MANAGER 9, of USER 1 + 0.5 + 1.5, and one nano-dollar of the test before.
      expect(down.slice(0, 2)).toEqual([
        [tenant.userIds.MANAGER, '9.00'],
        [tenant.userIds.USER, '3.000000001'],
      ]);
    } else {
      const id = endpoint === rest.listModels ? tenant.modelId : tenant.providerId;
      expect(down[0]).toEqual([id, '12.000000001']);
    }
    for (const [, usd] of down.slice(2)) expect(usd).toBe('0.00');
    expect(spent.size).toBe(down.length);
  },
);

test('who sees all models sees only their own part of what they cost', async () => {
  const query = { sort: '-spentUsd' } as const;
  const { data } = await server.ok(tenant.callers.USER, rest.listModels, { params, query });
  expect(data.find(({ id }) => id === tenant.modelId)?.spentUsd).toBe('3.000000001');
});
