import { EventEmitter } from 'node:events';
import type { Invalidation__Output } from '@tollgate/contracts/node';
import { createLogger } from '@tollgate/kit';

import { createWatch } from './watch';

class FakeStream extends EventEmitter {
  cancelled = false;
  constructor(readonly fromSeq: number) {
    super();
  }
  cancel(): void {
    this.cancelled = true;
  }
  row(seq: number, kind = 'LIMIT'): void {
    const row: Partial<Invalidation__Output> = { seq, kind };
    this.emit('data', row);
  }
}

function bench() {
  const streams: FakeStream[] = [];
  const seen: string[] = [];
  const watch = createWatch({
    open: (fromSeq) => {
      const stream = new FakeStream(fromSeq);
      streams.push(stream);
      return stream;
    },
    onChange: (row) => seen.push(`change ${String(row.seq)}`),
    onGap: () => seen.push('gap'),
    onConnected: (connected) => seen.push(connected ? 'up' : 'down'),
    onCaughtUp: () => seen.push('caught up'),
    log: createLogger({ service: 'test', level: 'error', write: () => {} }),
  });
  watch.start();
  const last = (): FakeStream => {
    const stream = streams.at(-1);
    if (stream === undefined) throw new Error('no stream');
    return stream;
  };
  return { watch, streams, seen, last };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('the first word of a stream drops what was cached before it', () => {
  const { watch, seen, last } = bench();
  last().row(5, 'HEARTBEAT');
  last().row(6);
  expect(last().fromSeq).toBe(0);
  expect(seen).toEqual(['gap', 'up', 'change 6', 'up']);
  watch.stop();
});

test('a hole in the numbers, or a heartbeat ahead of them, is a gap', () => {
  const { watch, seen, last } = bench();
  last().row(5, 'HEARTBEAT');
  seen.length = 0;
  last().row(8);
  last().row(8, 'HEARTBEAT');
  last().row(9, 'HEARTBEAT');
  expect(seen).toEqual(['gap', 'change 8', 'up', 'up', 'caught up', 'gap', 'up', 'caught up']);
  watch.stop();
});

test('after a break it goes on from where it was, and a row sent twice counts once', () => {
  const { watch, streams, seen, last } = bench();
  last().row(5, 'HEARTBEAT');
  seen.length = 0;
  last().emit('error', new Error('14 UNAVAILABLE'));
  jest.advanceTimersByTime(100);
  expect(streams).toHaveLength(2);
  expect(last().fromSeq).toBe(5);
  last().row(5);
  last().row(6);
  expect(seen).toEqual(['down', 'up', 'change 6', 'up']);
  watch.stop();
});

test('a heartbeat says that all is told, but not the one that a stream begins with', () => {
  const { watch, seen, last } = bench();
  last().row(5, 'HEARTBEAT');
  last().row(6);
  expect(seen).not.toContain('caught up');
  last().row(6, 'HEARTBEAT');
  expect(seen.splice(0)).toContain('caught up');
  last().emit('end');
  jest.advanceTimersByTime(100);
  last().row(6, 'HEARTBEAT');
  last().row(7);
  expect(seen).toEqual(['down', 'up', 'change 7', 'up']);
  watch.stop();
});

test('a position that has been pruned drops the cache and starts from now', () => {
  const { watch, seen, last } = bench();
  last().row(5, 'HEARTBEAT');
  seen.length = 0;
  last().emit('error', Object.assign(new Error('pruned'), { code: 11 }));
  jest.advanceTimersByTime(100);
  expect(last().fromSeq).toBe(0);
  expect(seen).toEqual(['down', 'gap']);
  watch.stop();
});

test('a silent stream is given up, and an old one is not listened to', () => {
  const { watch, streams, seen, last } = bench();
  const first = last();
  first.row(5, 'HEARTBEAT');
  jest.advanceTimersByTime(20_000);
  expect(first.cancelled).toBe(true);
  jest.advanceTimersByTime(100);
  expect(streams).toHaveLength(2);
  seen.length = 0;
  first.row(6);
  expect(seen).toEqual([]);
  watch.stop();
});
