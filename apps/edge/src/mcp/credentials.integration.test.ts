import type { ServerResponse } from 'node:http';
import { parseKeyRing, sealSecret, secretContext } from '@tollgate/contracts/node';

import { KEY_RING } from '../test-support/fake-catalog';
import type { Received } from '../test-support/fake-upstream';
import { KEY } from '../test-support/harness';
import {
  CALL,
  result,
  rpcErrorOf,
  SERVER_ID,
  startMcpHarness,
  type McpHarness,
} from './test-support/mcp-harness';

const SECRET = 'secret-of-the-server-0123456789';
const secret = {
  apiKeyId: '',
  weight: 1,
  ...sealSecret(parseKeyRing(KEY_RING), SECRET, secretContext('mcp-server', SERVER_ID)),
};

let edge: McpHarness;

beforeAll(async () => {
  edge = await startMcpHarness();
});
afterAll(() => edge.stop());
beforeEach(() => edge.reset());

test.each([
  ['a bearer token', { type: 'BEARER' }, 'authorization', `Bearer ${SECRET}`],
  [
    'a header of its own',
    { type: 'HEADER', header: 'X-Api-Key', template: 'key={{secret}}' },
    'x-api-key',
    `key=${SECRET}`,
  ],
])('a server gets %s, and never the key of the client', async (_what, auth, header, value) => {
  edge.serve({ auth, secret });
  expect((await edge.rpc(CALL)).status).toBe(200);
  const [received] = edge.upstream.received;
  expect(received?.headers[header]).toBe(value);
  expect(JSON.stringify(received?.headers)).not.toContain(KEY);
  expect(edge.log.join('')).not.toContain(SECRET);
});

/** A server behind OAuth that accepts only the latest token. */
function behindOAuth() {
  const state = { issued: 0, accepts: (n: number) => n === state.issued };
  edge.serve({
    secret,
    auth: {
      type: 'OAUTH_CLIENT_CREDENTIALS',
      tokenUrl: `${edge.upstream.url}/token`,
      clientId: 'tollgate',
    },
  });
  edge.upstream.script = (res: ServerResponse, received: Received) => {
    if (received.path.endsWith('/token')) {
      state.issued += 1;
      res.writeHead(200, { 'content-type': 'application/json' });
      const token = { access_token: `token-${String(state.issued)}`, token_type: 'Bearer' };
      return void res.end(JSON.stringify({ ...token, expires_in: 3_600 }));
    }
    const [, n = '0'] = /^Bearer token-(\d+)$/.exec(received.headers.authorization ?? '') ?? [];
    if (state.accepts(Number(n))) return result(res, received, {});
    return void res.writeHead(401).end();
  };
  return state;
}

const paths = (): string[] => edge.upstream.received.map(({ path }) => path.replace(/\?.*/, ''));

test('one token serves all calls', async () => {
  behindOAuth();
  const calls = await Promise.all(Array.from({ length: 5 }, () => edge.rpc(CALL)));
  expect(calls.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(paths().filter((path) => path.endsWith('/token'))).toHaveLength(1);
});

test('a token that was withdrawn is replaced, and the request sent once more', async () => {
  const server = behindOAuth();
  await edge.rpc(CALL);
  server.accepts = (n) => n === 2;
  expect((await edge.rpc(CALL)).status).toBe(200);
  expect(paths()).toEqual(['/v1/token', '/v1/mcp', '/v1/mcp', '/v1/token', '/v1/mcp']);
});

test('a server that refuses every token is asked twice and no more', async () => {
  const server = behindOAuth();
  server.accepts = () => false;
  const response = await edge.rpc(CALL);
  expect(response.status).toBe(502);
  expect(await rpcErrorOf(response)).toMatchObject({
    error: { data: { code: 'provider_auth_failed' } },
  });
  expect(paths().filter((path) => path === '/v1/mcp')).toHaveLength(2);
});
