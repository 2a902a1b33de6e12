import { rest } from '@tollgate/contracts';

import { resolveKey } from '../../directory/resolve-key';
import { ApiKey } from '../../entities/api-key.entity';
import {
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';

// Grants of MCP servers and routing policies, which are given with the key itself.

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };
let mcpServerIds: string[];

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
  const body = { identifier: 'more', name: 'More', url: 'https://more.example/mcp' };
  const { id } = await server.ok(admin, rest.createMcpServer, { params, body });
  mcpServerIds = [tenant.mcpServerId, id].toSorted();
  await server.ok(admin, rest.updateSettings, { params, body: { routingEnabled: true } });
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const create = (over: object = {}, who: Who = admin) =>
  server.call(who, rest.createApiKey, {
    params,
    body: { name: 'k', type: 'ORGANISATION', ...over },
  });
const at = (apiKeyId: string) => ({ params: { ...params, apiKeyId } });

/** What the data plane knows of a key. */
async function known(id: string): Promise<{ servers: string[]; policy: string | undefined }> {
  const { keySha256 } = await database.orm.manager.findOneByOrFail(ApiKey, { id });
  const { context } = await resolveKey(database.pool, keySha256);
  const policy = context?.routingPolicy?.policyId;
  return { servers: [...(context?.mcpServerIds ?? [])].toSorted(), policy };
}

test('a key is made with them, answers them, and the data plane knows them', async () => {
  const { routingPolicyId } = tenant;
  const { body: made } = await create({ mcpServerIds, routingPolicyId });
  expect(made).toMatchObject({ mcpServerIds, routingPolicyId });
  const { key: _secret, ...whole } = made;
  expect(await server.ok(admin, rest.getApiKey, at(made.id))).toEqual(whole);
  expect(await known(made.id)).toEqual({ servers: mcpServerIds, policy: routingPolicyId });
});

test('a key is changed: servers as whole lists, the policy on its own, each left out stays', async () => {
  const { routingPolicyId } = tenant;
  const { body: made } = await create({ mcpServerIds, routingPolicyId });
  const change = (body: object) => server.ok(admin, rest.updateApiKey, { ...at(made.id), body });
  const [first = ''] = mcpServerIds;
  expect(await change({ mcpServerIds: [first] })).toMatchObject({
    mcpServerIds: [first],
    routingPolicyId,
  });
  expect(await change({ routingPolicyId: null })).toMatchObject({
    mcpServerIds: [first],
    routingPolicyId: null,
  });
  expect(await known(made.id)).toEqual({ servers: [first], policy: undefined });
  const events = await server.ok(admin, rest.listAuditEvents, {
    params,
    query: { targetId: made.id },
  });
  expect(events.data.find(({ before }) => before?.['mcpServerIds'] !== undefined)).toMatchObject({
    action: 'apikey.update',
  });
});

test('the list tells them and is narrowed by either', async () => {
  const { routingPolicyId } = tenant;
  const [, second = ''] = mcpServerIds;
  const { body: one } = await create({ name: 'one', mcpServerIds: [second] });
  const { body: other } = await create({ name: 'other', routingPolicyId });
  const idsOf = async (query: object): Promise<string[]> =>
    (await server.ok(admin, rest.listApiKeys, { params, query })).data.map(({ id }) => id);
  const served = await idsOf({ mcpServerId: second });
  expect(served).toContain(one.id);
  expect(served).not.toContain(other.id);
  const routed = await idsOf({ routingPolicyId });
  expect(routed).toContain(other.id);
  expect(routed).not.toContain(one.id);
  const { data } = await server.ok(admin, rest.listApiKeys, { params });
  expect(data.find(({ id }) => id === one.id)?.mcpServerIds).toEqual([second]);
});

test('what is not there, or not the caller’s to give, is refused by name', async () => {
  const missing = '019aa000-0000-7000-8000-000000000000';
  const rival = await createTenant(server, 'rival');
  for (const id of [missing, rival.mcpServerId]) {
    const answer = await create({ mcpServerIds: [id] });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain('mcpServerIds[0]');
  }
  for (const routingPolicyId of [missing, rival.routingPolicyId]) {
    const answer = await create({ routingPolicyId });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain('routingPolicyId');
  }
  const [, second = ''] = mcpServerIds;
  const user = tenant.callers.USER;
  const beyond = await create({ type: 'USER', mcpServerIds: [second] }, user);
  expect(beyond.status).toBe(422);
  const twice = await create({ mcpServerIds: [second, second] });
  expect(twice.status).toBe(422);
});
