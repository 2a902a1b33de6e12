import { mcpSecretContext, openSecret, sealSecret } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import { McpServer } from '../entities/mcp-server.entity';
import { ApiKeyMcpAccess } from '../resources/apikeys/api-key-mcp-access.entity';
import { TEST_KEY_RING } from '../rest/test-support';
import type { Database } from '../schema';
import { createTenant, startTestDatabases, type Tenant, type TestDatabases } from '../test-support';
import { getMcpConnection } from './get-mcp-connection';
import { resolveKey } from './resolve-key';
import { resolveKeys } from './resolve-keys';

let databases: TestDatabases;
let database: Database;
let tenant: Tenant;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
});
afterAll(() => databases.stop());
beforeEach(async () => {
  tenant = await createTenant(database.orm);
});

let made = 0;
async function addServer(over: Partial<McpServer> = {}, of = tenant): Promise<string> {
  const id = over.id ?? uuidv7();
  await database.orm.manager.insert(McpServer, {
    id,
    organisationId: of.organisationId,
    identifier: `s-${(made += 1)}`,
    name: 'A server',
    transport: 'STREAMABLE_HTTP',
    url: 'https://tools.example/mcp',
    ...over,
  });
  return id;
}

async function grant(mcpServerId: string, rules: ApiKeyMcpAccess['rules'] = {}): Promise<void> {
  const { organisationId, apiKeyId } = tenant;
  const row = { organisationId, apiKeyId, mcpServerId, rules };
  await database.orm.manager.insert(ApiKeyMcpAccess, row);
}

const only = { allowed: ['read_*'], denied: ['read_secret'] };

test('a key comes with the servers of its organisation, and with its own grants of them', async () => {
  const id = await addServer({
    identifier: 'search',
    callNanoUsd: 2_000_000n,
    toolNanoUsd: { search: '10000000' },
    chargeFailures: true,
    rules: { tools: only },
    pinnedTools: [{ name: 'search', sha256: 'ab'.repeat(32) }],
    connectionVersion: 7,
  });
  const plain = await addServer();
  const off = await addServer({ status: 'DISABLED' });
  await addServer({}, await createTenant(database.orm));
  await grant(id, { resources: only });
  await grant(off);

  const { context } = await resolveKey(database.pool, tenant.keySha256);
  expect(context?.mcpServerIds).toEqual([id]);
  expect(context?.mcpGrants).toEqual([
    { serverId: id, rules: { tools: null, prompts: null, resources: only } },
  ]);
  const everything = { tools: null, prompts: null, resources: null };
  expect(context?.mcpServers).toEqual([
    {
      serverId: id,
      identifier: 'search',
      connectionVersion: 7,
      callNanoUsd: '2000000',
      toolNanoUsd: { search: '10000000' },
      chargeFailures: true,
      region: '',
      rules: { ...everything, tools: only },
      pins: [{ tool: 'search', sha256: Buffer.alloc(32, 0xab) }],
    },
    expect.objectContaining({ serverId: plain, callNanoUsd: '0', rules: everything, pins: [] }),
  ]);
});

test('the digest of the organisation covers its servers', async () => {
  const id = await addServer();
  const digest = async (known: Buffer[] = []) => {
    const { organisations, keys } = await resolveKeys(database.pool, [tenant.keySha256], {
      knownDigests: known,
    });
    expect(keys[0]?.context?.mcpServers).toBeUndefined();
    return organisations[0];
  };
  const first = await digest();
  expect(first?.mcpServers).toMatchObject([{ serverId: id }]);
  expect(await digest([first?.digest as Buffer])).toEqual({ digest: first?.digest, known: true });
  const changes: Partial<McpServer>[] = [
    { callNanoUsd: 1n },
    { toolNanoUsd: { a: '1' } },
    { chargeFailures: true },
    { rules: { prompts: only } },
    { pinnedTools: [{ name: 'a', sha256: 'cd'.repeat(32) }] },
    { connectionVersion: 2 },
    { status: 'DISABLED' },
  ];
  const seen = new Set([String(first?.digest?.toString('hex'))]);
  for (const change of changes) {
    await database.orm.manager.update(McpServer, { id }, change);
    seen.add(String((await digest())?.digest?.toString('hex')));
  }
  expect(seen.size).toBe(1 + changes.length);
});

test('a connection has what a caller needs to reach the server, and its sealed secret', async () => {
  const id = uuidv7();
  const sealed = sealSecret(TEST_KEY_RING, 'a secret', mcpSecretContext(id));
  const auth = {
    type: 'OAUTH_CLIENT_CREDENTIALS' as const,
    tokenUrl: 'https://id.example/token',
    clientId: 'tollgate',
    scope: null,
    resource: 'https://tools.example/mcp',
  };
  await addServer({
    id,
    identifier: 'search',
    headers: { 'x-team': 'a' },
    auth,
    connectTimeoutMs: 700,
    idleTimeoutMs: 800,
    connectionVersion: 3,
    secretKeyId: sealed.keyId,
    secretNonce: sealed.nonce,
    secretCiphertext: sealed.ciphertext,
    secretTag: sealed.tag,
  });
  const connection = await getMcpConnection(database.pool, id);
  const { secret, ...open } = connection ?? {};
  expect(open).toEqual({
    serverId: id,
    version: 3,
    organisationId: tenant.organisationId,
    identifier: 'search',
    transport: 'STREAMABLE_HTTP',
    url: 'https://tools.example/mcp',
    command: '',
    headers: { 'x-team': 'a' },
    connectTimeoutMs: 700,
    idleTimeoutMs: 800,
    auth: { ...auth, scope: '' },
    region: '',
  });
  expect(secret).toMatchObject({ apiKeyId: '', weight: 1 });
  const { keyId, nonce, ciphertext, tag } = secret as typeof sealed;
  expect(openSecret(TEST_KEY_RING, { keyId, nonce, ciphertext, tag }, mcpSecretContext(id))).toBe(
    'a secret',
  );
});

test('a row of the release before sends its secret as a bearer token, a command none', async () => {
  const secret = {
    secretKeyId: 'k',
    secretNonce: Buffer.alloc(12),
    secretCiphertext: Buffer.alloc(8),
    secretTag: Buffer.alloc(16),
  };
  const stdio = { transport: 'STDIO' as const, url: null, command: 'files' };
  const typeOf = async (over: Partial<McpServer>) =>
    (await getMcpConnection(database.pool, await addServer(over)))?.auth?.type;
  expect(await typeOf({})).toBe('NONE');
  expect(await typeOf(secret)).toBe('BEARER');
  expect(await typeOf({ ...secret, ...stdio })).toBe('NONE');
});

test('a deleted or unknown server has no connection', async () => {
  const id = await addServer({ status: 'ARCHIVED' });
  expect(await getMcpConnection(database.pool, id)).toBeUndefined();
  expect(await getMcpConnection(database.pool, uuidv7())).toBeUndefined();
});
