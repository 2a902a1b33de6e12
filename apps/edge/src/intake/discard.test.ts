import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

import { discard } from './discard';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});
afterEach(() => jest.useRealTimers());

const PIECE = Buffer.alloc(64 * 1024);
const MIB = 1024 ** 2;

/** A client that sends as fast as it is read. */
function endless(): { req: IncomingMessage; sent: () => number } {
  let sent = 0;
  const stream = new Readable({
    read() {
      sent += PIECE.length;
      this.push(PIECE);
    },
  });
  return { req: stream as unknown as IncomingMessage, sent: () => sent };
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 200; turns += 1)
    await new Promise((resolve) => setImmediate(resolve));
}

test('all refused bodies together are read at a bounded rate, in turns', async () => {
  const clients = Array.from({ length: 20 }, endless);
  for (const { req } of clients) discard(req);
  await settle();
  const first = clients.reduce((sum, { sent }) => sum + sent(), 0);
  // Data already in the sockets' buffers comes on top.
  expect(first).toBeLessThan(4 * MIB);
  for (let turns = 0; turns < 40; turns += 1) {
    jest.advanceTimersByTime(50);
    await settle();
  }
  const total = clients.reduce((sum, { sent }) => sum + sent(), 0);
  expect(total).toBeGreaterThan(8 * MIB);
  expect(total).toBeLessThan(60 * MIB);
  const least = Math.min(...clients.map(({ sent }) => sent()));
  expect(least).toBeGreaterThan(MIB / 4);
  for (const { req } of clients) req.destroy();
});
