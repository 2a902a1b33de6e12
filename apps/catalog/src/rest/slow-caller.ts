import type { Response } from 'express';

/** Waits for callers that read slower than an answer is written. */

/** A caller that reads nothing for this long is disconnected. */
export const STALLED_MS = 30_000;

/** Calls `ring` after a time, unless cancelled. */
export type Alarm = (afterMs: number, ring: () => void) => () => void;

export const alarmClock: Alarm = (afterMs, ring) => {
  const timer = setTimeout(ring, afterMs);
  return () => clearTimeout(timer);
};

/** Resolves when the written data was read. Cuts the connection when the caller stalls. */
export function drained(response: Response, alarm: Alarm): Promise<void> {
  return new Promise((resolve) => {
    const callOff = alarm(STALLED_MS, () => response.destroy());
    const done = (): void => {
      callOff();
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}
