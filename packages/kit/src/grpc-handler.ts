import {
  Metadata,
  type ServerDuplexStream,
  type ServerWritableStream,
  type status,
} from '@grpc/grpc-js';

export { status as grpcStatus } from '@grpc/grpc-js';
export type GrpcStatus = status;

/** A failure that the caller is told: its status and its message. Anything else is INTERNAL. */
export class GrpcFailure extends Error {
  override readonly name = 'GrpcFailure';
  /** What grpc-js reads when an error ends a call: a stream may emit a GrpcFailure as it is. */
  readonly code: GrpcStatus;
  readonly details: string;
  /** For programs to read; the caller finds it as the error's metadata. */
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

export type UnaryContext = {
  /** The service that calls, by its token. */
  caller: string;
  /** What is left of the caller's deadline, at most the server's own. */
  deadlineMs: number;
  /** Fires when the deadline passes or the caller gives up. */
  signal: AbortSignal;
};

export type StreamContext = {
  caller: string;
  /** Fires when the server begins to close: end the stream soon, it is cut at the deadline. */
  draining: AbortSignal;
};

// A request and a reply are `never` and `unknown` where handlers of many methods stand together.
export type UnaryHandler<Request = never, Reply = unknown> = {
  kind: 'unary';
  handle(request: Request, context: UnaryContext): Promise<Reply>;
};
export type ServerStreamHandler<Request = never, Reply = never> = {
  kind: 'server stream';
  handle(call: ServerWritableStream<Request, Reply>, context: StreamContext): Promise<void> | void;
};
export type DuplexHandler<Request = never, Reply = never> = {
  kind: 'duplex';
  handle(call: ServerDuplexStream<Request, Reply>, context: StreamContext): Promise<void> | void;
};
export type GrpcHandler = UnaryHandler | ServerStreamHandler | DuplexHandler;

/** One request, one reply, as a promise. */
export function unary<Request, Reply>(
  handle: UnaryHandler<Request, Reply>['handle'],
): UnaryHandler<Request, Reply> {
  return { kind: 'unary', handle };
}

// Streams get grpc-js's own call: nothing stands between the handler and a message. `call.end()`
// ends it well, a throw or `call.emit('error', new GrpcFailure(…))` ends it with a status,
// and 'cancelled' says that the caller has gone.

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
