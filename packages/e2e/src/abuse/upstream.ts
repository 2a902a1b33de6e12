import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { MIB } from './limits';

// An upstream with hostile answers, on bare sockets because no HTTP library would send most of
// them.

export interface HostileAnswer {
  readonly name: string;
  /** The caller's kind of request. */
  readonly stream: boolean;
  /** The bytes of the answer; the connection closes after the last one. */
  readonly bytes: () => Iterable<Buffer>;
}

const PIECE_BYTES = 64 * 1024;
const BOMB_BYTES = 1_024 * MIB;
const EVENTS = 1_000_000;

function head(status: number, type: string, more = ''): Buffer {
  return Buffer.from(
    `HTTP/1.1 ${String(status)} Said\r\ncontent-type: ${type}\r\nconnection: close\r\n${more}\r\n`,
  );
}

const OK_JSON = head(200, 'application/json');
const OK_EVENTS = head(200, 'text/event-stream');
const CHOICE = (content: string): string =>
  `{"index":0,"message":{"role":"assistant","content":"${content}"},"finish_reason":"stop"}`;

/** `unit` repeated in large pieces, `total` bytes of it. */
function* repeated(unit: string, total: number): Generator<Buffer> {
  const piece = Buffer.from(unit.repeat(Math.max(1, Math.floor(PIECE_BYTES / unit.length))));
  for (let left = total; left > 0; left -= piece.length) {
    // Cut at a whole unit, so that the rest fits.
    yield left >= piece.length
      ? piece
      : piece.subarray(0, Math.ceil(left / unit.length) * unit.length);
  }
}

function* around(first: Buffer, open: string, middle: Iterable<Buffer>, close: string) {
  yield first;
  yield Buffer.from(open);
  yield* middle;
  yield Buffer.from(close);
}

function list(name: string, item: string, sizeMib: number): HostileAnswer {
  return {
    name: `choices [${name},…] of ${String(sizeMib)} MB`,
    stream: false,
    bytes: () =>
      around(OK_JSON, '{"id":"x","choices":[', repeated(`${item},`, sizeMib * 1e6), `${item}]}`),
  };
}

function* gzipBomb(): Generator<Buffer> {
  // Members of a gzip stream can be concatenated: one is compressed, and sent many times.
  const member = gzipSync(Buffer.alloc(16 * MIB, ' '));
  yield head(200, 'application/json', 'content-encoding: gzip\r\n');
  for (let sent = 0; sent < BOMB_BYTES; sent += 16 * MIB) yield member;
}

function* manyHeaders(): Generator<Buffer> {
  yield Buffer.from('HTTP/1.1 200 Said\r\n');
  for (let n = 0; n < 100_000; n += 1_000) {
    const lines = Array.from({ length: 1_000 }, (_, at) => `x-${String(n + at)}: 1\r\n`);
    yield Buffer.from(lines.join(''));
  }
  yield Buffer.from('content-type: application/json\r\n\r\n{}');
}

function* endlessHeader(): Generator<Buffer> {
  yield Buffer.from('HTTP/1.1 200 Said\r\nx-endless: ');
  yield* repeated('a', Number.POSITIVE_INFINITY);
}

function* endlessError(status: number): Generator<Buffer> {
  yield head(status, 'application/json');
  yield Buffer.from('{"error":{"message":"');
  yield* repeated('a', Number.POSITIVE_INFINITY);
}

const hostile = (name: string, stream: boolean, bytes: () => Iterable<Buffer>): HostileAnswer => ({
  name,
  stream,
  bytes,
});

export const HOSTILE_ANSWERS: readonly HostileAnswer[] = [
  hostile('one string of 60 MB', false, () =>
    around(
      OK_JSON,
      '{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"',
      repeated('a', 60e6),
      '"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}',
    ),
  ),
  list('[]', '[]', 8),
  list('[]', '[]', 31),
  list('[]', '[]', 60),
  list('{}', '{}', 60),
  list('choice', CHOICE('a'), 60),
  hostile('nesting [[[[… of 8 MB', false, () =>
    around(OK_JSON, '{"choices":[', [...repeated('[', 4e6), ...repeated(']', 4e6)], ']}'),
  ),
  hostile('one event of 30 MB', true, () =>
    around(
      OK_EVENTS,
      'data: {"id":"x","choices":[{"index":0,"delta":{"content":"',
      repeated('a', 30e6),
      '"}}]}\n\ndata: [DONE]\n\n',
    ),
  ),
  hostile('one event that never ends', true, () =>
    around(
      OK_EVENTS,
      'data: {"id":"x","choices":[{"index":0,"delta":{"content":"',
      repeated('a', Number.POSITIVE_INFINITY),
      '',
    ),
  ),
  hostile('a million events of {}', true, () =>
    around(OK_EVENTS, '', repeated('data: {}\n\n', EVENTS * 10), 'data: [DONE]\n\n'),
  ),
  hostile('a million empty events', true, () =>
    around(OK_EVENTS, '', repeated('data:\n\n', EVENTS * 7), 'data: [DONE]\n\n'),
  ),
  hostile('a million comments', true, () =>
    around(OK_EVENTS, '', repeated(': x\n\n', EVENTS * 5), 'data: [DONE]\n\n'),
  ),
  hostile('gzip that unpacks to 1 GiB', false, gzipBomb),
  hostile('100,000 headers', false, manyHeaders),
  hostile('a header that never ends', false, endlessHeader),
  hostile('a 400 that never ends', false, () => endlessError(400)),
  hostile('a 500 that never ends', false, () => endlessError(500)),
  hostile('a 400 to a stream that never ends', true, () => endlessError(400)),
];

export interface HostileUpstream {
  /** The base URL of a provider that sends the hostile answer of this number. */
  readonly urlOf: (index: number) => string;
  readonly stop: () => Promise<void>;
}

async function answer(socket: Socket, bytes: Iterable<Buffer>): Promise<void> {
  for (const piece of bytes) {
    if (socket.destroyed) return;
    const room = socket.write(piece);
    // Yields, so that an edge that reads everything does not starve this process.
    if (room) await new Promise((resolve) => setImmediate(resolve));
    else await drained(socket);
  }
  socket.end();
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      socket.off('drain', end);
      socket.off('close', end);
      resolve();
    };
    socket.once('drain', end);
    socket.once('close', end);
  });
}

export async function startHostileUpstream(): Promise<HostileUpstream> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let asked = '';
    socket.on('data', (chunk: Buffer) => {
      if (asked.includes('\r\n\r\n')) return;
      asked += chunk.toString('latin1');
      if (!asked.includes('\r\n\r\n')) return;
      const index = Number(/^POST \/(\d+)\//.exec(asked)?.[1] ?? Number.NaN);
      const found = HOSTILE_ANSWERS[index];
      if (found === undefined) return void socket.end(head(404, 'application/json'));
      void answer(socket, found.bytes());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port');
  return {
    urlOf: (index) => `http://127.0.0.1:${String(address.port)}/${String(index)}/v1`,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
