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

test('texts in traces are off until an administrator of the organisation switches them on', async () => {
  const params = { organisationId: tenant.organisationId };
  const { ORG_ADMIN: admin, MANAGER: manager } = tenant.callers;
  const type = 'ORGANISATION' as const;
  const body = { name: 'traced', type, modelIds: [tenant.modelId] };
  const { key } = await server.ok(admin, rest.createApiKey, { params, body });
  const told = async () => {
    const { context } = await resolveKey(database.pool, hashApiKey(key));
    return context?.traceContent;
  };
  expect(await told()).toBe(false);
  const change = { params, body: { traceContent: true } };
  expect(await server.refused(manager, rest.updateSettings, change)).toMatchObject({ status: 403 });
  expect(await server.ok(admin, rest.updateSettings, change)).toMatchObject({ traceContent: true });
  expect(await told()).toBe(true);
  const trail = await server.ok(admin, rest.listAuditEvents, {
    params,
    query: { action: 'organisation.update' },
  });
  expect(trail.data[0]).toMatchObject({
    before: { traceContent: false },
    after: { traceContent: true },
  });
});
