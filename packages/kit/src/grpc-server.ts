import {
  Server,
  status,
  type ServerDuplexStream,
  type ServerInterceptingCall,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type UntypedServiceImplementation,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { createAdmit, type Admit } from './grpc-admission';
import { DeadlineError, withDeadline } from './deadline';
import { GrpcFailure, type GrpcHandler, type UnaryHandler } from './grpc-handler';
import { serverCredentials, type TlsFiles } from './grpc-tls';
import { createGrpcServerMetrics, type CallEnded, type GrpcServerMetrics } from './grpc-metrics';
import { isLoopback } from './loopback';
import type { Logger } from './logger';
import type { Metrics } from './metrics';

export type GrpcService = {
  definition: ServiceDefinition;
  /** A handler for every method of the definition, by the name the proto gives it or in camelCase. */
  implementation: Record<string, GrpcHandler>;
};

export type GrpcServerOptions = {
  host: string;
  port: number;
  services: readonly GrpcService[];
  /** The token of each service that may call, as parseTokens reads them. */
  tokens: ReadonlyMap<string, string>;
  /** Who may call each method, by its path: `/package.Service/Method`. */
  callers: Readonly<Record<string, readonly string[]>>;
  tls?: TlsFiles | undefined;
  log: Logger;
  metrics?: Metrics;
  limits?: Partial<GrpcServerLimits>;
};

export type GrpcServerLimits = {
  /** A unary call may not run longer, whatever deadline it brings. */
  maxDeadlineMs: number;
  maxRequestBytes: number;
  maxReplyBytes: number;
  /** Per connection. */
  maxConcurrentCalls: number;
  keepaliveMs: number;
  keepaliveTimeoutMs: number;
};

export type GrpcServer = {
  port: number;
  /** Stops accepting, lets running calls finish for up to drainMs (5 s), then cuts the rest. */
  close: (options?: { drainMs: number }) => Promise<void>;
};

const LIMITS: GrpcServerLimits = {
  maxDeadlineMs: 60_000,
  maxRequestBytes: 4 * 1024 * 1024,
  maxReplyBytes: 16 * 1024 * 1024,
  maxConcurrentCalls: 1000,
  keepaliveMs: 10_000,
  keepaliveTimeoutMs: 5000,
};

// How long calls that were cut may take to be gone.
const CUT_MS = 1000;

type Deps = {
  admit: Admit;
  draining: AbortSignal;
  limits: GrpcServerLimits;
  log: Logger;
  metrics: GrpcServerMetrics;
  /** Ends each call that is running; a call takes its own out when it is over. */
  running: Set<(failure: GrpcFailure) => void>;
};

// A gRPC server on which every method asks for a service token before anything else. The check
// happens once when a call begins; messages of a stream are not touched.
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
  const deps: Deps = {
    admit: createAdmit(options),
    draining: draining.signal,
    limits,
    log,
    metrics: createGrpcServerMetrics(options.metrics),
    running: new Set(),
  };
  for (const service of options.services) {
    server.addService(
      definitionOf(service.definition),
      bindService(service, options.callers, deps),
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

function bindService(
  service: GrpcService,
  callers: GrpcServerOptions['callers'],
  deps: Deps,
): UntypedServiceImplementation {
  const bound: UntypedServiceImplementation = {};
  const unused = new Set(Object.keys(service.implementation));
  for (const [name, method] of Object.entries(service.definition)) {
    const key = [name, method.originalName].find((known) => known && unused.delete(known));
    const handler = key === undefined ? undefined : service.implementation[key];
    if (!handler) throw new Error(`${method.path} has no handler`);
    if (!callers[method.path]) throw new Error(`${method.path} has no row that says who may call`);
    const kind = kindOf(method.requestStream, method.responseStream);
    if (handler.kind !== kind) {
      throw new Error(`${method.path} is ${kind}, its handler ${handler.kind}`);
    }
    bound[name] =
      handler.kind === 'unary'
        ? bindUnary(method.path, handler, deps)
        : bindStream(method.path, handler, deps);
  }
  if (unused.size > 0) throw new Error(`handlers of no method: ${[...unused].join(', ')}`);
  return bound;
}

// What is left of a call that is over lives on until a full collection finds it, as at the client. So a
// request lies in a box from which the handler takes it.
type Box = { request?: unknown };

function definitionOf(definition: ServiceDefinition): ServiceDefinition {
  const boxed = Object.entries(definition).map(([name, method]) => {
    if (method.requestStream || method.responseStream) return [name, method];
    const requestDeserialize = (bytes: Buffer): Box => ({
      request: method.requestDeserialize(bytes),
    });
    return [name, { ...method, requestDeserialize }];
  });
  return Object.fromEntries(boxed) as ServiceDefinition;
}

function requestIn(box: Box): unknown {
  const { request } = box;
  delete box.request;
  return request;
}

function kindOf(requestStream: boolean, responseStream: boolean): string {
  if (requestStream) return responseStream ? 'duplex' : 'client stream';
  return responseStream ? 'server stream' : 'unary';
}

function bindUnary(path: string, handler: UnaryHandler, deps: Deps) {
  return (call: ServerUnaryCall<Box, unknown>, reply: sendUnaryData<unknown>): void => {
    const ended = deps.metrics.begin(path);
    const admitted = deps.admit(path, call.metadata);
    if ('refused' in admitted) {
      reply(toFailure(admitted.refused, path, ended, deps.log));
      return;
    }
    const given = call.getDeadline();
    const leftMs = (given instanceof Date ? given.getTime() : given) - Date.now();
    const deadlineMs = Math.max(0, Math.min(leftMs, deps.limits.maxDeadlineMs));
    const controller = new AbortController();
    let answered = false;

    const answer = (error: unknown, value: unknown): void => {
      if (answered) return;
      answered = true;
      clearTimeout(timer);
      deps.running.delete(giveUp);
      if (error !== undefined) {
        reply(toFailure(error, path, ended, deps.log));
        return;
      }
      ended(status.OK);
      reply(null, value);
    };
    const giveUp = (failure: GrpcFailure): void => {
      controller.abort(failure);
      answer(failure, undefined);
    };
    const timer = setTimeout(() => {
      giveUp(new GrpcFailure(status.DEADLINE_EXCEEDED, 'deadline exceeded'));
    }, deadlineMs);
    call.on('cancelled', () => {
      giveUp(new GrpcFailure(status.CANCELLED, 'the caller gave up'));
    });
    deps.running.add(giveUp);
    const context = { caller: admitted.caller, deadlineMs, signal: controller.signal };
    run(() => handler.handle(requestIn(call.request) as never, context)).then(
      (value) => answer(undefined, value),
      (error: unknown) => answer(error ?? new Error('failed with nothing'), undefined),
    );
  };
}

type StreamCall = ServerWritableStream<never, never> & ServerDuplexStream<never, never>;

function bindStream(path: string, handler: Exclude<GrpcHandler, UnaryHandler>, deps: Deps) {
  return (opened: ServerDuplexStream<unknown, unknown>): void => {
    // Which of the two kinds it is was compared with the definition when the service was bound.
    const call = opened as StreamCall;
    const ended = deps.metrics.begin(path);
    const admitted = deps.admit(path, call.metadata);
    if ('refused' in admitted) {
      call.emit('error', toFailure(admitted.refused, path, ended, deps.log));
      return;
    }
    const cut = (failure: GrpcFailure): void => {
      if (!call.destroyed) call.emit('error', failure);
    };
    const over = (code: status) => (): void => {
      deps.running.delete(cut);
      ended(code);
    };
    call.once('cancelled', over(status.CANCELLED));
    call.once('finish', over(status.OK));
    call.once('error', (error: unknown) => {
      over(error instanceof GrpcFailure ? error.status : status.UNKNOWN)();
    });
    deps.running.add(cut);
    const context = { caller: admitted.caller, draining: deps.draining };
    const handled = run(() => handler.handle(call, context)).then(
      () => undefined,
      (error: unknown) => toFailure(error, path, ended, deps.log),
    );
    void handled.then((failure) => failure && cut(failure));
    // Leaving a `for await` over the call by a throw or a break destroys it, and grpc-js sends no
    // status for a destroyed stream: the caller would wait for ever.
    call.once('close', () => {
      void handled.then((failure) => {
        if (call.writableFinished || call.cancelled) return;
        const unfinished = new Error('the stream was destroyed before it was ended');
        sendStatus(call, failure ?? toFailure(unfinished, path, ended, deps.log));
      });
    });
  };
}

// The call under a stream is not in grpc-js's types; a test breaks should its name ever change.
function sendStatus(call: StreamCall, { code, details }: GrpcFailure): void {
  const { call: underlying } = call as unknown as {
    call: Pick<ServerInterceptingCall, 'sendStatus'>;
  };
  underlying.sendStatus({ code, details, metadata: null });
}

// A handler that throws before its first await fails like one that rejects.
async function run<T>(handle: () => Promise<T> | T): Promise<T> {
  return handle();
}

// What the caller is told. A failure that nobody meant for it is told apart in the log only.
function toFailure(error: unknown, path: string, ended: CallEnded, log: Logger): GrpcFailure {
  const meant = error instanceof GrpcFailure;
  if (!meant) log.error('gRPC handler failed', { method: path, error });
  const failure = meant ? error : new GrpcFailure(status.INTERNAL, 'internal error');
  ended(failure.status);
  return failure;
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

// tryShutdown waits for every call, for ever. grpc-js's own ways to cut what is left leave the
// connection of a running call open until keepalive finds it dead, so each call is ended here with
// a status that says why. Only a peer that no longer reads is not waited for.
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
