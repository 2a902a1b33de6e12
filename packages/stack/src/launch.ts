import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError, readConfig } from '@tollgate/kit';

import { announcement, type Announced } from './announce';
import { configShape } from './config';
import { demoChat, openDemo, realProviders, simulatorProvider } from './demo';
import { callDemoTool, demoMcpServers, writeDemoCommands } from './demo-mcp';
import { documented, serviceEnvironment } from './environment';
import { portsOf, takenPorts } from './ports-table';
import {
  startJsRedis,
  startPostgres,
  startRedis,
  type PostgresServer,
  type RedisServer,
} from './servers';
import {
  SERVICE_SPECS,
  SERVICES,
  variablesOf,
  workspaceRoot,
  type Layout,
  type ServiceName,
} from './services';
import { createStack, type Stack } from './stack';
import { openState, type State } from './state';
import { createSupervisor, type Supervisor } from './supervise';

// The launcher behind `npm start`: starts servers, services and the demo, then waits for a stop.

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function shown<T>(
  title: string,
  work: () => Promise<T>,
  after?: (value: T) => string,
): Promise<T> {
  const started = performance.now();
  say(`  ${title} …`);
  const value = await work();
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  say(`  ${title}: ready in ${seconds} s${after === undefined ? '' : ` (${after(value)})`}`);
  return value;
}

function onPath(binary: string): boolean {
  try {
    execFileSync(binary, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The machine's Redis if it has one, else the JavaScript server. */
async function localRedis(state: State): Promise<RedisServer> {
  const binary = ['redis-server', 'valkey-server'].find(onPath);
  if (binary === undefined) {
    say(
      '  No redis-server or valkey-server on the PATH: a JavaScript server from npm takes its place.',
    );
    say('  It keeps everything in memory and is for development only.');
    return startJsRedis({ detached: true });
  }
  return startRedis({ binary, dir: state.path('redis'), appendOnly: true, detached: true });
}

function skipped(argv: readonly string[]): ReadonlySet<ServiceName> {
  const at = argv.indexOf('--without');
  const names = at === -1 ? [] : (argv[at + 1] ?? '').split(',').filter((name) => name !== '');
  const known = (name: string): name is ServiceName => SERVICES.some((service) => service === name);
  return new Set(
    names.map((name) => {
      if (known(name)) return name;
      throw new Error(`--without ${name}: there are only ${SERVICES.join(', ')}`);
    }),
  );
}

/** Reports ports that other programs use before anything is started. */
async function checkPorts(config: Config, without: ReadonlySet<ServiceName>): Promise<void> {
  const taken = await takenPorts(config, without);
  if (taken.length > 0) throw new Error(taken.join('\n'));
}

/** The user's settings for a service. Reports once each variable that the launcher sets itself. */
function passedOn(
  layout: () => Layout | undefined,
): (service: ServiceName) => Record<string, string> {
  const told = new Set<string>();
  return (service) => {
    const user = documented(variablesOf(service), process.env);
    const own = layout();
    if (own === undefined) return user;
    const { overridden } = serviceEnvironment(SERVICE_SPECS[service].settings(own), user);
    for (const name of overridden) {
      if (told.has(name)) continue;
      told.add(name);
      say(`  ${name} of your environment is not used: npm start sets its own.`);
    }
    return user;
  };
}

async function main(): Promise<void> {
  const config = readConfig('stack', configShape, process.env);
  const without = skipped(process.argv);
  const dir = resolve(workspaceRoot(), config.STATE_DIR);
  const state = await openState(dir);
  state.claim();
  const toStop: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;
  const supervisor = createSupervisor({
    say: (line) => say(`  ${line}`),
    giveUp: (name) => {
      say(`Giving up because of ${name}. Logs: ${state.path('logs')}`);
      stop(1);
    },
    nowMs: () => performance.now(),
    // Ended early when the launcher stops.
    pause: (ms, signal) => pause(ms, undefined, { signal }).catch(() => undefined),
  });
  const stop = (code: number): void => {
    stopping ??= (async () => {
      say('Stopping …');
      supervisor.stop();
      for (const end of toStop.toReversed()) await end();
      state.forget();
      say('Stopped.');
    })();
    void stopping.then(
      () => process.exit(code),
      (error: unknown) => {
        say(String(error));
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(0));
  // The starter died (kill -9): stop everything.
  process.on('disconnect', () => stop(1));

  try {
    const left = await state.endLeftovers();
    if (left.length > 0) say(`  Ended what an earlier start left running: ${left.join(', ')}`);
    await checkPorts(config, without);
    const stack = await start({ config, state, without, toStop, supervisor });
    if (stopping !== undefined) return;
    const announced = await tryDemo(config, state, stack, without);
    const lines = announced ? announcement(announced) : ['', 'Running. Stop with Ctrl-C.'];
    for (const line of lines) say(line);
  } catch (error) {
    if (stopping !== undefined) return;
    say(`\n${error instanceof Error ? error.message : String(error)}\nLogs: ${state.path('logs')}`);
    stop(1);
  }
}

type Config = ReturnType<typeof readConfig<typeof configShape>>;

interface Starting {
  readonly config: Config;
  readonly state: State;
  readonly without: ReadonlySet<ServiceName>;
  readonly toStop: (() => Promise<void>)[];
  readonly supervisor: Supervisor;
}

/** A server that the launcher starts: supervised, and recorded in case this start is killed. */
async function ownServer<S extends PostgresServer | RedisServer>(
  title: string,
  { state, toStop, supervisor }: Starting,
  begin: () => Promise<S>,
): Promise<S> {
  const server = await shown(title, begin);
  const name = title.toLowerCase();
  let stopping = false;
  toStop.push(() => {
    stopping = true;
    return server.stop();
  });
  state.remember(name, server.pid());
  supervisor.watch({
    name,
    ended: () => server.process().ended,
    asked: () => stopping,
    restart: async () => {
      await server.restart();
      state.remember(name, server.pid());
    },
    tail: () => server.process().tail(),
  });
  return server;
}

async function start(starting: Starting): Promise<Stack> {
  const { config, state, without, toStop, supervisor } = starting;
  const databaseUrl =
    config.DATABASE_URL ??
    (
      await ownServer('PostgreSQL', starting, () =>
        startPostgres({ dir: state.path('postgres'), detached: true }),
      )
    ).url;
  const redisUrl =
    config.REDIS_URL ?? (await ownServer('Redis', starting, () => localRedis(state))).url;
  let layout: Layout | undefined;
  const stack = await createStack({
    state,
    databaseUrl,
    redisUrl,
    redisCluster: config.REDIS_CLUSTER,
    runner: !without.has('runner'),
    commandsFile: writeDemoCommands(state),
    ports: portsOf(config),
    userEnvironment: passedOn(() => layout),
    supervisor,
  });
  ({ layout } = stack);
  toStop.push(stack.stop);
  // For `npm run ledger:verify`; the URL of a foreign database contains its password.
  state.writeJson('running.json', { databaseUrl, redisUrl, redisCluster: config.REDIS_CLUSTER });
  // The edge serves only once policy does, and policy once the catalog does.
  for (const service of SERVICES) {
    if (without.has(service)) continue;
    await shown(service, () => stack.start(service));
  }
  return stack;
}

async function tryDemo(
  config: Config,
  state: State,
  stack: Stack,
  without: ReadonlySet<ServiceName>,
): Promise<Announced | undefined> {
  if (without.has('catalog')) return undefined;
  const providers = without.has('simulator') ? [] : [simulatorProvider(stack.layout)];
  providers.push(...(await realProviders(config)));
  const servers = demoMcpServers(stack.layout, without);
  const demo = await shown('demo organisation', () =>
    openDemo(state, stack.layout, providers, servers),
  );
  const announced = {
    demo,
    answer: undefined,
    mcpServers: servers.map(({ identifier }) => identifier),
    without,
    model: providers[0]?.models[0]?.name,
    opsUrl: `http://127.0.0.1:${String(config.EDGE_OPS_PORT)}`,
  };
  const needed: readonly ServiceName[] = ['edge', 'policy', 'simulator'];
  if (needed.some((name) => without.has(name))) return announced;
  const answer = await shown('first chat', () => demoChat(demo));
  for (const { identifier } of servers) {
    await shown(`first tool call of ${identifier}`, () => callDemoTool(demo, identifier));
  }
  return { ...announced, answer };
}

main().catch((error: unknown): void => {
  say(error instanceof ConfigError ? error.message : String(error));
  process.exit(1);
});
