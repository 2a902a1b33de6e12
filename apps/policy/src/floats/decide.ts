import type { AuthorizeCounter, CounterRef, ExtendCounter } from '../store';
import { freeOf, isOver, isWindowed, keyOf, noteAsk, type FloatCounter } from './counter';
import {
  counterIn,
  enter,
  keep,
  type EndContent,
  type Ended,
  type MemoryHold,
  type MemoryPart,
  type ShardMemory,
} from './memory';
import type { FloatParameters } from './parameters';

// Decisions from memory: when they are allowed, and what they change. Whenever anything is unusual,
// the answer is to keep the hold or to let Redis decide.

export interface FloatRequest {
  readonly requestId: string;
  /** The session that asks, and will be told. */
  readonly session: string;
  /** The edge has asked another session before: only Redis can tell what became of that. */
  readonly resent: boolean;
  readonly leaseMs: number;
  readonly ticketText: string;
  /** Windows at the estimated time of Redis. */
  readonly counters: readonly AuthorizeCounter[];
}

/** `undefined`: Redis decides. */
export type FloatDecision =
  | {
      kind: 'ALLOW';
      already: boolean;
      nowMs: number;
      leaseUntilMs: number;
      ticketText: string;
      floatId: string;
    }
  | { kind: 'ENDED'; state: EndContent['mode'] }
  | undefined;

export interface Now {
  readonly nowMs: number;
  /** `undefined`: unknown. */
  readonly redisMs: number | undefined;
}

export interface Rules {
  readonly parameters: FloatParameters;
  /** Undrained entries from which on Redis refuses. */
  readonly ledgerMax: number;
}

/** Requests of one shard in memory; further ones are decided exactly. */
const HOLDS_MAX = 20_000;

export function authorize(
  m: ShardMemory,
  rules: Rules,
  now: Now,
  request: FloatRequest,
): FloatDecision {
  const known = m.holds.get(request.requestId);
  const counters = noteAsks(m, rules, now, request.counters);
  if (request.resent) return undefined; // guard: resent
  if (now.redisMs === undefined) return undefined;
  if (known !== undefined) return repeated(m, known);
  if (!mayDecide(m, rules, now) || m.holds.size >= HOLDS_MAX) return undefined;
  if (counters === undefined || !fit(counters, request.counters, rules, now)) return undefined;
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
    leaseUntilMs: now.redisMs + request.leaseMs,
    step: 0,
    ticketText: request.ticketText,
    parts,
    state: 'LIVE',
    journaled: false,
    end: undefined,
    outcome: Promise.withResolvers<Ended>(),
  };
  enter(m, hold);
  m.unjournaled.set(hold.requestId, hold);
  return allowed(m, hold, false);
}

function noteAsks(
  m: ShardMemory,
  { parameters }: Rules,
  { nowMs }: Now,
  asks: readonly AuthorizeCounter[],
): FloatCounter[] | undefined {
  const counters: FloatCounter[] = [];
  for (const ask of asks) {
    const counter = counterIn(m, ask, parameters);
    if (counter === undefined) continue;
    noteAsk(counter, ask, nowMs);
    counters.push(counter);
  }
  return counters.length === asks.length ? counters : undefined;
}

function repeated(m: ShardMemory, hold: MemoryHold): FloatDecision {
  if (hold.end !== undefined) return { kind: 'ENDED', state: hold.end.mode };
  if (hold.state !== 'LIVE' || m.toKeep.has(hold.requestId)) return undefined;
  return allowed(m, hold, true);
}

function allowed(m: ShardMemory, hold: MemoryHold, already: boolean): FloatDecision {
  const { authorisedAtMs: nowMs, leaseUntilMs, ticketText } = hold;
  return { kind: 'ALLOW', already, nowMs, leaseUntilMs, ticketText, floatId: m.floatId };
}

/** Whether anything may be decided from the float now. */
function mayDecide(m: ShardMemory, { parameters, ledgerMax }: Rules, { nowMs }: Now): boolean {
  const { decideMarginMs, unpostedMaxMs } = parameters;
  const [oldest] = m.unjournaled.values();
  const decidedAtMs = oldest?.decidedAtMs ?? nowMs;
  const sentAtMs = m.underWay?.firstSentAtMs ?? nowMs;
  if (m.draining || m.underWay?.item.last === true || nowMs >= m.validUntilMs) return false;
  if (nowMs + decideMarginMs > m.validUntilMs) return false; // guard: margin
  if (nowMs - decidedAtMs >= unpostedMaxMs) return false; // guard: unposted
  if (nowMs - sentAtMs >= unpostedMaxMs) return false; // guard: unanswered
  if (m.undrained >= ledgerMax / 2) return false; // guard: half full
  return true;
}

function fit(
  counters: readonly FloatCounter[],
  asks: readonly AuthorizeCounter[],
  { parameters }: Rules,
  { nowMs, redisMs = 0 }: Now,
): boolean {
  return counters.every((c, i) => {
    const ask = asks[i];
    if (ask === undefined) return false;
    const latestMs = c.windowEndMs - parameters.clockMarginMs;
    if (c.void) return false; // guard: void
    if (c.outdated) return false; // guard: outdated
    if (isWindowed(c) && redisMs < c.windowStartMs) return false;
    if (isWindowed(c) && redisMs >= latestMs) return false; // guard: window end
    if (c.kind !== 'POST_PAID') return c.has && freeOf(c) >= ask.amount;
    if (nowMs - c.answeredAtMs >= parameters.postPaidAgeMs) return false; // guard: post-paid age
    return c.settled !== null && c.settled * 10n < ask.limit * 9n;
  });
}

function take(counter: FloatCounter, amount: bigint): void {
  if (counter.kind === 'RATE') {
    counter.pend += amount;
    counter.spent += amount;
  } else {
    counter.live += amount;
  }
}

/** Ends a request in memory; the next post reports it. */
export function end(m: ShardMemory, rules: Rules, hold: MemoryHold, content: EndContent): void {
  if (hold.state !== 'LIVE') throw new Error(`${hold.requestId} does not go on`);
  hold.state = 'ENDING';
  hold.end = content;
  m.unjournaled.delete(hold.requestId);
  m.toKeep.delete(hold.requestId);
  const charged = new Map(content.counters.map((c) => [keyOf(c), c.spent]));
  for (const { counter, amount } of hold.parts) {
    if (counter.kind === 'RATE') {
      const spent = content.mode === 'CANCELLED' ? 0n : (charged.get(keyOf(counter)) ?? amount);
      correctRate(counter, hold, spent - amount);
    } else {
      counter.live -= amount;
      counter.pend += amount;
    }
  }
  for (const ref of content.counters) nameAtEnd(m, rules, hold, ref);
  m.ends.push(hold);
}

// What the use turned out to be: before its post in the use itself, after it as a correction.
function correctRate(counter: FloatCounter, hold: MemoryHold, difference: bigint): void {
  if (difference === 0n) return;
  if (hold.order > counter.postedOrder) {
    counter.spent += difference;
    return;
  }
  const before = counter.corrections.get(hold.authorisedAtMs) ?? 0n;
  counter.corrections.set(hold.authorisedAtMs, before + difference);
}

// An end may name windows that held nothing.
function nameAtEnd(m: ShardMemory, rules: Rules, hold: MemoryHold, ref: CounterRef): void {
  if (!isWindowed(ref)) return;
  if (hold.parts.some(({ counter }) => keyOf(counter) === keyOf(ref))) return;
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
  if (!mayDecide(m, rules, now)) return undefined;
  const steps = counters
    .map((c) => ({ part: hold.parts.find(({ counter }) => keyOf(counter) === keyOf(c)), c }))
    .map(({ part, c }) => ({ part, c, more: c.total - (part?.amount ?? 0n) }))
    .filter(({ more }) => more > 0n);
  if (step > hold.step && steps.length > 0) {
    for (const { part, c, more } of steps)
      if (part === undefined || !mayGrow(part.counter, c, more, now.redisMs)) return undefined;
    for (const { part, more } of steps) {
      if (part === undefined) continue;
      grow(part, hold, more);
    }
    hold.step = step;
    hold.ticketText = ticketText;
    m.unjournaled.set(hold.requestId, hold);
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
