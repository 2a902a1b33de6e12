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

// Rules of grants. Which servers may be granted at all is tested with the servers.

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let user: Who;
let params: { organisationId: string };
let mcpServerId: string;

let tenants = 0;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
});
beforeEach(async () => {
  tenant = await createTenant(server, `tenant-${(tenants += 1)}`);
  ({ ORG_ADMIN: admin, USER: user } = tenant.callers);
  params = { organisationId: tenant.organisationId };
  ({ mcpServerId } = tenant);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const everything = { allowed: ['*'], denied: [] };
const reading = { allowed: ['read_*'], denied: ['read_secret'] };
const narrow = { tools: reading, prompts: everything, resources: everything };
const wide = { tools: everything, prompts: everything, resources: everything };

type Grants = (typeof rest.mcpGrantsPut)['_zod']['input'];

const at = (apiKeyId: string) => ({ params: { ...params, apiKeyId } });
const put = (who: Who, apiKeyId: string, body: Grants) =>
  server.call(who, rest.setApiKeyMcpServers, { ...at(apiKeyId), body });
const refused = (who: Who, apiKeyId: string, body: Grants) =>
  server.refused(who, rest.setApiKeyMcpServers, { ...at(apiKeyId), body });
const createKey = (who: Who, over: object) =>
  server.call(who, rest.createApiKey, { params, body: { name: 'k', type: 'USER', ...over } });
const grantsOf = async (apiKeyId: string) =>
  (await server.ok(admin, rest.getApiKeyMcpServers, at(apiKeyId))).grants;

/** What the data plane knows of the key's grants. */
async function known(id: string) {
  const { keySha256 } = await database.orm.manager.findOneByOrFail(ApiKey, { id });
  return (await resolveKey(database.pool, keySha256)).context?.mcpGrants;
}

test('rules of a grant are kept, answered with the key, and known to the data plane', async () => {
  const { body } = await put(admin, tenant.userKeyId, {
    grants: [{ mcpServerId, tools: reading }],
  });
  const grants = [{ mcpServerId, ...narrow }];
  expect(body).toEqual({ mcpServerIds: [mcpServerId], grants });
  const key = await server.ok(admin, rest.getApiKey, at(tenant.userKeyId));
  expect(key).toMatchObject({ mcpServerIds: [mcpServerId], mcpGrants: grants });
  expect(await known(tenant.userKeyId)).toEqual([
    { serverId: mcpServerId, rules: { tools: reading, prompts: null, resources: null } },
  ]);
});

test('servers named without rules keep the rules of their grants', async () => {
  await put(admin, tenant.userKeyId, { grants: [{ mcpServerId, tools: reading }] });
  await put(admin, tenant.userKeyId, { mcpServerIds: [mcpServerId] });
  expect(await grantsOf(tenant.userKeyId)).toEqual([{ mcpServerId, ...narrow }]);
  const patch = { ...at(tenant.userKeyId), body: { mcpServerIds: [mcpServerId] } };
  expect((await server.ok(admin, rest.updateApiKey, patch)).mcpGrants).toEqual([
    { mcpServerId, ...narrow },
  ]);
  // Taken away and given again, it has no rules any more.
  await put(admin, tenant.userKeyId, { mcpServerIds: [] });
  await put(admin, tenant.userKeyId, { mcpServerIds: [mcpServerId] });
  expect(await grantsOf(tenant.userKeyId)).toEqual([{ mcpServerId, ...wide }]);
});

test('a key is made and changed with grants', async () => {
  const { body: made } = await createKey(admin, {
    type: 'ORGANISATION',
    mcpGrants: [{ mcpServerId, tools: reading }],
  });
  expect(made.mcpGrants).toEqual([{ mcpServerId, ...narrow }]);
  const body = { mcpGrants: [{ mcpServerId, prompts: { allowed: [] } }] };
  const changed = await server.ok(admin, rest.updateApiKey, { ...at(made.id), body });
  expect(changed.mcpGrants).toEqual([
    { mcpServerId, ...wide, prompts: { allowed: [], denied: [] } },
  ]);
  const missing = '019aa000-0000-7000-8000-000000000000';
  const unknown = await createKey(admin, {
    type: 'ORGANISATION',
    mcpGrants: [{ mcpServerId }, { mcpServerId: missing }],
  });
  expect(unknown.status).toBe(422);
  expect(JSON.stringify(unknown.body)).toContain('"mcpGrants[1].mcpServerId"');
});

test('rules that a call grants many keys leave those of present grants alone', async () => {
  const body = { apiKeyIds: [tenant.userKeyId, tenant.teamKeyId], tools: reading };
  const added = await server.ok(admin, rest.addMcpGrants, {
    params: { ...params, mcpServerId },
    body,
  });
  expect(added.added).toBe(1);
  expect(await grantsOf(tenant.teamKeyId)).toEqual([{ mcpServerId, ...narrow }]);
  expect(await grantsOf(tenant.userKeyId)).toEqual([{ mcpServerId, ...wide }]);
});

describe('a user whose key has rules', () => {
  beforeEach(async () => {
    await put(admin, tenant.userKeyId, { grants: [{ mcpServerId, tools: reading }] });
  });

  it('gives these or narrower ones, and no wider', async () => {
    for (const tools of [reading, { allowed: ['read_a'] }, { allowed: ['read_x*'] }]) {
      const answer = await createKey(user, { mcpGrants: [{ mcpServerId, tools }] });
      expect([answer.status, answer.body.mcpGrants[0]?.tools]).toEqual([
        201,
        { denied: [], ...tools },
      ]);
    }
    for (const tools of [everything, { allowed: ['read_*'] }, undefined]) {
      const answer = await createKey(user, { mcpGrants: [{ mcpServerId, tools }] });
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).toContain('"mcpGrants[0].tools"');
    }
  });

  it('does not widen the own key, but narrows it, or leaves it as it is', async () => {
    const { status, path } = await refused(user, tenant.userKeyId, { grants: [{ mcpServerId }] });
    expect([status, path]).toEqual([422, 'grants[0].tools']);
    expect(
      (await put(user, tenant.userKeyId, { grants: [{ mcpServerId, tools: reading }] })).status,
    ).toBe(200);
    const none = { allowed: [] };
    expect(
      (await put(user, tenant.userKeyId, { grants: [{ mcpServerId, tools: none }] })).status,
    ).toBe(200);
    const back = { grants: [{ mcpServerId, tools: reading }] };
    expect((await refused(user, tenant.userKeyId, back)).status).toBe(422);
  });

  it('passes the rules on with servers that are named without', async () => {
    const { body } = await createKey(user, { mcpServerIds: [mcpServerId] });
    expect(body.mcpGrants).toEqual([{ mcpServerId, ...narrow }]);
    const playground = await server.ok(user, rest.createPlaygroundKey, { params });
    expect(playground.mcpGrants).toEqual([{ mcpServerId, ...narrow }]);
    expect(await known(playground.id)).toHaveLength(1);
  });

  it('has what a team key has as well', async () => {
    const team = { ...params, mcpServerId };
    const body = { apiKeyIds: [tenant.teamKeyId] };
    await server.ok(admin, rest.addMcpGrants, { params: team, body });
    expect((await createKey(user, { mcpGrants: [{ mcpServerId }] })).status).toBe(201);
  });

  it('has nothing of a key that expired, was revoked, or is a playground’s', async () => {
    await server.ok(user, rest.createPlaygroundKey, { params });
    for (const change of [
      { expiresAt: new Date(Date.now() - 1_000) },
      { expiresAt: null, status: 'REVOKED' as const },
    ]) {
      await database.orm.manager.update(ApiKey, { id: tenant.userKeyId }, change);
      const answer = await createKey(user, { mcpServerIds: [mcpServerId] });
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).toContain('none of your keys and teams');
    }
  });
});
