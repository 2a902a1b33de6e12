export type InFlightLimit = {
  /** How many decisions may be under way at once. */
  current: () => number;
  /** One was made in time. `more`: others wait for a place. */
  answered: (tookMs: number, more: boolean) => void;
  /** One was not made in time. */
  missed: () => void;
};

export type InFlightLimitDeps = {
  least: number;
  most: number;
  /** Decisions that take at most this long leave room for more. */
  targetMs: number;
  nowMs: () => number;
};

/** Decisions that take so many times their target are too many at once. */
const TOO_SLOW = 2;
const SHRINK_TO = 0.75;

/**
 * Finds by latency how many decisions policy can work on at once: one more for each that was quick while
 * others waited, a quarter less for slow ones, once in the time in which such a cut can show. Always
 * from `least` to `most`.
 */
export function createInFlightLimit(deps: InFlightLimitDeps): InFlightLimit {
  const { least, most, targetMs, nowMs } = deps;
  const tooSlowMs = targetMs * TOO_SLOW;
  let current = least;
  let shrinkAgainAtMs = nowMs();

  const missed = (): void => {
    const now = nowMs();
    if (now < shrinkAgainAtMs) return;
    shrinkAgainAtMs = now + tooSlowMs;
    current = Math.max(least, Math.floor(current * SHRINK_TO));
  };

  return {
    current: () => current,
    answered: (tookMs, more) => {
      if (tookMs > tooSlowMs) missed();
      else if (more && tookMs <= targetMs && current < most) current += 1;
    },
    missed,
  };
}
