import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';

import { eventually, newTenant, sharedGateway, type SharedGateway, type Tenant } from '.';
import { ERAS, rpc, type Mode } from './mcp/client';
import { registerServer, type RegisteredServer } from './mcp/server';

// The official client signs in at a real authorization server, which it finds by what the gateway tells it.

const SECRETS = { app: 'secret-of-the-app', other: 'secret-of-the-other' } as const;
type ClientId = keyof typeof SECRETS;

let gateway: SharedGateway;
let tenant: Tenant;
let server: RegisteredServer;
let keyId = '';
let issuer = '';
let slug = '';
let authorizationServer: ChildProcess | undefined;

beforeAll(async () => {
  gateway = await sharedGateway();
  issuer = await startAuthorizationServer();
  tenant = await newTenant(gateway);
  slug = await slugOf(tenant);
  server = await registerServer(gateway, tenant, 'tools', { simulated: 'sign-in' });
  ({ id: keyId } = await tenant.key({ mcpServerIds: [server.id] }));
  await accept({ rules: [{ claim: 'sub', value: 'app', apiKeyId: keyId }] });
});
afterAll(async () => {
  authorizationServer?.stdin?.end();
});

async function startAuthorizationServer(): Promise<string> {
  const program = join(__dirname, 'mcp/authorization-server.mjs');
  const clients = Object.entries(SECRETS).flat();
  const child = spawn(process.execPath, [program, ...clients], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  authorizationServer = child;
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return line;
}

async function slugOf({ base }: Tenant): Promise<string> {
  const { data } = await gateway.rest.get(base);
  return (data as { slug: string }).slug;
}

async function accept(over: object): Promise<void> {
  const { status, data } = await gateway.rest.put(`${tenant.base}/mcp-sign-in`, {
    issuer,
    ...over,
  });
  expect({ status, data }).toMatchObject({ status: 200 });
}

const url = (): string => `${gateway.edgeUrl()}/v1/mcp/${slug}/${server.identifier}`;

async function signedIn(clientId: ClientId, mode: Mode): Promise<Client> {
  const authProvider = new ClientCredentialsProvider({
    clientId,
    clientSecret: SECRETS[clientId],
    expectedIssuer: issuer,
  });
  const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url()), { authProvider }));
  return client;
}

/** A token for a resource, as clients get it. */
async function tokenFor(clientId: ClientId, resource: string): Promise<string> {
  const pair = Buffer.from(`${clientId}:${SECRETS[clientId]}`).toString('base64');
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${pair}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

test.each(ERAS)('%s: the client finds the provider, signs in and calls a tool', async (_, mode) => {
  const client = await signedIn('app', mode);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('sim_echo');
  const { content } = await client.callTool({ name: 'sim_echo', arguments: { n: 1 } });
  expect(content).toMatchObject([{ text: '{"n":1}' }]);
  await client.close();
});

test('the server never sees the token, and the books name the key', async () => {
  const token = await tokenFor('app', url());
  const answer = await rpc(url(), token, 'tools/call', { name: 'sim_echo', arguments: {} });
  expect(answer.status).toBe(200);
  const requests = await fetch(`${gateway.simulatorUrl}/_sim/mcp/requests?server=sign-in`);
  expect(await requests.text()).not.toContain(token.slice(0, 60));
  const id = answer.headers.get('x-tollgate-request-id') ?? '';
  await eventually('the call is booked', async () => {
    const { status, data } = await gateway.rest.get(`${tenant.base}/usage/mcp-records/${id}`);
    return status === 200 && (data as { apiKeyId: string }).apiKeyId === keyId;
  });
});

test('a token for another resource is refused', async () => {
  const token = await tokenFor('app', 'https://elsewhere.example/mcp');
  const answer = await rpc(url(), token, 'tools/list');
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
});

test('an account that no rule names is refused, and served once a rule does', async () => {
  const token = await tokenFor('other', url());
  expect((await rpc(url(), token, 'tools/list')).status).toBe(403);
  await accept({ rules: [{ claim: 'sub', value: '*', apiKeyId: keyId }] });
  await eventually(
    'the rule counts',
    async () => (await rpc(url(), token, 'tools/list')).status === 200,
  );
});

test('a revoked key ends what its tokens may do', async () => {
  const { id } = await tenant.key({ name: 'short', mcpServerIds: [server.id] });
  await accept({ rules: [{ claim: 'sub', value: 'app', apiKeyId: id }] });
  const token = await tokenFor('app', url());
  await eventually('the rule counts', async () => {
    await gateway.rest.post(`${tenant.base}/apikeys/${id}/revoke`);
    return (await rpc(url(), token, 'tools/list')).status === 401;
  });
});
