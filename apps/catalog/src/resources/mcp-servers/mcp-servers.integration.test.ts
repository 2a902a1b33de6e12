import { rest } from '@tollgate/contracts';
import { mcpSecretContext, openSecret, parseKeyRing } from '@tollgate/contracts/node';

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
  const auth = { type: 'HEADER' as const, header: 'X-Key', template: 'key {{secret}}' };
  const headers = { 'x-team': 'inward' };
  const made = await create({ secret: SECRET, auth, headers });
  const grant = { ...at(made.id), body: { apiKeyIds: [tenant.userKeyId] } };
  await server.ok(admin, rest.addMcpGrants, grant);
  expect(await server.ok(admin, rest.getMcpServer, at(made.id))).toMatchObject({ auth, headers });
  const less = { command: null, auth: null, headers: {} };
  const { MANAGER, USER } = tenant.callers;
  for (const who of [MANAGER, USER]) {
    expect(await server.ok(who, rest.getMcpServer, at(made.id))).toEqual({ ...made, ...less });
    const { data } = await server.ok(who, rest.listMcpServers, { params });
    expect(data.find(({ id }) => id === made.id)).toEqual({ ...made, ...less });
  }

  const change = { headers: { 'x-team': 'outward' }, name: 'Found' };
  await server.ok(server.root, rest.updateMcpServer, { ...at(made.id), body: change });
  const query = { targetId: made.id };
  const trail = await server.ok(admin, rest.listAuditEvents, { params, query });
  expect(JSON.stringify(trail)).not.toMatch(/inward|outward/);
  expect(trail.data[0]?.after).toEqual({
    name: 'Found',
    headers: { 'x-team': '[redacted]' },
    connectionVersion: 2,
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

const OAUTH = (tokenUrl: string) => ({
  type: 'OAUTH_CLIENT_CREDENTIALS' as const,
  tokenUrl,
  clientId: 'tollgate',
});

const REFUSED: readonly (readonly [object, string])[] = [
  [{ url: undefined }, 'url'],
  [{ command: 'run' }, 'command'],
  [{ transport: 'STDIO' as const, url: undefined }, 'command'],
  [{ transport: 'STDIO' as const, url: undefined, command: 'run' }, 'transport'],
  [{ url: 'http://169.254.169.254/' }, 'url'],
  [{ identifier: 'Not This' }, 'identifier'],
  [{ headers: { authorization: 'x' } }, 'headers.authorization'],
  [{ auth: { type: 'BEARER' } }, 'secret'],
  [{ auth: { type: 'NONE' }, secret: SECRET }, 'secret'],
  [{ auth: OAUTH('http://169.254.169.254/'), secret: SECRET }, 'auth.tokenUrl'],
  [
    {
      auth: { type: 'HEADER', header: 'X-Team' },
      secret: SECRET,
      headers: { 'x-team': 'a' },
    },
    'headers.x-team',
  ],
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
  const made = await server.ok(server.root, rest.createMcpServer, {
    params,
    body: { ...body, secret: SECRET },
  });
  // The command gets the secret itself, so nothing is sent.
  expect(made).toMatchObject({ auth: { type: 'NONE' }, command: 'run' });
  expect(made.secretPreview).not.toBeNull();
  const change = { ...at(made.id), body: { command: 'rm' } };
  expect((await server.refused(admin, rest.updateMcpServer, change)).path).toBe('command');
  const bearer = { ...at(made.id), body: { auth: { type: 'BEARER' as const } } };
  expect((await server.refused(admin, rest.updateMcpServer, bearer)).path).toBe('auth.type');
  const headers = { ...at(made.id), body: { headers: { 'x-team': 'a' } } };
  expect((await server.refused(admin, rest.updateMcpServer, headers)).path).toBe('headers');
  const named = await server.ok(admin, rest.updateMcpServer, {
    ...at(made.id),
    body: { name: 'Mine' },
  });
  expect(named.secretPreview).toBe(made.secretPreview);
});

test('a command line of an earlier release is not activated until a command is named', async () => {
  const body = { identifier: 'local', name: 'Local', transport: 'STDIO' as const, command: 'run' };
  const made = await server.ok(server.root, rest.createMcpServer, { params, body });
  await database.orm.manager.update(
    McpServer,
    { id: made.id },
    { command: 'npx -y thing', args: ['--x'], status: 'DISABLED', statusNote: 'by an upgrade' },
  );
  const change = (who: Who, fields: object) =>
    server.call(who, rest.updateMcpServer, { ...at(made.id), body: fields });
  const refused = await change(admin, { status: 'ACTIVE' });
  expect(refused.status).toBe(422);
  expect(JSON.stringify(refused.body)).toContain('"path":"command"');
  const { body: renamed } = await change(admin, { name: 'Still' });
  expect(renamed).toMatchObject({ statusNote: 'by an upgrade', command: 'npx -y thing' });
  const { body: active } = await change(server.root, { status: 'ACTIVE', command: 'thing' });
  expect(active).toMatchObject({ status: 'ACTIVE', statusNote: null, command: 'thing' });
  const row = await database.orm.manager.findOneByOrFail(McpServer, { id: made.id });
  expect(row.args).toEqual([]);
});

describe('auth', () => {
  const change = (id: string, body: object) =>
    server.call(admin, rest.updateMcpServer, { ...at(id), body });
  const changed = async (id: string, body: object) =>
    server.ok(admin, rest.updateMcpServer, { ...at(id), body });
  const refusedAt = async (id: string, body: object) =>
    (await server.refused(admin, rest.updateMcpServer, { ...at(id), body })).path;

  it('is a bearer token with a secret, and nothing without one', async () => {
    const made = await create({ secret: SECRET });
    expect(made.auth).toEqual({ type: 'BEARER' });
    expect((await changed(made.id, { secret: null })).auth).toEqual({ type: 'NONE' });
    expect((await changed(made.id, { secret: SECRET })).auth).toEqual({ type: 'BEARER' });
    // Rows of the release before have no auth of their own.
    await database.orm.query('UPDATE mcp_server SET auth = NULL WHERE id = $1', [made.id]);
    expect((await server.ok(admin, rest.getMcpServer, at(made.id))).auth).toEqual({
      type: 'BEARER',
    });
  });

  it('that sends nothing removes the secret', async () => {
    const made = await create({ secret: SECRET });
    const after = await changed(made.id, { auth: { type: 'NONE' } });
    expect(after).toMatchObject({ auth: { type: 'NONE' }, secretPreview: null });
    const row = await database.orm.manager.findOneByOrFail(McpServer, { id: made.id });
    expect([row.secretKeyId, row.secretCiphertext]).toEqual([null, null]);
    expect(await refusedAt(made.id, { auth: { type: 'BEARER' } })).toBe('secret');
  });

  it('does not send a stored secret, or what it obtains, to another host', async () => {
    const made = await create({ secret: SECRET });
    const issuer = OAUTH('https://id.example/token');
    expect(await refusedAt(made.id, { auth: issuer })).toBe('auth.tokenUrl');
    expect((await change(made.id, { auth: issuer, secret: SECRET })).status).toBe(200);
    expect(await refusedAt(made.id, { auth: OAUTH('https://evil.example/token') })).toBe(
      'auth.tokenUrl',
    );
    expect(await refusedAt(made.id, { auth: { type: 'BEARER' } })).toBe('auth.type');
    expect(await refusedAt(made.id, { url: 'https://evil.example/mcp' })).toBe('url');
    const moved = OAUTH('https://id.example/other');
    expect((await changed(made.id, { auth: moved })).auth).toMatchObject(moved);
  });
});

test('the connection version rises with every change of how the server is reached, and no other', async () => {
  const made = await create({ secret: SECRET });
  expect(made.connectionVersion).toBe(1);
  const version = async (body: object) =>
    (await server.ok(admin, rest.updateMcpServer, { ...at(made.id), body })).connectionVersion;
  const same = [
    { name: 'Other' },
    { callPriceUsd: '1' },
    { tools: { allowed: ['a'] } },
    { pinnedTools: [] },
    { status: 'DISABLED' as const },
    { url },
    { idleTimeoutMs: 60_000 },
    { auth: { type: 'BEARER' as const } },
  ];
  for (const body of same) expect([body, await version(body)]).toEqual([body, 1]);
  const others = [
    { url: `${url}/v2` },
    { headers: { 'x-team': 'a' } },
    { auth: { type: 'HEADER' as const, header: 'x-key' } },
    { secret: 'another-secret-0123456789' },
    { connectTimeoutMs: 1_000 },
    { idleTimeoutMs: 1_000 },
    { timeoutMs: 2_000 },
    { secret: null },
  ];
  for (const [at, body] of others.entries()) {
    expect([body, await version(body)]).toEqual([body, at + 2]);
  }
});

test('prices, rules and pins are kept as they were given', async () => {
  const settings = {
    callPriceUsd: '0.002',
    toolPricesUsd: { search: '0.01', get_password: '1.5' },
    chargeFailures: true,
    tools: { allowed: ['search', 'read_*'], denied: ['read_secret'] },
    resources: { allowed: [], denied: [] },
    pinnedTools: [{ name: 'search', sha256: 'a'.repeat(64) }],
  };
  const made = await create({ ...settings, timeoutMs: 5_000, connectTimeoutMs: 700 });
  const everything = { allowed: ['*'], denied: [] };
  expect(made).toMatchObject({
    ...settings,
    toolPricesUsd: { search: '0.01', get_password: '1.50' },
    prompts: everything,
    idleTimeoutMs: 5_000,
    timeoutMs: 5_000,
    connectTimeoutMs: 700,
  });
  const pinnedTools = [{ name: 'search', sha256: 'b'.repeat(64) }];
  const body = { tools: {}, pinnedTools, toolPricesUsd: {} };
  const changed = await server.ok(admin, rest.updateMcpServer, { ...at(made.id), body });
  expect(changed).toMatchObject({
    callPriceUsd: '0.002',
    toolPricesUsd: {},
    tools: everything,
    resources: settings.resources,
    pinnedTools,
  });
  const query = { targetId: made.id };
  const trail = await server.ok(admin, rest.listAuditEvents, { params, query });
  expect(trail.data[0]).toMatchObject({
    before: {
      pinnedTools: [`search: ${'a'.repeat(64)}`],
      toolPricesUsd: ['search: 0.01', 'get_password: 1.50'],
    },
    after: { pinnedTools: [`search: ${'b'.repeat(64)}`], toolPricesUsd: [] },
  });
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
