import { loadConfig } from './config';
import { sealedFor } from './test-support/fake-directory';
import {
  ask,
  begin,
  COMMANDS,
  HEADERS,
  INITIALIZE,
  post,
  startRig,
  stdioServer,
  until,
  type Rig,
} from './test-support/rig';

// Sessions over HTTP: who may use them, and how they end.

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.stop());

test('a new session answers its id and the address of this process', async () => {
  const answer = await post(rig.url('small'), INITIALIZE);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('mcp-session-id')).toMatch(/^[\da-f-]{36}$/);
  expect(answer.headers.get('x-tollgate-runner')).toBe(`http://127.0.0.1:${rig.runner.port}`);
  expect(await answer.json()).toMatchObject({ id: 0, result: { serverInfo: { name: 'small' } } });
});

test('numbers beyond 2^53 pass unchanged', async () => {
  const url = rig.url('small');
  const session = await begin(url);
  const body = '{"jsonrpc":"2.0","id":9007199254740993,"method":"test/number"}';
  const answer = await post(url, body, { 'mcp-session-id': session });
  expect(await answer.text()).toContain('"n":12345678901234567890');
});

test.each([
  ['another principal', { 'x-tollgate-principal': 'key-2' }, 'small', 1],
  ['another version', {}, 'small', 2],
  ['another server', {}, 'stubborn', 1],
])('the session id of %s is 404', async (_, headers, server, version) => {
  const session = await begin(rig.url('small'));
  const other = { ...headers, 'mcp-session-id': session };
  const url = rig.url(server, version);
  const ping = await post(url, { id: 1, method: 'ping' }, other);
  expect(ping.status).toBe(404);
  expect(await ping.json()).toMatchObject({
    error: { code: -32_001, data: { code: 'session_not_found' } },
  });
  expect((await fetch(url, { headers: { ...HEADERS, ...other } })).status).toBe(404);
  const end = await fetch(url, { method: 'DELETE', headers: { ...HEADERS, ...other } });
  expect(end.status).toBe(404);
  expect(await ask(rig.url('small'), session, 'ping')).toMatchObject({ status: 200, result: {} });
});

test('a deleted session is 404 afterwards', async () => {
  const url = rig.url('small');
  const headers = { ...HEADERS, 'mcp-session-id': await begin(url) };
  expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200);
  expect((await post(url, { id: 1, method: 'ping' }, headers)).status).toBe(404);
});

test.each([
  ['no JSON', 'hello', {}, 400],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', {}, 400],
  ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', {}, 400],
  ['no session', '{"jsonrpc":"2.0","id":1,"method":"ping"}', {}, 400],
  ['no principal', '{}', { 'x-tollgate-principal': '' }, 400],
  ['a browser', '{}', { origin: 'https://evil.example' }, 403],
  [
    'no event streams',
    JSON.stringify({ jsonrpc: '2.0', ...INITIALIZE }),
    { accept: 'text/html' },
    406,
  ],
])('%s is refused', async (_, body, headers, status) => {
  expect((await post(rig.url('small'), body, headers)).status).toBe(status);
});

test('a body of more than 4 MiB is 413', async () => {
  const params = { text: 'x'.repeat(4 * 1024 * 1024) };
  const answer = await post(rig.url('small'), { id: 1, method: 'initialize', params });
  expect(answer.status).toBe(413);
});

test.each([
  ['not in the file', 'other', stdioServer('rm -rf /'), 'no command named "rm -rf /"'],
  ['of another transport', 'http', { transport: 'STREAMABLE_HTTP' }, 'without the runner'],
  ['unknown', 'unknown', undefined, 'no active MCP server'],
])('a server that is %s is refused with the reason', async (_, id, connection, reason) => {
  if (connection) {
    rig.directory.connections.set(id, { ...connection, serverId: id, version: 1 });
  }
  const answer = await post(rig.url(id), INITIALIZE);
  expect(answer.status).toBe(502);
  expect(await answer.text()).toContain(JSON.stringify(reason).slice(1, -1));
});

test('sessions go on, and known servers start, while the catalog is away', async () => {
  const url = rig.url('small');
  const session = await begin(url);
  rig.directory.away = true;
  try {
    expect(await ask(url, session, 'ping')).toMatchObject({ status: 200 });
    expect((await post(rig.url('missing'), INITIALIZE)).status).toBe(503);
  } finally {
    rig.directory.away = false;
  }
});

test('sessions with older settings end when the server has newer ones', async () => {
  rig.directory.connections.set('changing', stdioServer('small', { serverId: 'changing' }));
  const session = await begin(rig.url('changing'));
  rig.directory.connections.set(
    'changing',
    stdioServer('small', { serverId: 'changing', version: 2 }),
  );
  await begin(rig.url('changing', 2));
  expect(await ask(rig.url('changing'), session, 'ping')).toMatchObject({ status: 404 });
});

describe('limits', () => {
  test('a key has a limit of sessions, and others are not affected', async () => {
    const limited = await startRig(COMMANDS, { RUNNER_MAX_SESSIONS_PER_KEY: '2' });
    try {
      const url = limited.url('small');
      const first = await begin(url);
      await begin(url);
      const refused = await post(url, INITIALIZE);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      await begin(url, { 'x-tollgate-principal': 'key-2' });
      await fetch(url, { method: 'DELETE', headers: { ...HEADERS, 'mcp-session-id': first } });
      await begin(url);
    } finally {
      await limited.stop();
    }
  });

  test('a command and the process have limits too', async () => {
    const commands = { small: { ...COMMANDS.small, maxSessions: 1 }, other: COMMANDS.small };
    const limited = await startRig(commands, { RUNNER_MAX_SESSIONS: '2' });
    try {
      await begin(limited.url('small'));
      const ofCommand = await post(limited.url('small'), INITIALIZE);
      expect([ofCommand.status, await ofCommand.text()]).toEqual([
        503,
        expect.stringContaining('The MCP server has 1 sessions'),
      ]);
      await begin(limited.url('other'));
      const ofAll = await post(limited.url('other'), INITIALIZE);
      expect([ofAll.status, await ofAll.text()]).toEqual([
        503,
        expect.stringContaining('The runner has 2 sessions'),
      ]);
    } finally {
      await limited.stop();
    }
  });
});

describe('service tokens', () => {
  const TOKENS = 'edge=edge-token-0123456789,policy=policy-token-0123456789';
  let guarded: Rig;
  beforeAll(async () => {
    guarded = await startRig(COMMANDS, { INTERNAL_TOKENS: TOKENS });
  });
  afterAll(() => guarded.stop());

  test.each([
    ['the edge', 'edge-token-0123456789', 200],
    ['a service that has no business here', 'policy-token-0123456789', 401],
    ['an unknown token', 'other-token-0123456789', 401],
    ['nobody', '', 401],
  ])('of %s', async (_, token, status) => {
    const authorization = `Bearer ${token}`;
    const answer = await post(guarded.url('small'), INITIALIZE, { authorization });
    expect(answer.status).toBe(status);
    await answer.text();
  });

  test('are required on other addresses than loopback', async () => {
    await expect(startRig(COMMANDS, { HOST: '0.0.0.0' })).rejects.toThrow('INTERNAL_TOKENS');
  });
});

test('a child gets the variables that its command names, and its secret', async () => {
  const commands = {
    small: {
      ...COMMANDS.small,
      env: ['SHARED'],
      fixedEnv: { FIXED: 'fixed' },
      secretEnv: 'API_TOKEN',
      cwd: '/',
    },
  };
  const own = await startRig(commands, { SHARED: 'shared', OTHER: 'other' });
  try {
    const refused = await post(own.url('small'), INITIALIZE);
    expect(await refused.text()).toContain("needs the MCP server's secret");
    const secret = sealedFor('secret', 'top-secret');
    own.directory.connections.set('secret', {
      ...stdioServer('small'),
      serverId: 'secret',
      secret,
    });
    const url = own.url('secret');
    const session = await begin(url);
    const { result } = await ask(url, session, 'test/process');
    const { TOLLGATE_RUNNER_CHILD, PWD, HOME, TMPDIR, ...env } = (result?.['env'] ?? {}) as Record<
      string,
      string
    >;
    expect(TOLLGATE_RUNNER_CHILD).toBeDefined();
    expect(PWD ?? '/').toBe('/');
    expect(TMPDIR).toContain('tollgate-runner-');
    expect(HOME).toBe(TMPDIR);
    expect(env).toEqual({
      PATH: process.env['PATH'],
      SHARED: 'shared',
      FIXED: 'fixed',
      API_TOKEN: 'top-secret',
      ...(env['OLDPWD'] === undefined ? {} : { OLDPWD: env['OLDPWD'] }),
    });
    expect(result?.['cwd']).toBe('/');
    await ask(url, session, 'test/say', { text: 'my token is top-secret' });
    await until('it is logged', () => JSON.stringify(own.logs).includes('my token is ***'));
    expect(JSON.stringify(own.logs)).not.toContain('top-secret');
  } finally {
    await own.stop();
  }
});

test('the configuration is refused without the keys of secrets', () => {
  expect(() => loadConfig({})).toThrow('KEY_ENCRYPTION_KEYS');
});
