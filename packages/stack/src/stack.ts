import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import axios from 'axios';

import { serviceEnvironment } from './environment';
import { freePort, type ServerProcess, spawnServer, until } from './servers';
import {
  type Layout,
  type Ports,
  SERVICE_SPECS,
  type ServiceName,
  workspaceRoot,
} from './services';
import type { State } from './state';
import type { Supervisor } from './supervise';

export interface ServiceOptions {
  /** Name of this process when there are several of its kind: `edge-2`. */
  readonly as?: string;
  readonly ports?: Partial<Ports>;
  readonly env?: Record<string, string>;
  /** Wait until it says that it is ready; on unless said otherwise. */
  readonly wait?: boolean;
}

export interface RunningService {
  readonly name: string;
  readonly layout: Layout;
  readonly process: () => ServerProcess;
  /** Starts it again with the same ports and environment, after it has ended. */
  readonly restart: () => Promise<void>;
}

export interface StackOptions {
  readonly state: State;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly redisCluster?: boolean;
  readonly ports?: Partial<Ports>;
  readonly policyAddresses?: readonly string[];
  readonly catalogGrpcAddress?: string;
  readonly adminEmail?: string;
  readonly logLevel?: string;
  /** What a user has set for a service, over its defaults; by itself the stack passes nothing on. */
  readonly userEnvironment?: (service: ServiceName) => Record<string, string>;
  /** Called when a process ends by itself and there is no supervisor; a signal counts as asked for. */
  readonly onUnexpectedEnd?: (name: string, tail: string) => void;
  /** Starts again what ends, also by a signal, once it has been ready. */
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
    logLevel: options.logLevel ?? 'info',
  };
}

/** The process of one service, from its build, with what it prints in its log. */
async function spawnService(
  { state, userEnvironment }: StackOptions,
  service: ServiceName,
  name: string,
  layout: Layout,
  start: ServiceOptions,
): Promise<{ process: ServerProcess; endLog: () => void }> {
  const spec = SERVICE_SPECS[service];
  const { env } = serviceEnvironment(spec.settings(layout), userEnvironment?.(service) ?? {});
  const log = createWriteStream(state.path('logs', `${name}.log`), { flags: 'a', mode: 0o600 });
  await mkdir(layout.spoolDir, { recursive: true, mode: 0o700 });
  const spawned = await spawnServer(process.execPath, [join(workspaceRoot(), spec.entry)], {
    env: { ...baseEnvironment(), ...env, ...start.env },
    detached: true,
    onOutput: (chunk) => log.write(chunk),
  });
  return { process: spawned, endLog: () => log.end() };
}

/** One of several of a kind: the ports that only operators use are its own. */
async function ownOpsPorts({ as }: ServiceOptions): Promise<Partial<Ports>> {
  if (as === undefined) return {};
  return { edgeOps: await freePort(), catalogOps: await freePort() };
}

/** Prepares a gateway of separate processes; each is started by `start`, from its build. */
export async function createStack(options: StackOptions): Promise<Stack> {
  const { state } = options;
  const layout = layoutOf(options, await allPorts(options.ports ?? {}));
  const services = new Map<string, RunningService>();
  const stopping = new Set<ServerProcess>();
  const spawned = new Set<ServerProcess>();
  let closing = false;

  const launch = async (
    service: ServiceName,
    name: string,
    own: Layout,
    start: ServiceOptions,
    onSpawn: (server: ServerProcess) => void,
  ): Promise<void> => {
    if (closing) throw new Error(`${name} is not started: the stack is stopping`);
    const { process: spawnedServer, endLog } = await spawnService(
      options,
      service,
      name,
      own,
      start,
    );
    const server: ServerProcess = {
      ...spawnedServer,
      stop: (...how) => {
        stopping.add(server);
        return spawnedServer.stop(...how);
      },
    };
    state.remember(name, server.pid);
    spawned.add(server);
    onSpawn(server);
    void server.ended.then(({ signal }) => {
      endLog();
      spawned.delete(server);
      const asked = closing || stopping.has(server) || signal !== null;
      if (!asked && options.supervisor === undefined) {
        options.onUnexpectedEnd?.(name, server.tail());
      }
    });
    if (start.wait !== false) {
      const ready = (): Promise<unknown> =>
        axios.get(SERVICE_SPECS[service].readyUrl(own), { timeout: 2_000, proxy: false });
      await until(ready, `${name} is not ready`, READY_MS, server).catch(async (error: unknown) => {
        // It would keep its ports from the next one. Nobody asked for this end: it is tried again.
        await spawnedServer.stop('SIGKILL');
        throw error;
      });
    }
  };

  return {
    layout,
    services,
    start: async (service, start = {}) => {
      const name = start.as ?? service;
      const own: Layout = {
        ...layout,
        ports: { ...layout.ports, ...(await ownOpsPorts(start)), ...start.ports },
        spoolDir: state.path('spool', name),
      };
      let server: ServerProcess | undefined;
      const current = (): ServerProcess => {
        if (server === undefined) throw new Error(`${name} has never been started`);
        return server;
      };
      const begin = (): Promise<void> =>
        launch(service, name, own, start, (spawnedServer) => {
          server = spawnedServer;
        });
      await begin();
      const running: RunningService = {
        name,
        layout: own,
        process: current,
        restart: async () => {
          await current().stop('SIGKILL');
          await begin();
        },
      };
      options.supervisor?.watch({
        name,
        ended: () => current().ended,
        asked: () => closing || stopping.has(current()),
        restart: running.restart,
        tail: () => current().tail(),
      });
      services.set(name, running);
      return running;
    },
    stop: async () => {
      closing = true;
      for (const server of [...spawned].toReversed()) await server.stop();
      // One may have been spawned while the first stop was decided on.
      for (const server of spawned) await server.stop();
      services.clear();
      state.forget();
    },
  };
}

/** What a child needs of the surrounding environment; its own settings come from the table alone. */
function baseEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
