/** Monotonic milliseconds for deadlines of other processes; see createLoopClock. */
export interface LoopClock {
  now: () => number;
  stop: () => void;
}

const TICK_MS = 25;
/** A later tick was delayed by the event loop, not by the timer's precision. */
const ON_TIME_MS = 2 * TICK_MS;
/** The share of a delay of the event loop that counts. */
const HELD_UP_SHARE = 0.5;

/**
 * A clock for judging whether another process replies in time. While this process's event loop is
 * blocked, by its own work or by other processes, replies wait unread, so that time counts half. A
 * deadline by this clock takes at most twice as long in real time.
 */
export function createLoopClock(nowMs: () => number): LoopClock {
  let tickedAtMs = nowMs();
  let countedMs = tickedAtMs;
  const at = (realMs: number): number => {
    const sinceMs = realMs - tickedAtMs;
    const heldUpMs = Math.max(0, sinceMs - ON_TIME_MS);
    return countedMs + sinceMs - heldUpMs * (1 - HELD_UP_SHARE);
  };
  const ticker = setInterval(() => {
    const realMs = nowMs();
    countedMs = at(realMs);
    tickedAtMs = realMs;
  }, TICK_MS);
  ticker.unref();
  return { now: () => at(nowMs()), stop: () => clearInterval(ticker) };
}
