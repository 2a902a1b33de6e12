import type { Clock } from './clock';

export type BreakerState = 'closed' | 'open' | 'half-open';

export interface Breaker {
  state: () => BreakerState;
  /** Whether a call may run now. A half-open breaker allows one trial at a time. */
  allow: () => boolean;
  succeeded: () => void;
  failed: () => void;
  /** allow, call, report; throws BreakerOpenError without calling while the breaker is open. */
  run: <T>(call: () => Promise<T>) => Promise<T>;
}

export class BreakerOpenError extends Error {
  override readonly name = 'BreakerOpenError';

  constructor() {
    super('not tried: the last calls failed and the pause has not passed');
  }
}

// Stops calls to something that keeps failing: after `failures` failures in a row it is open for
// `coolMs`, then one trial decides.
export function createBreaker(options: {
  failures: number;
  coolMs: number;
  clock: Clock;
}): Breaker {
  const { failures, coolMs, clock } = options;
  let failedInARow = 0;
  let openedAtMs: number | undefined;
  let trialSinceMs: number | undefined;

  const state = (): BreakerState => {
    if (openedAtMs === undefined) return 'closed';
    return clock.now() - openedAtMs >= coolMs ? 'half-open' : 'open';
  };

  const allow = (): boolean => {
    const current = state();
    if (current !== 'half-open') return current === 'closed';
    // A trial that never reported back must not keep the breaker open for ever.
    if (trialSinceMs !== undefined && clock.now() - trialSinceMs < coolMs) return false;
    trialSinceMs = clock.now();
    return true;
  };

  const succeeded = (): void => {
    failedInARow = 0;
    openedAtMs = undefined;
    trialSinceMs = undefined;
  };

  const failed = (): void => {
    failedInARow += 1;
    const trialFailed = trialSinceMs !== undefined;
    if (trialFailed || (openedAtMs === undefined && failedInARow >= failures)) {
      openedAtMs = clock.now();
    }
    trialSinceMs = undefined;
  };

  const run = async <T>(call: () => Promise<T>): Promise<T> => {
    if (!allow()) throw new BreakerOpenError();
    try {
      const value = await call();
      succeeded();
      return value;
    } catch (error) {
      failed();
      throw error;
    }
  };

  return { state, allow, succeeded, failed, run };
}
