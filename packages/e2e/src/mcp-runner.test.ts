import { execFileSync } from 'node:child_process';
import {
  freePort,
  STDIO_SERVER_SCRIPT,
  writeStdioCommands,
  type RunningService,
} from '@tollgate/stack';

import { checkBooks, eventually, newTenant, startGateway, type Gateway, type Tenant } from '.';
import { callTool, connect, ERAS, rpc } from './mcp/client';
import { installPython, OFFICIAL_CLIENTS } from './mcp/clients';
import { startFrontDoor, type FrontDoor } from './mcp/front-door';
import { registerServer, type RegisteredServer } from './mcp/server';
import { hasPython } from './python-matrix/test-support/venv';

// Servers without HTTP: two runners behind one address run them, and two edges serve them like any other.

/** Installing the Python client takes a while the first time. */
const START_TIMEOUT_MS = 400_000;
const COMMAND = 'tools';

let gateway: Gateway;
let tenant: Tenant;
let runners: readonly RunningService[];
let runnerDoor: FrontDoor;
let door: FrontDoor;
let stdio: RegisteredServer;
let sse: RegisteredServer;
let key = '';
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  if (hasPython()) await installPython();
  const ports = [await freePort(), await freePort()];
  runnerDoor = await startFrontDoor({ edges: ports.map(local) });
  const known = { RUNNER_URL: runnerDoor.url, RUNNER_HOSTS: '127.0.0.1:*' };
  gateway = await startGateway({ edges: 2, env: { edge: known, catalog: known } });
  stop = gateway.stop;
  runners = await startRunners(ports);
  tenant = await newTenant(gateway);
  stdio = await registerServer(gateway, tenant, 'stdio', {
    transport: 'STDIO',
    command: COMMAND,
    url: undefined,
    callPriceUsd: '0.01',
  });
  sse = await registerServer(gateway, tenant, 'sse', {
    transport: 'SSE',
    url: `${gateway.simulatorUrl}/mcp/over-sse/sse`,
  });
  ({ key } = await tenant.key({ mcpServerIds: [stdio.id, sse.id] }));
  door = await startFrontDoor({ edges: [gateway.edgeUrl(0), gateway.edgeUrl(1)] });
}, START_TIMEOUT_MS);
afterAll(async () => {
  await door?.stop();
  await stop();
  await runnerDoor?.stop();
});

const local = (port: number): string => `http://127.0.0.1:${String(port)}`;
const at = ({ path }: RegisteredServer): string => `${door.url}${path}`;

async function startRunners(ports: readonly number[]): Promise<readonly RunningService[]> {
  const file = writeStdioCommands(gateway.state, { [COMMAND]: { args: ['stdio'] } });
  return Promise.all(
    ports.map((runner, n) =>
      gateway.stack.start('runner', {
        as: `runner-${String(n + 1)}`,
        ports: { runner },
        env: { RUNNER_COMMANDS_FILE: file, RUNNER_MAX_SESSIONS_PER_KEY: '50' },
      }),
    ),
  );
}

/** Processes that this test's runners have started. */
function children(): readonly number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines
    .filter((line) => line.includes(STDIO_SERVER_SCRIPT))
    .map((line) => Number.parseInt(line, 10));
}

describe.each(OFFICIAL_CLIENTS)('$name', ({ connect: open, name }) => {
  const withPython = hasPython() || !name.startsWith('Python');

  (withPython ? test : test.skip)('speaks with a process as with any server', async () => {
    const client = await open(at(stdio), key);
    for (let n = 0; n < 4; n += 1) expect(await client.echo(n)).toBe(JSON.stringify({ n }));
    await client.close();
  });
});

describe.each(ERAS)('a process, %s', (era, mode) => {
  test('progress, a result of 10 MB, and what it asks the client', async () => {
    const client = await connect(at(stdio), key, mode);
    const steps: number[] = [];
    await client.callTool(
      { name: 'sim_slow', arguments: { ms: 60, steps: 3 } },
      { onprogress: ({ progress }) => steps.push(progress) },
    );
    expect(steps).toEqual([1, 2, 3]);
    const bytes = 10 * 1024 * 1024;
    const { content } = await client.callTool({ name: 'sim_bytes', arguments: { bytes } });
    expect((content as readonly { text: string }[])[0]?.text).toHaveLength(bytes);
    const asked =
      era === 'legacy' ? ['test_elicitation', 'test_sampling', 'sim_roots'] : ['sim_roots'];
    for (const name of asked) {
      const result = await client.callTool({
        name,
        arguments: { message: 'Who?', prompt: 'What?' },
      });
      expect(result.isError ?? false).toBe(false);
    }
    await client.close();
  });
});

test('a server of the transport SSE is served, with its tools and progress', async () => {
  const client = await connect(at(sse), key, 'auto');
  const steps: number[] = [];
  await client.callTool(
    { name: 'sim_slow', arguments: { ms: 60, steps: 3 } },
    { onprogress: ({ progress }) => steps.push(progress) },
  );
  expect(steps).toEqual([1, 2, 3]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('sim_echo');
  await client.close();
});

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'e2e', version: '1' },
};

async function beginSession(server: RegisteredServer): Promise<Record<string, string>> {
  const begun = await rpc(at(server), key, 'initialize', INITIALIZE, { legacy: true });
  expect(begun.status).toBe(200);
  return { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
}

interface Told {
  readonly pid: number;
  /** Names of environment variables. */
  readonly variables: readonly string[];
}

async function toldBy(headers: Record<string, string>): Promise<Told> {
  const params = { name: 'sim_process', arguments: {} };
  const answer = await rpc(at(stdio), key, 'tools/call', params, { legacy: true, headers });
  const [part] = (answer.message?.result?.['content'] ?? []) as { text: string }[];
  return JSON.parse(part?.text ?? '{}') as Told;
}

async function processOf(headers: Record<string, string>): Promise<number> {
  return (await toldBy(headers)).pid;
}

test('sessions keep their processes, whichever edge and runner are asked first', async () => {
  const [first, second] = [await beginSession(stdio), await beginSession(stdio)];
  const pids: number[] = [];
  for (let n = 0; n < 4; n += 1) pids.push(await processOf(first), await processOf(second));
  expect(new Set(pids.filter((_, at) => at % 2 === 0)).size).toBe(1);
  expect(new Set(pids.filter((_, at) => at % 2 === 1)).size).toBe(1);
  expect(pids[0]).not.toBe(pids[1]);
});

test('a process sees no variable of the runner but those that its command names', async () => {
  const { variables } = await toldBy(await beginSession(stdio));
  expect(variables.filter((name) => /TOKEN|KEY|SECRET|RUNNER_[A-Z]+_FILE/.test(name))).toEqual([]);
  expect(variables).toContain('PATH');
});

test('a process that ends takes its session with it, and the client begins another', async () => {
  const headers = await beginSession(stdio);
  const pid = await processOf(headers);
  const exit = { name: 'sim_exit', arguments: { code: 3 } };
  const ended = await rpc(at(stdio), key, 'tools/call', exit, { legacy: true, headers });
  expect(ended.message?.error?.data).toMatchObject({ code: 'upstream_error' });
  const after = await rpc(at(stdio), key, 'ping', {}, { legacy: true, headers });
  expect(after.status).toBe(404);
  expect(await processOf(await beginSession(stdio))).not.toBe(pid);
});

test('no process outlives a runner that is killed, and its sessions are 404', async () => {
  const sessions = await Promise.all(Array.from({ length: 6 }, () => beginSession(stdio)));
  for (const headers of sessions) await processOf(headers);
  expect(children().length).toBeGreaterThanOrEqual(6);
  for (const runner of runners) {
    runner.process().signal('SIGKILL');
    await runner.process().ended;
  }
  await eventually('all processes have ended', async () => children().length === 0);
  for (const runner of runners) await runner.restart();
  for (const headers of sessions) {
    const answer = await rpc(at(stdio), key, 'ping', {}, { legacy: true, headers });
    expect(answer.status).toBe(404);
    expect(answer.message?.error?.data).toMatchObject({ code: 'mcp_session_not_found' });
  }
  await processOf(await beginSession(stdio));
});

test('without any runner a call is refused as unavailable, and costs nothing', async () => {
  for (const runner of runners) await runner.process().stop('SIGTERM');
  try {
    expect(children()).toEqual([]);
    const answer = await callTool(at(stdio), key, 'sim_echo');
    expect(answer.status).toBe(503);
    expect(answer.message?.error?.data).toMatchObject({
      code: 'dependency_unavailable',
      details: { dependency: 'runner' },
    });
  } finally {
    for (const runner of runners) await runner.restart();
  }
});

test('the connection test of a process finds its era and its tools', async () => {
  const { data } = await gateway.rest.post(`${tenant.base}/mcp-servers/${stdio.id}/test`);
  expect(data).toMatchObject({ ok: true, era: 'MODERN', error: null });
});

test('a command that is not in the file is named to the caller', async () => {
  const unknown = await registerServer(gateway, tenant, 'unknown', {
    transport: 'STDIO',
    command: 'not-there',
    url: undefined,
  });
  const own = await tenant.key({ name: 'unknown', mcpServerIds: [unknown.id] });
  const answer = await callTool(at(unknown), own.key, 'sim_echo');
  expect(answer.status).toBe(400);
  expect(answer.message?.error?.data).toMatchObject({ code: 'provider_misconfigured' });
  expect(answer.message?.error?.message).toContain('not-there');
});

test('every call of a process is priced and recorded, and the books agree', async () => {
  const called = await callTool(at(stdio), key, 'sim_echo', { n: 1 });
  const id = called.headers.get('x-tollgate-request-id') ?? '';
  await eventually('the call is booked', async () => {
    const { status, data } = await gateway.rest.get(`${tenant.base}/usage/mcp-records/${id}`);
    if (status !== 200) return false;
    expect(data).toMatchObject({ mcpServer: 'stdio', name: 'sim_echo', costUsd: '0.01' });
    return true;
  });
  const { ok, breaches } = await checkBooks(gateway);
  expect({ ok, breaches }).toEqual({ ok: true, breaches: [] });
});
