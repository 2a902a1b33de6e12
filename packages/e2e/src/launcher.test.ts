import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, workspaceRoot } from '@tollgate/stack';

import { chat, eventually } from '.';
import { callTool } from './mcp/client';

// The launcher of `npm start`: a killed service is reported and restarted, and the environment
// reaches the services.

const PORTS = [
  'SIMULATOR_PORT',
  'CATALOG_PORT',
  'CATALOG_GRPC_PORT',
  'CATALOG_OPS_PORT',
  'POLICY_GRPC_PORT',
  'POLICY_HTTP_PORT',
  'RUNNER_PORT',
  'RUNNER_OPS_PORT',
  'EDGE_PORT',
  'EDGE_OPS_PORT',
] as const;

interface Demo {
  readonly edgeUrl: string;
  readonly apiKey: string;
}

let dir: string;
let launcher: ChildProcess;
let said = '';
let demo: Demo;
const env: Record<string, string> = {};

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tollgate-launcher-'));
  for (const name of PORTS) env[name] = String(await freePort());
  const script = join(workspaceRoot(), 'packages/stack/dist/launch.js');
  launcher = spawn(process.execPath, [script, '--without', 'admin'], {
    env: {
      PATH: process.env['PATH'],
      STATE_DIR: dir,
      ...env,
      METRICS_ENABLED: 'true',
      BODY_LIMIT_BYTES: '512',
      EDGE_CORS_ORIGINS: 'https://app.example',
      INTERNAL_TOKEN: 'a-token-of-my-own-0123456789',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  launcher.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await eventually('it runs', async () => said.includes('Stop with Ctrl-C.'), 90_000);
  demo = JSON.parse(await readFile(join(dir, 'demo.json'), 'utf8')) as Demo;
}, 120_000);

afterAll(async () => {
  if (launcher.exitCode === null) {
    const ended = once(launcher, 'exit');
    launcher.kill('SIGTERM');
    await ended;
  }
  await rm(dir, { recursive: true, force: true });
});

interface Started {
  readonly name: string;
  readonly pid: number;
}

/** The newest process with this name. */
async function pidOf(name: string): Promise<number> {
  const started = JSON.parse(await readFile(join(dir, 'processes.json'), 'utf8')) as Started[];
  const last = started.findLast((one) => one.name === name);
  if (last === undefined) throw new Error(`${name} was not started: ${JSON.stringify(started)}`);
  return last.pid;
}

const served = (): Promise<boolean> =>
  eventually(
    'served',
    async () => {
      const chatted = await chat(demo.edgeUrl, demo.apiKey, { model: 'demo' });
      const called = await callTool(`${demo.edgeUrl}/v1/mcp/demo-stdio`, demo.apiKey, 'sim_echo');
      return chatted.status === 200 && called.status === 200;
    },
    30_000,
  );

const NAMES = ['simulator', 'catalog', 'policy', 'runner', 'edge', 'redis', 'postgresql'];

test('the environment reaches the services, and unknown variables are reported', async () => {
  const page = { headers: { origin: 'https://app.example' } };
  const metrics = await fetch(`${demo.edgeUrl}/metrics`, page);
  expect(metrics.status).toBe(200);
  expect(metrics.headers.get('access-control-allow-origin')).toBe('https://app.example');
  const messages = [{ role: 'user', content: 'x'.repeat(512) }];
  const answer = await chat(demo.edgeUrl, demo.apiKey, { model: 'demo', messages });
  expect([400, 413]).toContain(answer.status);
  expect(said).toContain('INTERNAL_TOKEN of your environment is not used');
  expect(said).not.toContain('Console');
});

test.each(NAMES)('%s is killed: reported, and served again', async (name) => {
  await served();
  const pid = await pidOf(name);
  const before = said.length;
  const killedMs = performance.now();
  process.kill(pid, 'SIGKILL');
  await eventually('it is up again', async () =>
    said.slice(before).includes(`${name} is up again`),
  );
  expect(said.slice(before)).toMatch(new RegExp(`${name} was killed by SIGKILL: restart 1 in`));
  expect(await pidOf(name)).not.toBe(pid);
  await served();
  const took = (performance.now() - killedMs) / 1_000;
  process.stdout.write(`${name}: served again ${took.toFixed(1)} s after kill -9\n`);
});

test('a service that is killed during its restart is restarted again', async () => {
  const before = said.length;
  const first = await pidOf('simulator');
  process.kill(first, 'SIGKILL');
  const second = await eventually('it starts', async () => {
    const pid = await pidOf('simulator');
    return pid !== first && pid;
  });
  process.kill(second, 'SIGKILL');
  await eventually('a second restart', async () =>
    /simulator was killed by SIGKILL: restart \d in[^]*killed by SIGKILL: restart \d in[^]*up again/.test(
      said.slice(before),
    ),
  );
  await served();
});

test('Ctrl-C ends everything, restarted services included', async () => {
  const pids = await Promise.all(NAMES.map(pidOf));
  const ended = once(launcher, 'exit');
  launcher.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
