import fc from 'fast-check';

import { createEventSplitter, createSseReader, readEvent, type SseEvent } from './sse';
import { cutBytes } from './test-support/arbitraries';

function readAll(chunks: Buffer[]): SseEvent[] {
  const events: SseEvent[] = [];
  const reader = createSseReader(1_000_000);
  for (const chunk of chunks) reader.push(chunk, (event) => events.push(event) > 0);
  return events;
}

const dataOf = (events: SseEvent[]): unknown[] =>
  events.map(({ data }) => data).filter((data) => data !== undefined);

test.each(['\n', '\r\n', '\r'])('lines end with %j', (end) => {
  const text = ['data: one', '', 'data: two', ''].join(end) + end;
  expect(dataOf(readAll([Buffer.from(text)]))).toEqual(['one', 'two']);
});

test('data lines are joined, and event names and comments are separate', () => {
  expect(readEvent('event: note\n: remark\ndata: a\ndata:b\ndata\nid: 7\n\n')).toEqual({
    event: 'note',
    data: 'a\nb\n',
  });
  expect(readEvent(': only a remark\n\n')).toEqual({ event: '', data: undefined });
});

test('a byte order mark is skipped', () => {
  expect(dataOf(readAll([Buffer.from('\uFEFFdata: x\n\n')]))).toEqual(['x']);
});

test('an unfinished event is held back, and available on request', () => {
  const reader = createSseReader(1_000);
  const events: SseEvent[] = [];
  reader.push(Buffer.from('data: one\n\ndata: two\n'), (event) => events.push(event) > 0);
  expect(dataOf(events)).toEqual(['one']);
  expect(reader.rest()).toEqual({ event: '', data: 'two' });
});

test('an event above the size limit is refused, wherever it is cut', () => {
  const reader = createSseReader(100);
  const push = (): void => {
    for (let n = 0; n < 200; n++) reader.push(Buffer.from('x'), () => true);
  };
  expect(push).toThrow(RangeError);
});

test('a reader that stops gets no more events', () => {
  const events: SseEvent[] = [];
  createSseReader(1_000).push(Buffer.from('data: 1\n\ndata: 2\n\n'), (event) => {
    events.push(event);
    return false;
  });
  expect(dataOf(events)).toEqual(['1']);
});

const line = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
  fc.constantFrom(': remark', 'event: x', 'data', 'data:', 'data: 日本語🦊', 'retry: 3'),
);
const stream = fc
  .record({
    events: fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
    end: fc.constantFrom('\n', '\r\n', '\r'),
    mark: fc.boolean(),
  })
  .map(({ events, end, mark }) => ({
    text: (mark ? '\uFEFF' : '') + events.map((lines) => [...lines, '', ''].join(end)).join(''),
    wanted: events.map((lines) => readEvent(lines.join('\n')).data),
  }));
const places = fc.array(fc.nat(), { maxLength: 12 });

test('chunk boundaries make no difference', () => {
  fc.assert(
    fc.property(stream, places, ({ text, wanted }, places) => {
      const chunks = cutBytes(Buffer.from(text), places);
      expect(dataOf(readAll(chunks))).toEqual(dataOf(wanted.map((data) => ({ event: '', data }))));
    }),
    { numRuns: 500 },
  );
});

test('the events of a splitter add up to the input bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), places, (bytes, places) => {
      const splitter = createEventSplitter(10_000);
      const out: Buffer[] = [];
      for (const chunk of cutBytes(Buffer.from(bytes), places)) {
        splitter.push(chunk, ({ source, start, end }) => out.push(source.subarray(start, end)) > 0);
      }
      expect(Buffer.concat([...out, splitter.rest()])).toEqual(Buffer.from(bytes));
    }),
    { numRuns: 300 },
  );
});

const mixed = fc
  .array(fc.tuple(fc.oneof(line, fc.constant('')), fc.constantFrom('\n', '\r\n', '\r')), {
    maxLength: 16,
  })
  .map((lines) => lines.map(([text, end]) => text + end).join(''));

test('lines may end in different ways within one stream, wherever it is cut', () => {
  fc.assert(
    fc.property(mixed, places, (text, places) => {
      const wanted = text
        .replace(/\r\n?/g, '\n')
        .split('\n\n')
        .slice(0, -1)
        .map((event) => readEvent(event));
      const chunks = cutBytes(Buffer.from(text), places);
      expect(dataOf(readAll(chunks))).toEqual(dataOf(wanted));
    }),
    { numRuns: 1_000 },
  );
});
