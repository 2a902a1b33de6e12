import {
  Metadata,
  type ChannelCredentials,
  type ChannelOptions,
  type Client,
  type ClientUnaryCall,
  type MethodDefinition,
  type requestCallback,
  type ServiceError,
} from '@grpc/grpc-js';

import { channelCredentials, type TlsFiles } from './grpc-tls';

export interface GrpcChannel {
  address: string;
  credentials: ChannelCredentials;
  options: ChannelOptions;
  /** Sent with every call: the service token and the caller's name. */
  metadata: Metadata;
}

export interface GrpcChannelOptions {
  /** host:port */
  address: string;
  /** The caller's own token; without one only a loopback server without tokens accepts calls. */
  token: string | undefined;
  caller: string;
  tls?: TlsFiles | undefined;
  /** Overrides of the options below. */
  options?: ChannelOptions;
}

// A dead peer is noticed within seconds and retried within one: services restart in any order.
const CHANNEL: ChannelOptions = {
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.max_receive_message_length': 16 * 1024 * 1024,
  'grpc.max_send_message_length': 4 * 1024 * 1024,
  // Services call each other directly, regardless of http_proxy.
  'grpc.enable_http_proxy': 0,
  'grpc.enable_channelz': 0,
};

export function grpcChannel(options: GrpcChannelOptions): GrpcChannel {
  const metadata = new Metadata();
  metadata.set('x-service', options.caller);
  if (options.token) metadata.set('authorization', `Bearer ${options.token}`);
  return {
    address: options.address,
    credentials: channelCredentials(options.tls),
    options: { ...CHANNEL, ...options.options },
    metadata,
  };
}

type ClientConstructor<C extends Client> = new (
  address: string,
  credentials: ChannelCredentials,
  options?: ChannelOptions,
) => C;

const metadataOf = new WeakMap<Client, Metadata>();

/** A client whose calls through callUnary and openStream carry the channel's token. */
export function createGrpcClient<C extends Client>(
  constructor: ClientConstructor<C>,
  channel: GrpcChannel,
): C {
  // oxlint-disable-next-line new-cap -- a constructor that is a parameter has a small letter.
  const client = new constructor(channel.address, channel.credentials, channel.options);
  metadataOf.set(client, channel.metadata);
  return client;
}

// A generated client overloads each method; inference picks the last overload, which is (request,
// callback) for unary methods, (request, options?) for server streams and (options?) for duplex
// streams.
type UnaryMethod<Request, Reply> = (
  request: Request,
  callback: requestCallback<Reply>,
) => ClientUnaryCall;

export type UnaryRequest<C, M extends keyof C> =
  C[M] extends UnaryMethod<infer Request, unknown> ? Request : never;

export type UnaryReply<C, M extends keyof C> = C[M] extends (
  request: never,
  callback: (error: ServiceError | null, value?: infer Reply) => void,
) => ClientUnaryCall
  ? Reply
  : never;

export interface CallUnaryOptions {
  deadlineMs: number;
  signal?: AbortSignal | undefined;
}

// One unary call, always with a deadline. Rejects with grpc-js's ServiceError, whose `code` is a
// grpcStatus: DEADLINE_EXCEEDED when the deadline passes, CANCELLED when the signal fires.
export function callUnary<C extends Client, M extends keyof C & string>(
  client: C,
  method: M,
  request: UnaryRequest<C, M>,
  options: CallUnaryOptions,
): Promise<NonNullable<UnaryReply<C, M>>> {
  const { deadlineMs, signal } = options;
  // The generated method carries its definition.
  const { path, requestSerialize, responseDeserialize } = client[
    method
  ] as unknown as MethodDefinition<UnaryRequest<C, M>, NonNullable<UnaryReply<C, M>>>;
  // Some of Node's and grpc-js's objects outlive their call until the next full collection. The request,
  // which may be large, is removed once it is written, so that it does not stay with them (decision 64).
  const argument: { request?: UnaryRequest<C, M> } = { request };
  const serializeOnce = (given: typeof argument): Buffer => {
    const bytes = requestSerialize(given.request as UnaryRequest<C, M>);
    delete given.request;
    return bytes;
  };

  return new Promise((resolve, reject) => {
    const callOptions = { deadline: Date.now() + deadlineMs };
    const done: requestCallback<NonNullable<UnaryReply<C, M>>> = (error, reply) => {
      signal?.removeEventListener('abort', cancel);
      if (error) reject(error);
      else if (reply === undefined) reject(new Error(`${method} answered with nothing`));
      else resolve(reply);
    };
    const call = client.makeUnaryRequest(
      path,
      serializeOnce,
      responseDeserialize,
      argument,
      metadataFor(client),
      callOptions,
      done,
    );
    const cancel = (): void => call.cancel();
    if (signal?.aborted) cancel();
    else signal?.addEventListener('abort', cancel, { once: true });
  });
}

type StreamMethods<C> = {
  [M in keyof C]: C[M] extends (...args: never[]) => { cancel(): void; on: unknown } ? M : never;
}[keyof C] &
  string;

type StreamOf<C, M extends keyof C> = C[M] extends (...args: never[]) => infer Stream
  ? Stream
  : never;

// No argument for a duplex stream, the request for a server stream.
type StreamArguments<C, M extends keyof C> = C[M] extends (...args: infer Arguments) => unknown
  ? Arguments extends [infer Request, ...unknown[]]
    ? [request: Request]
    : []
  : never;

// Opens a stream with the client's token: `openStream(client, 'session')` for duplex,
// `openStream(client, 'watch', request)` for a server stream. It has no deadline: the caller ends
// it, and keepalive ends it when the peer is gone. The caller must listen to 'error'.
export function openStream<C extends Client, M extends StreamMethods<C>>(
  client: C,
  method: M,
  ...request: StreamArguments<C, M>
): StreamOf<C, M> {
  const open = client[method] as (this: C, ...args: unknown[]) => StreamOf<C, M>;
  return open.call(client, ...request, metadataFor(client));
}

function metadataFor(client: Client): Metadata {
  const metadata = metadataOf.get(client);
  if (!metadata) throw new Error('this client was not made by createGrpcClient');
  return metadata.clone();
}
