// Turns the methods of a service into grpc-js handlers: the caller is checked first, then the call
// runs under its deadline, and its end is counted. Listening and closing are in ./grpc-server.
import {
  status,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerInterceptingCall,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';

import type { Admit } from './grpc-admission';
import { GrpcFailure, type GrpcHandler, type UnaryHandler } from './grpc-handler';
import type { CallEnded, GrpcServerMetrics } from './grpc-metrics';
import type { Logger } from './logger';

export interface GrpcService {
  definition: ServiceDefinition;
  /** A handler for every method of the definition, by its proto name or in camelCase. */
  implementation: Record<string, GrpcHandler>;
}

export interface BindDeps {
  admit: Admit;
  draining: AbortSignal;
  limits: { readonly maxDeadlineMs: number };
  log: Logger;
  metrics: GrpcServerMetrics;
  /** Ends each running call; a call removes its own entry when it is over. */
  running: Set<(failure: GrpcFailure) => void>;
}

export function bindService(service: GrpcService, deps: BindDeps): UntypedServiceImplementation {
  const bound: UntypedServiceImplementation = {};
  const unused = new Set(Object.keys(service.implementation));
  for (const [name, method] of Object.entries(service.definition)) {
    const key = [name, method.originalName].find((known) => known && unused.delete(known));
    const handler = key === undefined ? undefined : service.implementation[key];
    if (!handler) throw new Error(`${method.path} has no handler`);
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

// Some objects of a call outlive it until the next full collection, as at the client. So a request lies in
// a box, and the handler takes it out (decision 64).
interface Box {
  request?: unknown;
}

export function definitionOf(definition: ServiceDefinition): ServiceDefinition {
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

function bindUnary(path: string, handler: UnaryHandler, deps: BindDeps) {
  return (call: ServerUnaryCall<Box, unknown>, reply: sendUnaryData<unknown>): void => {
    const admitted = deps.admit(path, call.metadata);
    const ended = deps.metrics.begin(path, admitted.label);
    const told = (error: unknown): GrpcFailure =>
      toFailure(error, { path, caller: admitted.label, ended, log: deps.log });
    if ('refused' in admitted) {
      reply(told(admitted.refused));
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
        reply(told(error));
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

function bindStream(path: string, handler: Exclude<GrpcHandler, UnaryHandler>, deps: BindDeps) {
  return (opened: ServerDuplexStream<unknown, unknown>): void => {
    // The kind was compared with the definition when the service was bound.
    const call = opened as StreamCall;
    const admitted = deps.admit(path, call.metadata);
    const ended = deps.metrics.begin(path, admitted.label);
    const told = (error: unknown): GrpcFailure =>
      toFailure(error, { path, caller: admitted.label, ended, log: deps.log });
    if ('refused' in admitted) {
      call.emit('error', told(admitted.refused));
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
      (error: unknown) => told(error),
    );
    void handled.then((failure) => failure && cut(failure));
    // Leaving a `for await` over the call by a throw or a break destroys it, and grpc-js sends no
    // status for a destroyed stream: the caller would wait for ever.
    call.once('close', () => {
      void handled.then((failure) => {
        if (call.writableFinished || call.cancelled) return;
        const unfinished = new Error('the stream was destroyed before it was ended');
        sendStatus(call, failure ?? told(unfinished));
      });
    });
  };
}

// Internal API of grpc-js; a test fails if its name changes.
function sendStatus(call: StreamCall, { code, details }: GrpcFailure): void {
  const { call: underlying } = call as unknown as {
    call: Pick<ServerInterceptingCall, 'sendStatus'>;
  };
  underlying.sendStatus({ code, details, metadata: null });
}

// Turns a synchronous throw into a rejection.
async function run<T>(handle: () => Promise<T> | T): Promise<T> {
  return handle();
}

// What the caller is told. Unexpected failures are detailed only in the log.
function toFailure(
  error: unknown,
  call: { path: string; caller: string; ended: CallEnded; log: Logger },
): GrpcFailure {
  const { path, caller, ended, log } = call;
  const meant = error instanceof GrpcFailure;
  if (!meant) log.error('gRPC handler failed', { method: path, caller, error });
  const failure = meant ? error : new GrpcFailure(status.INTERNAL, 'internal error');
  ended(failure.status);
  return failure;
}
