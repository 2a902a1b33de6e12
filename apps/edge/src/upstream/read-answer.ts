// Reads answers that must be complete before they are processed.

import type { UpstreamAnswer } from './call';
import { noRoom, tooLarge } from './failure';

export interface WholeAnswer {
  /** Limit of the whole body. */
  limitBytes: number;
  /** Takes memory for the bytes read; undefined: there is enough already. */
  takeRoom: (bytes: number) => Promise<void> | undefined;
}

/** How long an answer waits for memory before it is given up. */
const ROOM_WAIT_MS = 10_000;

/** Reads the whole body, paced by the memory budget. Rejects with an UpstreamFailure. */
export function readAll(answer: UpstreamAnswer, whole: WholeAnswer): Promise<Buffer> {
  const { limitBytes, takeRoom } = whole;
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    answer.read({
      data: (chunk) => {
        bytes += chunk.length;
        if (bytes > limitBytes) {
          chunks = [];
          reject(tooLarge(limitBytes));
          return false;
        }
        chunks.push(chunk);
        const room = takeRoom(chunk.length);
        if (!room) return true;
        const tooLong = setTimeout(() => {
          chunks = [];
          reject(noRoom());
        }, ROOM_WAIT_MS);
        void room.then(() => {
          clearTimeout(tooLong);
          answer.resume();
        });
        return false;
      },
      end: () => {
        const [only] = chunks;
        resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks));
        chunks = [];
      },
      fail: reject,
    });
  });
}

/** Limit of the part of a refusal that is read. */
const REFUSAL_BYTES = 256 * 1024;

/** Reads the body of a refusal, up to its limit. Rejects with an UpstreamFailure. */
export function readRefusal(answer: UpstreamAnswer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const done = (): void => resolve(Buffer.concat(chunks));
    answer.read({
      data: (chunk) => {
        if (bytes > REFUSAL_BYTES) return false;
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > REFUSAL_BYTES) done();
        return bytes <= REFUSAL_BYTES;
      },
      end: done,
      fail: reject,
    });
  });
}
