// Calls that their client cancels while the connection to the server is still being opened.

import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

import { until } from '../test-support/harness';
import { CALL, HELD_NANO_USD, result, startMcpHarness } from './test-support/mcp-harness';

/** A proxy that opens its first tunnel only when the test asks for it. */
async function startProxy() {
  let openFirst: (() => void) | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((_req, res) => void res.writeHead(500).end());
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', ({ url = '' }, client: Socket, head) => {
    client.on('error', () => client.destroy());
    const open = (): void => {
      const upstream = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.write(head);
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on('error', () => client.destroy());
    };
    if (openFirst) open();
    else openFirst = open;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Whether the first tunnel was asked for. */
    asked: () => openFirst !== undefined,
    openFirst: () => openFirst?.(),
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

let proxy: Awaited<ReturnType<typeof startProxy>>;
let edge: Awaited<ReturnType<typeof startMcpHarness>>;

beforeEach(async () => {
  proxy = await startProxy();
  edge = await startMcpHarness({ HTTP_PROXY: proxy.url });
  // The proxy is not used for 127.0.0.1.
  edge.serve({ url: `${edge.upstream.url.replace('127.0.0.1', '127.0.0.2')}/mcp` });
  edge.upstream.script = (res, received) => {
    if (received.body['method'] === 'tools/call') result(res, received, {});
    else res.writeHead(202).end();
  };
});
afterEach(async () => {
  await edge.stop();
  proxy.stop();
});

const CANCEL = { method: 'notifications/cancelled', params: { requestId: CALL.id } };

test('a call that is cancelled while it connects is never sent, and costs nothing', async () => {
  const asked = edge.rpc(CALL);
  await until(proxy.asked, 'the first tunnel');
  expect((await edge.rpc(CANCEL)).status).toBe(202);

  // The client gets no response to a request that it has cancelled.
  const answer = await asked;
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  expect([answer.status, await answer.text()]).toEqual([200, '']);
  expect(await edge.settled()).toMatchObject({ cancelled: true, outcome: 'CLIENT_CLOSED' });

  // The server gets only later calls.
  proxy.openFirst();
  expect((await edge.rpc({ ...CALL, id: 8 })).status).toBe(200);
  expect(edge.upstream.received.map(({ body }) => body['id'] ?? body['method'])).toEqual([
    'notifications/cancelled',
    8,
  ]);
  await until(() => edge.policy.settled.length === 2, 'the settle of the later call');
  expect(edge.policy.settled[1]).toMatchObject({ cancelled: false, costNanoUsd: HELD_NANO_USD });
});
