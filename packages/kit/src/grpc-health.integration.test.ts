import { once } from 'node:events';
import {
  makeClientConstructor,
  type Client,
  type ClientReadableStream,
  type ClientUnaryCall,
  type requestCallback,
} from '@grpc/grpc-js';

import { echoDefinition } from '../test/echo-service';
import { callUnary, createGrpcClient, grpcChannel, openStream } from './grpc-client';
import { duplex, grpcStatus, serverStream, unary } from './grpc-handler';
import { HEALTH_DEFINITION, type ServingStatus } from './grpc-health';
import { serveGrpc, type GrpcServer, type GrpcServerOptions } from './grpc-server';
import { createLogger } from './logger';

interface Answered {
  status: ServingStatus;
}
interface Asked {
  service: string;
}
interface HealthClient extends Client {
  check(request: Asked, callback: requestCallback<Answered>): ClientUnaryCall;
  watch(request: Asked): ClientReadableStream<Answered>;
}
const HealthClient = makeClientConstructor(HEALTH_DEFINITION, 'Health') as unknown as new (
  ...args: ConstructorParameters<typeof Client>
) => HealthClient;

const DEADLINE_MS = 30_000;
const TOKENS = new Map([['edge-token-0123456789', 'edge']]);
const CALLERS = Object.fromEntries(
  Object.values(echoDefinition).map(({ path }) => [path, ['edge']]),
);
const implementation = {
  Ask: unary(() => Promise.resolve({ text: '' })),
  Reset: unary(() => Promise.resolve({ text: '' })),
  Watch: serverStream(() => undefined),
  Session: duplex(() => undefined),
};
const log = createLogger({ service: 'test', level: 'error', write: () => undefined });

let server: GrpcServer;
let client: HealthClient;
let serving: () => Promise<boolean>;

async function start(health: Partial<GrpcServerOptions['health']> = {}): Promise<void> {
  serving = () => Promise.resolve(true);
  server = await serveGrpc({
    host: '127.0.0.1',
    port: 0,
    services: [{ definition: echoDefinition, implementation }],
    tokens: TOKENS,
    callers: CALLERS,
    health: { serving: () => serving(), everyMs: 5, ...health },
    log,
  });
  // No token: a probe has none.
  const address = `127.0.0.1:${server.port}`;
  client = createGrpcClient(HealthClient, grpcChannel({ address, caller: '', token: undefined }));
}
afterEach(async () => {
  client.close();
  await server.close({ drainMs: 0 });
});

const check = (service: string): Promise<Answered> =>
  callUnary(client, 'check', { service }, { deadlineMs: DEADLINE_MS });
const watch = (service: string): ClientReadableStream<Answered> =>
  openStream(client, 'watch', { service });
const told = async (stream: ClientReadableStream<Answered>): Promise<ServingStatus> => {
  const [answer] = (await once(stream, 'data')) as [Answered];
  return answer.status;
};

test('anybody may ask after the server and each service, and after no other', async () => {
  await start();
  expect(await check('')).toEqual({ status: 'SERVING' });
  expect(await check('test.Echo')).toEqual({ status: 'SERVING' });
  for (const service of ['test.Other', 'x'.repeat(127), 'grpc.health.v1.Health']) {
    await expect(check(service)).rejects.toMatchObject({ code: grpcStatus.NOT_FOUND });
  }
});

test.each([
  ['says no', () => Promise.resolve(false)],
  ['fails', () => Promise.reject(new Error('password=hunter2'))],
])('it is not serving when the readiness %s', async (_, ready) => {
  await start({ everyMs: 0 });
  serving = ready;
  expect(await check('test.Echo')).toEqual({ status: 'NOT_SERVING' });
});

test('however often it is asked, the readiness is looked at once a while', async () => {
  let looks = 0;
  await start({ everyMs: 3_600_000 });
  serving = () => {
    looks += 1;
    return Promise.resolve(true);
  };
  await Promise.all(Array.from({ length: 50 }, () => check('')));
  expect(looks).toBe(1);
});

test('a watch is told at once, upon each change, and that a service is not known', async () => {
  await start();
  const [stream, stranger] = [watch('test.Echo'), watch('test.Other')];
  stream.on('error', () => undefined);
  stranger.on('error', () => undefined);
  expect(await told(stream)).toBe('SERVING');
  expect(await told(stranger)).toBe('SERVICE_UNKNOWN');
  serving = () => Promise.resolve(false);
  expect(await told(stream)).toBe('NOT_SERVING');
  serving = () => Promise.resolve(true);
  expect(await told(stream)).toBe('SERVING');
  stream.cancel();
  stranger.cancel();
});

test('watches are bounded, and one that ends makes room', async () => {
  await start({ maxWatchers: 1 });
  const first = watch('');
  first.on('error', () => undefined);
  await told(first);
  const second = watch('');
  const [refused] = (await once(second, 'error')) as [{ code: number }];
  expect(refused.code).toBe(grpcStatus.RESOURCE_EXHAUSTED);
  first.cancel();
  // The server hears of the end a moment later.
  let outcome = 'refused';
  while (outcome === 'refused') {
    const third = watch('');
    outcome = await told(third).catch(() => 'refused');
    third.on('error', () => undefined).cancel();
  }
  expect(outcome).toBe('SERVING');
});

test('a server that closes is no longer serving: its watches hear it and end', async () => {
  await start();
  const stream = watch('');
  expect(await told(stream)).toBe('SERVING');
  const last = told(stream);
  const ended = once(stream, 'end');
  const closed = server.close({ drainMs: DEADLINE_MS });
  expect(await last).toBe('NOT_SERVING');
  await ended;
  await closed;
});

test('the messages are those of the protocol, byte for byte', () => {
  const { requestSerialize, requestDeserialize, responseSerialize } = HEALTH_DEFINITION.Check;
  expect(requestSerialize({ service: 'ab' }).toString('hex')).toBe('0a026162');
  expect(requestDeserialize(Buffer.from('0a026162', 'hex'))).toEqual({ service: 'ab' });
  expect(requestDeserialize(Buffer.from('0a00', 'hex'))).toEqual({ service: '' });
  expect(requestDeserialize(Buffer.from('', 'hex'))).toEqual({ service: '' });
  for (const garbage of ['0a', '0aff', '0a0561', '1203616263', '0a8001', '00']) {
    expect(requestDeserialize(Buffer.from(garbage, 'hex')).service).toBe('\0');
  }
  expect(responseSerialize({ status: 'NOT_SERVING' }).toString('hex')).toBe('0802');
});
