import type { WebSocket } from 'ws';

import { watchAge } from './watch';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function open() {
  const said: string[] = [];
  const ws = {
    OPEN: 1,
    readyState: 1,
    send: (frame: string) =>
      said.push((JSON.parse(frame) as { error: { code: string } }).error.code),
    close: (code: number) => {
      said.push(`closed ${String(code)}`);
      ws.readyState = 2;
    },
  };
  const age = watchAge(ws as unknown as WebSocket, { idleMs: 1_000, maxAgeMs: 5_000 });
  return { age, said };
}

const TOO_OLD = ['websocket_connection_limit_reached', 'closed 1000'];

test('a connection without anything to do ends', () => {
  const { said } = open();
  jest.advanceTimersByTime(999);
  expect(said).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(said).toEqual(['closed 1000']);
});

test('a connection that is too old ends after its response, in the words of the vendor', () => {
  const { age, said } = open();
  age.busy();
  jest.advanceTimersByTime(60_000);
  expect(said).toEqual([]);
  age.idle();
  expect(said).toEqual(TOO_OLD);
});

test('one that becomes too old between two responses ends at once', () => {
  const { age, said } = open();
  for (let responses = 0; responses < 5; responses += 1) {
    age.busy();
    jest.advanceTimersByTime(500);
    age.idle();
    jest.advanceTimersByTime(499);
  }
  expect(said).toEqual([]);
  jest.advanceTimersByTime(5);
  expect(said).toEqual(TOO_OLD);
});
