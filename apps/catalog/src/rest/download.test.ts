import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Response } from 'express';

import { sendDownload } from './download';
import { STALLED_MS, type Alarm } from './slow-caller';

let server: Server;
let url: string;
let chunks: () => AsyncGenerator<string>;
let ended: Promise<unknown>;
let owner: string;
let alarm: Alarm | undefined;
let pause: ((ms: number) => Promise<unknown>) | undefined;

beforeEach(async () => {
  owner = 'acme';
  alarm = undefined;
  pause = undefined;
  server = createServer((_request, raw) => {
    const response = Object.assign(raw, {
      status(code: number) {
        raw.statusCode = code;
        return raw;
      },
    }) as unknown as Response;
    const file = { filename: 'a.csv', chunks: chunks() };
    const sent = sendDownload(response, 200, 'text/csv', file, owner, alarm, pause);
    ended = sent.catch((error: unknown) => {
      const busy = raw.hasHeader('retry-after');
      if (!raw.headersSent) raw.writeHead(busy ? 429 : 503).end();
      return error;
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

test('all pieces arrive, in order, as a file', async () => {
  chunks = async function* () {
    yield 'a\r\n';
    yield 'b\r\n';
  };
  const response = await fetch(url);
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="a.csv"');
  expect(await response.text()).toBe('a\r\nb\r\n');
});

test('between two pieces others have their turn, for as long as the piece took, within bounds', async () => {
  const order: string[] = [];
  const pauses: number[] = [];
  pause = (ms) => {
    order.push('pause');
    pauses.push(ms);
    return Promise.resolve();
  };
  chunks = async function* () {
    for (const [piece, ms] of [
      ['a', 6],
      ['b', 80],
    ] as const) {
      order.push(piece);
      // Busy work that cannot be interrupted, for a fixed time on any machine.
      const untilMs = performance.now() + ms;
      while (performance.now() < untilMs);
      yield piece;
    }
  };
  expect(await (await fetch(url)).text()).toBe('ab');
  expect(order).toEqual(['a', 'pause', 'b', 'pause']);
  expect(pauses[0]).toBeGreaterThanOrEqual(5);
  expect(pauses[1]).toBe(50);
});

test('a caller who hangs up ends the reading', async () => {
  let closed = (): void => {};
  const returned = new Promise<void>((resolve) => (closed = resolve));
  chunks = async function* () {
    try {
      // Endless: only the caller's disconnect stops it.
      for (;;) yield 'x'.repeat(1_000_000);
    } finally {
      closed();
    }
  };
  const response = await fetch(url);
  await response.body?.cancel();
  await returned;
  await ended;
});

test('a caller who takes nothing is cut off', async () => {
  let closed = (): void => {};
  const returned = new Promise<void>((resolve) => (closed = resolve));
  chunks = async function* () {
    try {
      for (;;) yield 'x'.repeat(1_000_000);
    } finally {
      closed();
    }
  };
  // An alarm that rings as soon as a piece has to wait.
  const asked: number[] = [];
  alarm = (afterMs, ring) => {
    asked.push(afterMs);
    ring();
    return () => {};
  };
  const reading = fetch(url).then((response) => response.text());
  await expect(reading).rejects.toThrow();
  await returned;
  await ended;
  expect(asked).toEqual([STALLED_MS]);
});

test('an owner has two at once, and does not keep others from theirs', async () => {
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  chunks = async function* () {
    yield 'a\r\n';
    await finished;
  };
  const open = [await fetch(url), await fetch(url)];
  expect((await fetch(url)).status).toBe(429);
  owner = 'rival';
  open.push(await fetch(url));
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
  finish();
  await Promise.all(open.map((response) => response.text()));
  await ended;
  owner = 'acme';
  const again = await fetch(url);
  expect(again.status).toBe(200);
  await again.text();
});

test('a failure before the first piece is an answer, a later one cuts the connection', async () => {
  chunks = async function* () {
    yield await Promise.reject<string>(new Error('no rows'));
  };
  expect((await fetch(url)).status).toBe(503);
  chunks = async function* () {
    yield 'a\r\n';
    throw new Error('the database has gone');
  };
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
});
