export interface InFlightLimit {
  /** The limit of concurrent decisions. */
  current: () => number;
  /** A decision was made in time. `more`: others wait for a slot. */
  answered: (tookMs: number, more: boolean) => void;
  /** A decision missed its deadline. */
  missed: () => void;
}

export interface InFlightLimitDeps {
  least: number;
  most: number;
  /** Decisions that take at most this long leave room for more. */
  targetMs: number;
  nowMs: () => number;
}

/** Decisions that take this many times the target mean too much concurrency. */
const TOO_SLOW = 2;
const SHRINK_TO = 0.75;

/**
 * Adapts the number of concurrent decisions to policy's latency (additive increase, multiplicative
 * decrease). Each fast decision while others wait adds one. Slow ones subtract a quarter, at most
 * once in the time that a cut needs to take effect. Stays between `least` and `most`.
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
