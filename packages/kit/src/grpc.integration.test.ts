import { join } from 'node:path';
import {
  Server,
  type handleUnaryCall,
  type ServerUnaryCall,
  type ServiceError,
} from '@grpc/grpc-js';

import { EchoClient, echoDefinition, type Answered, type Asked } from '../test/echo-service';
import { callUnary, createGrpcClient, grpcChannel, openStream } from './grpc-client';
import { duplex, GrpcFailure, grpcStatus, serverStream, unary } from './grpc-handler';
import { serveGrpc, type GrpcServer, type GrpcServerOptions } from './grpc-server';
import { grpcTls, type TlsFiles } from './grpc-tls';
import { createLogger } from './logger';
import { createMetrics } from './metrics';

const EDGE = 'edge-token-0123456789';
const OPS = 'ops-token-0123456789';
const STRANGER = 'unknown-token-0123456789';
const DEADLINE_MS = 30_000;

const CALLERS = {
  '/test.Echo/Ask': ['edge'],
  '/test.Echo/Reset': ['edge', 'ops'],
  '/test.Echo/Watch': ['edge'],
  '/test.Echo/Session': ['edge'],
};

const lines: string[] = [];
const log = createLogger({ service: 'test', level: 'debug', write: (line) => lines.push(line) });
const metrics = createMetrics({ service: 'test' });

// The test's view of a unary handler that is running.
interface Running {
  signal: AbortSignal;
  deadlineMs: number;
  finish: (text: string) => void;
}
let onAsk: ((running: Running) => void) | undefined;
let onSession: ((draining: AbortSignal, end: () => void) => void) | undefined;

const implementation = {
  ask: unary<Asked, Answered>(async ({ text }, { caller, deadlineMs, signal }) => {
    if (text === 'refuse') throw new GrpcFailure(grpcStatus.UNAVAILABLE, 'the store is away');
    if (text === 'break') throw new Error('password=hunter2 was wrong');
    if (text !== 'wait') return { text: text ?? '', caller };
    const answer = Promise.withResolvers<string>();
    onAsk?.({ signal, deadlineMs, finish: answer.resolve });
    return { text: await answer.promise };
  }),
  Reset: unary<Asked, Answered>((_request, { caller }) =>
    Promise.resolve({ text: 'reset', caller }),
  ),
  watch: serverStream<Asked, Answered>((call, { caller }) => {
    if (call.request.text === 'refuse')
      throw new GrpcFailure(grpcStatus.NOT_FOUND, 'no such thing');
    call.write({ text: 'one', caller });
    call.write({ text: 'two' });
    call.end();
  }),
  session: duplex<Asked, Answered>(async (call, { caller, draining }) => {
    onSession?.(draining, () => call.end());
    for await (const asked of call as AsyncIterable<Asked>) {
      if (asked.text === 'leave') break;
      if (asked.text === 'break') throw new Error('password=hunter2 was wrong');
      call.write({ text: asked.text ?? '', caller });
    }
    call.end();
  }),
};

const servers: GrpcServer[] = [];
const clients: EchoClient[] = [];

afterEach(async () => {
  onAsk = undefined;
  onSession = undefined;
  lines.length = 0;
  for (const client of clients.splice(0)) client.close();
  await Promise.all(servers.splice(0).map((server) => server.close({ drainMs: 0 })));
});

async function serve(options: Partial<GrpcServerOptions> = {}): Promise<GrpcServer> {
  const server = await serveGrpc({
    host: '127.0.0.1',
    port: 0,
    services: [{ definition: echoDefinition, implementation }],
    tokens: new Map([
      [EDGE, 'edge'],
      [OPS, 'ops'],
    ]),
    callers: CALLERS,
    log,
    metrics,
    ...options,
  });
  servers.push(server);
  return server;
}

function clientOf(server: GrpcServer, token?: string, caller = 'edge', tls?: TlsFiles): EchoClient {
  const address = `127.0.0.1:${server.port}`;
  const options = { 'grpc.ssl_target_name_override': 'localhost' };
  const client = createGrpcClient(
    EchoClient,
    grpcChannel({ address, token, caller, tls, options }),
  );
  clients.push(client);
  return client;
}

// Everything a stream says until it ends, or its error.
function drained(stream: NodeJS.EventEmitter): Promise<Answered[]> {
  return new Promise((resolve, reject) => {
    const answers: Answered[] = [];
    stream.on('data', (answer: Answered) => answers.push(answer));
    stream.on('error', reject);
    stream.on('end', () => resolve(answers));
  });
}

const METHODS: Record<string, (client: EchoClient) => Promise<unknown>> = {
  Ask: (client) => callUnary(client, 'ask', { text: 'hi' }, { deadlineMs: DEADLINE_MS }),
  Reset: (client) => callUnary(client, 'reset', {}, { deadlineMs: DEADLINE_MS }),
  Watch: (client) => drained(openStream(client, 'watch', {})),
  Session: (client) => {
    const stream = openStream(client, 'session');
    stream.write({ text: 'hi' });
    stream.end();
    return drained(stream);
  },
};

test('every method of the service is tried with every kind of token', () => {
  expect(Object.keys(METHODS)).toEqual(Object.keys(echoDefinition));
});

describe.each(Object.entries(METHODS))('%s', (name, call) => {
  const may = (caller: string) =>
    Object.entries(CALLERS).some(([path, who]) => path.endsWith(name) && who.includes(caller));

  test('without a token is refused', async () => {
    const client = clientOf(await serve());
    await expect(call(client)).rejects.toMatchObject({ code: grpcStatus.UNAUTHENTICATED });
  });

  test('with an unknown token is refused', async () => {
    const client = clientOf(await serve(), STRANGER);
    await expect(call(client)).rejects.toMatchObject({ code: grpcStatus.UNAUTHENTICATED });
  });

  test('with the token of a caller that may is answered', async () => {
    const client = clientOf(await serve(), EDGE);
    expect(JSON.stringify(await call(client))).toContain('"caller":"edge"');
  });

  test("with another caller's token is answered only if that caller may", async () => {
    // The name that a caller gives itself counts for nothing beside a token.
    const client = clientOf(await serve(), OPS, 'edge');
    const outcome = await call(client).catch(codeOf);
    if (may('ops')) expect(JSON.stringify(outcome)).toContain('"caller":"ops"');
    else expect(outcome).toBe(grpcStatus.PERMISSION_DENIED);
  });
});

test('a refused call never reaches its handler', async () => {
  let reached = 0;
  onAsk = () => {
    reached += 1;
  };
  onSession = onAsk as () => void;
  const server = await serve();
  const client = clientOf(server, STRANGER);
  await callUnary(client, 'ask', { text: 'wait' }, { deadlineMs: DEADLINE_MS }).catch(() => {});
  await drained(openStream(client, 'session')).catch(() => {});
  expect(reached).toBe(0);
});

describe('callers that share a role', () => {
  const roleOf = (name: string) => (['edge', 'ops'].includes(name) ? name : 'internal');
  const callers = { ...CALLERS, '/test.Echo/Ask': ['edge', 'internal'] };
  const NIGHTLY = 'nightly-token-0123456789';
  const tokens = new Map([
    [EDGE, 'edge'],
    [NIGHTLY, 'nightly'],
    [STRANGER, 'search'],
  ]);
  const asked = (client: EchoClient, text: string) =>
    callUnary(client, 'ask', { text }, { deadlineMs: DEADLINE_MS });
  const ended = (text: string) =>
    text.split('\n').filter((line) => line.startsWith('grpc_server_calls_total{'));

  test('may call what the role may, and stay known by their own names', async () => {
    const registry = createMetrics({ service: 'test' });
    const server = await serve({ tokens, callers, roleOf, metrics: registry });
    const [nightly, search] = [clientOf(server, NIGHTLY), clientOf(server, STRANGER)];
    expect(await asked(nightly, 'hi')).toMatchObject({ caller: 'nightly' });
    expect(await asked(search, 'hi')).toMatchObject({ caller: 'search' });
    await expect(asked(search, 'break')).rejects.toMatchObject({ code: grpcStatus.INTERNAL });
    expect(lines.at(-1)).toContain('"caller":"search"');
    const refused = callUnary(nightly, 'reset', {}, { deadlineMs: DEADLINE_MS });
    await expect(refused).rejects.toMatchObject({
      code: grpcStatus.PERMISSION_DENIED,
      details: 'nightly may not call /test.Echo/Reset',
    });
    await expect(asked(clientOf(server, OPS), 'hi')).rejects.toMatchObject({ code: 16 });
    const counted = ended(await registry.text()).join('\n');
    for (const labels of [
      'method="/test.Echo/Ask",caller="nightly",code="OK"',
      'method="/test.Echo/Ask",caller="search",code="INTERNAL"',
      'method="/test.Echo/Reset",caller="nightly",code="PERMISSION_DENIED"',
      'method="/test.Echo/Ask",caller="unknown",code="UNAUTHENTICATED"',
    ]) {
      expect(counted).toContain(labels);
    }
  });

  test('are counted by their role where a name is all that they show', async () => {
    const registry = createMetrics({ service: 'test' });
    const server = await serve({ tokens: new Map(), callers, roleOf, metrics: registry });
    for (const name of ['made-up-1', 'made-up-2']) {
      const client = clientOf(server, undefined, name);
      expect(await asked(client, 'hi')).toMatchObject({ caller: name });
    }
    const text = await registry.text();
    expect(text).not.toContain('made-up');
    expect(ended(text).join()).toMatch(/caller="internal",code="OK"[^}]*} 2/);
  });
});

test('outside loopback it does not start without tokens, on loopback it says so', async () => {
  const tokens = new Map<string, string>();
  await expect(serve({ host: '0.0.0.0', tokens })).rejects.toThrow('needs service tokens');
  const server = await serve({ tokens });
  expect(lines.join('')).toContain('without service tokens');
  const allowed = callUnary(clientOf(server), 'ask', {}, { deadlineMs: DEADLINE_MS });
  await expect(allowed).resolves.toMatchObject({ caller: 'edge' });
  const other = callUnary(
    clientOf(server, undefined, 'ops'),
    'ask',
    {},
    { deadlineMs: DEADLINE_MS },
  );
  await expect(other).rejects.toMatchObject({ code: grpcStatus.PERMISSION_DENIED });
});

test('a method without a handler, without a row of callers or of another kind is found at start', async () => {
  const { ask, ...rest } = implementation;
  const start = (handlers: Record<string, typeof ask>) =>
    serve({
      services: [{ definition: echoDefinition, implementation: { ...rest, ...handlers } }],
    });
  await expect(start({})).rejects.toThrow('/test.Echo/Ask has no handler');
  await expect(start({ ask, watch: ask })).rejects.toThrow(
    'Watch is server stream, its handler unary',
  );
  await expect(start({ ask, more: ask })).rejects.toThrow('handlers of no method: more');
  const { '/test.Echo/Ask': _row, ...others } = CALLERS;
  await expect(serve({ callers: others })).rejects.toThrow('Ask has no row');
});

test('a meant failure is told with its status, any other only as an internal error', async () => {
  const client = clientOf(await serve(), EDGE);
  const ask = (text: string) => callUnary(client, 'ask', { text }, { deadlineMs: DEADLINE_MS });
  await expect(ask('refuse')).rejects.toMatchObject({
    code: grpcStatus.UNAVAILABLE,
    details: 'the store is away',
  });
  const watching = drained(openStream(client, 'watch', { text: 'refuse' }));
  await expect(watching).rejects.toMatchObject({ code: grpcStatus.NOT_FOUND });
  expect(lines).toEqual([]);

  const session = (text: string) => {
    const stream = openStream(client, 'session');
    stream.write({ text });
    return drained(stream);
  };
  for (const broken of [() => ask('break'), () => session('break'), () => session('leave')]) {
    await expect(broken()).rejects.toMatchObject({
      code: grpcStatus.INTERNAL,
      details: 'internal error',
    });
  }
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain('hunter2 was wrong');
});

test('a call that outlives its deadline fails on both sides', async () => {
  const running = Promise.withResolvers<Running>();
  onAsk = running.resolve;
  const client = clientOf(await serve(), EDGE);
  // Long enough for the call to arrive on a slow machine, since the handler must have begun.
  const call = callUnary(client, 'ask', { text: 'wait' }, { deadlineMs: 4000 });
  const failed = call.catch(codeOf);
  const { signal, deadlineMs } = await running.promise;
  expect(deadlineMs).toBeLessThanOrEqual(4000);
  expect(await failed).toBe(grpcStatus.DEADLINE_EXCEEDED);
  await aborted(signal);
});

test("no call runs longer than the server's own limit", async () => {
  const running = Promise.withResolvers<Running>();
  onAsk = running.resolve;
  const client = clientOf(await serve({ limits: { maxDeadlineMs: 20 } }), EDGE);
  const call = callUnary(client, 'ask', { text: 'wait' }, { deadlineMs: 3_600_000 });
  await expect(call).rejects.toMatchObject({ code: grpcStatus.DEADLINE_EXCEEDED });
  const { signal, deadlineMs } = await running.promise;
  expect(deadlineMs).toBe(20);
  expect(signal.aborted).toBe(true);
});

test('a caller that gives up is noticed by the handler', async () => {
  const running = Promise.withResolvers<Running>();
  onAsk = running.resolve;
  const client = clientOf(await serve(), EDGE);
  const abort = new AbortController();
  const options = { deadlineMs: DEADLINE_MS, signal: abort.signal };
  const call = callUnary(client, 'ask', { text: 'wait' }, options);
  const failed = call.catch(codeOf);
  const { signal } = await running.promise;
  abort.abort();
  expect(await failed).toBe(grpcStatus.CANCELLED);
  await aborted(signal);
  const late = callUnary(client, 'ask', {}, options);
  await expect(late).rejects.toMatchObject({ code: grpcStatus.CANCELLED });
});

test('what grpc-js keeps of a call does not hold its request', async () => {
  const served: ServerUnaryCall<object, unknown>[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- it is called on a server below.
  const { addService } = Server.prototype;
  const adding = jest.spyOn(Server.prototype, 'addService');
  adding.mockImplementation(function add(this: Server, definition, implementation) {
    const ask = implementation['Ask'] as handleUnaryCall<object, unknown>;
    const seen: typeof ask = (call, reply) => {
      served.push(call);
      ask(call, reply);
    };
    addService.call(this, definition, { ...implementation, Ask: seen });
  });
  const client = clientOf(await serve(), EDGE);
  adding.mockRestore();
  const sending = jest.spyOn(client, 'makeUnaryRequest');

  const answer = await callUnary(client, 'ask', { text: 'much' }, { deadlineMs: DEADLINE_MS });

  expect(answer.text).toBe('much');
  expect(served.map(({ request }) => request)).toEqual([{}]);
  expect(sending.mock.calls.map((given) => given[3])).toEqual([{}]);
});

test('a server that is away fails at once', async () => {
  const server = await serve();
  const client = clientOf(server, EDGE);
  await server.close({ drainMs: 0 });
  const call = callUnary(client, 'ask', {}, { deadlineMs: DEADLINE_MS });
  await expect(call).rejects.toMatchObject({ code: grpcStatus.UNAVAILABLE });
});

test('a request beyond the size limit is refused', async () => {
  const client = clientOf(await serve({ limits: { maxRequestBytes: 1000 } }), EDGE);
  const call = callUnary(client, 'ask', { text: 'x'.repeat(2000) }, { deadlineMs: DEADLINE_MS });
  await expect(call).rejects.toMatchObject({ code: grpcStatus.RESOURCE_EXHAUSTED });
});

test('closing lets running calls and streams finish, and tells streams to', async () => {
  const running = Promise.withResolvers<Running>();
  const opened = Promise.withResolvers<AbortSignal>();
  onAsk = running.resolve;
  onSession = (draining, end) => {
    draining.addEventListener('abort', end);
    opened.resolve(draining);
  };
  const server = await serve();
  const client = clientOf(server, EDGE);
  const call = callUnary(client, 'ask', { text: 'wait' }, { deadlineMs: DEADLINE_MS });
  const session = drained(openStream(client, 'session'));
  const { finish } = await running.promise;
  const draining = await opened.promise;
  expect(draining.aborted).toBe(false);
  const closing = server.close({ drainMs: 3_600_000 });
  await session;
  finish('done');
  expect(await call).toEqual({ text: 'done' });
  await closing;
});

test('what does not finish in time is cut', async () => {
  const opened = Promise.withResolvers<AbortSignal>();
  const running = Promise.withResolvers<Running>();
  onSession = opened.resolve;
  onAsk = running.resolve;
  const server = await serve();
  const client = clientOf(server, EDGE);
  const session = drained(openStream(client, 'session')).catch(codeOf);
  const call = callUnary(client, 'ask', { text: 'wait' }, { deadlineMs: 3_600_000 }).catch(codeOf);
  await opened.promise;
  const { signal } = await running.promise;
  await server.close({ drainMs: 10 });
  expect(await session).toBe(grpcStatus.UNAVAILABLE);
  expect(await call).toBe(grpcStatus.UNAVAILABLE);
  expect(signal.aborted).toBe(true);
});

test('with mutual TLS only a certificate of the authority is let in, and it still needs a token', async () => {
  const file = (name: string) => join(__dirname, '../test/tls', name);
  const tls = {
    certFile: file('service.pem'),
    keyFile: file('service.key'),
    caFile: file('ca.pem'),
  };
  const server = await serve({ tls });
  const ask = (client: EchoClient) => callUnary(client, 'ask', {}, { deadlineMs: DEADLINE_MS });
  await expect(ask(clientOf(server, EDGE, 'edge', tls))).resolves.toMatchObject({ caller: 'edge' });
  await expect(ask(clientOf(server, undefined, 'edge', tls))).rejects.toMatchObject({
    code: grpcStatus.UNAUTHENTICATED,
  });
  const stranger = { ...tls, certFile: file('stranger.pem'), keyFile: file('stranger.key') };
  for (const outsider of [stranger, undefined]) {
    await expect(ask(clientOf(server, EDGE, 'edge', outsider))).rejects.toMatchObject({
      code: grpcStatus.UNAVAILABLE,
    });
  }
});

test('the TLS files are given together or not at all', () => {
  const none = { GRPC_TLS_CERT: undefined, GRPC_TLS_KEY: undefined, GRPC_TLS_CA: undefined };
  expect(grpcTls(none)).toBeUndefined();
  expect(grpcTls({ GRPC_TLS_CERT: 'a', GRPC_TLS_KEY: 'b', GRPC_TLS_CA: 'c' })).toEqual({
    certFile: 'a',
    keyFile: 'b',
    caFile: 'c',
  });
  expect(() => grpcTls({ ...none, GRPC_TLS_KEY: 'b' })).toThrow('together or not at all');
});

test('calls are counted by method and status', async () => {
  const client = clientOf(await serve(), EDGE);
  await callUnary(client, 'reset', {}, { deadlineMs: DEADLINE_MS });
  await drained(openStream(client, 'watch', { text: 'refuse' })).catch(() => {});
  const text = await metrics.text();
  expect(text).toMatch(/grpc_server_seconds_count\{[^}]*method="\/test.Echo\/Reset"[^}]*\} [1-9]/);
  expect(text).toContain('code="NOT_FOUND"');
  expect(text).toMatch(/grpc_server_running\{[^}]*method="\/test.Echo\/Reset"[^}]*\} 0/);
});

function codeOf(error: ServiceError): number {
  return error.code;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
