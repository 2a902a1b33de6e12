import type { CloseCounter, CounterRef, Dimensions, PostItem, UsageVector } from '../store';
import { createFloatCounter, keyOf, type FloatCounter } from './counter';
import { createDemand, type Demand } from './demand';
import type { FloatParameters } from './parameters';

// What a policy remembers of one shard between its posts.

/** The end of a request, as its ledger entry has it. */
export interface EndContent {
  readonly mode: 'SETTLED' | 'CANCELLED' | 'ABANDONED';
  readonly counters: readonly CloseCounter[];
  readonly usage: UsageVector;
  readonly dimensions: Dimensions;
  readonly payload: string;
}

/** How an end or an extension came out. EXACT: Redis decides it, with the scripts of single holds. */
export type Ended =
  | {
      kind: 'CLOSED';
      /** Of this epoch; 0: no entry was written. */
      seq: number;
      epoch: number;
      nowMs: number;
      authorisedAtMs: number;
      /** One digit for each windowed counter of the end: 1 = charged. */
      charged: string;
      /** It had ended so before. */
      again?: boolean;
    }
  | { kind: 'EXACT' };

export interface MemoryPart {
  readonly counter: FloatCounter;
  amount: bigint;
}

export interface MemoryHold {
  readonly requestId: string;
  readonly session: string;
  readonly authorisedAtMs: number;
  /** Number of the decision, from 1. */
  readonly order: number;
  /** By the policy's own time. */
  readonly decidedAtMs: number;
  /** Since when it, or its last step, has been in no post, by the policy's own time. */
  unpostedSinceMs: number;
  leaseUntilMs: number;
  step: number;
  ticketText: string;
  parts: MemoryPart[];
  /** KEEPING: the post under way makes it an ordinary hold. */
  state: 'LIVE' | 'KEEPING' | 'ENDING';
  /** Redis may know it: it is in the journal, or in a post under way. */
  journaled: boolean;
  end: EndContent | undefined;
  /** Repeated ends that wait for the first one. */
  repeats: number;
  readonly outcome: PromiseWithResolvers<Ended>;
}

/** What a counter's row of the post under way takes out of the float when it is answered. */
export interface PostedRow {
  readonly counter: FloatCounter;
  readonly pendOut: bigint;
  readonly keptOut: bigint;
  readonly want: bigint;
  /** What was lent under an earlier value of the limit goes back with it. */
  readonly renews: boolean;
}

export interface UnderWay {
  item: PostItem;
  readonly rows: readonly PostedRow[];
  ends: MemoryHold[];
  journal: MemoryHold[];
  keeps: MemoryHold[];
  readonly firstSentAtMs: number;
  sending: boolean;
  troubled: boolean;
}

export interface ShardMemory {
  readonly shard: number;
  epoch: number;
  floatId: string;
  /** Of the last post made. */
  batch: number;
  /** Number of decisions so far. */
  decisions: number;
  validUntilMs: number;
  /** Of all requests, also of those that no counter counts. */
  readonly demand: Demand;
  readonly counters: Map<string, FloatCounter>;
  readonly holds: Map<string, MemoryHold>;
  /** Ended requests that no post has. */
  ends: MemoryHold[];
  /** Requests with something that no post has yet, in the order of `unpostedSinceMs`. */
  readonly unjournaled: Map<string, MemoryHold>;
  readonly toKeep: Map<string, MemoryHold>;
  readonly strikes: Set<string>;
  underWay: UnderWay | undefined;
  undrained: number;
  /** Redis is out of memory. */
  full: boolean;
  answeredAtMs: number;
  /** Nothing is posted before. */
  pausedUntilMs: number;
  /** When leases were last looked at. */
  lookedAtMs: number;
  draining: boolean;
}

export function createMemory(
  shard: number,
  epoch: number,
  floatId: string,
  { aheadMs }: FloatParameters,
): ShardMemory {
  return {
    shard,
    epoch,
    floatId,
    batch: 0,
    decisions: 0,
    validUntilMs: Number.NEGATIVE_INFINITY,
    demand: createDemand(aheadMs),
    counters: new Map(),
    holds: new Map(),
    ends: [],
    unjournaled: new Map(),
    toKeep: new Map(),
    strikes: new Set(),
    underWay: undefined,
    undrained: 0,
    full: false,
    answeredAtMs: Number.NEGATIVE_INFINITY,
    pausedUntilMs: Number.NEGATIVE_INFINITY,
    lookedAtMs: Number.NEGATIVE_INFINITY,
    draining: false,
  };
}

/** Counters of one shard that are remembered; further ones are decided exactly. */
export const COUNTERS_MAX = 4_096;

/** `undefined`: too many are remembered. */
export function counterIn(
  m: ShardMemory,
  ref: Parameters<typeof createFloatCounter>[0],
  parameters: FloatParameters,
): FloatCounter | undefined {
  const key = keyOf(ref);
  const known = m.counters.get(key);
  if (known !== undefined || m.counters.size >= COUNTERS_MAX) return known;
  const counter = createFloatCounter(ref, parameters);
  m.counters.set(key, counter);
  return counter;
}

/** A script has ended an ordinary hold with these counters: what is known of their use is out of date. */
export function noteClosed(m: ShardMemory, refs: readonly CounterRef[], nowMs: number): void {
  for (const ref of refs) {
    const counter = ref.kind === 'POST_PAID' ? m.counters.get(keyOf(ref)) : undefined;
    if (counter !== undefined) counter.closedAtMs = nowMs;
  }
}

/** The hold becomes an ordinary one with the next post. */
export function keep(m: ShardMemory, hold: MemoryHold): void {
  if (hold.state === 'LIVE') m.toKeep.set(hold.requestId, hold);
}

export function keepAll(m: ShardMemory): void {
  for (const hold of m.holds.values()) keep(m, hold);
}

/** The request leaves the memory; its amounts leave the float with the next post. */
export function drop(m: ShardMemory, hold: MemoryHold): void {
  // It may have left while a post that names it was under way.
  if (m.holds.get(hold.requestId) !== hold) return;
  for (const { counter, amount } of hold.parts) {
    if (counter.kind === 'RATE') continue;
    if (hold.state === 'LIVE') {
      counter.live -= amount;
      counter.pend += amount;
    }
    counter.leaving += amount;
  }
  forget(m, hold);
}

export function forget(m: ShardMemory, hold: MemoryHold): void {
  if (hold.journaled) m.strikes.add(hold.requestId);
  leave(m, hold);
  m.unjournaled.delete(hold.requestId);
  m.toKeep.delete(hold.requestId);
}

export function enter(m: ShardMemory, hold: MemoryHold): void {
  m.holds.set(hold.requestId, hold);
  for (const { counter } of hold.parts) counter.requests += 1;
}

export function leave(m: ShardMemory, hold: MemoryHold): void {
  if (!m.holds.delete(hold.requestId)) return;
  for (const { counter } of hold.parts) counter.requests -= 1;
}
