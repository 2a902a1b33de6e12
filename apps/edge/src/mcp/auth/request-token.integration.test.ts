// Requests for tokens over real sockets.

import { AGENTS } from '../../test-support/agents';
import { formIn, startFakeUpstream, type FakeUpstream } from '../../test-support/fake-upstream';
import { createAgents, type AgentOptions, type Agents } from '../../upstream/agents';
import { requestToken, type OAuthClient } from './request-token';

const SECRET = 'p+%: ä-client-secret';
let endpoint: FakeUpstream;
const opened: Agents[] = [];

beforeAll(async () => {
  endpoint = await startFakeUpstream();
});
afterAll(() => endpoint.stop());
beforeEach(() => {
  endpoint.received.length = 0;
});
afterEach(async () => {
  for (const agents of opened.splice(0)) await agents.close();
});

function client(over: Partial<OAuthClient> = {}, options: Partial<AgentOptions> = {}): OAuthClient {
  const url = new URL(`${endpoint.url}/token?tenant=a`);
  const agents = createAgents({ ...AGENTS, ...options });
  opened.push(agents);
  const { agent } = agents.open(url.origin, 1_000);
  return {
    url,
    agent,
    connectTimeoutMs: 1_000,
    clientId: 'client 1',
    clientSecret: SECRET,
    scope: '',
    resource: '',
    ...over,
  };
}

const answers = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
  endpoint.script = (res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
};

test('the client authenticates by HTTP Basic, and names scope and resource', async () => {
  answers(200, { access_token: 'tok', token_type: 'Bearer', expires_in: 60 });
  const asked = client({ scope: 'a b', resource: 'https://mcp.example/x?y' });
  expect(await requestToken(asked)).toEqual({ token: 'tok', lifetimeMs: 60_000 });
  const [received] = endpoint.received;
  if (!received) throw new Error('nothing was received');
  expect(received).toMatchObject({ method: 'POST', path: '/v1/token?tenant=a' });
  const [, basic = ''] = received.headers.authorization?.split(' ') ?? [];
  expect(Buffer.from(basic, 'base64').toString()).toBe('client+1:p%2B%25%3A+%C3%A4-client-secret');
  expect(Object.fromEntries(await formIn(received))).toEqual({
    grant_type: 'client_credentials',
    scope: 'a b',
    resource: 'https://mcp.example/x?y',
  });
});

test('an absent scope or resource is not sent', async () => {
  answers(200, { access_token: 'tok', token_type: 'bearer' });
  await requestToken(client());
  expect(endpoint.received[0]?.raw.toString()).toBe('grant_type=client_credentials');
});

test.each([
  [{}, 300_000],
  [{ expires_in: null }, 300_000],
  [{ expires_in: '90' }, 90_000],
  [{ expires_in: 1e9 }, 86_400_000],
])('an answer with %j has a lifetime of %i ms', async (over, lifetimeMs) => {
  answers(200, { access_token: 'tok', token_type: 'bearer', ...over });
  expect(await requestToken(client())).toEqual({ token: 'tok', lifetimeMs });
});

test.each([
  ['no token', { token_type: 'bearer' }],
  ['an empty token', { access_token: '', token_type: 'bearer' }],
  ['a token with a line end', { access_token: 'a\nb', token_type: 'bearer' }],
  ['a token beyond the limit', { access_token: 'a'.repeat(8_193), token_type: 'bearer' }],
  ['another type of token', { access_token: 'tok', token_type: 'mac' }],
  ['no type of token', { access_token: 'tok' }],
  ['a lifetime that is over', { access_token: 'tok', token_type: 'bearer', expires_in: 0 }],
  ['no JSON', '<html>'],
])('an answer with %s is refused', async (_what, body) => {
  answers(200, body);
  await expect(requestToken(client())).rejects.toMatchObject({ code: 'provider_auth_failed' });
});

test('a refusal names the status, and keeps only the code of the error', async () => {
  answers(401, { error: 'invalid_client', error_description: `secret ${SECRET} is wrong` });
  const failure = await requestToken(client()).catch((error: unknown) => error as Error);
  expect(failure).toMatchObject({
    code: 'provider_auth_failed',
    details: { upstreamStatus: 401 },
    cause: { message: 'token endpoint: status 401 invalid_client' },
  });
  expect(JSON.stringify([failure, (failure as Error).message])).not.toContain(SECRET);
});

test('an error code that may quote the request is not kept', async () => {
  answers(400, { error: `unknown ${SECRET}` });
  await expect(requestToken(client())).rejects.toMatchObject({
    cause: { message: 'token endpoint: status 400 without a code' },
  });
});

test('a redirect is not followed', async () => {
  answers(307, {}, { location: `${endpoint.url}/elsewhere` });
  await expect(requestToken(client())).rejects.toMatchObject({ details: { upstreamStatus: 307 } });
  expect(endpoint.received).toHaveLength(1);
});

test('an answer beyond the limit is refused', async () => {
  answers(200, { access_token: 'tok', token_type: 'bearer', pad: 'x'.repeat(64 * 1024) });
  await expect(requestToken(client())).rejects.toMatchObject({ code: 'provider_auth_failed' });
});

test('an address that the gateway may not connect to is told as a setting', async () => {
  const forbidden = client({}, { mayConnect: () => false });
  await expect(requestToken(forbidden)).rejects.toMatchObject({
    code: 'provider_misconfigured',
    message: expect.stringContaining('token endpoint') as string,
  });
  expect(endpoint.received).toHaveLength(0);
});

test('an endpoint that breaks off is told without its address', async () => {
  endpoint.script = (res) => {
    res.destroy();
  };
  await expect(requestToken(client())).rejects.toMatchObject({
    code: 'provider_auth_failed',
    message: expect.not.stringContaining('127.0.0.1') as string,
  });
});
