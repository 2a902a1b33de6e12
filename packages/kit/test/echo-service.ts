import {
  makeClientConstructor,
  type ChannelCredentials,
  type ChannelOptions,
  type Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ClientUnaryCall,
  type MethodDefinition,
  type requestCallback,
} from '@grpc/grpc-js';

// A small service with a method of each kind, typed like a generated client. Messages travel as
// JSON, so no proto file is needed.
export interface Asked {
  text?: string;
  waitMs?: number;
}
export interface Answered {
  text: string;
  caller?: string;
}

export interface EchoClient extends Client {
  ask(request: Asked, callback: requestCallback<Answered>): ClientUnaryCall;
  reset(request: Asked, callback: requestCallback<Answered>): ClientUnaryCall;
  watch(request: Asked): ClientReadableStream<Answered>;
  session(): ClientDuplexStream<Asked, Answered>;
}

function method(name: string, requestStream: boolean, responseStream: boolean) {
  const serialize = (value: unknown) => Buffer.from(JSON.stringify(value));
  const deserialize = (bytes: Buffer): unknown => JSON.parse(bytes.toString());
  const definition: MethodDefinition<unknown, unknown> = {
    path: `/test.Echo/${name}`,
    originalName: name.toLowerCase(),
    requestStream,
    responseStream,
    requestSerialize: serialize,
    requestDeserialize: deserialize,
    responseSerialize: serialize,
    responseDeserialize: deserialize,
  };
  return definition;
}

export const echoDefinition = {
  Ask: method('Ask', false, false),
  Reset: method('Reset', false, false),
  Watch: method('Watch', false, true),
  Session: method('Session', true, true),
};

export const EchoClient = makeClientConstructor(echoDefinition, 'Echo') as unknown as new (
  address: string,
  credentials: ChannelCredentials,
  options?: ChannelOptions,
) => EchoClient;
