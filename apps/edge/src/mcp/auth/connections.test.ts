import {
  parseKeyRing,
  sealSecret,
  secretContext,
  type McpAuth__Output,
  type McpConnection__Output,
} from '@tollgate/contracts/node';

import { AGENTS } from '../../test-support/agents';
import { KEY_RING } from '../../test-support/fake-catalog';
import { startFakeUpstream } from '../../test-support/fake-upstream';
import { createAgents, type Agents } from '../../upstream/agents';
import { createMcpConnections, type McpConnectionsDeps } from './connections';

const RING = parseKeyRing(KEY_RING);
const SECRET = 'mcp-secret-0123456789';
const ANY_AUTH: McpAuth__Output = {
  type: 'NONE',
  header: '',
  template: '',
  tokenUrl: '',
  clientId: '',
  scope: '',
  resource: '',
};

function sealed(secret: string, serverId = 'server-1') {
  const parts = sealSecret(RING, secret, secretContext('mcp-server', serverId));
  return { apiKeyId: '', name: '', weight: 1, ...parts };
}

function material(over: Partial<McpConnection__Output> = {}): McpConnection__Output {
  return {
    serverId: 'server-1',
    version: 3,
    organisationId: 'org-1',
    identifier: 'files',
    transport: 'STREAMABLE_HTTP',
    url: 'http://127.0.0.1:9/mcp?a=b',
    command: '',
    headers: {},
    connectTimeoutMs: 0,
    idleTimeoutMs: 0,
    auth: null,
    secret: null,
    region: '',
    ...over,
  };
}

const auth = (over: Partial<McpAuth__Output>, secret = SECRET) =>
  material({ auth: { ...ANY_AUTH, ...over }, secret: sealed(secret) });

let agents: Agents;
beforeEach(() => {
  agents = createAgents(AGENTS);
});
afterEach(() => agents.close());

function create(
  reply: (version: number) => McpConnection__Output | undefined = () => material(),
  over: Partial<McpConnectionsDeps> = {},
) {
  const asked: string[] = [];
  const leases = { opened: 0, released: 0 };
  let nowMs = 0;
  const connections = createMcpConnections({
    fetch: async (serverId, version) => {
      asked.push(`${serverId}:${version}`);
      return reply(version);
    },
    keyRing: RING,
    agents: {
      open: (origin, timeoutMs) => {
        const { agent, release } = agents.open(origin, timeoutMs);
        leases.opened += 1;
        return {
          agent,
          release: () => {
            leases.released += 1;
            release();
          },
        };
      },
    },
    timeouts: { connectMs: 11_000, idleMs: 22_000 },
    nowMs: () => nowMs,
    ...over,
  });
  return { connections, asked, leases, pass: (ms: number) => (nowMs += ms) };
}

test('concurrent callers share one request for material', async () => {
  const { connections, asked } = create();
  await Promise.all([connections.get('server-1', 3), connections.get('server-1', 3)]);
  const known = connections.get('server-1', 3);
  expect(known).not.toBeInstanceOf(Promise);
  expect(asked).toEqual(['server-1:3']);
  expect(await known).toMatchObject({
    origin: 'http://127.0.0.1:9',
    path: '/mcp?a=b',
    connectTimeoutMs: 11_000,
    idleTimeoutMs: 22_000,
  });
});

test('a newer version than the requested one serves both', async () => {
  const { connections, asked } = create(() => material({ version: 5 }));
  expect(await connections.get('server-1', 3)).toMatchObject({ version: 5 });
  expect(await connections.get('server-1', 5)).toMatchObject({ version: 5 });
  expect(asked).toHaveLength(1);
});

test('an older version than the requested one is not used', async () => {
  const { connections } = create(() => material({ version: 2 }));
  await expect(connections.get('server-1', 3)).rejects.toMatchObject({
    code: 'dependency_unavailable',
  });
});

test('a replaced version is released after a pause, when no call can start on it', async () => {
  const { connections, leases, pass } = create((version) => material({ version }));
  await connections.get('server-1', 3);
  await connections.get('server-1', 4);
  pass(60_000);
  connections.sweep();
  expect(leases).toEqual({ opened: 2, released: 0 });
  pass(1);
  connections.sweep();
  expect(leases.released).toBe(1);
  connections.close();
  expect(leases.released).toBe(2);
});

test('of two replies the newer one stays, whatever their order', async () => {
  const replies = new Map<number, () => void>();
  const { connections, leases } = create(undefined, {
    fetch: (_serverId, version) =>
      new Promise((resolve) => {
        replies.set(version, () => resolve(material({ version })));
      }),
  });
  const both = Promise.all([connections.get('server-1', 3), connections.get('server-1', 4)]);
  replies.get(4)?.();
  await connections.get('server-1', 4);
  replies.get(3)?.();
  expect((await both).map(({ version }) => version)).toEqual([4, 4]);
  expect(leases.opened).toBe(1);
});

test('an idle connection is dropped after an hour, a used one is not', async () => {
  const { connections, asked, pass } = create();
  await connections.get('server-1', 3);
  pass(3_000_000);
  await connections.get('server-1', 3);
  pass(3_600_000);
  connections.sweep();
  await connections.get('server-1', 3);
  expect(asked).toHaveLength(1);
  pass(3_600_001);
  connections.sweep();
  await connections.get('server-1', 3);
  expect(asked).toHaveLength(2);
});

test('a removed server is refused as one that was never granted', async () => {
  const { connections } = create(() => undefined);
  await expect(connections.get('server-1', 3)).rejects.toMatchObject({ code: 'mcp_access_denied' });
});

test('a failure of catalog is not cached', async () => {
  let away = true;
  const { connections } = create(undefined, {
    fetch: async () => {
      if (away) throw new Error('away');
      return material();
    },
  });
  await expect(connections.get('server-1', 3)).rejects.toMatchObject({ status: 503 });
  away = false;
  expect(await connections.get('server-1', 3)).toMatchObject({ version: 3 });
});

test.each(['SSE', 'STDIO'])('for the transport %s no secret is opened', async (transport) => {
  const stored = material({ transport, url: '', secret: sealed('x', 'another-server') });
  const { connections, leases } = create(() => stored);
  const upstream = await connections.get('server-1', 3);
  expect(upstream).toMatchObject({ transport, serverId: 'server-1', version: 3 });
  expect(await connections.authHeaders(upstream)).toEqual({});
  expect(connections.refused(upstream, {})).toBe(false);
  expect(leases.opened).toBe(0);
});

test('configured headers are sent, except for those of HTTP and of the protocol', async () => {
  const headers = { 'X-Team': 'a', Host: 'b', 'Mcp-Method': 'c', Accept: 'd', Cookie: 'e' };
  const { connections } = create(() => material({ headers }));
  expect(await connections.get('server-1', 3)).toMatchObject({ headers: { 'x-team': 'a' } });
});

test.each([
  ['NONE', {}, {}],
  ['BEARER', {}, { authorization: `Bearer ${SECRET}` }],
  ['HEADER', { header: 'X-Api-Key', template: '{{secret}}' }, { 'x-api-key': SECRET }],
  [
    'HEADER',
    { header: 'Authorization', template: 'Token token={{secret}};' },
    { authorization: `Token token=${SECRET};` },
  ],
])('%s with %j sends %j', async (type, over, expected) => {
  const { connections } = create(() => auth({ type, ...over }));
  const upstream = await connections.get('server-1', 3);
  expect(await connections.authHeaders(upstream)).toEqual(expected);
  expect(connections.refused(upstream, expected)).toBe(false);
  expect(JSON.stringify({ ...upstream, agent: undefined })).not.toContain(SECRET);
});

test.each([
  ['a template without the secret', auth({ type: 'HEADER', header: 'a', template: 'x' })],
  [
    'a template with the secret twice',
    auth({ type: 'HEADER', header: 'a', template: '{{secret}}{{secret}}' }),
  ],
  ['a header name with a space', auth({ type: 'HEADER', header: 'a b', template: '{{secret}}' })],
  ['a secret with a line end', auth({ type: 'BEARER' }, 'a\r\nx: y')],
  ['an unknown type', auth({ type: 'OTHER' })],
  ['no secret', material({ auth: { ...ANY_AUTH, type: 'BEARER' } })],
  ['no client id', auth({ type: 'OAUTH_CLIENT_CREDENTIALS', tokenUrl: 'http://127.0.0.1:9/' })],
  ['a token endpoint that is no URL', auth({ type: 'OAUTH_CLIENT_CREDENTIALS', clientId: 'c' })],
  ['a URL of another scheme', material({ url: 'file:///etc/passwd' })],
  ['no URL', material({ url: '' })],
  ['an unknown transport', material({ transport: 'OTHER' })],
  ['a secret of another server', material({ secret: sealed(SECRET, 'server-2') })],
])('%s is refused, without the secret in the error', async (_what, stored) => {
  const { connections, leases } = create(() => stored);
  const failure = await Promise.resolve(connections.get('server-1', 3)).catch(
    (error: unknown) => error as Error,
  );
  expect(failure).toMatchObject({ code: 'provider_misconfigured' });
  expect((failure as Error).message).not.toContain(SECRET);
  expect(leases.opened).toBe(leases.released);
});

test('a token is kept for all requests of a server, renewed once, and redacted', async () => {
  const endpoint = await startFakeUpstream();
  let issued = 0;
  endpoint.script = (res) => {
    issued += 1;
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ access_token: `access-token-${issued}`, token_type: 'bearer' }));
  };
  const oauth = {
    type: 'OAUTH_CLIENT_CREDENTIALS',
    tokenUrl: `${endpoint.url}/token`,
    clientId: 'c',
  };
  const { connections, leases } = create(() => auth(oauth));
  const upstream = await connections.get('server-1', 3);
  const [one, two] = await Promise.all([
    connections.authHeaders(upstream),
    connections.authHeaders(upstream),
  ]);
  expect([one, two]).toEqual([one, { authorization: 'Bearer access-token-1' }]);
  expect(connections.refused(upstream, one)).toBe(true);
  expect(connections.refused(upstream, two)).toBe(true);
  const renewed = await connections.authHeaders(upstream);
  expect(renewed).toEqual({ authorization: 'Bearer access-token-2' });
  expect(issued).toBe(2);
  const redact = connections.redactOf(upstream);
  expect(redact(`access-token-1 access-token-2 ${SECRET}`)).toBe(
    '[redacted] [redacted] [redacted]',
  );
  connections.close();
  expect(leases).toEqual({ opened: 2, released: 2 });
  await endpoint.stop();
});
