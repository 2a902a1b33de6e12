import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createStack,
  freePort,
  openState,
  portTaken,
  redisCommand,
  startPostgres,
  startRedis,
  type PostgresServer,
  type RedisServer,
  type RunningService,
  type Stack,
  type State,
} from '@tollgate/stack';
import type { AxiosInstance } from 'axios';
import { Pool } from 'pg';

import { checkBooks } from '../gateway/books';
import {
  freePolicyPorts,
  freePorts,
  inTurn,
  local,
  policyAddresses,
  startEdges,
  startPolicies,
} from '../gateway/fleet';
import { signedIn, undo } from '../gateway/gateway';
import { eventually } from '../gateway/tenant';
import { writeCommands } from './counted-command';
import { signalPostgres } from './freeze';
import { startProxy, type Proxy } from './proxy';
import { edgeEnv, policyEnv, type WorldOptions } from './settings';

// A production-like gateway on one machine: two of each service, PostgreSQL and Redis with its
// append-only file, and proxies before the ports of the stores and the catalog that can delay data.

export interface World {
  readonly stack: Stack;
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  /** Between the policies and Redis. */
  readonly redisWay: Proxy;
  /** Before both catalogs' gRPC ports. */
  readonly catalogWay: Proxy;
  readonly edges: readonly RunningService[];
  readonly policies: readonly RunningService[];
  readonly catalogs: readonly RunningService[];
  /** Runs MCP servers as processes, and knows the command of ./counted-command.ts. */
  readonly runner: RunningService;
  readonly edgeUrls: readonly string[];
  readonly simulatorUrl: string;
  readonly rest: AxiosInstance;
  readonly pool: Pool;
  /** Policies decide from floats. */
  readonly floats: boolean;
  /** The built folder of the release before, if there is one. */
  readonly previous: string | undefined;
  /** Further edges, started on demand. */
  readonly moreEdges: (count: number) => Promise<MoreEdges>;
  /** A further policy with its own settings, unknown to the edges. */
  readonly anotherPolicy: (env: Readonly<Record<string, string>>) => Promise<RunningService>;
  /** The service token of an internal service. */
  readonly internalToken: string | undefined;
  /** Copies Redis's data on disk; the returned function restores the copy. */
  readonly copyRedis: () => Promise<() => Promise<void>>;
  readonly verify: () => ReturnType<typeof checkBooks>;
  /** Continues frozen services, starts ended ones, and waits until everything answers. */
  readonly repair: () => Promise<void>;
  /** The folder of the services' logs. */
  readonly logs: string;
  /** Keeps the logs when the world stops. */
  readonly keepLogs: () => void;
  readonly stop: () => Promise<void>;
}

export interface MoreEdges {
  readonly urls: readonly string[];
  readonly stop: () => Promise<void>;
}

/** The number of each service. */
const EACH = 2;

export async function startWorld(over: Partial<WorldOptions> = {}): Promise<World> {
  const cleanup: (() => Promise<unknown>)[] = [];
  const stop = (): Promise<void> => undo(cleanup);
  try {
    return await build({ patient: false, floats: false, ...over }, cleanup, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function build(
  options: WorldOptions,
  cleanup: (() => Promise<unknown>)[],
  stop: () => Promise<void>,
): Promise<World> {
  const dir = await mkdtemp(join(tmpdir(), 'tollgate-faults-'));
  let keep = false;
  cleanup.push(() => (keep ? Promise.resolve() : rm(dir, { recursive: true, force: true })));
  const state = await openState(dir);
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis({ appendOnly: true })]);
  cleanup.push(postgres.stop, redis.stop);
  const databaseUrl = await postgres.createDatabase('tollgate');
  const redisWay = await startProxy([redis.port]);
  const grpcPorts = await freePorts(EACH);
  const catalogWay = await startProxy(grpcPorts);
  cleanup.push(redisWay.stop, catalogWay.stop);
  const services = await startServices(state, {
    databaseUrl,
    redisUrl: `redis://127.0.0.1:${String(redisWay.port)}`,
    catalogGrpcAddress: `127.0.0.1:${String(catalogWay.port)}`,
    grpcPorts,
    options,
  });
  cleanup.push(services.stack.stop);
  const pool = new Pool({ connectionString: databaseUrl, max: 4 });
  // A server that stops breaks idle connections; the next query opens another.
  pool.on('error', () => undefined);
  cleanup.push(() => pool.end());
  const { stack, catalogs } = services;
  const catalogUrl = local(catalogs[0]?.layout.ports.catalog ?? 0);
  return {
    ...services,
    postgres,
    redis,
    redisWay,
    catalogWay,
    edgeUrls: services.edges.map(({ layout }) => local(layout.ports.edge)),
    simulatorUrl: local(stack.layout.ports.simulator),
    rest: await staysSignedIn(() =>
      signedIn(catalogUrl, stack.layout.adminEmail, state.secrets.adminPassword),
    ),
    pool,
    floats: options.floats,
    previous: options.previous,
    copyRedis: () => copyOf(redis, join(dir, 'redis-copy')),
    moreEdges: (count) => moreEdges(stack, count, options.patient),
    anotherPolicy: async (env) =>
      stack.start('policy', {
        as: 'policy-apart',
        ports: { policyGrpc: await freePort(), policyHttp: await freePort() },
        env: { ...policyEnv(options), ...env },
      }),
    internalToken: state.secrets.tokens['internal'],
    verify: () => checkBooks({ databaseUrl, redis }),
    repair: () => repair(services, postgres, redis),
    logs: state.path('logs'),
    keepLogs: () => {
      keep = true;
    },
    stop,
  };
}

/** A session lasts a quarter of an hour, and all scenarios together may take longer. */
const SIGN_IN_EVERY_MS = 600_000;

async function staysSignedIn(signIn: () => Promise<AxiosInstance>): Promise<AxiosInstance> {
  const rest = await signIn();
  let current = rest;
  let sinceMs = performance.now();
  rest.interceptors.request.use(async (config) => {
    if (performance.now() - sinceMs > SIGN_IN_EVERY_MS) {
      current = await signIn();
      sinceMs = performance.now();
    }
    config.headers.set('authorization', String(current.defaults.headers['authorization']));
    return config;
  });
  return rest;
}

interface Places {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly catalogGrpcAddress: string;
  readonly grpcPorts: readonly number[];
  readonly options: WorldOptions;
}

async function startServices(
  state: State,
  places: Places,
): Promise<Pick<World, 'stack' | 'edges' | 'policies' | 'catalogs' | 'runner'>> {
  const policyPorts = await freePolicyPorts(EACH);
  const stack = await createStack({
    state,
    databaseUrl: places.databaseUrl,
    redisUrl: places.redisUrl,
    catalogGrpcAddress: places.catalogGrpcAddress,
    policyAddresses: policyAddresses(policyPorts),
    runner: true,
    commandsFile: writeCommands(state),
    logLevel: 'warn',
  });
  try {
    await stack.start('simulator');
    const catalogs = await inTurn(places.grpcPorts, async (catalogGrpc, n) =>
      stack.start('catalog', {
        as: `catalog-${String(n)}`,
        ports: { catalog: await freePort(), catalogGrpc },
      }),
    );
    const policies = await startPolicies(stack, policyPorts, policyEnv(places.options));
    const runner = await stack.start('runner');
    const edges = await startEdges(stack, EACH, edgeEnv(places.options.patient));
    return { stack, catalogs, policies, runner, edges };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

async function moreEdges(stack: Stack, count: number, patient: boolean): Promise<MoreEdges> {
  const edges = await inTurn(await freePorts(count), (edge, n) =>
    stack.start('edge', {
      as: `edge-more-${String(n)}`,
      ports: { edge },
      env: edgeEnv(patient),
    }),
  );
  return {
    urls: edges.map(({ layout }) => local(layout.ports.edge)),
    stop: async () => {
      for (const edge of edges) await edge.process().stop();
    },
  };
}

async function copyOf(redis: RedisServer, to: string): Promise<() => Promise<void>> {
  // The append-only file is rewritten first, so that the copy is complete and small.
  await redisCommand(redis.url, ['BGREWRITEAOF']);
  await eventually('the file is written', async () => {
    const info = String(await redisCommand(redis.url, ['INFO', 'persistence']));
    return info.includes('aof_rewrite_in_progress:0') && info.includes('rewrite_scheduled:0');
  });
  await rm(to, { recursive: true, force: true });
  await cp(redis.dir, to, { recursive: true });
  return async () => {
    redis.kill('SIGKILL');
    await rm(redis.dir, { recursive: true, force: true });
    await cp(to, redis.dir, { recursive: true });
    await redis.restart();
  };
}

async function repair(
  { edges, policies, catalogs, runner }: Pick<World, 'edges' | 'policies' | 'catalogs' | 'runner'>,
  postgres: PostgresServer,
  redis: RedisServer,
): Promise<void> {
  signalPostgres(postgres, 'SIGCONT');
  redis.kill('SIGCONT');
  for (const store of [postgres, redis]) {
    if (!(await portTaken(store.port))) await store.restart();
  }
  for (const service of [...catalogs, ...policies, runner, ...edges]) {
    service.process().signal('SIGCONT');
    if (service.process().running()) continue;
    await service.restart();
  }
  for (const { name, layout } of edges) {
    await eventually(
      `${name} is ready`,
      async () => (await fetch(`${local(layout.ports.edge)}/v1/healthz`)).status === 200,
      60_000,
    );
  }
}
