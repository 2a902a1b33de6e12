import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import axios from 'axios';

import { serviceEnvironment } from './environment';
import { freePort, spawnServer, until, type ServerProcess } from './servers';
import {
  SERVICE_SPECS,
  workspaceRoot,
  type Layout,
  type Ports,
  type ServiceName,
} from './services';
import type { State } from './state';
import type { Supervisor } from './supervise';

export interface ServiceOptions {
  /** Name of this process among several of its kind: `edge-2`. */
  readonly as?: string;
  readonly ports?: Partial<Ports>;
  readonly env?: Record<string, string>;
  /** Wait until it is ready; default true. */
  readonly wait?: boolean;
}

export interface RunningService {
  readonly name: string;
  readonly layout: Layout;
  readonly process: () => ServerProcess;
  /** Restarts it with the same ports, after it has ended; what `changes` says holds from now on. */
  readonly restart: (changes?: Changes) => Promise<void>;
}

export interface Changes {
  /** The folder of another release, built; default as before. */
  readonly workspace?: string;
  /** Settings beside and instead of those it has; default as before. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface StackOptions {
  readonly state: State;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly redisCluster?: boolean;
  readonly ports?: Partial<Ports>;
  readonly policyAddresses?: readonly string[];
  readonly catalogGrpcAddress?: string;
  /** Whether edges and catalog know the runner; default false. */
  readonly runner?: boolean;
  /** The commands that the runner may start; default none. */
  readonly commandsFile?: string;
  readonly adminEmail?: string;
  readonly logLevel?: string;
  /** The user's settings of a service, which override its defaults; default none. */
  readonly userEnvironment?: (service: ServiceName) => Record<string, string>;
  /**
   * Called when a process ends unexpectedly and there is no supervisor. A signal counts as
   * expected.
   */
  readonly onUnexpectedEnd?: (name: string, tail: string) => void;
  /** Restarts processes that end after they were ready, also by a signal. */
  readonly supervisor?: Supervisor;
}

export interface Stack {
  readonly layout: Layout;
  readonly services: ReadonlyMap<string, RunningService>;
  readonly start: (service: ServiceName, options?: ServiceOptions) => Promise<RunningService>;
  /** Ends the services in reverse order of their start. */
  readonly stop: () => Promise<void>;
}

const READY_MS = 90_000;

async function allPorts(given: Partial<Ports>): Promise<Ports> {
  const port = async (name: keyof Ports): Promise<number> => given[name] ?? (await freePort());
  return {
    edge: await port('edge'),
    edgeOps: await port('edgeOps'),
    catalog: await port('catalog'),
    catalogOps: await port('catalogOps'),
    catalogGrpc: await port('catalogGrpc'),
    policyGrpc: await port('policyGrpc'),
    policyHttp: await port('policyHttp'),
    runner: await port('runner'),
    runnerOps: await port('runnerOps'),
    admin: await port('admin'),
    simulator: await port('simulator'),
  };
}

function layoutOf(options: StackOptions, ports: Ports): Layout {
  const { state } = options;
  const local = (port: number): string => `127.0.0.1:${String(port)}`;
  return {
    databaseUrl: options.databaseUrl,
    redisUrl: options.redisUrl,
    redisCluster: options.redisCluster ?? false,
    ports,
    policyAddresses: options.policyAddresses ?? [local(ports.policyGrpc)],
    catalogGrpcAddress: options.catalogGrpcAddress ?? local(ports.catalogGrpc),
    secrets: state.secrets,
    adminEmail: options.adminEmail ?? 'admin@tollgate.local',
    spoolDir: state.path('spool'),
    runner: options.runner ?? false,
    commandsFile: options.commandsFile ?? '',
    logLevel: options.logLevel ?? 'info',
  };
}

/** Starts one built service; its output goes to its log. */
async function spawnService(
  { state, userEnvironment }: StackOptions,
  service: ServiceName,
  name: string,
  layout: Layout,
  start: ServiceOptions,
  workspace: string,
): Promise<{ process: ServerProcess; endLog: () => void }> {
  const spec = SERVICE_SPECS[service];
  const { env } = serviceEnvironment(spec.settings(layout), userEnvironment?.(service) ?? {});
  const log = createWriteStream(state.path('logs', `${name}.log`), { flags: 'a', mode: 0o600 });
  await mkdir(layout.spoolDir, { recursive: true, mode: 0o700 });
  const spawned = await spawnServer(process.execPath, [join(workspace, spec.entry)], {
    env: { ...baseEnvironment(), ...env, ...start.env },
    detached: true,
    onOutput: (chunk) => log.write(chunk),
  });
  return { process: spawned, endLog: () => log.end() };
}

/** One of several of a kind gets its own ops ports. */
async function ownOpsPorts({ as }: ServiceOptions): Promise<Partial<Ports>> {
  if (as === undefined) return {};
  return {
    edgeOps: await freePort(),
    catalogOps: await freePort(),
    runnerOps: await freePort(),
  };
}

/** What runs, and what was asked to end. */
interface Running {
  readonly services: Map<string, RunningService>;
  readonly spawned: Set<ServerProcess>;
  readonly stopping: Set<ServerProcess>;
  closing: boolean;
}

interface Launch {
  readonly service: ServiceName;
  readonly name: string;
  readonly layout: Layout;
  readonly start: ServiceOptions;
  readonly workspace: string;
  readonly onSpawn: (server: ServerProcess) => void;
}

/** Prepares a gateway of separate built processes; `start` starts each. */
export async function createStack(options: StackOptions): Promise<Stack> {
  const layout = layoutOf(options, await allPorts(options.ports ?? {}));
  const running: Running = {
    services: new Map(),
    spawned: new Set(),
    stopping: new Set(),
    closing: false,
  };
  return {
    layout,
    services: running.services,
    start: (service, start = {}) => startService(options, running, layout, service, start),
    stop: () => stopAll(options, running),
  };
}

async function startService(
  options: StackOptions,
  running: Running,
  layout: Layout,
  service: ServiceName,
  start: ServiceOptions,
): Promise<RunningService> {
  const name = start.as ?? service;
  const own: Layout = {
    ...layout,
    ports: { ...layout.ports, ...(await ownOpsPorts(start)), ...start.ports },
    spoolDir: options.state.path('spool', name),
  };
  let server: ServerProcess | undefined;
  const current = (): ServerProcess => {
    if (server === undefined) throw new Error(`${name} has never been started`);
    return server;
  };
  const onSpawn = (spawnedServer: ServerProcess): void => {
    server = spawnedServer;
  };
  let workspace = workspaceRoot();
  let env = start.env ?? {};
  const begin = (): Promise<void> =>
    launch(options, running, {
      service,
      name,
      layout: own,
      start: { ...start, env },
      workspace,
      onSpawn,
    });
  await begin();
  const started: RunningService = {
    name,
    layout: own,
    process: current,
    restart: async (changes = {}) => {
      workspace = changes.workspace ?? workspace;
      env = { ...env, ...changes.env };
      await current().stop('SIGKILL');
      await begin();
    },
  };
  options.supervisor?.watch({
    name,
    ended: () => current().ended,
    asked: () => running.closing || running.stopping.has(current()),
    restart: () => started.restart(),
    tail: () => current().tail(),
  });
  running.services.set(name, started);
  return started;
}

async function launch(options: StackOptions, running: Running, what: Launch): Promise<void> {
  const { name, service, layout, start } = what;
  if (running.closing) throw new Error(`${name} is not started: the stack is stopping`);
  const { process: spawnedServer, endLog } = await spawnService(
    options,
    service,
    name,
    layout,
    start,
    what.workspace,
  );
  const server: ServerProcess = {
    ...spawnedServer,
    stop: (...how) => {
      running.stopping.add(server);
      return spawnedServer.stop(...how);
    },
  };
  options.state.remember(name, server.pid);
  running.spawned.add(server);
  what.onSpawn(server);
  void server.ended.then(({ signal }) => {
    endLog();
    running.spawned.delete(server);
    const asked = running.closing || running.stopping.has(server) || signal !== null;
    if (!asked && options.supervisor === undefined) {
      options.onUnexpectedEnd?.(name, server.tail());
    }
  });
  if (start.wait === false) return;
  const ready = (): Promise<unknown> =>
    axios.get(SERVICE_SPECS[service].readyUrl(layout), { timeout: 2_000, proxy: false });
  await until(ready, `${name} is not ready`, READY_MS, server).catch(async (error: unknown) => {
    // It would keep its ports from the next one. The end was unexpected, so it is retried.
    await spawnedServer.stop('SIGKILL');
    throw error;
  });
}

async function stopAll({ state }: StackOptions, running: Running): Promise<void> {
  running.closing = true;
  for (const server of [...running.spawned].toReversed()) await server.stop();
  // A process may have been spawned while the first ones were stopping.
  for (const server of running.spawned) await server.stop();
  running.services.clear();
  state.forget();
}

/** The part of the environment that every child needs; its settings come only from the table. */
function baseEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
