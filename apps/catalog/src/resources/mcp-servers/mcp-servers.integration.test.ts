import { rest } from '@tollgate/contracts';
import { openSecret, parseKeyRing } from '@tollgate/contracts/node';

import { resolveKey } from '../../directory/resolve-key';
import { ApiKey } from '../../entities/api-key.entity';
import { McpServer } from '../../entities/mcp-server.entity';
import {
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { mcpSecretContext } from '../../secrets';
import { startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };

let tenants = 0;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
});
beforeEach(async () => {
  tenant = await createTenant(server, `tenant-${(tenants += 1)}`);
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const SECRET = 'mcp-secret-0123456789';
const url = 'https://tools.example/mcp';
const create = (body: object) =>
  server.ok(admin, rest.createMcpServer, {
    params,
    body: { identifier: 'search', name: 'Search', url, ...body },
  });
const at = (mcpServerId: string) => ({ params: { ...params, mcpServerId } });

/** The MCP servers that the data plane permits for a key. */
async function allowed(apiKeyId: string): Promise<readonly string[]> {
  const { keySha256 } = await database.orm.manager.findOneByOrFail(ApiKey, { id: apiKeyId });
  const { context } = await resolveKey(database.pool, keySha256);
  return context?.mcpServerIds ?? [];
}

test('a server is made, changed by tag and deleted with its secret and its grants', async () => {
  const made = await create({ secret: SECRET, headers: { 'x-team': 'a' } });
  expect(made).toMatchObject({ transport: 'STREAMABLE_HTTP', status: 'ACTIVE' });
  expect(made.secretPreview).not.toContain(SECRET);
  const row = await database.orm.manager.findOneByOrFail(McpServer, { id: made.id });
  const sealed = {
    keyId: row.secretKeyId ?? '',
    nonce: row.secretNonce ?? Buffer.alloc(0),
    ciphertext: row.secretCiphertext ?? Buffer.alloc(0),
    tag: row.secretTag ?? Buffer.alloc(0),
  };
  const ring = parseKeyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`);
  expect(openSecret(ring, sealed, mcpSecretContext(made.id))).toBe(SECRET);

  const { headers } = await server.call(admin, rest.getMcpServer, at(made.id));
  const change = {
    ...at(made.id),
    body: { name: 'Find', secret: null },
    headers: { 'if-match': headers.get('etag') ?? '' },
  };
  const changed = await server.ok(admin, rest.updateMcpServer, change);
  expect(changed).toMatchObject({ name: 'Find', secretPreview: null });
  expect((await server.refused(admin, rest.updateMcpServer, change)).status).toBe(412);
  const taken = { params, body: { identifier: 'search', name: 'Other', url } };
  expect(await server.refused(admin, rest.createMcpServer, taken)).toMatchObject({
    status: 409,
    path: 'identifier',
  });

  const grant = { ...at(made.id), body: { apiKeyIds: [tenant.teamKeyId] } };
  await server.ok(admin, rest.addMcpGrants, grant);
  expect(await allowed(tenant.teamKeyId)).toEqual([made.id]);
  await server.ok(admin, rest.deleteMcpServer, at(made.id));
  expect(await allowed(tenant.teamKeyId)).toEqual([]);
  expect((await server.refused(admin, rest.getMcpServer, at(made.id))).status).toBe(404);
  await server.ok(admin, rest.createMcpServer, taken);
  const trail = await database.orm.query(`SELECT details FROM audit_event`);
  expect(JSON.stringify(trail)).not.toContain(SECRET);
});

test('a stored secret is not sent to another host by a change of the address', async () => {
  const made = await create({ secret: SECRET });
  const moved = { url: 'https://elsewhere.example/mcp' };
  const change = (body: object) => ({ ...at(made.id), body });
  const refused = await server.refused(admin, rest.updateMcpServer, change(moved));
  expect([refused.status, refused.path]).toEqual([422, 'url']);
  await server.ok(admin, rest.updateMcpServer, change({ url: 'https://tools.example/other' }));
  const given = change({ ...moved, secret: 'another-secret-0123456789' });
  expect((await server.ok(admin, rest.updateMcpServer, given)).url).toBe(moved.url);
});

test('how a server is run and what it is sent is told to those who may change it', async () => {
  const body = { identifier: 'local', name: 'Local', command: 'run', args: ['--token', 'private'] };
  const stdio = { ...body, transport: 'STDIO' as const, headers: { 'x-team': 'inward' } };
  const made = await server.ok(server.root, rest.createMcpServer, { params, body: stdio });
  const grant = { ...at(made.id), body: { apiKeyIds: [tenant.userKeyId] } };
  await server.ok(admin, rest.addMcpGrants, grant);
  const whole = { command: 'run', args: body.args, headers: stdio.headers };
  expect(await server.ok(admin, rest.getMcpServer, at(made.id))).toMatchObject(whole);
  const less = { command: null, args: [], headers: {} };
  const { MANAGER, USER } = tenant.callers;
  for (const who of [MANAGER, USER]) {
    expect(await server.ok(who, rest.getMcpServer, at(made.id))).toEqual({ ...made, ...less });
    const { data } = await server.ok(who, rest.listMcpServers, { params });
    expect(data.find(({ id }) => id === made.id)).toEqual({ ...made, ...less });
  }

  const change = { args: ['--other'], headers: { 'x-team': 'outward' } };
  await server.ok(server.root, rest.updateMcpServer, { ...at(made.id), body: change });
  const query = { targetId: made.id };
  const trail = await server.ok(admin, rest.listAuditEvents, { params, query });
  expect(JSON.stringify(trail)).not.toMatch(/private|inward|--other|outward/);
  expect(trail.data[0]?.after).toEqual({
    args: ['[redacted]'],
    headers: { 'x-team': '[redacted]' },
  });
});

test('a list is filtered by transport, status, name and the key that is granted', async () => {
  const made = await create({ transport: 'SSE', status: 'DISABLED' });
  const ids = async (query: object) =>
    (await server.ok(admin, rest.listMcpServers, { params, query })).data.map(({ id }) => id);
  expect(await ids({})).toEqual([made.id, tenant.mcpServerId]);
  expect(await ids({ transport: 'SSE' })).toEqual([made.id]);
  expect(await ids({ status: 'ACTIVE' })).toEqual([tenant.mcpServerId]);
  expect(await ids({ search: 'sear' })).toEqual([made.id]);
  expect(await ids({ apiKeyId: tenant.userKeyId })).toEqual([tenant.mcpServerId]);
});

const REFUSED: readonly (readonly [object, string])[] = [
  [{ url: undefined }, 'url'],
  [{ command: 'run' }, 'command'],
  [{ args: ['x'] }, 'args'],
  [{ transport: 'STDIO' as const, url: undefined }, 'command'],
  [{ transport: 'STDIO' as const, url: undefined, command: 'run' }, 'transport'],
  [{ url: 'http://169.254.169.254/' }, 'url'],
  [{ identifier: 'Not This' }, 'identifier'],
  [{ headers: { authorization: 'x' } }, 'headers.authorization'],
];

test('what does not fit is refused by its field', async () => {
  for (const [changes, path] of REFUSED) {
    const body = { identifier: 'search', name: 'Search', url, ...changes };
    const refused = await server.refused(admin, rest.createMcpServer, { params, body });
    expect(refused).toMatchObject({ status: 422, path });
  }
});

test('a server that runs a command is set up by the platform alone', async () => {
  const body = { identifier: 'local', name: 'Local', transport: 'STDIO' as const, command: 'run' };
  const made = await server.ok(server.root, rest.createMcpServer, { params, body });
  const change = { ...at(made.id), body: { command: 'rm' } };
  expect((await server.refused(admin, rest.updateMcpServer, change)).path).toBe('command');
  await server.ok(admin, rest.updateMcpServer, { ...at(made.id), body: { name: 'Mine' } });
});

describe('grants', () => {
  it('to a team reach its present keys, and again change nothing', async () => {
    const made = await create({});
    const grant = { ...at(made.id), body: { teamIds: [tenant.teamId] } };
    const first = await server.ok(admin, rest.addMcpGrants, grant);
    expect(first.added).toBe(2);
    expect(new Set(first.apiKeyIds)).toEqual(new Set([tenant.teamKeyId, tenant.userKeyId]));
    expect((await server.ok(admin, rest.addMcpGrants, grant)).added).toBe(0);
    expect(await allowed(tenant.organisationKeyId)).toEqual([]);
  });

  it('to what is not there are refused by their place', async () => {
    const rival = await createTenant(server, `rival-${tenants}`);
    const refusedAt = async (body: object) =>
      (
        await server.refused(admin, rest.addMcpGrants, {
          params: { ...params, mcpServerId: tenant.mcpServerId },
          body,
        })
      ).path;
    expect(await refusedAt({ apiKeyIds: [tenant.userKeyId, rival.userKeyId] })).toBe(
      'apiKeyIds[1]',
    );
    expect(await refusedAt({ teamIds: [rival.teamId] })).toBe('teamIds[0]');
    expect(await refusedAt({})).toBe('apiKeyIds');
  });

  it('of a key are set whole; a user gives only what the own keys have', async () => {
    const user = tenant.callers.USER;
    const made = await create({});
    const own = { params: { ...params, apiKeyId: tenant.userKeyId } };
    const set = (mcpServerIds: string[]) => ({ ...own, body: { mcpServerIds } });
    const listed = async () =>
      (await server.ok(user, rest.listMcpServers, { params })).data.map(({ id }) => id);
    expect(await listed()).toEqual([tenant.mcpServerId]);
    expect((await server.refused(user, rest.getMcpServer, at(made.id))).status).toBe(404);
    const refused = await server.refused(
      user,
      rest.setApiKeyMcpServers,
      set([tenant.mcpServerId, made.id]),
    );
    expect(refused).toMatchObject({ status: 422, path: 'mcpServerIds[1]' });
    const both = [tenant.mcpServerId, made.id].toSorted();
    await server.ok(admin, rest.setApiKeyMcpServers, set(both));
    expect((await server.ok(user, rest.getApiKeyMcpServers, own)).mcpServerIds).toEqual(both);
    expect(await allowed(tenant.userKeyId)).toHaveLength(2);
    await server.ok(user, rest.setApiKeyMcpServers, set([made.id]));
    expect(await allowed(tenant.userKeyId)).toEqual([made.id]);
  });
});

test('a user sees the models that may be given to a key, and no others', async () => {
  const body = { name: 'secret-model', providerId: tenant.providerId };
  await server.ok(admin, rest.createModel, { params, body });
  const names = async (who: Who, query: object = {}) =>
    (await server.ok(who, rest.listGrantableModels, { params, query })).data.map(
      ({ name }) => name,
    );
  expect(await names(tenant.callers.USER)).toEqual(['gpt-test']);
  expect(await names(tenant.callers.MANAGER)).toEqual(['gpt-test', 'secret-model']);
  expect(await names(admin, { sort: '-name', limit: 1 })).toEqual(['secret-model']);
  expect(await names(admin, { search: 'secret', type: 'chat' })).toEqual(['secret-model']);
  const [model] = (await server.ok(tenant.callers.USER, rest.listGrantableModels, { params })).data;
  const key = { name: 'mine', type: 'USER' as const, modelIds: [model?.id ?? ''] };
  await server.ok(tenant.callers.USER, rest.createApiKey, { params, body: key });
});
