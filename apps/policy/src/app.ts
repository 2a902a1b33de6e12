// Start and, in reverse order, stop of this process. ./core has its parts.
import { callerRole, GRPC_CALLERS, PolicyServiceDefinition } from '@tollgate/contracts/node';
import {
  createLifecycle,
  createLogger,
  createLoopClock,
  createMetrics,
  grpcChannel,
  grpcTls,
  listenOps,
  ownToken,
  parseTokens,
  serveGrpc,
  systemClock,
  type Clock,
  type Lifecycle,
  type Logger,
  type Metrics,
  type OpsReport,
} from '@tollgate/kit';
import { GENERAL_SCOPE, openTracing, type Tracing } from '@tollgate/kit/tracing';

import { createCatalog, type Catalog } from './catalog';
import type { Config } from './config';
import { createCore, type Core } from './core';
import type { FloatParameters } from './floats';
import {
  createHandlers,
  createHealth,
  createPolicyMetrics,
  type Health,
  type PolicyMetrics,
} from './service';
import type { Scripts, Store } from './store';

/** What a test may replace. */
export interface PolicyDeps {
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Scripts with a test's clock instead of the server's. */
  readonly scripts?: Scripts;
  readonly floatParameters?: FloatParameters;
}

export interface Policy {
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly stop: () => Promise<void>;
  readonly handleSignals: () => void;
}

const STOP_DRAIN_MS = 5_000;

export async function startPolicy(config: Config, deps: PolicyDeps = {}): Promise<Policy> {
  const clock = deps.clock ?? systemClock;
  const log = deps.log ?? createLogger({ service: 'policy', level: config.LOG_LEVEL });
  const lifecycle = createLifecycle(log, { timeoutMs: config.SHUTDOWN_TIMEOUT_MS });
  const registry = createMetrics({ service: 'policy' });
  const metrics = createPolicyMetrics(registry);
  const tokens = parseTokens(config.INTERNAL_TOKENS);
  const tls = grpcTls(config);
  try {
    const catalog = catalogOf(config, tls);
    lifecycle.onStop('catalog', catalog.close);
    const tracing = tracingOf(config, log, registry);
    lifecycle.onStop('tracing', () => tracing?.stop());
    const { floatParameters, scripts } = deps;
    const parts = { config, catalog, metrics, tracing, clock, log };
    const core = createCore({ ...parts, scripts, floatParameters });
    await startCore(core, lifecycle, log);
    const loopClock = createLoopClock(() => performance.now());
    lifecycle.onStop('loop clock', () => loopClock.stop());
    let stopping = false;
    const health = createHealth({
      ...healthChecksOf(config, core, catalog),
      stopping: () => stopping,
      clock,
    });
    const http = await listenHttp(config, metrics, health, log);
    lifecycle.onStop('http', () => http.close({ drainMs: 1_000 }));
    const grpc = await serveGrpc({
      host: config.HOST,
      port: config.POLICY_GRPC_PORT,
      services: [
        {
          definition: PolicyServiceDefinition,
          implementation: createHandlers({
            ...core,
            health,
            metrics,
            itemDeadlineMs: config.ITEM_DEADLINE_MS,
            window: config.SESSION_WINDOW,
            clock,
            loopClock,
            log,
          }),
        },
      ],
      tokens,
      callers: GRPC_CALLERS,
      roleOf: callerRole,
      health: { serving: async () => (await health.report()).serving },
      tls,
      log,
      metrics: registry,
    });
    lifecycle.onStop('grpc', () => grpc.close({ drainMs: STOP_DRAIN_MS }));
    lifecycle.onStop('readiness', () => {
      stopping = true;
      core.memory?.drain();
    });
    log.info('policy is up', { grpcPort: grpc.port, httpPort: http.port });
    return {
      grpcPort: grpc.port,
      httpPort: http.port,
      stop: () => lifecycle.stop(),
      handleSignals: lifecycle.handleSignals,
    };
  } catch (error) {
    await lifecycle.stop('could not start');
    throw error;
  }
}

function tracingOf(config: Config, log: Logger, metrics: Metrics): Tracing | undefined {
  return openTracing(config, { service: 'tollgate-policy', scope: GENERAL_SCOPE, log, metrics });
}

function healthChecksOf(config: Config, { store }: Core, catalog: Catalog) {
  return {
    pingStore: () => store.ping(),
    reachCatalog: () => catalog.reach(config.CATALOG_DEADLINE_MS),
    askCatalog: () => catalog.getShards([0]),
    timeoutMs: Math.max(config.CATALOG_DEADLINE_MS, config.REDIS_DEADLINE_MS),
  };
}

function catalogOf(config: Config, tls: ReturnType<typeof grpcTls>): Catalog {
  return createCatalog({
    channel: grpcChannel({
      address: config.CATALOG_GRPC_ADDRESS,
      token: ownToken('policy', config),
      caller: 'policy',
      tls,
    }),
    deadlineMs: config.CATALOG_DEADLINE_MS,
    ledgerDeadlineMs: config.CATALOG_LEDGER_DEADLINE_MS,
  });
}

/** Starts the background work, and says in which order it ends. */
async function startCore(core: Core, lifecycle: Lifecycle, log: Logger): Promise<void> {
  lifecycle.onStop('store', () => core.store.stop());
  await connectStore(core.store, log);
  core.worker.start();
  lifecycle.onStop('worker', () => core.worker.stop({ drainMs: STOP_DRAIN_MS }));
  lifecycle.onStop('floats', () => core.memory?.stop({ withinMs: STOP_DRAIN_MS }));
  core.watch.start();
  lifecycle.onStop('watch', core.watch.stop);
  lifecycle.onStop('orphans', () => core.orphans.stop());
  lifecycle.onStop('soft limits', () => core.softLimits.stop());
  lifecycle.onStop('refusals', () => core.refusals.stop());
  lifecycle.onStop('kept decisions', () => core.keptDecisions.stop());
  lifecycle.onStop('upstream changes', () => core.upstreamChanges.stop());
  lifecycle.onStop('reports', () => core.reports.idle());
  lifecycle.onStop('give-backs', () => core.giveBacks.idle());
}

/** Metrics, readiness and health for whoever runs the process. */
function listenHttp(config: Config, metrics: PolicyMetrics, health: Health, log: Logger) {
  const report = async (): Promise<OpsReport> => {
    const body = await health.report();
    return { ok: body.serving, body };
  };
  return listenOps({
    host: config.HOST,
    port: config.POLICY_HTTP_PORT,
    metrics,
    ready: report,
    health: report,
    log,
  });
}

// A store that is unreachable at the start does not prevent the start: decisions fail until it is
// back.
async function connectStore(store: Store, log: Logger): Promise<void> {
  try {
    await store.connect();
  } catch (error) {
    log.warn('the store cannot be reached yet', { error });
  }
}
