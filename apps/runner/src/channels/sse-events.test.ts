import * as fc from 'fast-check';

import { createSseReader, type SseEvent } from './sse-events';

const TEXT =
  'event: endpoint\r\ndata: /messages?id=1\r\n\r\n: a comment\n\ndata:one\ndata: two\n\nid: 3\rdata: três\r\r';
const EVENTS = [
  { name: 'endpoint', data: '/messages?id=1' },
  { name: 'message', data: 'one\ntwo' },
  { name: 'message', data: 'três' },
];

test('events come whole, however the text is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(TEXT.length)), (cuts) => {
      const events: SseEvent[] = [];
      const reader = createSseReader(1_000, (event) => events.push(event));
      let from = 0;
      for (const cut of [...cuts.sort((a, b) => a - b), TEXT.length]) {
        expect(reader.push(TEXT.slice(from, cut))).toBe(true);
        from = cut;
      }
      // What follows shows that the last carriage return was no half of a line's end.
      reader.push('x');
      expect(events).toEqual(EVENTS);
    }),
  );
});

test.each(['data: 123456\n', 'data: 123456', 'data: 123\ndata: 456\n'])(
  'an event above the limit ends the reading: %j',
  (text) => {
    expect(createSseReader(5, () => undefined).push(text)).toBe(false);
  },
);
