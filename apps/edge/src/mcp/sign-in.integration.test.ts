import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpSignIn } from '@tollgate/contracts/node';
import { exportJWK, SignJWT, UnsecuredJWT, type JWK } from 'jose';

import {
  CALL,
  INITIALIZE,
  openEvents,
  result,
  rpcErrorOf,
  SERVER,
  startMcpHarness,
} from './test-support/mcp-harness';

// Access tokens of an organisation's identity provider instead of API keys.

const PUBLIC_URL = 'https://gateway.example';
const PATH = `/v1/mcp/acme/${SERVER}`;
const RESOURCE = `${PUBLIC_URL}${PATH}`;
const ANA_KEY = createHash('sha256').update('the key for ana').digest();
const TEAM_KEY = createHash('sha256').update('the key for the team').digest();

interface Provider {
  readonly issuer: string;
  /** Requests to it, by path. */
  readonly asked: string[];
  away: boolean;
  readonly stop: () => Promise<void>;
}

const signer = generateKeyPairSync('rsa', { modulusLength: 2048 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });

async function startProvider(): Promise<Provider> {
  const jwk: JWK = { ...(await exportJWK(signer.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (provider.away) return void response.writeHead(500).end();
    response.setHeader('content-type', 'application/json');
    const metadata = { issuer: provider.issuer, jwks_uri: `${provider.issuer}/keys` };
    if (request.url === '/.well-known/openid-configuration') response.end(JSON.stringify(metadata));
    else if (request.url === '/keys') response.end(JSON.stringify({ keys: [jwk] }));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: Provider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    away: false,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return provider;
}

let edge: Awaited<ReturnType<typeof startMcpHarness>>;
let provider: Provider;
let version = 0;

beforeAll(async () => {
  edge = await startMcpHarness({
    PUBLIC_EDGE_URL: `${PUBLIC_URL}/`,
    MCP_OAUTH_ORGANISATION: 'acme',
  });
});
afterAll(() => edge.stop());
beforeEach(async () => {
  await edge.reset();
  provider = await startProvider();
  accept();
});
afterEach(() => provider.stop());

/** Each test has an issuer of its own, so nothing of the last one is known; a slug is kept for seconds. */
let organisation = 'acme';
function accept(over: McpSignIn = {}): void {
  version += 1;
  organisation = `acme-${version}`;
  edge.catalog.mcpSignIns.set(organisation, {
    organisationId: '01990000-0000-7000-8000-000000000001',
    version,
    issuer: provider.issuer,
    audiences: ['house'],
    scopes: [],
    rules: [
      { claim: 'email', value: 'ana@acme.example', keySha256: ANA_KEY },
      { claim: 'groups', value: 'tools', keySha256: TEAM_KEY },
    ],
    ...over,
  });
}

const resource = (): string => `${PUBLIC_URL}/v1/mcp/${organisation}/${SERVER}`;

interface TokenOptions {
  readonly key?: KeyObject | Uint8Array;
  readonly header?: { alg: string; kid?: string };
  readonly audience?: string;
  readonly issuer?: string;
  readonly expires?: string;
}

function token(claims: Record<string, unknown>, options: TokenOptions = {}): Promise<string> {
  const { header = { alg: 'RS256', kid: 'k1' }, key = signer.privateKey } = options;
  return new SignJWT({ sub: 'ana', ...claims })
    .setProtectedHeader(header)
    .setIssuer(options.issuer ?? provider.issuer)
    .setAudience(options.audience ?? resource())
    .setIssuedAt()
    .setExpirationTime(options.expires ?? '5m')
    .sign(key);
}

const ANA = { email: 'ana@acme.example', email_verified: true };

function send(
  message: object,
  authorization: string | undefined,
  headers: Record<string, string> = {},
  path = `/v1/mcp/${organisation}/${SERVER}`,
): Promise<Response> {
  return fetch(edge.edge.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(authorization === undefined ? {} : { authorization }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

test('a client without a token learns where it can sign in', async () => {
  const response = await send(CALL, undefined);
  expect(response.status).toBe(401);
  const url = `${PUBLIC_URL}/.well-known/oauth-protected-resource/v1/mcp/${organisation}/${SERVER}`;
  expect(response.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${url}"`);
  const document = await fetch(edge.edge.url + new URL(url).pathname);
  expect(document.headers.get('access-control-allow-origin')).toBe('*');
  expect(await document.json()).toEqual({
    resource: resource(),
    authorization_servers: [provider.issuer],
    bearer_methods_supported: ['header'],
    resource_name: `MCP server ${SERVER}`,
  });
});

test('an organisation that is unknown has no metadata, and the server is not looked up', async () => {
  const at = (path: string) =>
    fetch(`${edge.edge.url}/.well-known/oauth-protected-resource/v1/mcp/${path}`);
  expect((await at('nobody/files')).status).toBe(404);
  expect((await at(`${organisation}/no-such-server`)).status).toBe(200);
});

test('a token stands for the key of the first rule that it matches, and goes no further', async () => {
  const sent = await token(ANA);
  const response = await send(CALL, `Bearer ${sent}`);
  expect(response.status).toBe(200);
  expect(edge.policy.authorized.at(-1)).toMatchObject({ keySha256: ANA_KEY });
  expect(JSON.stringify(edge.upstream.received)).not.toContain(sent.slice(0, 40));
  const ofTeam = await token({ groups: ['others', 'tools'] }, { audience: 'house' });
  expect((await send(CALL, `Bearer ${ofTeam}`)).status).toBe(200);
  expect(edge.policy.authorized.at(-1)).toMatchObject({ keySha256: TEAM_KEY });
});

test('an address that the provider has not verified matches nothing', async () => {
  const response = await send(CALL, `Bearer ${await token({ email: 'ana@acme.example' })}`);
  expect(response.status).toBe(403);
  expect(await rpcErrorOf(response)).toMatchObject({
    error: { message: expect.stringContaining('No rule'), data: { code: 'mcp_access_denied' } },
  });
});

const publicPem = signer.publicKey.export({ type: 'spki', format: 'pem' });

test.each([
  ['for another audience', () => token(ANA, { audience: 'elsewhere' })],
  ['of another issuer', () => token(ANA, { issuer: 'https://id.example' })],
  ['that has expired', () => token(ANA, { expires: '-5m' })],
  ['of a stranger', () => token(ANA, { key: stranger.privateKey })],
  [
    'signed with the public key as a secret',
    () => token(ANA, { header: { alg: 'HS256', kid: 'k1' }, key: Buffer.from(publicPem) }),
  ],
  [
    'without a signature',
    async () => {
      const unsigned = new UnsecuredJWT(ANA).setIssuer(provider.issuer).setAudience(resource());
      return `${unsigned.encode()}AA`;
    },
  ],
  ['that is too long', () => token({ ...ANA, more: 'x'.repeat(8_192) })],
])('a token %s is refused, and asks to sign in again', async (_, make) => {
  const response = await send(CALL, `Bearer ${await make()}`);
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toMatch(
    /^Bearer resource_metadata="[^"]+", error="invalid_token"$/,
  );
  expect(await rpcErrorOf(response)).toMatchObject({
    error: { data: { code: 'invalid_api_key' } },
  });
  expect(edge.upstream.received).toHaveLength(0);
});

test('a missing scope is named', async () => {
  accept({ scopes: ['mcp:tools', 'mcp:read'] });
  const without = await send(CALL, `Bearer ${await token({ ...ANA, scope: 'mcp:read' })}`);
  expect(without.status).toBe(403);
  expect(without.headers.get('www-authenticate')).toContain(
    'error="insufficient_scope", scope="mcp:tools mcp:read"',
  );
  const both = await token({ ...ANA, scope: 'mcp:read mcp:tools' });
  expect((await send(CALL, `Bearer ${both}`)).status).toBe(200);
});

test('a session is of one person, also where others share the key', async () => {
  accept({ rules: [{ claim: 'sub', value: '*', keySha256: TEAM_KEY }] });
  edge.upstream.script = (res, received) =>
    result(res, received, {}, { 'mcp-session-id': 'upstream-1' });
  const ana = `Bearer ${await token({ sub: 'ana' })}`;
  const bob = `Bearer ${await token({ sub: 'bob' })}`;
  const begun = await send(INITIALIZE, ana);
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  expect((await send(CALL, ana, session)).status).toBe(200);
  expect((await send(CALL, bob, session)).status).toBe(404);
});

test('an event stream ends with the token by which it was opened', async () => {
  edge.upstream.script = (res) => openEvents(res);
  const response = await fetch(`${edge.edge.url}/v1/mcp/${organisation}/${SERVER}`, {
    headers: {
      authorization: `Bearer ${await token(ANA, { expires: '3s' })}`,
      accept: 'text/event-stream',
    },
  });
  expect(response.status).toBe(200);
  // It has no request that an error could answer.
  expect(await response.text()).toBe('');
});

test('made-up tokens cause no requests to the provider', async () => {
  expect((await send(CALL, `Bearer ${await token(ANA)}`)).status).toBe(200);
  const before = provider.asked.length;
  for (let n = 0; n < 20; n += 1) {
    const header = { alg: 'RS256', kid: `made-up-${n}` };
    const forged = await token(ANA, { header, key: stranger.privateKey });
    expect((await send(CALL, `Bearer ${forged}`)).status).toBe(401);
  }
  expect(provider.asked.length).toBe(before);
});

test('a provider that is away is 503, once and for a while', async () => {
  provider.away = true;
  for (let n = 0; n < 3; n += 1) {
    const response = await send(CALL, `Bearer ${await token(ANA)}`);
    expect(response.status).toBe(503);
    expect(await rpcErrorOf(response)).toMatchObject({
      error: {
        data: { code: 'dependency_unavailable', details: { dependency: 'identity_provider' } },
      },
    });
  }
  // Both places of the metadata, once.
  expect(provider.asked).toHaveLength(2);
});

test('an API key needs no organisation in the path, and is refused there', async () => {
  const response = await send(CALL, `Bearer tg_${'a'.repeat(43)}`);
  expect(response.status).toBe(401);
  expect((await rpcErrorOf(response)).error.message).toContain(`/v1/mcp/${SERVER}`);
});

test('the organisation of an installation needs none in the path either', async () => {
  edge.catalog.mcpSignIns.set('acme', {
    organisationId: '01990000-0000-7000-8000-000000000002',
    version: 1,
    issuer: provider.issuer,
    rules: [{ claim: 'sub', value: 'ana', keySha256: ANA_KEY }],
  });
  const path = `/v1/mcp/${SERVER}`;
  const unsigned = await send(CALL, undefined, {}, path);
  expect(unsigned.headers.get('www-authenticate')).toBe(
    `Bearer resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource${path}"`,
  );
  const sent = await token({}, { audience: PUBLIC_URL + path });
  expect((await send(CALL, `Bearer ${sent}`, {}, path)).status).toBe(200);
  expect((await edge.rpc(CALL)).status).toBe(200);
});

test('without an address of its own the gateway accepts no tokens', async () => {
  const alone = await startMcpHarness();
  try {
    alone.catalog.mcpSignIns.set('acme', { issuer: provider.issuer });
    const url = `${alone.edge.url}/.well-known/oauth-protected-resource${PATH}`;
    expect((await fetch(url)).status).toBe(404);
    const response = await fetch(alone.edge.url + PATH, {
      method: 'POST',
      headers: { authorization: `Bearer ${await token(ANA, { audience: RESOURCE })}` },
    });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  } finally {
    await alone.stop();
  }
});
