import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

import { ConfigError, readConfig } from '@tollgate/kit';

import { configShape } from './config';
import { demoChat, type DemoAnswer, openDemo, realProviders, simulatorProvider } from './demo';
import type { Demo } from './seed';
import { portTaken, type RedisServer, startJsRedis, startPostgres, startRedis } from './servers';
import { SERVICES, type ServiceName, workspaceRoot } from './services';
import { createStack, type Stack } from './stack';
import { openState, type State } from './state';

// The launcher behind `npm start`: servers, services, demo; then it stays until it is told to stop.

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

/** Redis from the machine where it has one, else the JavaScript server. */
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

const PORTS = {
  simulator: ['SIMULATOR_PORT'],
  catalog: ['CATALOG_PORT', 'CATALOG_GRPC_PORT'],
  policy: ['POLICY_GRPC_PORT', 'POLICY_HTTP_PORT'],
  edge: ['EDGE_PORT'],
  admin: ['ADMIN_PORT'],
} as const;

/** Says which ports are somebody else's before anything is started. */
async function checkPorts(config: Config, without: ReadonlySet<ServiceName>): Promise<void> {
  const taken: string[] = [];
  for (const service of SERVICES) {
    if (without.has(service)) continue;
    for (const name of PORTS[service]) {
      if (await portTaken(config[name])) taken.push(`${name}=${String(config[name])}`);
    }
  }
  if (taken.length === 0) return;
  throw new Error(`In use by another program: ${taken.join(', ')}. Set others and start again.`);
}

function printDemo(demo: Demo, answer: DemoAnswer | undefined, admin: boolean): void {
  say('');
  if (answer !== undefined) {
    say(`A chat through the edge answered: ${JSON.stringify(answer.content)}`);
    say(
      `  ${answer.inputTokens} tokens in, ${answer.outputTokens} out · cost $${answer.costUsd} · budget left $${answer.budgetLeftUsd}`,
    );
    say('');
  }
  say(`  Edge       ${demo.edgeUrl}/v1        (your SDK's base URL)`);
  say(`  Catalog    ${demo.catalogUrl}/api/docs`);
  if (admin) say(`  Console    ${demo.adminUrl}   ${demo.admin.email} / ${demo.admin.password}`);
  say(`  Simulator  ${demo.simulatorUrl}`);
  say('');
  say('Try it:');
  say('');
  say(`  curl ${demo.edgeUrl}/v1/chat/completions \\`);
  say(`    -H 'Authorization: Bearer ${demo.apiKey}' -H 'Content-Type: application/json' \\`);
  say(`    -d '{"model":"demo","messages":[{"role":"user","content":"Hello"}]}'`);
  say('');
  say('Stop with Ctrl-C.');
}

async function main(): Promise<void> {
  const config = readConfig('stack', configShape, process.env);
  const without = skipped(process.argv);
  const dir = resolve(workspaceRoot(), config.STATE_DIR);
  const state = await openState(dir);
  const toStop: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;
  const stop = (code: number): void => {
    stopping ??= (async () => {
      say('Stopping …');
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
  // The starter is gone without a word (kill -9): nothing may be left behind.
  process.on('disconnect', () => stop(1));

  try {
    const left = await state.endLeftovers();
    if (left.length > 0) say(`  Ended what an earlier start left running: ${left.join(', ')}`);
    await checkPorts(config, without);
    const stack = await start(config, state, without, toStop, () => stop(1));
    if (stopping !== undefined) return;
    const { demo, answer } = await tryDemo(config, state, stack, without);
    if (demo !== undefined) printDemo(demo, answer, !without.has('admin'));
    else say(`\nRunning. Stop with Ctrl-C.`);
  } catch (error) {
    if (stopping !== undefined) return;
    say(`\n${error instanceof Error ? error.message : String(error)}\nLogs: ${state.path('logs')}`);
    stop(1);
  }
}

type Config = ReturnType<typeof readConfig<typeof configShape>>;

async function start(
  config: Config,
  state: State,
  without: ReadonlySet<ServiceName>,
  toStop: (() => Promise<void>)[],
  fail: () => void,
): Promise<Stack> {
  let databaseUrl = config.DATABASE_URL;
  if (databaseUrl === undefined) {
    const dir = state.path('postgres');
    const server = await shown('PostgreSQL', () => startPostgres({ dir, detached: true }));
    state.remember('postgres', server.pid());
    toStop.push(server.stop);
    databaseUrl = server.url;
  }
  let redisUrl = config.REDIS_URL;
  if (redisUrl === undefined) {
    const server = await shown('Redis', () => localRedis(state));
    state.remember('redis', server.pid());
    toStop.push(server.stop);
    redisUrl = server.url;
  }
  const stack = await createStack({
    state,
    databaseUrl,
    redisUrl,
    ports: {
      edge: config.EDGE_PORT,
      catalog: config.CATALOG_PORT,
      catalogGrpc: config.CATALOG_GRPC_PORT,
      policyGrpc: config.POLICY_GRPC_PORT,
      policyHttp: config.POLICY_HTTP_PORT,
      admin: config.ADMIN_PORT,
      simulator: config.SIMULATOR_PORT,
    },
    onUnexpectedEnd: (name, tail) => {
      say(`\n${name} ended by itself; its last words:\n${tail}`);
      fail();
    },
  });
  toStop.push(stack.stop);
  // For `npm run ledger:verify`; a database that is somebody else's has its password in here.
  state.writeJson('running.json', { databaseUrl, redisUrl, redisCluster: false });
  // The edge answers only once policy does, and policy once catalog does.
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
): Promise<{ demo?: Demo; answer?: DemoAnswer }> {
  if (without.has('catalog')) return {};
  const providers = without.has('simulator') ? [] : [simulatorProvider(stack.layout)];
  providers.push(...(await realProviders(config)));
  const demo = await shown('demo organisation', () => openDemo(state, stack.layout, providers));
  if (['edge', 'policy', 'simulator'].some((name) => without.has(name as ServiceName))) {
    return { demo };
  }
  return { demo, answer: await shown('first chat', () => demoChat(demo)) };
}

main().catch((error: unknown): void => {
  say(error instanceof ConfigError ? error.message : String(error));
  process.exit(1);
});
