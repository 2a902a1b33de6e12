import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';

import { createClientWriter, KEEP_ALIVE_MS, STALLED_MS } from './client-writer';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function setUp(stream = true, highWaterMark = 1_000_000) {
  const out = new PassThrough({ highWaterMark });
  let drains = 0;
  const onDrain = (): void => {
    drains += 1;
  };
  const writer = createClientWriter(out as unknown as ServerResponse, { stream, onDrain });
  const written = (): string => String(out.read() ?? '');
  const write = (text: string): boolean => writer.write([Buffer.from(text)]);
  return { out, writer, write, written, drains: () => drains };
}

const COMMENT = ': keep-alive\n';

test.each([
  ['nothing', [], `${COMMENT}\n`],
  ['an event', ['data: 1\n\n'], `${COMMENT}\n`],
  ['an event with CRLF', ['data: 1\r\n\r\n'], `${COMMENT}\n`],
  ['an event in pieces', ['data: 1', '\n', '\n'], `${COMMENT}\n`],
  ['an event in pieces with CRLF', ['data: 1\r\n', '\r\n'], `${COMMENT}\n`],
  // A blank line would end the event.
  ['a line', ['event: x\n'], COMMENT],
  ['a line in pieces', ['event: x', '\n'], COMMENT],
  ['a part of a line', ['event: x\ndata: {"a"'], ''],
  ['half of a CRLF', ['data: 1\r'], ''],
])('after %s a silent stream has a comment where one is allowed', (_what, parts, comment) => {
  const { writer, write, written } = setUp();
  for (const part of parts) write(part);
  written();
  jest.advanceTimersByTime(KEEP_ALIVE_MS);
  expect(written()).toBe(comment);
  jest.advanceTimersByTime(KEEP_ALIVE_MS);
  expect(written()).toBe(comment);
  writer.release();
});

test('what is sent begins the silence anew', () => {
  const { writer, write, written } = setUp();
  jest.advanceTimersByTime(KEEP_ALIVE_MS - 1);
  write('data: 1\n\n');
  jest.advanceTimersByTime(KEEP_ALIVE_MS - 1);
  expect(written()).toBe('data: 1\n\n');
  writer.release();
});

test('a document has no comments', () => {
  const { writer, written } = setUp(false);
  jest.advanceTimersByTime(10 * KEEP_ALIVE_MS);
  expect(written()).toBe('');
  writer.release();
});

test.each([
  ['between events', 'data: 1\n\n', 'data: 1\n\ndata: 2\n\n'],
  ['within a line', 'data: {"a', 'data: {"a\n\ndata: 2\n\n'],
])('a last event %s is an event of its own', (_what, before, expected) => {
  const { writer, write, written } = setUp();
  write(before);
  writer.release();
  writer.end('data: 2\n\n');
  expect(written()).toBe(expected);
});

test('a client that stops to read is given up', () => {
  const { out, writer, write } = setUp(true, 4);
  expect(write('data: 1\n\n')).toBe(false);
  jest.advanceTimersByTime(STALLED_MS - 1);
  expect(out.destroyed).toBe(false);
  jest.advanceTimersByTime(1);
  expect(out.destroyed).toBe(true);
  writer.release();
});

test('a client that reads on is not', async () => {
  const { out, writer, write, drains } = setUp(true, 4);
  write('data: 1\n\n');
  out.resume();
  await jest.advanceTimersByTimeAsync(1);
  expect(drains()).toBe(1);
  jest.advanceTimersByTime(2 * STALLED_MS);
  expect(out.destroyed).toBe(false);
  writer.release();
  expect(jest.getTimerCount()).toBe(0);
});
