import { EventEmitter } from 'node:events';

import { sendAll, STALLED_MS } from './kept';

type Exchange = Parameters<typeof sendAll>[0];

/** A client that takes nothing until it is told to. */
function unread() {
  const res = Object.assign(new EventEmitter(), {
    writableNeedDrain: true,
    end: jest.fn(),
    destroy: jest.fn(() => {
      exchange.clientGone = true;
      exchange.onClientGone();
    }),
  });
  const exchange = {
    res,
    clientGone: false,
    onClientGone: (): void => undefined,
    ending: { outcome: 'COMPLETED', httpStatus: 200 },
  };
  const sent = sendAll(exchange as unknown as Exchange, [Buffer.alloc(200_000)], () => false);
  return { exchange, res, sent };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test('a client that reads nothing of a kept answer is disconnected, and booked as one that left', async () => {
  const { exchange, res, sent } = unread();
  await jest.advanceTimersByTimeAsync(STALLED_MS - 1);
  expect(res.destroy).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1);
  await sent;
  expect(res.destroy).toHaveBeenCalledTimes(1);
  expect(exchange.ending).toEqual({ outcome: 'CLIENT_CLOSED', httpStatus: 499 });
});

test('a client that reads slowly gets all of it', async () => {
  const { exchange, res, sent } = unread();
  for (let piece = 0; piece < 4; piece += 1) {
    await jest.advanceTimersByTimeAsync(STALLED_MS - 1);
    res.emit('drain');
  }
  await sent;
  expect(res.destroy).not.toHaveBeenCalled();
  expect(res.end).toHaveBeenCalledTimes(1);
  expect(exchange.ending.outcome).toBe('COMPLETED');
});
