import type { AuthorizeCounter, CounterRef } from '../store';
import { createDemand, type Demand } from './demand';
import type { FloatParameters } from './parameters';

// What a policy has of one counter in one window.
//   cap = live + pend + free.  live: of requests that go on; pend: of what has ended and is not yet
//   reported, so that it may turn out to be held elsewhere as well. A rate is used at once: all of it
//   is pend. Free grows only by an answer.

export interface FloatCounter extends CounterRef {
  /** The limit's value as the plan last had it. */
  limit: bigint;
  /** An amount is or was lent. */
  has: boolean;
  cap: bigint;
  live: bigint;
  pend: bigint;
  /** The part of `pend` that leaves with the next post, without an end. */
  leaving: bigint;
  /** RATE: used since the last post. */
  spent: bigint;
  /** RATE: the last decision whose use was posted. */
  postedOrder: number;
  /** RATE: differences to what was posted, by the bucket of the decision. */
  corrections: Map<number, bigint>;
  demand: Demand;
  /** Requests in memory that count in it. */
  requests: number;
  /** null: cold, or nothing is known. */
  settled: bigint | null;
  held: bigint;
  answeredAtMs: number;
  /** When the post that `settled` answers was first sent. */
  settledSinceMs: number;
  /** When a script last ended an ordinary hold that this process knew to count in it. */
  closedAtMs: number;
  /** When less was lent than asked for. */
  refusedAtMs: number;
  wanted: boolean;
  /** The counter is not the one that this was lent of. */
  void: boolean;
  /** What was lent under another value of the limit goes back first. */
  outdated: boolean;
}

export const keyOf = (c: CounterRef): string =>
  `${c.limitId} ${String(c.windowStartMs)} ${String(c.windowEndMs)}`;

export function createFloatCounter(
  c: CounterRef & Pick<Partial<AuthorizeCounter>, 'limit'>,
  { aheadMs }: FloatParameters,
): FloatCounter {
  return {
    limitId: c.limitId,
    kind: c.kind,
    windowStartMs: c.windowStartMs,
    windowEndMs: c.windowEndMs,
    limit: c.limit ?? 0n,
    has: false,
    cap: 0n,
    live: 0n,
    pend: 0n,
    leaving: 0n,
    spent: 0n,
    postedOrder: 0,
    corrections: new Map(),
    demand: createDemand(aheadMs),
    requests: 0,
    settled: null,
    held: 0n,
    answeredAtMs: Number.NEGATIVE_INFINITY,
    settledSinceMs: Number.NEGATIVE_INFINITY,
    closedAtMs: Number.NEGATIVE_INFINITY,
    refusedAtMs: Number.NEGATIVE_INFINITY,
    wanted: false,
    void: false,
    outdated: false,
  };
}

/** A rate counts in buckets of 0.1 seconds, for a minute. */
const BUCKET_MS = 100;
const MINUTE_MS = 60_000;

export const bucketOf = (ms: number): number => Math.floor(ms / BUCKET_MS) * BUCKET_MS;

/** Older buckets have left the minute; what is left fits into one post. */
export const correctionsOf = ({ corrections }: FloatCounter, redisMs: number) =>
  [...corrections]
    .filter(([atMs]) => atMs > redisMs - MINUTE_MS)
    .map(([atMs, by]) => ({ atMs, by }));

export const freeOf = (c: FloatCounter): bigint => c.cap - c.live - c.pend;

export const isWindowed = ({ kind }: Pick<CounterRef, 'kind'>): boolean =>
  kind === 'WINDOW' || kind === 'POST_PAID';

/** Whether the window can never come back. */
export const isOver = (c: CounterRef, redisMs: number): boolean =>
  isWindowed(c) && c.windowEndMs <= redisMs;

/** What an ask adds to the demand, and what it says of the limit. */
export function noteAsk(c: FloatCounter, ask: AuthorizeCounter, nowMs: number): void {
  c.demand.add(nowMs, ask.amount);
  if (c.limit === ask.limit) return;
  c.limit = ask.limit;
  c.outdated = c.has;
}

/** What to have beyond the requests that go on. */
export function aheadOf(c: FloatCounter, nowMs: number, { floatFrom }: FloatParameters): bigint {
  if (c.kind === 'POST_PAID' || c.void || c.outdated) return 0n;
  if (c.wanted) return 0n; // guard: wanted ahead
  if (isWindowed(c) && c.has && c.settled === null) return 0n; // guard: cold ahead
  // Others' spend has passed the limit: what was lent before must not be used.
  if (c.settled !== null && c.settled + c.held > c.limit) return 0n; // guard: overfull
  return c.demand.requests(nowMs) < floatFrom ? 0n : c.demand.amount(nowMs);
}

/** Nothing of it is in use or to be reported. */
export function isIdle(c: FloatCounter, nowMs: number): boolean {
  return (
    c.requests === 0 &&
    c.cap === 0n &&
    c.live === 0n &&
    c.pend === 0n &&
    c.spent === 0n &&
    c.corrections.size === 0 &&
    c.demand.requests(nowMs) === 0
  );
}
