import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rest } from '@tollgate/contracts';
import { canonicalDigest } from '@tollgate/contracts/node';
import { startSimulator, type Simulator } from '@tollgate/simulator';

import { McpServer } from '../../../entities/mcp-server.entity';
import {
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../../rest/test-support';
import type { Database } from '../../../schema';
import { startTestDatabases, type TestDatabases } from '../../../test-support';

const SECRET = 'upstream-secret-0123456789';
const RUNNER_TOKEN = 'a token of the tests for the runner';

interface Listener {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

let databases: TestDatabases;
let database: Database;
let simulator: Simulator;
let runner: Listener;
let issuer: Listener;
let withRunner: RestServer;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  simulator = await startSimulator();
  runner = await listen(runnerOf);
  issuer = await listen(issueToken);
  server = await startRest(database);
  withRunner = await startRest(database, { runner: { url: runner.url, token: RUNNER_TOKEN } });
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
});
afterAll(async () => {
  await withRunner.stop();
  await server.stop();
  await issuer.stop();
  await runner.stop();
  await simulator.stop();
  await databases.stop();
});

async function listen(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => Promise<void>,
): Promise<Listener> {
  const listener: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      answer(request, response, Buffer.concat(chunks).toString()).catch((error: unknown) => {
        response.destroy(error as Error);
      });
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        listener.closeAllConnections();
        listener.close(() => resolve());
      }),
  };
}

const principals: (string | undefined)[] = [];
/** What the runner refuses all requests with, instead of relaying them. */
let runnerRefuses: { status: number; refusal: string; message: string } | undefined;

/** Stands for the runner: the simulator's server behind the runner's path and token. */
async function runnerOf(request: IncomingMessage, response: ServerResponse, body: string) {
  if (request.headers.authorization !== `Bearer ${RUNNER_TOKEN}`) {
    response.writeHead(401).end();
    return;
  }
  if (runnerRefuses) {
    const { message, refusal: code, status } = runnerRefuses;
    const headers = { 'content-type': 'application/json', 'x-tollgate-refusal': code };
    response.writeHead(status, headers).end(JSON.stringify({ error: { code: -32_000, message } }));
    return;
  }
  expect(request.url).toMatch(/^\/v1\/servers\/[0-9a-f-]{36}\/1$/);
  principals.push(request.headers['x-tollgate-principal'] as string | undefined);
  const {
    host: _host,
    authorization: _token,
    'content-length': _length,
    ...headers
  } = request.headers;
  const answer = await fetch(`${simulator.url}/mcp/behind-runner`, {
    method: request.method ?? 'POST',
    headers: headers as Record<string, string>,
    ...(body === '' ? {} : { body }),
  });
  const text = await answer.text();
  const { 'content-length': _size, ...back } = Object.fromEntries(answer.headers);
  response.writeHead(answer.status, back).end(text);
}

const tokenRequests: string[] = [];

/** A token endpoint that knows one client. */
async function issueToken(request: IncomingMessage, response: ServerResponse, body: string) {
  tokenRequests.push(body);
  const known = `Basic ${Buffer.from(`tollgate:${SECRET}`).toString('base64')}`;
  const [status, answer] =
    request.headers.authorization === known
      ? [200, { access_token: 'issued', token_type: 'Bearer', expires_in: 60 }]
      : [401, { error: 'invalid_client', error_description: `who is ${SECRET}?` }];
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  await Promise.resolve();
}

let made = 0;
async function serverAt(name: string, over: object = {}): Promise<string> {
  const body = {
    identifier: `s-${(made += 1)}`,
    name,
    url: `${simulator.url}/mcp/${name}`,
    ...over,
  };
  return (await server.ok(admin, rest.createMcpServer, { params, body })).id;
}
const at = (mcpServerId: string) => ({ params: { ...params, mcpServerId } });
const run = (mcpServerId: string, via = server) =>
  via.ok(admin, rest.testMcpServer, at(mcpServerId));
const tested = async (name: string, over: object = {}) => run(await serverAt(name, over));

/** A tool as its server sends it. */
async function sentTool(name: string): Promise<unknown> {
  const response = await fetch(`${simulator.url}/mcp/sim-modern+json`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
  return result.tools.find((tool) => tool.name === name);
}

test.each([
  ['default', 'MODERN', '2026-07-28'],
  ['sim-legacy', 'LEGACY', '2025-11-25'],
  ['sim-modern+json', 'MODERN', '2026-07-28'],
])('%s: era, version and tools are found', async (name, era, protocolVersion) => {
  const result = await tested(name);
  expect(result).toMatchObject({ ok: true, era, protocolVersion, truncated: false, error: null });
  expect(result.serverInfo?.name).toEqual(expect.any(String));
  const echo = result.tools.find((tool) => tool.name === 'sim_echo');
  expect(echo).toMatchObject({ pin: 'NONE', inputSchema: { type: 'object' } });
  expect(result.tools.length).toBeGreaterThan(5);
});

test('all pages are read', async () => {
  const whole = await tested('default');
  const paged = await tested('paged');
  expect(paged.tools.map(({ name }) => name)).toEqual(whole.tools.map(({ name }) => name));
});

test('the digest is that of the definition as it was sent, and pins are compared with it', async () => {
  const sent = await sentTool('sim_echo');
  const sha256 = canonicalDigest(sent).toString('hex');
  const pinnedTools = [
    { name: 'sim_echo', sha256 },
    { name: 'sim_bytes', sha256: 'b'.repeat(64) },
    { name: 'gone', sha256 },
  ];
  const result = await tested('sim-modern', { pinnedTools });
  const tool = (name: string) => result.tools.find((each) => each.name === name);
  expect(tool('sim_echo')).toMatchObject({ sha256, pin: 'MATCH' });
  expect(tool('sim_bytes')).toMatchObject({ pin: 'CHANGED' });
  expect(tool('sim_slow')).toMatchObject({ pin: 'NONE' });
  expect(result.missingPins).toEqual(['gone']);
});

test('the secret is sent as auth says', async () => {
  const name = `sim-bearer-${SECRET}`;
  expect((await tested(name, { secret: SECRET })).ok).toBe(true);
  const template = 'Bearer {{secret}}';
  const auth = { type: 'HEADER', header: 'Authorization', template };
  expect((await tested(name, { secret: SECRET, auth })).ok).toBe(true);
  expect((await tested(name)).error).toEqual({
    stage: 'AUTH',
    message: expect.stringContaining('The server requires authentication.'),
  });
  const wrong = await tested(name, { secret: 'another-secret-0123456789' });
  expect(wrong).toMatchObject({ ok: false, error: { stage: 'AUTH' }, tools: [] });
  expect(JSON.stringify(wrong)).not.toContain('another-secret');
});

test('a token is obtained with the client credentials', async () => {
  const auth = {
    type: 'OAUTH_CLIENT_CREDENTIALS',
    tokenUrl: `${issuer.url}/token`,
    clientId: 'tollgate',
    scope: 'tools.read',
    resource: 'https://tools.example/mcp',
  };
  const found = await tested('sim-bearer-issued', { auth, secret: SECRET });
  expect(found).toMatchObject({ ok: true, error: null });
  expect(Object.fromEntries(new URLSearchParams(tokenRequests.at(-1)))).toEqual({
    grant_type: 'client_credentials',
    scope: 'tools.read',
    resource: 'https://tools.example/mcp',
  });
  const wrong = { auth: { ...auth, clientId: 'other' }, secret: SECRET };
  const result = await tested('sim-bearer-issued', wrong);
  expect(result.error?.stage).toBe('AUTH');
  expect(result.error?.message).toContain('The token endpoint rejects the client');
  expect(JSON.stringify(result)).not.toContain(SECRET);
});

test.each([
  ['sim-status-503', 'INITIALIZE', 'failed with status 503'],
  ['sim-redirect-away', 'INITIALIZE', 'redirects, and redirects are not followed'],
  ['sim-reset', 'CONNECT', 'Check url|refused or closed the connection'],
  ['sim-garbage', 'INITIALIZE', 'Check url'],
])('%s is told at %s', async (name, stage, message) => {
  const result = await tested(name);
  expect(result).toMatchObject({ ok: false, era: null, tools: [] });
  expect(result.error?.message).toMatch(new RegExp(message));
  expect(result.error?.stage).toBe(stage);
});

test('the address is checked again when the test connects', async () => {
  const id = await serverAt('default');
  const url = 'http://169.254.169.254/mcp';
  await database.orm.manager.update(McpServer, { id }, { url });
  expect((await run(id)).error).toMatchObject({
    stage: 'CONNECT',
    message: expect.stringContaining('may not connect to the address of url'),
  });
  await database.orm.manager.update(McpServer, { id }, { url: 'http://127.0.0.1:1/mcp' });
  expect((await run(id)).error).toMatchObject({ stage: 'CONNECT' });
});

test('a server without Streamable HTTP is tested through the runner', async () => {
  const body = {
    identifier: 'local',
    name: 'Local',
    transport: 'STDIO' as const,
    command: 'files',
  };
  const { id } = await server.ok(server.root, rest.createMcpServer, { params, body });
  const without = await run(id);
  expect(without.error).toMatchObject({
    stage: 'RUNNER',
    message: expect.stringContaining('RUNNER_URL is not set'),
  });
  expect(await run(id, withRunner)).toMatchObject({ ok: true, era: 'MODERN', error: null });
  expect(new Set(principals)).toEqual(new Set([tenant.userIds.ORG_ADMIN]));
});

test.each([
  [
    'a command that the runner does not know',
    { status: 502, refusal: 'server_refused', message: 'It has no command "files".' },
    'INITIALIZE',
    'The runner cannot use this server\'s settings. Correct them. The runner says: It has no command "files".',
  ],
  [
    'a process that ends',
    { status: 503, refusal: 'server_ended', message: 'It ended with code 1.' },
    'INITIALIZE',
    'The server ended its process or its connection. The runner says: It ended with code 1.',
  ],
  [
    'a token that the runner does not accept',
    { status: 401, refusal: 'unauthorized', message: '' },
    'RUNNER',
    "The runner does not accept the catalog's token. An operator has to check INTERNAL_TOKENS of the runner.",
  ],
  [
    'a refusal of a newer runner',
    { status: 400, refusal: 'of_the_future', message: '' },
    'RUNNER',
    'The runner does not know the request of the catalog. An operator has to check RUNNER_URL, and that both have the same version.',
  ],
])('%s is told apart from a failing server', async (name, refusal, stage, message) => {
  const identifier = `refused-${refusal.refusal.replaceAll('_', '-')}`;
  const body = { identifier, name, transport: 'STDIO' as const, command: 'files' };
  const { id } = await server.ok(server.root, rest.createMcpServer, { params, body });
  runnerRefuses = refusal;
  const result = await run(id, withRunner);
  runnerRefuses = undefined;
  expect(result).toMatchObject({ ok: false, error: { stage, message } });
});
