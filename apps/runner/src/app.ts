// Start and, in reverse order, stop of this process.
import { tmpdir } from 'node:os';
import {
  parseKeyRing,
  upstreamRulesOf,
  writtenPort,
  type AddressRules,
} from '@tollgate/contracts/node';
import {
  createCallerOf,
  createLifecycle,
  createLogger,
  createMetrics,
  grpcChannel,
  grpcTls,
  healthChecks,
  isLoopback,
  listenHttp,
  listenOps,
  ownToken,
  parseTokens,
  type Env,
  type Lifecycle,
  type Logger,
  type Metrics,
  type OpsReport,
} from '@tollgate/kit';

import { readCommandsFile, type Commands } from './commands';
import type { Config } from './config';
import {
  createConnections,
  createDirectory,
  createSseAuths,
  resolveTarget,
  type Directory,
} from './connections';
import { createHandler } from './http';
import { createRunnerMetrics } from './metrics';
import {
  createChildUsers,
  createKiller,
  createLeftovers,
  createStartPauses,
  createUsageWatch,
  createWatchdog,
  findSetpriv,
  prepareUsers,
  type PreparedUsers,
  type PrepareOptions,
  type Watchdog,
} from './processes';
import { createSessions, type Sessions } from './sessions';
import { parseUserRange } from './user-range';

export interface RunnerDeps {
  /** The environment that commands may name parts of. */
  readonly env: Env;
  readonly log?: Logger;
}

export interface Runner {
  readonly port: number;
  readonly opsPort: number;
  readonly sessions: Pick<Sessions, 'size' | 'sweep'>;
  readonly watchdogPid: () => number | undefined;
  readonly stop: () => Promise<void>;
  readonly handleSignals: () => void;
}

/** How long requests may take to end when the process stops. */
const DRAIN_MS = 5_000;
const nowMs = (): number => performance.now();

export async function startRunner(config: Config, deps: RunnerDeps): Promise<Runner> {
  const log = deps.log ?? createLogger({ service: 'runner', level: config.LOG_LEVEL });
  const callerOf = callersOf(config);
  const lifecycle = createLifecycle(log, { timeoutMs: config.SHUTDOWN_TIMEOUT_MS });
  try {
    const directory = directoryOf(config);
    lifecycle.onStop('catalog', directory.close);
    let stopping = false;
    let port = config.RUNNER_PORT;
    const registry = createMetrics({ service: 'runner' });
    let core: Core | undefined;
    const sessionCount = (): number => core?.sessions.size() ?? 0;
    const metrics = createRunnerMetrics(registry, sessionCount);
    const ready = (): OpsReport => {
      const serving = !stopping && core?.watchdog.running() === true;
      return { ok: serving, body: { serving, sessions: sessionCount() } };
    };
    // Before the search for what earlier children left, which may take minutes.
    const ops = await listenForOperators({ config, metrics, ready, directory, log });
    lifecycle.onStop('ops', () => ops.close({ drainMs: 1_000 }));
    const { sessions, watchdog } = await createCore(config, deps, {
      directory,
      lifecycle,
      log,
      selfUrl: () => config.RUNNER_URL_SELF?.replace(/\/$/, '') ?? selfUrlOf(config.HOST, port),
      ended: metrics.ended,
    });
    const http = await listenHttp(
      createHandler({ callerOf, sessions, log, served: metrics.served }),
      { host: config.HOST, port },
    );
    ({ port } = http);
    core = { sessions, watchdog };
    lifecycle.onStop('http', () => http.close({ drainMs: DRAIN_MS }));
    lifecycle.onStop('readiness', () => {
      stopping = true;
      sessions.drain();
    });
    log.info('the runner is up', { port: http.port, opsPort: ops.port });
    return {
      port: http.port,
      opsPort: ops.port,
      sessions,
      watchdogPid: watchdog.pid,
      stop: () => lifecycle.stop(),
      handleSignals: lifecycle.handleSignals,
    };
  } catch (error) {
    await lifecycle.stop('could not start');
    throw error;
  }
}

interface OpsParts {
  readonly config: Config;
  readonly metrics: Pick<Metrics, 'exposition'>;
  readonly ready: () => OpsReport;
  readonly directory: Directory;
  readonly log: Logger;
}

/** Running sessions need no catalog, so only /healthz reports it. */
function listenForOperators({ config, metrics, ready, directory, log }: OpsParts) {
  return listenOps({
    host: config.HOST,
    port: config.RUNNER_OPS_PORT,
    metrics,
    ready: async () => ready(),
    health: async () => {
      const { ok, body } = ready();
      const options = { timeoutMs: config.RUNNER_CATALOG_DEADLINE_MS };
      const report = await healthChecks({ catalog: directory.reach }, options);
      return { ok: ok && report.ok, body: { ...body, checks: report.checks } };
    },
    log,
  });
}

interface CoreParts {
  readonly directory: Directory;
  readonly lifecycle: Lifecycle;
  readonly log: Logger;
  readonly selfUrl: () => string;
  readonly ended: (how: 'asked' | 'failed') => void;
}

interface Core {
  readonly sessions: Sessions;
  readonly watchdog: Watchdog;
}

async function createCore(
  config: Config,
  { env }: RunnerDeps,
  { directory, lifecycle, log, selfUrl, ended }: CoreParts,
): Promise<Core> {
  const commands = readCommandsFile(config.RUNNER_COMMANDS_FILE, env['PATH'] ?? '');
  const keyRing = parseKeyRing(config.KEY_ENCRYPTION_KEYS);
  const killer = createKiller(log);
  const { users, files, withheld } = await childUsers(config, commands, { env, killer, log });
  const watchdog = createWatchdog(users, log);
  lifecycle.onStop('watchdog', watchdog.stop);
  const usage = createUsageWatch();
  lifecycle.onStop('usage watch', usage.stop);
  const setpriv = findSetpriv();
  if (setpriv.length === 0 && commands.size > 0) {
    log.warn('there is no setpriv: children may gain privileges, and depend on the watchdog alone');
  }
  const rules = addressRules(config);
  const targets = {
    connections: createConnections(directory, nowMs, log),
    commands,
    keyRing,
    rules,
    auths: createSseAuths({ rules, nowMs }),
    env,
    stdio: {
      watchdog,
      users,
      leftovers: createLeftovers({ users, withheld, killer, files, log }),
      usage,
      setpriv,
      killGraceMs: config.RUNNER_KILL_GRACE_MS,
      nowMs,
    },
    sse: { idleMs: config.RUNNER_SSE_IDLE_MS, maxSessions: config.RUNNER_SSE_MAX_SESSIONS },
    log,
  };
  const sessions = createSessions({
    resolve: (serverId, version) => resolveTarget(targets, serverId, version),
    pauses: createStartPauses(nowMs),
    limits: {
      sessions: config.RUNNER_MAX_SESSIONS,
      perPrincipal: config.RUNNER_MAX_SESSIONS_PER_KEY,
      startTimeoutMs: config.RUNNER_START_TIMEOUT_MS,
    },
    selfUrl,
    nowMs,
    log,
    ended,
  });
  lifecycle.onStop('sessions', sessions.close);
  return { sessions, watchdog };
}

/**
 * One user for each child, or the runner's own where that is asked for. Throws an error that names what
 * is missing.
 */
async function childUsers(
  config: Config,
  commands: Commands,
  { env, killer, log }: Pick<RunnerDeps, 'env'> & Pick<PrepareOptions, 'killer' | 'log'>,
): Promise<PreparedUsers> {
  const { RUNNER_CHILD_UIDS: text, RUNNER_MAX_SESSIONS: sessions } = config;
  const temporaryFolder = env['TMPDIR'] || tmpdir();
  if (text === '') {
    if (commands.size > 0 && !config.RUNNER_SAME_USER) {
      throw new Error(
        'RUNNER_COMMANDS_FILE has commands, and their processes could read the secrets of the runner: set RUNNER_CHILD_UIDS, or RUNNER_SAME_USER=true for development',
      );
    }
    if (commands.size > 0) log.warn('children run as the user of the runner: development only');
    return { users: createChildUsers(undefined, temporaryFolder), files: undefined, withheld: [] };
  }
  const range = parseUserRange(text);
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) {
    throw new Error(
      'RUNNER_CHILD_UIDS needs Linux, and a runner that starts as root with the capabilities SETUID, SETGID and KILL',
    );
  }
  if (range.last - range.first + 1 < sessions) {
    throw new Error(
      `RUNNER_CHILD_UIDS has fewer users than RUNNER_MAX_SESSIONS (${sessions}) sessions`,
    );
  }
  const folders = config.RUNNER_SHARED_FOLDERS;
  return await prepareUsers({ range, folders, temporaryFolder, killer, log });
}

/** Undefined: without tokens any caller is served, on loopback only. */
function callersOf(config: Config): ReturnType<typeof createCallerOf> | undefined {
  const tokens = parseTokens(config.INTERNAL_TOKENS);
  if (tokens.size > 0) return createCallerOf(tokens);
  if (isLoopback(config.HOST)) return undefined;
  throw new Error(`INTERNAL_TOKENS is required to listen on ${config.HOST}`);
}

function directoryOf(config: Config): Directory {
  const channel = grpcChannel({
    address: config.CATALOG_GRPC_ADDRESS,
    token: ownToken('runner', config),
    caller: 'runner',
    tls: grpcTls(config),
  });
  return createDirectory(channel, config.RUNNER_CATALOG_DEADLINE_MS);
}

function addressRules(config: Config): AddressRules {
  const catalog = writtenPort(config.CATALOG_GRPC_ADDRESS);
  return upstreamRulesOf(config, [config.RUNNER_PORT, config.RUNNER_OPS_PORT, catalog]);
}

function selfUrlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
