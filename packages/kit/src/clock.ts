// A clock that tests can turn. Wall-clock milliseconds since the Unix epoch.
export type Clock = { now: () => number };

export const systemClock: Clock = { now: () => Date.now() };
