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
  tenant = await createTenant(server, 'acme');
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const params = () => ({ organisationId: tenant.organisationId });
const told = async (key: string) => {
  const { context } = await resolveKey(database.pool, hashApiKey(key));
  return {
    trusted: context?.trustedAttribution,
    tagKeys: context?.tagKeys,
    refuses: context?.refuseUnknownTags,
  };
};

test('policy is told the tags of the organisation, and their change is in the audit trail', async () => {
  const { ORG_ADMIN: admin, MANAGER: manager } = tenant.callers;
  const body = { name: 'service', type: 'ORGANISATION' as const };
  const { key } = await server.ok(admin, rest.createApiKey, { params: params(), body });
  expect(await told(key)).toEqual({ trusted: true, tagKeys: [], refuses: false });
  const change = {
    params: params(),
    body: { tagKeys: ['project', 'cost.centre'], refuseUnknownTags: true },
  };
  expect(await server.refused(manager, rest.updateSettings, change)).toMatchObject({ status: 403 });
  expect(await server.ok(admin, rest.updateSettings, change)).toMatchObject(change.body);
  expect(await told(key)).toEqual({
    trusted: true,
    tagKeys: ['project', 'cost.centre'],
    refuses: true,
  });
  const trail = await server.ok(admin, rest.listAuditEvents, {
    params: params(),
    query: { action: 'organisation.update' },
  });
  expect(trail.data[0]).toMatchObject({ before: { tagKeys: [] }, after: change.body });
});

test.each([
  [['Project'], 'small letters'],
  [['k'.repeat(33)], 'at most 32'],
  [['a', 'a'], 'each key once'],
  [Array.from({ length: 11 }, (_, n) => `k${String(n)}`), '10'],
])('%j are no tags', async (tagKeys, message) => {
  const answer = await server.refused(tenant.callers.ORG_ADMIN, rest.updateSettings, {
    params: params(),
    body: { tagKeys },
  });
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer)).toContain(message);
});

test('only administrators trust a key of a team or user', async () => {
  const { ORG_ADMIN: admin, MANAGER: manager } = tenant.callers;
  const body = { name: 'team', type: 'TEAM' as const, teamId: tenant.teamId };
  const asked = { params: params(), body: { ...body, trustedAttribution: 'HEADERS' as const } };
  expect(await server.refused(manager, rest.createApiKey, asked)).toMatchObject({ status: 403 });
  const created = await server.ok(manager, rest.createApiKey, {
    params: params(),
    body: { ...body, trustedAttribution: 'NONE' },
  });
  expect(created.trustedAttribution).toBe('NONE');
  expect(await told(created.key)).toMatchObject({ trusted: false });
  const change = {
    params: { ...params(), apiKeyId: created.id },
    body: { trustedAttribution: 'HEADERS' as const },
  };
  expect(await server.refused(manager, rest.updateApiKey, change)).toMatchObject({ status: 403 });
  expect(await server.ok(admin, rest.updateApiKey, change)).toMatchObject(change.body);
  expect(await told(created.key)).toMatchObject({ trusted: true });
});
