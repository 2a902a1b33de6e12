import { setTimeout as pause } from 'node:timers/promises';
import { parseKeyRing } from '@tollgate/contracts/node';
import {
  createLogger,
  createMetrics,
  grpcTls,
  isLoopback,
  isWorker,
  listenHttp,
  listenOps,
  ownToken,
  type GrpcChannelOptions,
  type HttpServer,
  type Logger,
  type Metrics,
} from '@tollgate/kit';
import { openTracing } from '@tollgate/kit/tracing';

import { BACKGROUND_MOST, createBackgroundKeeper } from './background/keeper';
import { pollResponse } from './background/poll';
import { settleBackground } from './background/settle';
import { bufferBytes, type Config } from './config';
import { createDryRuns } from './dry-run';
import { createContentRoom } from './exchange/trace-content';
import { LONG_NUMBERS } from './formats/json';
import {
  limitsOf,
  openBodyKeeper,
  openResponseCache,
  openResponsesSockets,
  openUploads,
} from './gateway-limits';
import { createByteBudget } from './intake';
import { createJsonParser } from './json/parser';
import { metricsOptions } from './metrics-options';
import { openMcp, openUpstreams } from './open-upstreams';
import { createEdgeHealth, createPolicyHealth, type EdgeHealth } from './ops/health';
import { startLimitRefresh } from './ops/limit-refresh';
import { createEdgeMetrics } from './ops/metrics';
import { createPolicy, type Policy, type PolicyDeps, type Replica } from './policy';
import { connectSession } from './policy/link';
import { createPolicyQuestions, type PolicyQuestionsDeps } from './policy/unary';
import { createRefusedReporter } from './refusals/reporter';
import { createScreeningPrograms } from './screening';
import { createServer } from './server';
import { createShadows } from './shadows';
import { createTokenCounter } from './tokeniser';
import { SCOPE } from './tracing';

export interface EdgeDeps {
  log?: Logger;
  /** Returns a number from 0 to 1, for jitter and for the choice of a provider's key. */
  random?: () => number;
  /** Limit of responses in the background. */
  backgroundMost?: number;
}

export interface Edge {
  port: number;
  url: string;
  /** The operators' port. */
  opsUrl: string;
  /**
   * Ends running requests and sends their settles; unsent ones are written to disk. Open
   * connections are served for `lingerMs` more.
   */
  stop: (options?: { lingerMs: number }) => Promise<void>;
}

/** Timeout for opening a new session. */
const SESSION_CONNECT_MS = 2_000;
const SETTLE_DEADLINE_MS = 5_000;
/** The option of a channel that says whose certificate is expected, if not the address's. */
const SERVER_NAME = 'grpc.ssl_target_name_override';
/** Policy checks its dependencies within its own deadlines; a probe waits a little longer. */
const HEALTH_DEADLINE_MS = 1_500;
const OPS_DRAIN_MS = 1_000;
const QUESTION_DEADLINE_MS = 2_000;
/** How long to wait for settles after the last request has ended. */
const SETTLES_DRAIN_MS = 10_000;
/** The same for bodies that are kept. */
const BODIES_DRAIN_MS = 5_000;
/** How long a worker waits for its first session before it serves without one. */
const SESSION_AWAITED_MS = 5_000;
const SESSION_LOOK_MS = 10;

/** Builds and starts the edge. Everything it needs is in the configuration. */
export async function startEdge(config: Config, deps: EdgeDeps = {}): Promise<Edge> {
  const token = ownToken('edge', config);
  if (token === undefined && !isLoopback(config.HOST)) {
    throw new Error('INTERNAL_TOKEN is required when HOST is not a loopback address');
  }
  const log = deps.log ?? createLogger({ service: 'edge', level: config.LOG_LEVEL });
  const random = deps.random ?? Math.random;
  const registry = createMetrics({ service: 'edge' });
  const metrics = createEdgeMetrics(registry, metricsOptions(config));
  const tls = grpcTls(config);
  const channel = (address: string) => ({ address, caller: 'edge', token, tls });

  const policyChannel = ({ address, serverName }: Replica) => ({
    ...channel(address),
    ...(serverName === undefined ? {} : { options: { [SERVER_NAME]: serverName } }),
  });

  const policy = await startPolicy(config, policyChannel, {
    log,
    random,
    onReconnect: metrics.reconnect,
    onQueued: metrics.queued,
    onQueueRefusal: metrics.queueRefusal,
  });
  const { replicas } = policy;
  const askPolicy = { replicas, channel: policyChannel };
  const questions = createPolicyQuestions({ ...askPolicy, deadlineMs: QUESTION_DEADLINE_MS });
  const limitRefresh = startLimitRefresh({ metrics, ask: questions.validateKey, log });
  const counter = createTokenCounter(log);
  const json = createJsonParser({ log, long: LONG_NUMBERS });
  const upstreams = openUpstreams(config, channel(config.CATALOG_GRPC_ADDRESS), {
    nowMs,
    wallMs,
  });
  const limits = limitsOf(config);
  const answers = createByteBudget({ totalBytes: bufferBytes(config.ANSWER_BUFFER_BYTES) });
  const background = createBackgroundKeeper({
    poll: (response) =>
      pollResponse(
        { answers, connections: upstreams.connections, json, limits, log, random },
        response,
      ),
    settle: settleBackground({ policy, log, metrics }),
    pollMs: config.BACKGROUND_POLL_MS,
    most: deps.backgroundMost ?? BACKGROUND_MOST,
    nowMs,
    log,
  });
  const bodies = createByteBudget({ totalBytes: bufferBytes(config.BODY_BUFFER_BYTES) });
  const screening = createScreeningPrograms({ ...upstreams.screening, log });
  const tracing = openTracing(config, {
    service: 'tollgate-edge',
    scope: SCOPE,
    log,
    metrics: registry,
  });
  const traceContent = createContentRoom(config.TRACE_CONTENT_CHARACTERS);
  const refusals = createRefusedReporter({ report: upstreams.reportRefused, log });
  const keyRing = parseKeyRing(config.KEY_ENCRYPTION_KEYS);
  const responseCache = openResponseCache(config, { keyRing, metrics, log, nowMs });
  if (responseCache) metrics.watchCache(responseCache.bytes);
  const keptBodies = openBodyKeeper(config, { send: upstreams.keepBodies, metrics, log, nowMs });
  const shadows = createShadows({ most: config.SHADOW_CALLS, policy, log });
  const perMinute = config.DRY_RUNS_PER_MINUTE;
  const dryRuns = createDryRuns({ ask: questions.dryRun, perMinute, keyRing, nowMs, wallMs });
  const parts = { policy, bodies, dryRuns, json, metrics, refusals, screening };
  const shared = { ...parts, traceContent, tracing, log, nowMs, random, wallMs };
  const mcp = openMcp(config, token, upstreams, shared);
  const stopParts = async (): Promise<void> => {
    mcp.streams.stop();
    background.stop();
    await shadows.stop();
    await policy.stop(SETTLES_DRAIN_MS);
    await refusals.stop();
    await keptBodies.stop(BODIES_DRAIN_MS);
    await upstreams.close();
    await counter.stop();
    await json.stop();
    limitRefresh.stop();
    questions.close();
    health.close();
    responseCache?.stop();
    await tracing?.stop();
  };

  let stopping = false;
  const health = openHealth(askPolicy, policy, () => stopping);
  const socketsOpen = () => ({ responsesSockets: sockets?.open() ?? 0 });
  metrics.watch(() => ({ ...policy.status(), ...shadows.status(), ...socketsOpen() }));
  const gateway = {
    ...shared,
    connections: upstreams.connections,
    background,
    responseCache,
    keptBodies,
    shadows,
    uploads: openUploads(config),
    answers,
    tokens: counter,
    limits,
    affinity: config.CONVERSATION_AFFINITY,
  };
  const sockets = openResponsesSockets(config, gateway);
  const app = createServer({
    gateway,
    mcp,
    corsOrigins: config.EDGE_CORS_ORIGINS,
    ops: {
      policy: questions,
      health,
      metrics: config.METRICS_ENABLED ? registry : undefined,
      invalidationSecret: config.CACHE_INVALIDATION_SECRET,
      log,
    },
  });
  let ops: HttpServer | undefined;
  try {
    // A worker receives connections as soon as it listens.
    if (isWorker()) await sessionOpen(policy);
    ops = await openOps(config, { registry, health, log });
    const upgrades = sockets?.upgrades;
    const http = await listenHttp(app, { host: config.HOST, port: config.EDGE_PORT, upgrades });
    const { url: opsUrl, close: closeOps } = ops;
    log.info('edge listens', { url: http.url, opsUrl });
    const stop: Edge['stop'] = async ({ lingerMs } = { lingerMs: 0 }) => {
      stopping = true;
      mcp.streams.drain();
      shadows.drain();
      const { DRAIN_MS: drainMs } = config;
      await Promise.all([sockets?.close({ drainMs }), http.close({ drainMs, lingerMs })]);
      await stopParts();
      // The ops port closes last, so that a readiness probe gets an answer instead of a closed
      // port.
      await closeOps({ drainMs: OPS_DRAIN_MS });
    };
    return { port: http.port, url: http.url, opsUrl, stop };
  } catch (error) {
    await stopParts();
    await ops?.close({ drainMs: 0 });
    throw error;
  }
}

async function sessionOpen(policy: Policy): Promise<void> {
  for (let waitedMs = 0; waitedMs < SESSION_AWAITED_MS; waitedMs += SESSION_LOOK_MS) {
    if (policy.status().sessionsOpen > 0) return;
    await pause(SESSION_LOOK_MS);
  }
}

const nowMs = (): number => performance.now();
const wallMs = (): number => Date.now();

type PolicyChannel = (replica: Replica) => GrpcChannelOptions;

function startPolicy(
  config: Config,
  channel: PolicyChannel,
  deps: Pick<PolicyDeps, 'log' | 'random' | 'onReconnect' | 'onQueued' | 'onQueueRefusal'>,
): Promise<Policy> {
  return createPolicy({
    ...deps,
    addresses: config.POLICY_GRPC_ADDRESSES,
    sessionsPerReplica: config.POLICY_SESSIONS,
    window: config.POLICY_WINDOW,
    recycleMs: config.POLICY_RECYCLE_MS,
    authorizeDeadlineMs: config.POLICY_DEADLINE_MS,
    queueMost: config.POLICY_QUEUE,
    queueMs: config.POLICY_QUEUE_MS,
    settleDeadlineMs: SETTLE_DEADLINE_MS,
    settlesMost: config.SETTLE_BUFFER,
    spoolDirectory: config.SPOOL_DIR,
    connect: (replica) =>
      connectSession({ ...channel(replica), connectTimeoutMs: SESSION_CONNECT_MS }),
    nowMs,
    wallMs,
  });
}

/** Each policy replica is probed at its own address; one that decides is enough. */
function openHealth(
  askPolicy: Pick<PolicyQuestionsDeps, 'replicas' | 'channel'>,
  policy: Policy,
  stopping: () => boolean,
) {
  const probes = createPolicyQuestions({ ...askPolicy, deadlineMs: HEALTH_DEADLINE_MS });
  const ask = createPolicyHealth({ ask: probes.health, nowMs });
  const { close } = probes;
  return { ...createEdgeHealth({ policy: ask, status: policy.status, stopping }), close };
}

interface OpsParts {
  registry: Metrics;
  health: EdgeHealth;
  log: Logger;
}

function openOps(config: Config, { registry, health, log }: OpsParts): Promise<HttpServer> {
  return listenOps({
    host: config.HOST,
    port: config.EDGE_OPS_PORT,
    metrics: registry,
    ready: health.serving,
    health: health.all,
    log,
  });
}
