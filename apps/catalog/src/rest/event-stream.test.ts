import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Response } from 'express';

import { sendEvents, STREAM_MS, type EventStream } from './event-stream';
import { STALLED_MS, type Alarm } from './slow-caller';

let server: Server;
let url: string;
let events: EventStream['events'];
let user: string;
let alarm: Alarm | undefined;
let ended: Promise<unknown>;

beforeEach(async () => {
  user = 'ada';
  alarm = undefined;
  server = createServer((_request, raw) => {
    const response = Object.assign(raw, {
      status(code: number) {
        raw.statusCode = code;
        return raw;
      },
    }) as unknown as Response;
    ended = sendEvents(response, { events }, user, alarm).catch((error: unknown) => {
      if (!raw.headersSent) raw.writeHead(429).end();
      return error;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** Waits until the signal aborts, as a source without events does. */
const untilAborted = (signal: AbortSignal): Promise<unknown> =>
  signal.aborted ? Promise.resolve() : once(signal, 'abort');

test('events arrive as such, unbuffered, and the end is told', async () => {
  events = async function* () {
    yield { name: 'records', data: { line: 'a\nb' } };
    yield undefined;
  };
  const response = await fetch(url);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  expect(await response.text()).toBe(
    'event: records\ndata: {"line":"a\\nb"}\n\n:\n\nevent: end\ndata: {}\n\n',
  );
});

test('a stream ends after a minute, even without an event', async () => {
  const rings: (() => void)[] = [];
  alarm = (afterMs, ring) => {
    if (afterMs === STREAM_MS) rings.push(ring);
    return () => undefined;
  };
  events = async function* (signal) {
    yield undefined;
    await untilAborted(signal);
  };
  const response = await fetch(url);
  for (const ring of rings) ring();
  expect(await response.text()).toBe(':\n\nevent: end\ndata: {}\n\n');
});

test('a caller who hangs up ends the reading', async () => {
  events = async function* (signal) {
    yield undefined;
    await untilAborted(signal);
  };
  const hangUp = new AbortController();
  await fetch(url, { signal: hangUp.signal });
  hangUp.abort();
  expect(await ended).toBeUndefined();
});

test('one user has a few streams at a time, and a place is free again', async () => {
  const release: (() => void)[] = [];
  events = async function* (signal) {
    yield undefined;
    await Promise.race([
      untilAborted(signal),
      new Promise<void>((resolve) => release.push(resolve)),
    ]);
  };
  const open = [];
  for (let n = 0; n < 6; n += 1) open.push(await fetch(url));
  const refused = await fetch(url);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('10');
  user = 'grace';
  const others = await fetch(url);
  expect(others.status).toBe(200);
  for (const free of release) free();
  for (const response of [...open, others]) await response.text();
  user = 'ada';
  release.length = 0;
  const again = await fetch(url);
  expect(again.status).toBe(200);
  await again.body?.cancel();
  await ended;
});

test('a caller that reads nothing is cut, and does not fill memory', async () => {
  alarm = (afterMs, ring) => {
    if (afterMs === STALLED_MS) setImmediate(ring);
    return () => undefined;
  };
  let made = 0;
  events = async function* () {
    for (;;) {
      made += 1;
      yield { name: 'records', data: 'x'.repeat(1024 * 1024) };
    }
  };
  const response = await fetch(url);
  expect(await ended).toBeUndefined();
  expect(made).toBeLessThan(1_000);
  await expect(response.text()).rejects.toThrow();
});

test('a failure cuts the connection, so that nobody takes it for the end', async () => {
  events = async function* () {
    yield undefined;
    throw new Error('the database is away');
  };
  const response = await fetch(url);
  await expect(response.text()).rejects.toThrow();
  expect(await ended).toMatchObject({ message: 'the database is away' });
});
