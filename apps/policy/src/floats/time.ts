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

/** The estimated time of a Redis server: never ahead of what its replies show. */
export interface RedisTime {
  /** What `learn` takes for the instant of the call that is sent now. */
  sent(): number;
  /** A reply says that it was this time there; with `sentAt`, at that instant or later. */
  learn(redisMs: number, sentAt?: number): void;
  /** `undefined`: no reply has told it. */
  now(): number | undefined;
  /** Another server: its clock may be behind. */
  forget(): void;
}

export function createRedisTime(clock: FloatClock): RedisTime {
  // Redis time minus ours when a reply arrived: at least as late there.
  let aheadMs: number | undefined;
  return {
    sent: () => clock.monotonicMs(),
    learn(redisMs, sentAt) {
      const ahead = redisMs - clock.monotonicMs();
      if (aheadMs === undefined || ahead > aheadMs) aheadMs = ahead;
      // Its clock was set back, or ours is faster. It tells whole milliseconds.
      else if (sentAt !== undefined && aheadMs > redisMs + 1 - sentAt) aheadMs = ahead;
    },
    now: () => (aheadMs === undefined ? undefined : Math.floor(clock.monotonicMs() + aheadMs)),
    forget() {
      aheadMs = undefined;
    },
  };
}
