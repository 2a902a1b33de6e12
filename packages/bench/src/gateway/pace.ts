import { createRandom } from '../random';

/** Of sleep at once while answers are awaited. The kernel adds a twentieth of a millisecond. */
const MOST_SLEEP_MS = 0.2;
/** Timers of the event loop may be so late. */
const TIMER_MS = 2;
/** Any length up to the most: how late an answer is seen is then the same for slow and for fast ones. */
const lengths = createRandom(1);
const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));

export interface Paced {
  /** When something is due next, on the clock of `performance`; undefined when there is no more. */
  readonly nextMs: number | undefined;
  /** Whether answers are awaited. */
  readonly busy: boolean;
}

/**
 * Calls `begin` again and again, at least whenever something is due. Timers of the event loop are up to
 * a millisecond late, which would be most of the latency that is measured, and a second thread that wakes
 * this one costs as much as a request. So this thread itself sleeps, for moments between which it reads
 * what has come, or until something is due if nothing can come.
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
