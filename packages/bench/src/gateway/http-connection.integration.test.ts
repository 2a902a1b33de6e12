import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

import { createConnection, type Ended } from './http-connection';
import { runJob } from './http-load';
import type { Outcome } from './job';

const REQUESTS = 20;
const HELLO = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello';
const STREAMED =
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n';

describe('a connection of the generator', () => {
  let server: Server;
  const sockets = new Set<Socket>();
  let opened = 0;

  beforeEach(() => {
    opened = 0;
    server = createServer((socket) => {
      opened += 1;
      sockets.add(socket.setNoDelay());
      // A reset connection may raise an error here.
      socket.on('error', () => undefined);
    });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Calls `answer` with the number of each complete request, from 0. */
  async function listen(answer: (socket: Socket, number: number) => unknown): Promise<number> {
    let requests = 0;
    server.on('connection', (socket) => {
      let text = '';
      socket.on('data', (part) => {
        text += String(part);
        if (!text.endsWith('\r\n\r\n{}')) return;
        text = '';
        answer(socket, requests);
        requests += 1;
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** Sends this number of requests over two connections. */
  async function load(answer: (socket: Socket, number: number) => unknown): Promise<Outcome> {
    const port = await listen(answer);
    return runJob({
      url: `http://127.0.0.1:${String(port)}/v1/x`,
      headers: { 'content-type': 'application/json' },
      tokens: Array.from({ length: REQUESTS }, (_, at) => String(at)),
      once: true,
      body: '{}',
      expect: 200,
      connections: 2,
      seconds: 60,
    });
  }

  it.each([HELLO, STREAMED])('reads %j in packets of one byte', async (text) => {
    const outcome = await load(async (socket) => {
      for (const byte of text) await new Promise((resolve) => socket.write(byte, resolve));
    });
    expect(outcome).toMatchObject({ requests: REQUESTS, failures: {} });
    expect(outcome.firstUs.p50).toBeGreaterThan(0);
    expect(outcome.firstUs.p50).toBeLessThanOrEqual(outcome.totalUs.p50);
    expect(opened).toBe(2);
  });

  it('reads answers larger than its buffer', async () => {
    const body = 'x'.repeat(300_000);
    const outcome = await load((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`),
    );
    expect(outcome).toMatchObject({ requests: REQUESTS, failures: {} });
  });

  it.each([
    ['announces it', HELLO.replace('content-length', 'connection: close\r\ncontent-length')],
    ['ends the answer with it', 'HTTP/1.1 200 OK\r\n\r\nhello'],
  ])('is opened again if it was closed and the other side %s', async (_name, text) => {
    const outcome = await load((socket) => socket.end(text));
    expect(outcome).toMatchObject({ requests: REQUESTS, failures: {} });
    expect(opened).toBe(REQUESTS);
  });

  it('counts a reset within an answer, and continues', async () => {
    const outcome = await load((socket, number) => {
      if (number >= 3) socket.write(HELLO);
      else socket.write(HELLO.slice(0, -1), () => socket.resetAndDestroy());
    });
    expect(outcome.failures).toEqual({ ECONNRESET: 3 });
    expect(outcome.requests).toBe(REQUESTS - 3);
  });

  it.each([
    ['half an answer', HELLO.slice(0, -1), 'closed before the end'],
    ['no answer', '', 'closed before the end'],
    ['something else', 'SSH-2.0-x\r\n\r\n', 'no status line'],
    ['more than an answer', `${HELLO}!`, 'more than the answer'],
    ['a wrong chunk', STREAMED.replace('10\r\n', 'z\r\n'), 'wrong chunk size'],
  ])('counts %s, and continues', async (_name, text, why) => {
    const outcome = await load((socket, number) => {
      if (number === 1) socket.end(text);
      else socket.write(HELLO);
    });
    expect(outcome.failures).toEqual({ [why]: 1 });
    expect(outcome.requests).toBe(REQUESTS - 1);
  });

  it('is closed between two requests without a failure', async () => {
    const closed: Promise<unknown>[] = [];
    const port = await listen((socket) => socket.write(HELLO));
    const ends: Ended[] = [];
    let more: (ended: Ended) => void = () => undefined;
    const connection = createConnection({ host: '127.0.0.1', port }, (ended) => {
      ends.push(ended);
      more(ended);
    });
    const ask = (): Promise<Ended> =>
      new Promise((resolve) => {
        more = resolve;
        connection.send(Buffer.from('POST / HTTP/1.1\r\n\r\n{}'));
      });
    await ask();
    for (const socket of sockets) closed.push(once(socket.end(), 'close'));
    await Promise.all(closed);
    await ask();
    connection.close();
    expect(ends).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(opened).toBe(2);
  });

  it('fails a request without an answer for a minute', async () => {
    let asked: (socket: Socket) => void = () => undefined;
    const first = new Promise<Socket>((resolve) => (asked = resolve));
    const port = await listen((socket) => asked(socket));
    const ends: Ended[] = [];
    const to = { host: '127.0.0.1', port };
    const connection = createConnection(to, (ended) => ends.push(ended));
    connection.send(Buffer.from('POST / HTTP/1.1\r\n\r\n{}'));
    const sentMs = performance.now();
    const socket = await first;
    connection.expire(sentMs + 59_000);
    expect(ends).toEqual([]);
    connection.expire(sentMs + 60_001);
    expect(ends).toEqual([{ failure: 'timeout' }]);
    await once(socket, 'close');
  });

  it('reports the address that refuses the connection', async () => {
    const port = await listen(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    const ended = await new Promise<Ended>((resolve) => {
      createConnection({ host: '127.0.0.1', port }, resolve).send(Buffer.from('{}'));
    });
    expect(ended).toEqual({ failure: 'ECONNREFUSED' });
  });
});
