// Real upstream connections: their protocol, the life of a socket, and refused addresses.

import { createServer, type RequestListener } from 'node:http';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';

import { AGENTS } from '../test-support/agents';
import { selfSigned } from '../test-support/certificate';
import { until } from '../test-support/harness';
import { createAgents, type AgentOptions, type Agents } from './agents';
import { startCall, type UpstreamCall } from './call';
import type { UpstreamFailure } from './failure';
import { readAll } from './read-answer';

const whole = { limitBytes: 1024 ** 2, takeRoom: () => undefined };

const { key, cert } = selfSigned();
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

const hello: RequestListener = (req, res) => {
  req.resume();
  req.on('end', () => res.end(`hello over ${req.httpVersion}`));
};

function open(over: Partial<AgentOptions> = {}): Agents {
  const agents = createAgents({ ...AGENTS, ca: cert, ...over });
  closers.push(() => agents.close());
  return agents;
}

function start(agents: Agents, origin: string, over: Partial<UpstreamCall> = {}) {
  const { agent } = agents.open(origin, 10_000);
  return startCall({
    dispatcher: agent,
    origin,
    path: '/',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    firstByteTimeoutMs: 30_000,
    idleTimeoutMs: 30_000,
    totalTimeoutMs: 30_000,
    responseLimitBytes: 1_000_000,
    ...over,
  });
}

async function ask(agents: Agents, origin: string): Promise<string> {
  const answer = await start(agents, origin).answer;
  return (await readAll(answer, whole)).toString();
}

async function failureOf(agents: Agents, origin: string): Promise<UpstreamFailure> {
  return ask(agents, origin).then(
    (text) => Promise.reject(new Error(`answered: ${text}`)),
    (failure: UpstreamFailure) => failure,
  );
}

interface Http2 {
  origin: string;
  server: Http2SecureServer;
  sessions: ServerHttp2Session[];
}

async function http2(listener: (...args: Parameters<RequestListener>) => void): Promise<Http2> {
  const server = createSecureServer({ key, cert, allowHTTP1: true });
  server.on('request', listener as unknown as () => void);
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session) => sessions.push(session));
  const port = await listen(server);
  return { origin: `https://localhost:${port}`, server, sessions };
}

describe('the protocol', () => {
  test('is HTTP/2 where offered, with all calls on one connection', async () => {
    const { origin, sessions } = await http2(hello);
    const agents = open();
    const texts = await Promise.all(Array.from({ length: 20 }, () => ask(agents, origin)));
    expect(new Set(texts)).toEqual(new Set(['hello over 2.0']));
    expect(sessions).toHaveLength(1);
  });

  test('is HTTP/1.1 where HTTP/2 is not offered, or is disabled', async () => {
    const { origin } = await http2(hello);
    expect(await ask(open({ http2: false }), origin)).toBe('hello over 1.1');
    const port = await listen(createServer(hello));
    expect(await ask(open(), `http://127.0.0.1:${port}`)).toBe('hello over 1.1');
  });

  test('an aborted call does not end the other calls of its connection', async () => {
    const closed: number[] = [];
    let release = (): void => undefined;
    let calls = 0;
    const { origin } = await http2((req, res) => {
      const call = (calls += 1);
      res.on('close', () => closed.push(call));
      res.writeHead(200);
      res.write('begun ');
      if (call === 2) release = () => res.end('whole');
    });
    const agents = open();
    const first = start(agents, origin);
    await first.answer;
    const second = await start(agents, origin).answer;
    first.abort();
    await until(() => closed.includes(1), 'the first stream to be closed');
    expect(closed).toEqual([1]);
    release();
    expect((await readAll(second, whole)).toString()).toBe('begun whole');
  });
});

describe('over HTTP/2', () => {
  test('a streamed body arrives complete', async () => {
    const { origin } = await http2((req, res) => {
      let bytes = 0;
      req.on('data', (chunk: Buffer) => (bytes += chunk.length));
      req.on('end', () => res.end(String(bytes)));
    });
    const body = Readable.from(Array.from({ length: 50 }, () => Buffer.alloc(10_000)));
    const headers = { 'content-length': '500000' };
    const answer = await start(open(), origin, { body, headers }).answer;
    expect((await readAll(answer, whole)).toString()).toBe('500000');
  });

  test.each<[string, Partial<UpstreamCall>, string]>([
    ['no beginning', { firstByteTimeoutMs: 100 }, 'first byte'],
    ['silence', { idleTimeoutMs: 100 }, 'silence'],
  ])('%s is a timeout', async (_name, over, what) => {
    const { origin } = await http2((_req, res) => void (what === 'silence' && res.write('begun')));
    const agents = open();
    const text = start(agents, origin, over).answer.then((answer) => readAll(answer, whole));
    await expect(text).rejects.toMatchObject({ outcome: 'TIMEOUT' });
  });

  test('a slow reader causes backpressure on the upstream, and loses nothing', async () => {
    const whole = 3_000_000;
    const { origin } = await http2((_req, res) => res.end(Buffer.alloc(whole, 'x')));
    const answer = await start(open(), origin, { responseLimitBytes: whole }).answer;
    let bytes = 0;
    await new Promise<void>((resolve, reject) => {
      answer.read({
        data: (chunk) => {
          bytes += chunk.length;
          setImmediate(answer.resume);
          return false;
        },
        end: resolve,
        fail: reject,
      });
    });
    expect(bytes).toBe(whole);
  });
});

describe('GOAWAY', () => {
  test('running calls complete, and the next call gets a new connection', async () => {
    let release = (): void => undefined;
    const { origin, sessions } = await http2((req, res) => {
      req.resume();
      if (sessions.length > 1) return void res.end('of the second');
      res.write('begun ');
      release = () => res.end('and ended');
    });
    const agents = open();
    const running = await start(agents, origin).answer;
    const [session] = sessions;
    session?.goaway(0, 1);
    expect(await ask(agents, origin)).toBe('of the second');
    release();
    expect((await readAll(running, whole)).toString()).toBe('begun and ended');
    expect(sessions).toHaveLength(2);
  });

  test('a connection that closes with it fails its running calls', async () => {
    const { origin, sessions } = await http2((_req, res) => {
      res.write('begun');
      setImmediate(() => sessions[0]?.destroy());
    });
    const failure = await failureOf(open(), origin);
    expect(failure).toMatchObject({ outcome: 'EARLY_END', sent: true, repeatable: false });
  });
});

describe('certificates', () => {
  test('an untrusted certificate is refused before any data is sent', async () => {
    const { origin } = await http2(hello);
    const failure = await failureOf(open({ ca: '' }), origin);
    expect(failure).toMatchObject({ outcome: 'NETWORK', sent: false, repeatable: true });
    expect(failure.error.code).toBe('upstream_error');
  });
});

describe('sockets', () => {
  test('one at its maximum age takes no new call, so that its name is resolved again', async () => {
    let connections = 0;
    const server = createServer(hello);
    server.on('connection', () => (connections += 1));
    const origin = `http://127.0.0.1:${await listen(server)}`;
    const lasting = open({ connections: 1 });
    for (let n = 0; n < 3; n += 1) await ask(lasting, origin);
    expect(connections).toBe(1);
    // An age of 1 ms has passed as soon as the clock advances.
    const fleeting = open({ connections: 1, socketAgeMs: 1 });
    for (let n = 0; n < 3; n += 1) {
      await ask(fleeting, origin);
      const now = Date.now();
      await until(() => Date.now() > now + 2, 'the clock to move');
    }
    expect(connections).toBe(4);
  });

  test.each([false, true])('follow a name that changes its address (HTTP/2: %s)', async (h2) => {
    const { origin } = await http2(hello);
    let address = '127.0.0.1';
    const asked: string[] = [];
    const agents = open({
      http2: h2,
      socketAgeMs: 1,
      mayConnect: (found) => found === '127.0.0.1',
      resolve: (hostname, _options, callback) => {
        asked.push(hostname);
        callback(null, [{ address, family: 4 }]);
      },
    });
    expect(await ask(agents, origin)).toMatch(/^hello/);
    // The new address is not allowed, which shows that the name was resolved again.
    address = '10.1.2.3';
    const now = Date.now();
    await until(() => Date.now() > now + 2, 'the clock to move');
    expect((await failureOf(agents, origin)).error.code).toBe('provider_misconfigured');
    address = '127.0.0.1';
    expect(await ask(agents, origin)).toMatch(/^hello/);
    expect(new Set(asked)).toEqual(new Set(['localhost']));
  });

  test('are limited in number', async () => {
    let connections = 0;
    const server = createServer(hello);
    server.on('connection', () => (connections += 1));
    const origin = `http://127.0.0.1:${await listen(server)}`;
    const agents = open({ connections: 2 });
    await Promise.all(Array.from({ length: 10 }, () => ask(agents, origin)));
    expect(connections).toBe(2);
  });

  test('are shared by all callers of an origin, until the last one releases it', async () => {
    const origin = `http://127.0.0.1:${await listen(createServer(hello))}`;
    const agents = open();
    const [one, two] = [agents.open(origin, 5), agents.open(origin, 5)];
    expect(one.agent).toBe(two.agent);
    expect(agents.open(origin, 6).agent).not.toBe(one.agent);
    one.release();
    one.release();
    expect(agents.open(origin, 5).agent).toBe(two.agent);
  });
});

test('headers beyond the limit are an invalid answer', async () => {
  const server = createServer((_req, res) => {
    res.setHeader('x-padding', 'x'.repeat(12_000));
    res.end('hello');
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  expect(await ask(open({ headerBytes: 14_000 }), origin)).toBe('hello');
  const failure = await failureOf(open({ headerBytes: 10_000 }), origin);
  expect(failure.outcome).toBe('INVALID_RESPONSE');
});

test('a call without a free socket in time is aborted as not sent', async () => {
  const origin = `http://127.0.0.1:${await listen(createServer(() => undefined))}`;
  const agents = open({ connections: 1 });
  const call = (connectTimeoutMs?: number) => start(agents, origin, { connectTimeoutMs });
  const first = call();
  await until(() => first.sent(), 'the first call to have the socket');
  const second = call(20);
  await expect(second.answer).rejects.toMatchObject({ outcome: 'TIMEOUT', sent: false });
  expect(second.sent()).toBe(false);
  first.abort();
  await expect(first.answer).rejects.toMatchObject({ outcome: 'ABORTED' });
});

describe('a proxy', () => {
  async function proxy() {
    const asked: string[] = [];
    const server = createServer((_req, res) => void res.writeHead(500).end());
    server.on('connect', (req, client: Socket, head) => {
      asked.push(req.url ?? '');
      const port = Number((req.url ?? '').split(':')[1]);
      const upstream = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.write(head);
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on('error', () => client.destroy());
      client.on('error', () => upstream.destroy());
    });
    const url = `http://127.0.0.1:${await listen(server)}`;
    return { asked, proxies: { http: url, https: url, none: '' } };
  }

  test('is used for encrypted and plain upstreams, except excluded ones', async () => {
    const { asked, proxies } = await proxy();
    const secure = await http2(hello);
    const port = await listen(createServer(hello));
    const agents = open({ proxies });
    expect(await ask(agents, secure.origin)).toMatch(/^hello over/);
    expect(await ask(agents, `http://localhost:${port}`)).toMatch(/^hello over/);
    expect(asked).toEqual([new URL(secure.origin).host, `localhost:${port}`]);
    const direct = open({ proxies: { ...proxies, none: 'example.test, localhost' } });
    expect(await ask(direct, secure.origin)).toMatch(/^hello over/);
    expect(asked).toHaveLength(2);
  });

  test.each(['https://10.1.2.3', 'http://localhost:1', 'http://[::1]:1'])(
    'is not used for %s, which is a forbidden address',
    async (origin) => {
      const { asked, proxies } = await proxy();
      const failure = await failureOf(open({ proxies, mayConnect: () => false }), origin);
      expect(failure.error.code).toBe('provider_misconfigured');
      expect(asked).toEqual([]);
    },
  );
});

test('a lease that outlives the agents changes nothing when it is given back', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  closers.push(() => process.off('unhandledRejection', note));
  const agents = open();
  const { release } = agents.open('https://127.0.0.1:1', 1_000);
  await agents.close();
  release();
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});
