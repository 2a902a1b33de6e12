import { createRandom } from '../random';

/** Longest sleep while answers are awaited. The kernel adds a twentieth of a millisecond. */
const MOST_SLEEP_MS = 0.2;
/** Timers of the event loop may be this late. */
const TIMER_MS = 2;
/** Random sleep lengths: then the delay of seeing an answer is the same for slow and fast ones. */
const lengths = createRandom(1);
const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));

export interface Paced {
  /** When the next request is due, on the clock of `performance`; undefined without more. */
  readonly nextMs: number | undefined;
  /** Whether answers are awaited. */
  readonly busy: boolean;
}

/**
 * Calls `begin` repeatedly, at least whenever a request is due. Event-loop timers are up to a
 * millisecond late, which would dominate the measured latency, and a second thread that wakes this
 * one costs as much as a request. So this thread itself sleeps for short moments, reads what has
 * arrived in between, or sleeps until the next request if nothing can arrive.
 */
export function pace(begin: () => Paced): void {
  const turn = (): void => {
    const { nextMs, busy } = begin();
    if (nextMs === undefined) return;
    const waitMs = nextMs - performance.now();
    if (waitMs > TIMER_MS) {
      setTimeout(turn, waitMs - TIMER_MS);
      return;
    }
    const sleepMs = busy ? Math.min(waitMs, MOST_SLEEP_MS * lengths.next()) : waitMs;
    if (sleepMs > 0) Atomics.wait(NEVER_WOKEN, 0, 0, sleepMs);
    setImmediate(turn);
  };
  turn();
}
