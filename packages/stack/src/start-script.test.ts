import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { describeConfig } from '@tollgate/kit';

import { configShape } from './config';
import { PORT_VARIABLES } from './ports-table';
import { freePort } from './servers';
import { SERVICE_SPECS, SERVICES, workspaceRoot } from './services';

const run = promisify(execFile);
const stackFolder = join(workspaceRoot(), 'packages', 'stack');

/** The output of a failed run. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

// pnpm puts a shell script named `node` first on the path, which does not forward signals. `npm
// start` must bypass it: otherwise a supervisor that ends npm would leave the launcher running.
test('a SIGTERM to `npm start` reaches the launcher, whatever `node` is on the path', async () => {
  const root = readFileSync(join(workspaceRoot(), 'package.json'), 'utf8');
  const { scripts } = JSON.parse(root) as { scripts: { start: string } };
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-start-'));
  let npm: ChildProcessByStdio<null, Readable, null> | undefined;
  try {
    mkdirSync(join(dir, 'node_modules', '.bin'), { recursive: true });
    mkdirSync(join(dir, 'packages', 'stack'), { recursive: true });
    const shim = join(dir, 'node_modules', '.bin', 'node');
    writeFileSync(shim, `#!/bin/sh\n"${process.execPath}" "$@"\nexit $?\n`);
    chmodSync(shim, 0o755);
    writeFileSync(
      join(dir, 'package.json'),
      JSON.stringify({ private: true, scripts: { start: scripts.start } }),
    );
    writeFileSync(
      join(dir, 'packages', 'stack', 'start.mjs'),
      `process.on('SIGTERM', () => { process.stdout.write('stopped'); process.exit(0); });
       setInterval(() => {}, 1_000);
       process.stdout.write('up ');`,
    );
    npm = spawn('npm', ['start', '--silent'], {
      cwd: dir,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    npm.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said === 'up ') npm?.kill('SIGTERM');
    });
    // The pipe ends when no process holds it, so a launcher left behind would keep it open.
    await once(npm.stdout, 'end');
    expect(said).toBe('up stopped');
  } finally {
    endGroup(npm?.pid);
    rmSync(dir, { recursive: true, force: true });
  }
});

test('the port check before the install knows the launcher’s ports', async () => {
  const script = `import { SERVICE_PORTS } from './ports.mjs';
    process.stdout.write(JSON.stringify(SERVICE_PORTS));`;
  const args = ['--input-type=module', '-e', script];
  const { stdout } = await run(process.execPath, args, { cwd: stackFolder });
  const defaults = new Map(describeConfig(configShape).map((row) => [row.name, row.default]));
  const expected = SERVICES.map((service) => {
    const variables = Object.keys(PORT_VARIABLES[service]);
    const rows = variables.map((name) => [name, Number(defaults.get(name))] as const);
    return [service, Object.fromEntries(rows)] as const;
  });
  expect(JSON.parse(stdout)).toEqual(Object.fromEntries(expected));
  // Every variable that changes a service's port is passed to that service.
  for (const service of SERVICES) {
    const { wiring } = SERVICE_SPECS[service].settings({ ...LAYOUT });
    expect(Object.keys(wiring)).toEqual(
      expect.arrayContaining(Object.keys(PORT_VARIABLES[service])),
    );
  }
});

const LAYOUT: Parameters<(typeof SERVICE_SPECS)['edge']['settings']>[0] = {
  databaseUrl: '',
  redisUrl: '',
  redisCluster: false,
  ports: {
    edge: 1,
    edgeOps: 2,
    catalog: 3,
    catalogOps: 4,
    catalogGrpc: 5,
    policyGrpc: 6,
    policyHttp: 7,
    admin: 8,
    simulator: 9,
    runner: 10,
    runnerOps: 11,
  },
  policyAddresses: [],
  catalogGrpcAddress: '',
  secrets: {
    tokens: {
      edge: 'edge-token',
      policy: 'policy-token',
      catalog: 'catalog-token',
      runner: 'runner-token',
      internal: 'house-token',
      ops: 'ops-token',
    },
    jwtSecret: '',
    keyEncryptionKey: '',
    holdTokenSecret: '',
    cacheInvalidationSecret: '',
    adminPassword: '',
  },
  adminEmail: '',
  spoolDir: '',
  runner: true,
  commandsFile: '',
  logLevel: 'info',
};

test('no service gets a token that it does not use', () => {
  const tokensOf = (service: (typeof SERVICES)[number]): string[] =>
    JSON.stringify(SERVICE_SPECS[service].settings(LAYOUT)).match(/\w+-token/g) ?? [];
  expect(Object.fromEntries(SERVICES.map((service) => [service, tokensOf(service)]))).toEqual({
    simulator: [],
    catalog: ['catalog-token', 'edge-token', 'policy-token', 'runner-token'],
    policy: ['policy-token', 'edge-token', 'house-token', 'ops-token'],
    runner: ['runner-token', 'edge-token', 'catalog-token'],
    edge: ['edge-token'],
    admin: [],
  });
});

/** Runs `npm start` until it would install packages. */
async function startWith(
  env: Record<string, string>,
  args: string[] = [],
): Promise<{ code: number; stdout: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-start-'));
  try {
    const given = { PATH: '/nowhere', STATE_DIR: dir, ...env };
    const script = join(stackFolder, 'start.mjs');
    await run(process.execPath, [script, ...args], { env: given });
    return { code: 0, stdout: '' };
  } catch (error) {
    return error as { code: number; stdout: string };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

test('a port in use is reported before the install, with its variable', async () => {
  const server = createServer().listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  try {
    const free = async (): Promise<string> => String(await freePort());
    const others = {
      SIMULATOR_PORT: await free(),
      CATALOG_PORT: await free(),
      CATALOG_GRPC_PORT: await free(),
      CATALOG_OPS_PORT: await free(),
      POLICY_GRPC_PORT: await free(),
      POLICY_HTTP_PORT: await free(),
      RUNNER_PORT: await free(),
      RUNNER_OPS_PORT: await free(),
      EDGE_OPS_PORT: await free(),
    };
    const ports = { ...others, EDGE_PORT: String(port), ADMIN_PORT: String(port) };
    const { code, stdout } = await startWith(ports, ['--without', 'admin']);
    expect(code).toBe(1);
    expect(stdout).toBe(`Port ${String(port)} (edge) is in use: set EDGE_PORT to another one.\n`);
  } finally {
    server.close();
  }
});

test('an unknown service in the list of services to leave out is reported at once', async () => {
  const { code, stdout } = await startWith({}, ['--without', 'console']);
  expect(code).toBe(1);
  expect(stdout).toContain(`--without console: there are only ${SERVICES.join(', ')}.`);
});
