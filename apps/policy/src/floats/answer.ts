import type { PostCounter, PostedCounter, PostItem, PostOutcome } from '../store';
import { spentBy } from './batch';
import { isOver, isWindowed, keyOf, type FloatCounter } from './counter';
import {
  drop,
  forget,
  keep,
  leave,
  type MemoryHold,
  type PostedRow,
  type ShardMemory,
  type UnderWay,
} from './memory';

// What the answer to a post changes in the memory.

type Posted = Extract<PostOutcome, { kind: 'POSTED' | 'AGAIN' }>;

export function applyPosted(
  m: ShardMemory,
  outcome: Posted,
  { nowMs, redisMs }: { nowMs: number; redisMs: number },
): void {
  const { underWay } = m;
  if (underWay === undefined) throw new Error('no post is under way');
  m.underWay = undefined;
  const warm = new Set<string>();
  for (const [i, row] of underWay.rows.entries()) {
    const told = outcome.counters[i];
    if (told === undefined) throw new Error('a counter of the post has no answer');
    applyRow(m, row, told, { nowMs, redisMs });
    row.counter.settledSinceMs = underWay.firstSentAtMs;
    if (told.settled !== null) warm.add(keyOf(row.counter));
  }
  for (const [i, hold] of underWay.ends.entries()) {
    leave(m, hold);
    hold.outcome.resolve({
      kind: 'CLOSED',
      seq: outcome.seqs[i] ?? 0,
      epoch: underWay.item.epoch,
      nowMs: outcome.nowMs,
      authorisedAtMs: hold.authorisedAtMs,
      charged: chargedBy(hold, warm),
    });
  }
  for (const hold of underWay.keeps) {
    leave(m, hold);
    hold.outcome.resolve({ kind: 'EXACT' });
  }
  m.validUntilMs = underWay.firstSentAtMs + underWay.item.floatLeaseMs;
  m.undrained = outcome.undrained;
  m.full = outcome.full === true;
  m.answeredAtMs = nowMs;
}

// As in the entry that the script has written.
function chargedBy({ end }: MemoryHold, warm: ReadonlySet<string>): string {
  const windowed = end?.counters.filter(isWindowed) ?? [];
  return windowed.map((c) => (warm.has(keyOf(c)) ? '1' : '0')).join('');
}

function applyRow(
  m: ShardMemory,
  { counter: c, pendOut, keptOut, want, renews }: PostedRow,
  told: PostedCounter,
  { nowMs, redisMs }: { nowMs: number; redisMs: number },
): void {
  c.pend -= pendOut;
  c.live -= keptOut;
  c.settled = told.settled;
  c.held = told.held;
  c.wanted = told.wanted;
  c.answeredAtMs = nowMs;
  if (told.target < want) c.refusedAtMs = nowMs;
  if (renews) c.outdated = false;
  if (c.has && told.incarnation === null) {
    c.void = true;
    c.cap = c.live + c.pend; // guard: void
    // The window may come back while it is not over: it must find these as ordinary holds.
    if (!isOver(c, redisMs)) keepThoseOf(m, c); // guard: void keeps
    return;
  }
  c.cap = told.target;
  if (told.target > 0n) c.has = true;
  // What was forgotten with target 0 is asked for anew.
  else if (c.live === 0n && c.pend === 0n) c.has = false;
}

function keepThoseOf(m: ShardMemory, counter: FloatCounter): void {
  for (const hold of m.holds.values())
    if (hold.parts.some((part) => part.counter === counter)) keep(m, hold);
}

/**
 * These requests are held or ended elsewhere. They are taken out of the post; their amounts stay
 * reserved until it, or the next one, is answered. Returns how many were in it.
 */
export function takeOut(m: ShardMemory, requestIds: readonly string[]): number {
  const { underWay } = m;
  if (underWay === undefined) throw new Error('no post is under way');
  const ids = new Set(requestIds);
  const rows = underWay.item.counters.map((c) => ({ ...c }));
  const rowOf = new Map<FloatCounter, PostCounter>();
  for (const [i, { counter }] of underWay.rows.entries()) {
    const row = rows[i];
    if (row !== undefined) rowOf.set(counter, row);
  }
  const isOut = ({ requestId }: { requestId: string }): boolean => ids.has(requestId);
  const isIn = (one: { requestId: string }): boolean => !isOut(one);
  const before = namedIn(underWay);
  for (const hold of underWay.ends.filter(isOut)) endedElsewhere(m, hold, rowOf);
  for (const hold of underWay.keeps.filter(isOut)) keptElsewhere(m, hold, rowOf);
  for (const hold of underWay.journal.filter(isOut)) goesOnElsewhere(m, hold);
  underWay.ends = underWay.ends.filter(isIn);
  underWay.keeps = underWay.keeps.filter(isIn);
  underWay.journal = underWay.journal.filter(isIn);
  const { item } = underWay;
  const next: PostItem = {
    ...item,
    counters: rows,
    ends: item.ends.filter(isIn),
    keeps: item.keeps.filter(isIn),
    journal: item.journal.filter(isIn),
  };
  // What is still to be struck needs a further post.
  underWay.item = { ...next, last: item.last && m.strikes.size === 0 };
  return before - namedIn(underWay);
}

const namedIn = ({ ends, keeps, journal }: UnderWay): number =>
  ends.length + keeps.length + journal.length;

// Its amount is in the rows' `pendOut` and leaves with them. Redis decides the end.
function endedElsewhere(
  m: ShardMemory,
  hold: MemoryHold,
  rowOf: ReadonlyMap<FloatCounter, PostCounter>,
): void {
  for (const charge of spentBy(hold)) {
    const part = hold.parts.find(({ counter }) => keyOf(counter) === keyOf(charge));
    const row = part && rowOf.get(part.counter);
    if (row !== undefined) row.spent -= charge.spent;
  }
  forget(m, hold);
  hold.outcome.resolve({ kind: 'EXACT' });
}

function keptElsewhere(
  m: ShardMemory,
  hold: MemoryHold,
  rowOf: ReadonlyMap<FloatCounter, PostCounter>,
): void {
  for (const { counter, amount } of hold.parts) {
    const row = rowOf.get(counter);
    if (row !== undefined && counter.kind !== 'RATE') row.kept -= amount;
  }
  forget(m, hold);
  hold.outcome.resolve({ kind: 'EXACT' });
}

function goesOnElsewhere(m: ShardMemory, hold: MemoryHold): void {
  m.ends = m.ends.filter((one) => one !== hold);
  drop(m, hold);
  hold.outcome.resolve({ kind: 'EXACT' });
}

/** The float is over. Redis decides whatever is not answered. */
export function loseFloat(m: ShardMemory, floatId: string): void {
  const holds = [...m.holds.values()];
  m.floatId = floatId;
  m.batch = 0;
  m.validUntilMs = Number.NEGATIVE_INFINITY;
  m.underWay = undefined;
  m.ends = [];
  for (const map of [m.holds, m.counters, m.unjournaled, m.toKeep]) map.clear();
  m.strikes.clear();
  for (const { outcome } of holds) outcome.resolve({ kind: 'EXACT' });
}
