import {
  POST_COUNTERS_MAX,
  StoreUnavailableError,
  type AuthorizeCounter,
  type CounterRef,
  type CounterState,
  type ExtendCounter,
} from '../store';
import { bucketOf, freeOf, isOver, isWindowed, keyOf, noteAsk, type FloatCounter } from './counter';
import type { ExactReason, FloatDecision, FloatRequest, Now, Rules } from './decision';
import {
  counterIn,
  COUNTERS_MAX,
  enter,
  keep,
  type EndContent,
  type Ended,
  type MemoryHold,
  type MemoryPart,
  type ShardMemory,
} from './memory';
import { misfitOf, obstacleIn } from './obstacles';

// Decisions from memory: when they are allowed, and what they change. Whenever anything is unusual,
// the answer is to keep the hold or to let Redis decide.

/** Requests of one shard in memory; further ones are decided exactly. */
const HOLDS_MAX = 20_000;
/** Ends of one request that wait for its post: edges repeat theirs for as long as Redis is away. */
const REPEATS_MAX = 4;
/** Counters of one request: a post has room for those of two. */
const REQUEST_COUNTERS_MAX = POST_COUNTERS_MAX / 2;

export function authorize(
  m: ShardMemory,
  rules: Rules,
  now: Now,
  request: FloatRequest,
): FloatDecision {
  const known = m.holds.get(request.requestId);
  const counters = request.again
    ? countersOf(m, request.counters)
    : noteAsks(m, rules, now, request.counters);
  const exactly = (reason: ExactReason): undefined => {
    if (!request.again) rules.onExact(reason);
  };
  if (request.resent) return exactly('resent'); // guard: resent
  if (now.redisMs === undefined) return exactly('lease');
  if (known !== undefined) return repeated(m, known, now) ?? exactly('kept');
  if (m.holds.size >= HOLDS_MAX || counters === undefined) return exactly('full');
  if (counters.length > REQUEST_COUNTERS_MAX) return exactly('full');
  const reason = obstacleIn(m, rules, now) ?? misfitOf(counters, request.counters, rules, now);
  if (reason !== undefined) return exactly(reason);
  const parts = request.counters.map(({ amount }, i): MemoryPart => {
    const counter = counters[i];
    if (counter === undefined) throw new Error('a counter was not found');
    take(counter, amount);
    return { counter, amount };
  });
  m.decisions += 1;
  const hold: MemoryHold = {
    requestId: request.requestId,
    session: request.session,
    authorisedAtMs: now.redisMs,
    order: m.decisions,
    decidedAtMs: now.nowMs,
    unpostedSinceMs: now.nowMs,
    leaseUntilMs: now.redisMs + request.leaseMs,
    step: 0,
    ticketText: request.ticketText,
    parts,
    state: 'LIVE',
    journaled: false,
    end: undefined,
    repeats: 0,
    outcome: Promise.withResolvers<Ended>(),
  };
  enter(m, hold);
  queueForJournal(m, hold, now.nowMs);
  return allowed(m, hold, now, false);
}

/** The next post that has room puts it in the journal. */
function queueForJournal(m: ShardMemory, hold: MemoryHold, nowMs: number): void {
  if (m.unjournaled.has(hold.requestId)) return;
  hold.unpostedSinceMs = nowMs;
  m.unjournaled.set(hold.requestId, hold);
}

/** Undefined: one of them has left the memory. */
function countersOf(m: ShardMemory, asks: readonly AuthorizeCounter[]): FloatCounter[] | undefined {
  const counters = asks.flatMap((ask) => m.counters.get(keyOf(ask)) ?? []);
  return counters.length === asks.length ? counters : undefined;
}

function noteAsks(
  m: ShardMemory,
  { parameters }: Rules,
  { nowMs }: Now,
  asks: readonly AuthorizeCounter[],
): FloatCounter[] | undefined {
  const counters: FloatCounter[] = [];
  m.demand.add(nowMs, 0n);
  for (const ask of asks) {
    const counter = counterIn(m, ask, parameters);
    if (counter === undefined) continue;
    noteAsk(counter, ask, nowMs);
    counters.push(counter);
  }
  return counters.length === asks.length ? counters : undefined;
}

function repeated(m: ShardMemory, hold: MemoryHold, now: Now): FloatDecision {
  if (hold.end !== undefined) return { kind: 'ENDED', state: hold.end.mode };
  if (hold.state !== 'LIVE' || m.toKeep.has(hold.requestId)) return undefined;
  return allowed(m, hold, now, true);
}

function allowed(
  m: ShardMemory,
  { authorisedAtMs: nowMs, leaseUntilMs, parts, ticketText }: MemoryHold,
  { redisMs = nowMs }: Now,
  already: boolean,
): FloatDecision {
  const states = parts.map(({ counter }) => stateOf(counter, redisMs));
  return { kind: 'ALLOW', already, nowMs, leaseUntilMs, ticketText, floatId: m.floatId, states };
}

/** What a rate that is used now frees last, and when. */
const MINUTE_MS = 60_100;

function stateOf({ kind, limitId, settled, held }: FloatCounter, redisMs: number): CounterState {
  if (kind !== 'RATE') return { limitId, settled, held, freeAtMs: 0, retryAtMs: 0 };
  const sum = (settled ?? 0n) + held;
  return { limitId, settled: sum, held: 0n, freeAtMs: redisMs + MINUTE_MS, retryAtMs: 0 };
}

function take(counter: FloatCounter, amount: bigint): void {
  if (counter.kind === 'RATE') {
    counter.pend += amount;
    counter.spent += amount;
  } else {
    counter.live += amount;
  }
}

/** Ends a request in memory; the next post reports it. Where that is not possible, Redis ends it. */
export function end(m: ShardMemory, hold: MemoryHold, rules: Rules, content: EndContent): void {
  if (hold.state !== 'LIVE') throw new Error(`${hold.requestId} does not go on`);
  const unnamed = content.counters.filter((ref) => isWindowed(ref) && !has(hold, ref));
  if (m.counters.size + unnamed.length > COUNTERS_MAX) {
    keep(m, hold);
    return;
  }
  hold.state = 'ENDING';
  hold.end = content;
  m.unjournaled.delete(hold.requestId);
  m.toKeep.delete(hold.requestId);
  const charged = new Map(content.counters.map((c) => [keyOf(c), c.spent]));
  for (const { counter, amount } of hold.parts) {
    if (counter.kind === 'RATE') {
      // A cancelled request may be charged all the same: the limit against floods counts it.
      const unknown = content.mode === 'CANCELLED' ? 0n : amount;
      const spent = charged.get(keyOf(counter)) ?? unknown;
      correctRate(counter, hold, spent - amount);
    } else {
      counter.live -= amount;
      counter.pend += amount;
    }
  }
  for (const ref of unnamed) nameAtEnd(m, hold, rules, ref);
  m.ends.push(hold);
}

// The first end counts. Another kind of end comes after it: Redis tells a late settle of an abandoned
// hold from a repeated one.
export async function repeatedEnd(hold: MemoryHold, { mode }: EndContent): Promise<Ended> {
  const { end: first, outcome } = hold;
  if (hold.repeats >= REPEATS_MAX) {
    throw new StoreUnavailableError('the end of the request waits to be reported');
  }
  hold.repeats += 1;
  const ended = await outcome.promise;
  if (ended.kind === 'EXACT' || first?.mode !== mode) return { kind: 'EXACT' };
  return { ...ended, again: true };
}

// What the use turned out to be: before its post in the use itself, after it as a correction.
function correctRate(counter: FloatCounter, hold: MemoryHold, difference: bigint): void {
  if (difference === 0n) return;
  if (hold.order > counter.postedOrder) {
    counter.spent += difference;
    return;
  }
  const atMs = bucketOf(hold.authorisedAtMs);
  counter.corrections.set(atMs, (counter.corrections.get(atMs) ?? 0n) + difference);
}

const has = ({ parts }: MemoryHold, ref: CounterRef): boolean =>
  parts.some(({ counter }) => keyOf(counter) === keyOf(ref));

// An end may name windows that held nothing.
function nameAtEnd(m: ShardMemory, hold: MemoryHold, rules: Rules, ref: CounterRef): void {
  const counter = counterIn(m, ref, rules.parameters);
  if (counter === undefined)
    throw new RangeError(`${ref.limitId}: too many counters are in memory`);
  hold.parts.push({ counter, amount: 0n });
  counter.requests += 1;
}

export interface FloatExtension {
  readonly requestId: string;
  readonly leaseMs: number;
  readonly step: number;
  readonly ticketText: string;
  readonly counters: readonly ExtendCounter[];
  /** Who asks; '': nobody who could be asked to adopt the hold. */
  readonly session: string;
  /** As the hold's token has it; empty: Redis has the hold. */
  readonly floatId: string;
  /** Redis must have the hold: others will end it. */
  readonly asHold?: boolean;
}

/** `undefined`: the hold is to be kept, and Redis extends it. */
export function extend(
  m: ShardMemory,
  rules: Rules,
  now: Now,
  hold: MemoryHold,
  { leaseMs, step, ticketText, counters }: FloatExtension,
): { leaseUntilMs: number } | undefined {
  if (now.redisMs === undefined || m.toKeep.has(hold.requestId)) return undefined;
  if (obstacleIn(m, rules, now) !== undefined) return undefined;
  const steps = counters
    .map((c) => ({ part: hold.parts.find(({ counter }) => keyOf(counter) === keyOf(c)), c }))
    .map(({ part, c }) => ({ part, c, more: c.total - (part?.amount ?? 0n) }))
    .filter(({ more }) => more > 0n);
  // Totals are compared, whatever the step's number: one whose answer was lost may come again with another amount.
  for (const { part, c, more } of steps)
    if (part === undefined || !mayGrow(part.counter, c, more, now.redisMs)) return undefined;
  for (const { part, more } of steps) if (part !== undefined) grow(part, hold, more);
  // Also a step that no counter counts: the ticket says what an abandoned request is charged.
  if (step > hold.step || (step === hold.step && steps.length > 0)) {
    hold.step = step;
    hold.ticketText = ticketText;
    queueForJournal(m, hold, now.nowMs);
  }
  hold.leaseUntilMs = Math.max(hold.leaseUntilMs, now.redisMs + leaseMs);
  return { leaseUntilMs: hold.leaseUntilMs };
}

function mayGrow(c: FloatCounter, to: ExtendCounter, more: bigint, redisMs: number): boolean {
  if (c.void || c.outdated || c.limit !== to.limit || isOver(c, redisMs)) return false;
  return c.has && freeOf(c) >= more;
}

function grow(part: MemoryPart, hold: MemoryHold, more: bigint): void {
  const { counter } = part;
  if (counter.kind === 'RATE' && hold.order <= counter.postedOrder) {
    // The first part of the use is posted; the step is a correction of it, and room is taken for it.
    counter.pend += more;
    correctRate(counter, hold, more);
  } else {
    take(counter, more);
  }
  part.amount += more;
}

export function sessionEnded(m: ShardMemory, session: string): void {
  for (const hold of m.holds.values()) if (hold.session === session) keep(m, hold);
}
