// A promise that may not take for ever. The work itself goes on after the deadline unless it can
// be told to stop, so whoever starts it passes it an AbortSignal where it takes one.
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';

  constructor(
    readonly what: string,
    readonly deadlineMs: number,
  ) {
    super(`${what} did not answer within ${deadlineMs} ms`);
  }
}

/** A timer that comes this late was held up by the event loop. */
const HELD_UP_MS = 25;

/** While the event loop of this process is held up the deadline waits, at most as long again. */
export function withDeadline<T>(work: Promise<T>, deadlineMs: number, what: string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const startedMs = performance.now();
    // A process that was busy finds its timers due before it has read what waits in its sockets: one
    // more turn of the loop, so that an answer that came in time is not taken for none.
    const expire = (): void => {
      setImmediate(() => reject(new DeadlineError(what, deadlineMs)));
    };
    let timer = setTimeout(() => {
      const lateMs = performance.now() - startedMs - deadlineMs;
      if (lateMs < HELD_UP_MS) return expire();
      // The question itself may have left only when the loop was free again.
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
