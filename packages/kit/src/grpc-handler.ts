import {
  Metadata,
  type ServerDuplexStream,
  type ServerWritableStream,
  type status,
} from '@grpc/grpc-js';

export { status as grpcStatus } from '@grpc/grpc-js';
export type GrpcStatus = status;

/** A failure whose status and message the caller gets. Any other error is INTERNAL. */
export class GrpcFailure extends Error {
  override readonly name = 'GrpcFailure';
  /** grpc-js reads it when an error ends a call, so a stream may emit a GrpcFailure. */
  readonly code: GrpcStatus;
  readonly details: string;
  /** For programs; the caller finds it as the error's metadata. */
  readonly metadata: Metadata;

  constructor(
    readonly status: GrpcStatus,
    message: string,
    options?: { cause?: unknown; trailers?: Readonly<Record<string, string>> },
  ) {
    super(message, options);
    this.code = status;
    this.details = message;
    this.metadata = metadataOf(options?.trailers ?? {});
  }
}

function metadataOf(trailers: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return metadata;
}

export interface UnaryContext {
  /** The calling service, by its token. */
  caller: string;
  /** The remaining deadline of the caller, at most the server's own. */
  deadlineMs: number;
  /** Fires when the deadline passes or the caller cancels. */
  signal: AbortSignal;
}

export interface StreamContext {
  caller: string;
  /** Fires when the server starts closing: end the stream soon, it is cut at the deadline. */
  draining: AbortSignal;
}

// Request and reply are `never` and `unknown` where handlers of different methods are mixed.
export interface UnaryHandler<Request = never, Reply = unknown> {
  kind: 'unary';
  handle(request: Request, context: UnaryContext): Promise<Reply>;
}
export interface ServerStreamHandler<Request = never, Reply = never> {
  kind: 'server stream';
  handle(call: ServerWritableStream<Request, Reply>, context: StreamContext): Promise<void> | void;
}
export interface DuplexHandler<Request = never, Reply = never> {
  kind: 'duplex';
  handle(call: ServerDuplexStream<Request, Reply>, context: StreamContext): Promise<void> | void;
}
export type GrpcHandler = UnaryHandler | ServerStreamHandler | DuplexHandler;

/** One request, one reply, as a promise. */
export function unary<Request, Reply>(
  handle: UnaryHandler<Request, Reply>['handle'],
): UnaryHandler<Request, Reply> {
  return { kind: 'unary', handle };
}

// Stream handlers get grpc-js's own call. `call.end()` ends it with OK, a throw or
// `call.emit('error', new GrpcFailure(…))` with a status, and 'cancelled' means that the caller has
// gone.

/** One request, many replies. */
export function serverStream<Request, Reply>(
  handle: ServerStreamHandler<Request, Reply>['handle'],
): ServerStreamHandler<Request, Reply> {
  return { kind: 'server stream', handle };
}

/** Many requests, many replies, in any order. */
export function duplex<Request, Reply>(
  handle: DuplexHandler<Request, Reply>['handle'],
): DuplexHandler<Request, Reply> {
  return { kind: 'duplex', handle };
}
