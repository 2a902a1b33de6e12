import { request } from 'node:http';
import { connect } from 'node:net';

import { KEY, startHarness, until, type Harness } from '../test-support/harness';
import { answering, begin, connectSocket, create, end, isEnd } from './test-support/socket-client';

let h: Harness | undefined;
afterEach(async () => {
  await h?.stop();
  h = undefined;
});

async function start(over: Parameters<typeof startHarness>[0]): Promise<Harness> {
  h = await startHarness(over);
  h.upstream.script = answering();
  return h;
}

function upgradeStatus(url: string): Promise<{ status: number; code: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${KEY}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    };
    const req = request(`${url}/v1/responses`, { headers });
    req.on('error', reject);
    req.on('upgrade', (res, socket) => {
      socket.destroy();
      resolve({ status: res.statusCode ?? 0, code: '' });
    });
    req.on('response', (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('end', () => {
        const { error } = JSON.parse(text) as { error: { code: string } };
        resolve({ status: res.statusCode ?? 0, code: error.code });
      });
    });
    req.end();
  });
}

test('switched off, a connection is refused with 426 at once, and HTTP works', async () => {
  const { edge, post } = await start({ RESPONSES_WEBSOCKET: false });
  expect(await upgradeStatus(edge.url)).toEqual({ status: 426, code: 'websocket_disabled' });
  const response = await post('/v1/responses', { model: 'house-model', input: 'Hi', stream: true });
  expect(response.status).toBe(200);
  await response.text();
});

test('beyond the connections of the process, one is refused with 503 until another ends', async () => {
  const { edge } = await start({ RESPONSES_WEBSOCKETS: 1 });
  const { ws, closed } = await connectSocket(edge.url);
  expect(await upgradeStatus(edge.url)).toEqual({ status: 503, code: 'overloaded' });
  ws.terminate();
  await closed;
  await until(async () => {
    const text = await (await fetch(`${edge.opsUrl}/metrics`)).text();
    return /^tollgate_edge_responses_websockets\S* 0$/m.test(text);
  }, 'the place to be free');
  expect((await upgradeStatus(edge.url)).status).toBe(101);
});

test('a refused connection that goes on sending is closed', async () => {
  const { edge } = await start({});
  const { hostname, port } = new URL(edge.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  socket.write(
    'GET /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  );
  let said = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    socket.end('more');
  });
  await closed;
  expect(said).toMatch(/^HTTP\/1\.1 401 /);
});

test('what idle connections remember leaves no less room for bodies', async () => {
  const { edge, post } = await start({ BODY_BUFFER_BYTES: 1024 * 1024 });
  const client = await connectSocket(edge.url);
  for (const size of [200, 900]) {
    const input = 'x'.repeat(size * 1024);
    const warm = await client.ask(create({ generate: false, store: false, input }));
    expect(warm.at(-1)?.type).toBe('response.completed');
    const body = { model: 'house-model', input: 'x'.repeat(950 * 1024), stream: true };
    const response = await post('/v1/responses', body);
    expect(response.status).toBe(200);
    await response.text();
  }
  client.ws.terminate();
});

test('a connection without anything to do ends', async () => {
  const { edge } = await start({ RESPONSES_WEBSOCKET_IDLE_MS: 100 });
  const { closed } = await connectSocket(edge.url);
  expect((await closed).code).toBe(1000);
});

test('a client that answers no ping counts as gone', async () => {
  const { edge } = await start({ RESPONSES_WEBSOCKET_PING_MS: 100 });
  const client = await connectSocket(edge.url, { autoPong: false });
  expect((await client.closed).code).toBe(1006);
});

test('a process that stops ends idle connections at once, and others after their response', async () => {
  const { edge, upstream, policy } = await start({ DRAIN_MS: 10_000 });
  const idle = await connectSocket(edge.url);
  const busy = await connectSocket(edge.url);
  let finish: (() => void) | undefined;
  upstream.script = (res) => {
    begin(res, 'resp_1');
    finish = () => end(res, 'resp_1', 'done');
  };
  busy.send(create());
  await until(() => busy.frames.length > 0, 'the response to begin');
  const stopping = edge.stop();
  expect((await idle.closed).code).toBe(1012);
  expect(busy.frames.some(isEnd)).toBe(false);
  finish?.();
  expect((await busy.closed).code).toBe(1012);
  expect(busy.frames.at(-1)?.type).toBe('response.completed');
  await stopping;
  expect(policy.settled).toMatchObject([{ outcome: 'COMPLETED' }]);
});

test('a response that outlives the time to stop is cut and booked', async () => {
  const { edge, upstream, policy } = await start({ DRAIN_MS: 100 });
  upstream.script = (res) => begin(res, 'resp_1');
  const client = await connectSocket(edge.url);
  client.send(create());
  await until(() => client.frames.length > 0, 'the response to begin');
  await edge.stop();
  expect((await client.closed).code).toBe(1006);
  expect(policy.settled).toMatchObject([{ outcome: 'CLIENT_CLOSED' }]);
});

test('half a message is in the memory budget of bodies, and refused without room', async () => {
  const { edge } = await start({ BODY_BUFFER_BYTES: 1024 * 1024 });
  const client = await connectSocket(edge.url);
  client.ws.send('x'.repeat(900 * 1024), { fin: false });
  await until(() => client.ws.bufferedAmount === 0, 'the half to be sent');
  client.ws.send('x'.repeat(900 * 1024), { fin: false });
  expect((await client.closed).code).toBe(1013);
  expect(client.frames).toMatchObject([{ status: 503, error: { code: 'overloaded' } }]);
  const other = await connectSocket(edge.url);
  const frames = await other.ask(create({ input: 'x'.repeat(900 * 1024) }));
  expect(frames.at(-1)?.type).toBe('response.completed');
  other.ws.terminate();
});
