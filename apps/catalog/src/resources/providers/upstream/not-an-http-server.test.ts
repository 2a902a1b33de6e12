import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createAddressRules } from '@tollgate/contracts/node';

import { askUpstream } from './ask-upstream';
import { discoveryWays, testWays } from './model-lists';

/** Servers that may listen at a mistyped port, none of which speaks HTTP/1.1. */
const answers = (bytes: string | Buffer) => (socket: Socket) => {
  socket.once('data', () => socket.write(bytes));
};
const http2Settings = Buffer.from('000000040000000000', 'hex');
const tlsAlert = Buffer.from('15030100020246', 'hex');
const json = { data: [{ id: 'a' }] };
const chunked = (text: string) => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${text}`;

const SERVERS: readonly (readonly [string, (socket: Socket) => void, string])[] = [
  ['gRPC, which speaks first', (socket) => socket.write(http2Settings), 'not_http'],
  ['gRPC, which answers', answers(http2Settings), 'not_http'],
  ['Redis', answers("-ERR unknown command 'GET'\r\n"), 'not_http'],
  ['PostgreSQL', answers(Buffer.from('E\0\0\0\u0010SFATAL\0C0A000\0\0', 'latin1')), 'not_http'],
  ['a mail server', (socket) => socket.write('220 mail.example ESMTP\r\n'), 'not_http'],
  ['TLS', answers(tlsAlert), 'not_http'],
  ['SSH', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'), 'not_http'],
  ['zeros', answers(Buffer.alloc(4096)), 'not_http'],
  ['one byte and the end', (socket) => socket.end('x'), 'not_http'],
  ['a beginning and the end', answers('HTT'), 'timed_out'],
  ['another HTTP version', answers('HTTP/9.9 200 OK\r\n\r\n'), 'not_http'],
  ['a status that is none', answers('HTTP/1.1 abc OK\r\n\r\n'), 'not_http'],
  ['a header that is none', answers('HTTP/1.1 200 OK\r\n: x\r\n\r\n'), 'not_http'],
  ['endless headers', answers(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`), 'too_large'],
  [
    'two lengths',
    answers('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'),
    'not_reachable',
  ],
  ['a chunk without a length', answers(chunked('zz\r\n')), 'not_http'],
  [
    'fewer bytes than it says',
    (socket) =>
      void socket.once('data', () =>
        socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n${JSON.stringify(json)}`),
      ),
    'not_reachable',
  ],
  [
    'an upgrade that nobody asked for',
    answers('HTTP/1.1 101 Switching\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    'not_reachable',
  ],
  ['silence', () => undefined, 'timed_out'],
  ['the end at once', (socket) => void socket.end(), 'not_reachable'],
  [
    'a reset',
    (socket) => void socket.once('data', () => socket.resetAndDestroy()),
    'not_reachable',
  ],
];

let server: Server;
const sockets = new Set<Socket>();
let serve: (socket: Socket) => void = () => undefined;

beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => void server.close(resolve));
});

describe.each([
  ['the test', testWays('PROVIDER_A', 'openai')],
  ['discovery', discoveryWays('PROVIDER_F', 'openai')],
] as const)('%s of a port that is no upstream ends in a verdict', (_, ways) => {
  test.each(SERVERS)('%s', async (_name, behaviour, code) => {
    serve = behaviour;
    const { port } = server.address() as AddressInfo;
    const asked = await askUpstream(
      {
        type: 'PROVIDER_A',
        upstreamFormat: 'openai',
        baseUrl: `http://127.0.0.1:${port}`,
        apiVersion: '2024-10-21',
        headers: {},
        connectTimeoutMs: 5_000,
        secret: 'sk-0123456789',
      },
      ways,
      {
        addressRules: createAddressRules({ allowed: ['127.0.0.0/8'] }),
        timeoutMs: code === 'timed_out' ? 100 : 5_000,
        maxPages: 1,
        maxModels: 10,
      },
    );
    expect(asked).toMatchObject({ ok: false, failure: { code, field: 'baseUrl' } });
  });
});
