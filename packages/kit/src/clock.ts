// A clock that tests can replace. Wall-clock milliseconds since the Unix epoch.
export interface Clock {
  now: () => number;
}

export const systemClock: Clock = { now: () => Date.now() };
