import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';

import { createPressure } from './pressure';

class FakeResponse extends EventEmitter {
  writableLength = 0;
  destroyed = false;
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function rig() {
  const calls: string[] = [];
  const channel = {
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
  };
  const pressure = createPressure(() => channel, 1_000);
  /** A response with so much that its client has not read. */
  const full = (response: FakeResponse, bytes = 2 * 1024 * 1024): void => {
    response.writableLength = bytes;
    pressure.watch(response as unknown as ServerResponse);
  };
  return { calls, full };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a server waits while a client does not read, and goes on when it has', () => {
  const { calls, full } = rig();
  const response = new FakeResponse();
  full(response, 1024);
  expect(calls).toEqual([]);
  full(response);
  full(response);
  expect(calls).toEqual(['pause']);
  response.emit('drain');
  expect(calls).toEqual(['pause', 'resume']);
});

test('it goes on only when every client has read', () => {
  const { calls, full } = rig();
  const [one, two] = [new FakeResponse(), new FakeResponse()];
  full(one);
  full(two);
  one.emit('drain');
  expect(calls).toEqual(['pause']);
  two.emit('close');
  expect(calls).toEqual(['pause', 'resume']);
});

test('a client that does not read for too long is broken off, so that others go on', () => {
  const { calls, full } = rig();
  const [reads, hangs] = [new FakeResponse(), new FakeResponse()];
  full(reads);
  full(hangs);
  reads.emit('drain');
  jest.advanceTimersByTime(999);
  expect(hangs.destroyed).toBe(false);
  jest.advanceTimersByTime(1);
  expect([hangs.destroyed, reads.destroyed]).toEqual([true, false]);
  expect(calls).toEqual(['pause', 'resume']);
});
