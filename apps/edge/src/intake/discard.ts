// Reads and discards what a client still sends after a refusal. A connection that is closed
// meanwhile is reset, and the answer may be lost. All such connections share one limit.

import type { IncomingMessage } from 'node:http';

/** For all refused bodies together; reading takes about a millisecond per mebibyte. */
const BYTES_PER_TURN = 1024 * 1024;
const TURN_MS = 50;

const waiting: IncomingMessage[] = [];
let left = BYTES_PER_TURN;
let turn: NodeJS.Timeout | undefined;

/** Reads until the body or the connection ends, in turn with others. */
export function discard(req: IncomingMessage): void {
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    turn ??= setInterval(nextTurn, TURN_MS);
    if (left >= 0) return;
    req.pause();
    waiting.push(req);
  });
  req.resume();
}

function nextTurn(): void {
  const spent = left < BYTES_PER_TURN;
  left = Math.min(BYTES_PER_TURN, left + BYTES_PER_TURN);
  // Each request reads about one buffer before it is paused again.
  for (let req = waiting.shift(); req; req = left > 0 ? waiting.shift() : undefined) {
    if (!req.destroyed) req.resume();
    left -= req.readableHighWaterMark;
  }
  if (spent || waiting.length > 0) return;
  clearInterval(turn);
  turn = undefined;
}
