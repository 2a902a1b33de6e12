import { rest } from '@tollgate/contracts';

import { Provider } from '../../entities/provider.entity';
import { createTenant, startRest, type RestServer, type Tenant } from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';
import { openAiList, startUpstream, type UpstreamServer } from './test-support/upstream-server';

// A provider on the gateway's own ports would reach its services from inside, even when an allowed
// range contains their address.

let databases: TestDatabases;
let database: Database;
let server: RestServer;
/** Stands in for one of the gateway's own services. */
let own: UpstreamServer;
let tenant: Tenant;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  own = await startUpstream();
  own.serve(() => ({ body: openAiList('gpt-x') }));
  server = await startRest(database, { deniedPorts: [Number(new URL(own.url).port)] });
  tenant = await createTenant(server, 'tenant');
});
afterAll(async () => {
  await server.stop();
  await own.stop();
  await databases.stop();
});

const named = (): string => own.url.replace('127.0.0.1', 'localhost');

test('a provider there is refused when it is made, changed and tried, naming the rule', async () => {
  const { organisationId, providerId } = tenant;
  const admin = tenant.callers.ORG_ADMIN;
  for (const baseUrl of [own.url, named()]) {
    const body = { name: 'own', type: 'PROVIDER_A' as const, baseUrl };
    const refusals = [
      await server.call(admin, rest.createProvider, { params: { organisationId }, body }),
      await server.call(admin, rest.updateProvider, {
        params: { organisationId, providerId },
        body: { baseUrl },
      }),
      await server.call(admin, rest.testProviderDraft, {
        params: { organisationId },
        body: { type: 'PROVIDER_A', baseUrl },
      }),
    ];
    for (const { status, body: answer } of refusals) {
      expect(status).toBe(422);
      expect(JSON.stringify(answer)).toMatch(/"path":"baseUrl".*UPSTREAM_DENIED_PORTS/);
    }
  }
  expect(own.seen).toHaveLength(0);
});

test('one that was saved before the rule is neither tried nor asked for its models', async () => {
  const { organisationId, providerId } = tenant;
  const admin = tenant.callers.ORG_ADMIN;
  await database.orm.manager.update(Provider, { id: providerId }, { baseUrl: own.url });
  const sent = { params: { organisationId, providerId }, body: {} };
  for (const endpoint of [rest.testProvider, rest.discoverModels]) {
    const refused = await server.refused(admin, endpoint, sent);
    expect([refused.status, refused.path]).toEqual([422, 'baseUrl']);
  }
  expect(own.seen).toHaveLength(0);
});
