// A promise with a deadline. The work itself continues after the deadline unless it is aborted, so
// pass it an AbortSignal where it takes one.
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';

  constructor(
    readonly what: string,
    readonly deadlineMs: number,
  ) {
    super(`${what} did not answer within ${deadlineMs} ms`);
  }
}

/** A timer that is this late was delayed by the event loop. */
const HELD_UP_MS = 25;

/** While the event loop is blocked the deadline is extended, by at most its own length. */
export function withDeadline<T>(work: Promise<T>, deadlineMs: number, what: string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const startedMs = performance.now();
    // After the process was blocked, timers fire before waiting sockets are read. One more turn of
    // the loop lets a reply that arrived in time win.
    const expire = (): void => {
      setImmediate(() => reject(new DeadlineError(what, deadlineMs)));
    };
    let timer = setTimeout(() => {
      const lateMs = performance.now() - startedMs - deadlineMs;
      if (lateMs < HELD_UP_MS) return expire();
      // The request itself may have left only after the loop was free again.
      timer = setTimeout(expire, Math.min(lateMs, deadlineMs));
    }, deadlineMs);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- passed on as it came.
        reject(error);
      },
    );
  });
}
