// Time as deciding from memory needs it.

export interface FloatClock {
  /** Never goes back, but may stop while the machine sleeps. */
  monotonicMs(): number;
  wallMs(): number;
}

/** Milliseconds that passed, at least: by the monotonic clock, or by the wall clock if it moved further. */
export function createElapsed(clock: FloatClock): () => number {
  let monotonicMs = clock.monotonicMs();
  let wallMs = clock.wallMs();
  let elapsedMs = 0;
  return () => {
    const monotonic = clock.monotonicMs();
    const wall = clock.wallMs();
    elapsedMs += Math.max(0, monotonic - monotonicMs, wall - wallMs);
    monotonicMs = monotonic;
    wallMs = wall;
    return elapsedMs;
  };
}

/** The estimated time of a Redis server: never ahead of it, and it never goes back. */
export interface RedisTime {
  /** A reply says that it was this time there. */
  learn(redisMs: number): void;
  /** `undefined`: no reply has told it. */
  now(): number | undefined;
  /** Another server: its clock may be behind. */
  forget(): void;
}

export function createRedisTime(clock: FloatClock): RedisTime {
  // Redis time minus ours when a reply arrived: at least as late there.
  let aheadMs: number | undefined;
  return {
    learn(redisMs) {
      const ahead = redisMs - clock.monotonicMs();
      if (aheadMs === undefined || ahead > aheadMs) aheadMs = ahead;
    },
    now: () => (aheadMs === undefined ? undefined : Math.floor(clock.monotonicMs() + aheadMs)),
    forget() {
      aheadMs = undefined;
    },
  };
}
