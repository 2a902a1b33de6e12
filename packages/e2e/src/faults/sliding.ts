// Exact models of a limit per minute and of a limit of concurrent requests, to compare the gateway
// with. Pure; times are milliseconds of one clock.

export const MINUTE_MS = 60_000;

/** An allowed request that counts for a minute. */
export interface Taken {
  readonly atMs: number;
  readonly amount: number;
}

/** The maximum of any 60 seconds, wherever they start. */
export function mostInAMinute(taken: readonly Taken[]): number {
  const sorted = taken.toSorted((a, b) => a.atMs - b.atMs);
  let most = 0;
  let sum = 0;
  let first = 0;
  for (const { atMs, amount } of sorted) {
    sum += amount;
    for (let old = sorted[first]; old && old.atMs <= atMs - MINUTE_MS; old = sorted[first]) {
      sum -= old.amount;
      first += 1;
    }
    most = Math.max(most, sum);
  }
  return most;
}

export interface Spans {
  readonly count: number;
  readonly least: number;
  readonly mean: number;
  readonly most: number;
}

/**
 * Every span of 60 seconds that starts a whole number of seconds after `fromMs` and ends before
 * `toMs`.
 */
export function minutesOf(taken: readonly Taken[], fromMs: number, toMs: number): Spans {
  const sums: number[] = [];
  for (let start = fromMs; start + MINUTE_MS <= toMs; start += 1_000) {
    const within = taken.filter(({ atMs }) => atMs >= start && atMs < start + MINUTE_MS);
    sums.push(within.reduce((sum, { amount }) => sum + amount, 0));
  }
  return {
    count: sums.length,
    least: Math.min(...sums),
    mean: sums.reduce((sum, one) => sum + one, 0) / sums.length,
    most: Math.max(...sums),
  };
}

/** The arrivals that an ideal limiter allows, each with the same amount. */
export function idealMinute(
  arrivalsMs: readonly number[],
  limit: number,
  amount = 1,
): readonly Taken[] {
  const admitted: Taken[] = [];
  const room = Math.floor(limit / amount);
  for (const atMs of arrivalsMs.toSorted((a, b) => a - b)) {
    const leaving = admitted.at(-room);
    if (leaving === undefined || leaving.atMs <= atMs - MINUTE_MS) admitted.push({ atMs, amount });
  }
  return admitted;
}

/** A request that was held first and then counted with its usage. */
export interface Held extends Taken {
  readonly closedMs: number;
  readonly held: number;
}

export interface Refusal {
  /** The decision was made between the two. */
  readonly atMs: number;
  readonly untilMs: number;
}

/**
 * Needless refusals: at every instant between their times, the 60 seconds before and the `slackMs`
 * that the limiter may look back too far held at most `limit` minus `amount`.
 */
export function needless(
  refusals: readonly Refusal[],
  taken: readonly Held[],
  { limit, amount, slackMs }: { limit: number; amount: number; slackMs: number },
): number {
  const sorted = taken.toSorted((a, b) => a.atMs - b.atMs);
  const present = (nowMs: number): number =>
    sorted
      .filter(({ atMs }) => atMs <= nowMs && atMs > nowMs - MINUTE_MS - slackMs)
      .reduce((sum, one) => sum + (one.closedMs < nowMs ? one.amount : one.held), 0);
  const full = ({ atMs, untilMs }: Refusal): boolean =>
    // The maximum is at the start, or just after a request was allowed.
    [atMs, ...sorted.map((one) => one.atMs).filter((at) => at > atMs && at <= untilMs)].some(
      (nowMs) => present(nowMs) + amount > limit,
    );
  return refusals.filter((refusal) => !full(refusal)).length;
}

export interface Running {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Concurrency {
  readonly most: number;
  /** Over the time between the two given instants. */
  readonly mean: number;
}

/**
 * The number of concurrent requests. A request that ends in the millisecond in which another starts
 * has ended first.
 */
export function concurrencyOf(
  running: readonly Running[],
  fromMs: number,
  toMs: number,
): Concurrency {
  const steps = running
    .flatMap((one) => [
      { atMs: one.fromMs, step: 1 },
      { atMs: one.toMs, step: -1 },
    ])
    .sort((a, b) => a.atMs - b.atMs || a.step - b.step);
  let now = 0;
  let most = 0;
  for (const { step } of steps) {
    now += step;
    most = Math.max(most, now);
  }
  const busy = running.map((one) =>
    Math.max(0, Math.min(one.toMs, toMs) - Math.max(one.fromMs, fromMs)),
  );
  return { most, mean: busy.reduce((sum, one) => sum + one, 0) / (toMs - fromMs) };
}
