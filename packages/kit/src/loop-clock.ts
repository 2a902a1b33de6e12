/** Milliseconds that only rise, for deadlines of others; see createLoopClock. */
export type LoopClock = { now: () => number; stop: () => void };

const TICK_MS = 25;
/** A tick that comes this late was held up by the event loop and not by the timer's precision. */
const ON_TIME_MS = 2 * TICK_MS;
/** How much of the time counts that the event loop was held up for. */
const HELD_UP_SHARE = 0.5;

/**
 * A clock to judge by whether somebody else answers in time. While this process's own event loop is held
 * up, by its own work or by other processes on the machine, answers lie unread, so that time counts
 * half. A deadline by this clock is therefore at most twice as long by the real one.
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
