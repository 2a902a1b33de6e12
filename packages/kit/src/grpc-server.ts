import { Server, status } from '@grpc/grpc-js';

import { DeadlineError, withDeadline } from './deadline';
import { admitAnybody, createAdmit } from './grpc-admission';
import { bindService, definitionOf, type BindDeps, type GrpcService } from './grpc-binding';
import { GrpcFailure } from './grpc-handler';
import { createGrpcHealth, type GrpcHealthOptions } from './grpc-health';
import { createGrpcServerMetrics } from './grpc-metrics';
import { serverCredentials, type TlsFiles } from './grpc-tls';
import type { Logger } from './logger';
import { isLoopback } from './loopback';
import type { Metrics } from './metrics';
import type { ServiceTokens } from './service-tokens';

export type { GrpcService } from './grpc-binding';

export interface GrpcServerOptions {
  host: string;
  port: number;
  services: readonly GrpcService[];
  /** The tokens of the accepted callers, as parseTokens reads them. */
  tokens: ServiceTokens;
  /** The callers of each method, by its path: `/package.Service/Method`. */
  callers: Readonly<Record<string, readonly string[]>>;
  /** The row of `callers` that a caller uses, where several share one; default: its own name. */
  roleOf?: (caller: string) => string;
  /** Serves grpc.health.v1 without a token. */
  health?: GrpcHealthOptions;
  tls?: TlsFiles | undefined;
  log: Logger;
  metrics?: Metrics;
  limits?: Partial<GrpcServerLimits>;
}

export interface GrpcServerLimits {
  /** The longest unary call, whatever deadline it brings. */
  maxDeadlineMs: number;
  maxRequestBytes: number;
  maxReplyBytes: number;
  /** Per connection. */
  maxConcurrentCalls: number;
  keepaliveMs: number;
  keepaliveTimeoutMs: number;
}

export interface GrpcServer {
  port: number;
  /** Stops accepting, lets running calls finish for up to drainMs (5 s), then cuts the rest. */
  close: (options?: { drainMs: number }) => Promise<void>;
}

const LIMITS: GrpcServerLimits = {
  maxDeadlineMs: 60_000,
  maxRequestBytes: 4 * 1024 * 1024,
  maxReplyBytes: 16 * 1024 * 1024,
  maxConcurrentCalls: 1000,
  keepaliveMs: 10_000,
  keepaliveTimeoutMs: 5000,
};

// How long calls may take to end after they are cut.
const CUT_MS = 1000;

// A gRPC server that checks a service token before every method. The check runs once when a call
// begins, not for messages of a stream.
export async function serveGrpc(options: GrpcServerOptions): Promise<GrpcServer> {
  const { host, log, tokens } = options;
  if (tokens.size === 0) {
    if (!isLoopback(host)) {
      throw new Error(`gRPC on ${host} needs service tokens: only loopback may do without`);
    }
    log.warn('gRPC accepts calls without service tokens: none are configured', { host });
  }
  const limits = { ...LIMITS, ...options.limits };
  const draining = new AbortController();
  const server = new Server({
    'grpc.max_receive_message_length': limits.maxRequestBytes,
    'grpc.max_send_message_length': limits.maxReplyBytes,
    'grpc.max_concurrent_streams': limits.maxConcurrentCalls,
    'grpc.keepalive_time_ms': limits.keepaliveMs,
    'grpc.keepalive_timeout_ms': limits.keepaliveTimeoutMs,
    'grpc.enable_channelz': 0,
  });
  const deps: BindDeps = {
    admit: createAdmit(options),
    draining: draining.signal,
    limits,
    log,
    metrics: createGrpcServerMetrics(options.metrics),
    running: new Set(),
  };
  for (const service of options.services) {
    for (const { path } of Object.values(service.definition)) {
      if (!options.callers[path]) throw new Error(`${path} has no row that says who may call`);
    }
    server.addService(definitionOf(service.definition), bindService(service, deps));
  }
  if (options.health) {
    const service = createGrpcHealth(options.services, draining.signal, options.health);
    server.addService(
      definitionOf(service.definition),
      bindService(service, { ...deps, admit: admitAnybody }),
    );
  }
  const port = await bind(server, options);
  let closed: Promise<void> | undefined;
  return {
    port,
    close: ({ drainMs } = { drainMs: 5000 }) => {
      draining.abort();
      closed ??= shutDown(server, deps.running, drainMs);
      return closed;
    },
  };
}

function bind(server: Server, options: GrpcServerOptions): Promise<number> {
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${options.port}`, serverCredentials(options.tls), (error, port) => {
      if (error) reject(error);
      else resolve(port);
    });
  });
}

// tryShutdown waits for every call without a limit. grpc-js's own forced shutdown leaves the
// connection of a running call open until keepalive fails, so each call is ended here with a
// status. Only peers that no longer read are not waited for.
async function shutDown(
  server: Server,
  running: Set<(failure: GrpcFailure) => void>,
  drainMs: number,
): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    server.tryShutdown((error) => (error ? reject(error) : resolve()));
  });
  const cut = setTimeout(() => {
    const failure = new GrpcFailure(status.UNAVAILABLE, 'the server is shutting down');
    for (const end of running) end(failure);
  }, drainMs);
  try {
    await withDeadline(ended, drainMs + CUT_MS, 'closing gRPC');
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    server.forceShutdown();
  } finally {
    clearTimeout(cut);
  }
}
