import {
  Agent,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import { connect, type Socket } from 'node:net';

import { listenHttp, type HttpServer, type HttpServerOptions } from './http-server';

let server: HttpServer | undefined;
const sockets: Socket[] = [];
const agent = new Agent({ keepAlive: true });

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close({ drainMs: 0 });
});
afterAll(() => agent.destroy());

async function start(
  handler: RequestListener,
  limits: Partial<HttpServerOptions> = {},
): Promise<HttpServer> {
  server = await listenHttp(handler, { host: '127.0.0.1', port: 0, ...limits });
  return server;
}

// Sends bytes as they are and collects what comes back until the server closes.
function raw(port: number, bytes: string): { socket: Socket; closed: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  socket.write(bytes);
  const closed = new Promise<string>((resolve) => {
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
  });
  return { socket, closed };
}

function get(url: string): Promise<{ response: IncomingMessage; body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { agent }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ response, body }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end();
  });
}

test('it tells the port it got and serves the handler', async () => {
  const { url, port } = await start((_request, response) => response.end('hello'));
  expect(url).toBe(`http://127.0.0.1:${port}`);
  expect((await get(url)).body).toBe('hello');
});

test('a port in use is an error, not a crash', async () => {
  const { port } = await start((_request, response) => response.end());
  await expect(listenHttp(() => {}, { host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
});

test('headers beyond the limit are refused with 431', async () => {
  const { port } = await start((_request, response) => response.end(), { maxHeaderBytes: 1024 });
  const { closed } = raw(port, `GET / HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(2000)}\r\n\r\n`);
  expect(await closed).toMatch(/^HTTP\/1.1 431 /);
});

test('a client that never finishes its headers is answered 408 and cut', async () => {
  const { port } = await start((_request, response) => response.end(), { headersTimeoutMs: 50 });
  const { closed } = raw(port, 'GET / HTTP/1.1\r\nhost: x\r\n');
  expect(await closed).toMatch(/^HTTP\/1.1 408 /);
});

test('a client that never finishes its body is cut', async () => {
  const limits = { headersTimeoutMs: 50, requestTimeoutMs: 50 };
  const { port } = await start((request) => request.resume(), limits);
  const { closed } = raw(port, 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc');
  expect(await closed).toMatch(/^HTTP\/1.1 408 /);
});

test('closing cuts idle connections at once, however long they might be kept', async () => {
  const { url, port, close } = await start((_request, response) => response.end('x'));
  const idle = raw(port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await new Promise((resolve) => {
    idle.socket.once('data', resolve);
  });
  await close({ drainMs: 3_600_000 });
  expect(await idle.closed).toMatch(/^HTTP\/1.1 200 /);
  await expect(get(url)).rejects.toThrow('ECONNREFUSED');
});

test('closing waits for a running request, which then ends its connection', async () => {
  const arrived = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const { url, close } = await start((_request, response) => {
    response.write('begun,');
    arrived.resolve();
    void finish.promise.then(() => response.end('done'));
  });
  const answer = get(url);
  await arrived.promise;
  const closing = close({ drainMs: 3_600_000 });
  finish.resolve();
  expect((await answer).body).toBe('begun,done');
  await closing;
});

test('what still runs when the drain time ends is cut', async () => {
  const arrived = Promise.withResolvers<void>();
  const { url, close } = await start((_request, response) => {
    response.write('begun');
    arrived.resolve();
  });
  const answer = get(url);
  const cut = answer.catch((error: Error) => error.message);
  await arrived.promise;
  await close({ drainMs: 10 });
  expect(await cut).toMatch(/aborted|hang up|ECONNRESET/);
});

test('closing twice is closing once', async () => {
  const { close } = await start((_request, response) => response.end());
  await Promise.all([close({ drainMs: 10 }), close({ drainMs: 10 })]);
  await close({ drainMs: 10 });
});
