import { rest } from '@tollgate/contracts';
import { hashApiKey } from '@tollgate/contracts/node';

import { resolveKey } from '../../directory/resolve-key';
import { createTenant, startRest, type RestServer, type Tenant } from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
});
beforeEach(async () => {
  tenant = await createTenant(server, `acme-${String((made += 1))}`);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});
let made = 0;

const params = () => ({ organisationId: tenant.organisationId });
const told = async (key: string) =>
  (await resolveKey(database.pool, hashApiKey(key))).context?.responseCache;
const KEY = { name: 'service', type: 'ORGANISATION' as const };

test('a key uses the cache as its organisation says, unless it says otherwise', async () => {
  const { ORG_ADMIN: admin, MANAGER: manager } = tenant.callers;
  const created = await server.ok(admin, rest.createApiKey, { params: params(), body: KEY });
  expect(created.responseCache).toBeNull();
  expect(await told(created.key)).toBeNull();
  const change = {
    params: params(),
    body: {
      responseCache: 'ON' as const,
      responseCacheTtlSeconds: 90,
      responseCachePricePercent: 25,
    },
  };
  expect(await server.refused(manager, rest.updateSettings, change)).toMatchObject({ status: 403 });
  expect(await server.ok(admin, rest.updateSettings, change)).toMatchObject(change.body);
  const cache = { mode: 'ON', ttlSeconds: 90, pricePercent: 25, generation: 0 };
  expect(await told(created.key)).toEqual(cache);
  const own = (responseCache: 'OFF' | 'ON_REQUEST' | null) =>
    server.ok(admin, rest.updateApiKey, {
      params: { ...params(), apiKeyId: created.id },
      body: { responseCache },
    });
  await own('ON_REQUEST');
  expect(await told(created.key)).toEqual({ ...cache, mode: 'ON_REQUEST' });
  await own('OFF');
  expect(await told(created.key)).toBeNull();
  expect((await own(null)).responseCache).toBeNull();
  expect(await told(created.key)).toEqual(cache);
});

test.each([
  ['responseCache', 'SOMETIMES'],
  ['responseCacheTtlSeconds', 0],
  ['responseCacheTtlSeconds', 604_801],
  ['responseCachePricePercent', 101],
  ['responseCachePricePercent', 0.5],
])('%s: %s is refused by name', async (name, value) => {
  const answer = await server.refused(tenant.callers.ORG_ADMIN, rest.updateSettings, {
    params: params(),
    body: { [name]: value },
  });
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer)).toContain(name);
});

test('only administrators change the setting of a key', async () => {
  const { ORG_ADMIN: admin, MANAGER: manager } = tenant.callers;
  const body = { name: 'team', type: 'TEAM' as const, teamId: tenant.teamId };
  const asked = { params: params(), body: { ...body, responseCache: 'ON' as const } };
  expect(await server.refused(manager, rest.createApiKey, asked)).toMatchObject({ status: 403 });
  const created = await server.ok(manager, rest.createApiKey, { params: params(), body });
  const change = {
    params: { ...params(), apiKeyId: created.id },
    body: { responseCache: 'ON' as const },
  };
  expect(await server.refused(manager, rest.updateApiKey, change)).toMatchObject({ status: 403 });
  expect(await server.ok(admin, rest.updateApiKey, change)).toMatchObject(change.body);
  // Whoever edits the rest sends the setting back as it is.
  const renamed = { ...change, body: { name: 'renamed', responseCache: 'ON' as const } };
  expect(await server.ok(manager, rest.updateApiKey, renamed)).toMatchObject(renamed.body);
});

test('deleting the kept answers raises the generation, and the audit trail says so', async () => {
  const { ORG_ADMIN: admin, MANAGER: manager } = tenant.callers;
  const { key } = await server.ok(admin, rest.createApiKey, {
    params: params(),
    body: { ...KEY, responseCache: 'ON' },
  });
  const call = { params: params() };
  expect(await server.refused(manager, rest.clearResponseCache, call)).toMatchObject({
    status: 403,
  });
  expect(await server.ok(admin, rest.clearResponseCache, call)).toEqual({ generation: 1 });
  expect(await server.ok(admin, rest.clearResponseCache, call)).toEqual({ generation: 2 });
  expect(await told(key)).toMatchObject({ generation: 2 });
  const trail = await server.ok(admin, rest.listAuditEvents, {
    params: params(),
    query: { action: 'organisation.clear-response-cache' },
  });
  expect(trail.data).toHaveLength(2);
  expect(trail.data[0]).toMatchObject({
    before: { responseCacheGeneration: 1 },
    after: { responseCacheGeneration: 2 },
  });
});
