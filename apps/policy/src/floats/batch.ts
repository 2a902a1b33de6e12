import {
  clampAmount,
  JOURNAL_MAX,
  KEEPS_MAX,
  MAX_AMOUNT,
  POST_COUNTERS_MAX,
  POST_MAX,
  type PostCounter,
  type PostEnd,
  type PostEntry,
} from '../store';
import { correctionsOf, isIdle, keyOf, type FloatCounter } from './counter';
import { type MemoryHold, type PostedRow, type ShardMemory, type UnderWay } from './memory';
import type { FloatParameters } from './parameters';
import { hasToSay, wantOf, windowsIn, type Moment } from './wants';

// Makes the next post of a shard from what the policy remembers.

export interface BatchDeps {
  readonly parameters: FloatParameters;
  /** Lease of the holds to keep. */
  readonly leaseMs: number;
}

interface Draft extends Moment {
  readonly deps: BatchDeps;
  /** Named counters, with what the ends charge and release, and what is kept. */
  readonly named: Map<FloatCounter, { spent: bigint; ended: bigint; kept: bigint }>;
}

const STRIKES_AT_ONCE = 256;
/** Places that ends leave for what is given back, and for what others may want. */
const OTHERS = 16;
/** Places of holds to keep: their requests wait. As many as one request may have. */
const KEPT_COUNTERS = POST_COUNTERS_MAX / 2;

/** `undefined`: there is nothing to say. */
export function nextPost(
  m: ShardMemory,
  deps: BatchDeps,
  nowMs: number,
  redisMs: number,
): UnderWay | undefined {
  const draft: Draft = { m, deps, nowMs, redisMs, windowsOf: windowsIn(m), named: new Map() };
  const keeps = takeKeeps(draft);
  const ends = takeEnds(draft);
  const journal = takeJournal(m);
  const strikes = [...m.strikes].slice(0, STRIKES_AT_ONCE);
  nameOthers(draft);
  const silent =
    ends.length + keeps.length + journal.length + strikes.length + draft.named.size === 0;
  if (silent && !isRenewed(draft) && !isWorthwhile(draft)) return undefined;
  for (const id of strikes) m.strikes.delete(id);
  const rows: PostedRow[] = [];
  const counters: PostCounter[] = [];
  for (const counter of draft.named.keys()) {
    const { row, asked } = rowOf(draft, counter);
    rows.push(row);
    counters.push(asked);
  }
  const { shard, epoch, floatId } = m;
  m.batch += 1;
  const item = {
    shard,
    epoch,
    floatId,
    batch: m.batch,
    floatLeaseMs: deps.parameters.leaseMs,
    leaseMs: deps.leaseMs,
    counters,
    ends: ends.map(endOf),
    journal: journal.map(entryOf),
    keeps: keeps.map(entryOf),
    strikes,
    last: isLast(draft, ends, keeps),
  };
  const sent = { firstSentAtMs: nowMs, sending: false, troubled: false };
  return { item, rows, ends, journal, keeps, ...sent };
}

function nameCounters({ named }: Draft, hold: MemoryHold, most: number): boolean {
  const missing = hold.parts.filter(({ counter }) => !named.has(counter));
  if (named.size + missing.length > most) return false;
  for (const { counter } of missing) named.set(counter, { spent: 0n, ended: 0n, kept: 0n });
  return true;
}

function takeEnds(draft: Draft): MemoryHold[] {
  const { m, named } = draft;
  let count = 0;
  for (const hold of m.ends) {
    // One alone may need all places.
    const most = named.size === 0 ? POST_COUNTERS_MAX : POST_COUNTERS_MAX - OTHERS;
    if (count >= POST_MAX || !nameCounters(draft, hold, most)) break;
    const charges = chargesOf(draft, hold);
    const isTooMuch = charges.some(({ sums, spent }) => sums.spent + spent > MAX_AMOUNT);
    // One alone is never too much.
    if (isTooMuch && count > 0) break;
    count += 1;
    for (const { counter, amount } of hold.parts) {
      const sums = named.get(counter);
      if (sums !== undefined && counter.kind !== 'RATE') sums.ended += amount;
    }
    for (const { sums, spent } of charges) sums.spent += spent;
  }
  return m.ends.splice(0, count);
}

function chargesOf({ named }: Draft, hold: MemoryHold) {
  return spentBy(hold).map((charge) => {
    // It may charge a window of a limit of which the hold has another one.
    const part = hold.parts.find(({ counter }) => keyOf(counter) === keyOf(charge));
    const sums = part && named.get(part.counter);
    if (sums === undefined) throw new Error(`${charge.limitId} is no counter of the hold`);
    return { sums, spent: charge.spent };
  });
}

/** What an end charges: windows now, rates when they were used. */
export function spentBy({ end }: MemoryHold) {
  if (end === undefined || end.mode === 'CANCELLED') return [];
  return end.counters.filter(({ kind }) => kind === 'WINDOW' || kind === 'POST_PAID');
}

function takeKeeps(draft: Draft): MemoryHold[] {
  const { m, named } = draft;
  const keeps: MemoryHold[] = [];
  let seen = 0;
  for (const hold of m.toKeep.values()) {
    seen += 1;
    if (keeps.length >= KEEPS_MAX || seen > 2 * KEEPS_MAX) break;
    if (!nameCounters(draft, hold, KEPT_COUNTERS)) continue;
    keeps.push(hold);
    for (const { counter, amount } of hold.parts) {
      const sums = named.get(counter);
      if (sums !== undefined && counter.kind !== 'RATE') sums.kept += amount;
    }
  }
  for (const hold of keeps) {
    m.toKeep.delete(hold.requestId);
    m.unjournaled.delete(hold.requestId);
    hold.state = 'KEEPING';
    hold.journaled = true;
  }
  return keeps;
}

function takeJournal(m: ShardMemory): MemoryHold[] {
  const journal: MemoryHold[] = [];
  for (const hold of m.unjournaled.values()) {
    if (journal.length >= JOURNAL_MAX) break;
    if (!m.toKeep.has(hold.requestId)) journal.push(hold);
  }
  for (const hold of journal) {
    m.unjournaled.delete(hold.requestId);
    hold.journaled = true;
  }
  return journal;
}

// Counters of which something is to be said, or to be known.
function nameOthers(draft: Draft): void {
  const { m, nowMs, named } = draft;
  for (const [key, counter] of m.counters) {
    if (named.has(counter)) continue;
    if (isIdle(counter, nowMs)) {
      m.counters.delete(key);
      continue;
    }
    if (named.size >= POST_COUNTERS_MAX || !hasToSay(counter, draft)) continue;
    named.set(counter, { spent: 0n, ended: 0n, kept: 0n });
  }
}

function isRenewed({ m, deps, nowMs }: Draft): boolean {
  if (m.batch === 0) return false;
  return nowMs - m.answeredAtMs >= deps.parameters.renewMs || m.draining;
}

// Requests that no counter with an amount counts need a float as well: its record and its journal.
function isWorthwhile({ m, deps, nowMs }: Draft): boolean {
  if (m.batch > 0 || m.draining) return false;
  return m.demand.requests(nowMs) >= deps.parameters.shardFrom;
}

// Called when the rows are made: `cap` is what leaves with the post and what goes on after it.
function isLast(
  { m, deps, nowMs }: Draft,
  ends: readonly MemoryHold[],
  keeps: readonly MemoryHold[],
): boolean {
  if (m.batch === 1 || m.holds.size > ends.length + keeps.length) return false;
  if (m.strikes.size > 0 || m.ends.length > 0) return false;
  // A float is given back at a quarter of the demand that it is taken for, so that it does not come and go.
  const requests = m.demand.requests(nowMs);
  const isBusy = !m.draining && requests > 0 && requests * 4 >= deps.parameters.shardFrom;
  if (isBusy) return false;
  for (const c of m.counters.values()) {
    if (c.cap > c.pend + c.live || c.leaving > 0n) return false;
    if (c.spent > 0n || c.corrections.size > 0) return false;
  }
  return true;
}

function rowOf(draft: Draft, c: FloatCounter): { row: PostedRow; asked: PostCounter } {
  const { m, redisMs } = draft;
  const { spent, ended, kept } = draft.named.get(c) ?? { spent: 0n, ended: 0n, kept: 0n };
  const isRate = c.kind === 'RATE';
  const pendOut = isRate ? c.pend : ended + c.leaving;
  const need = isRate ? 0n : c.live + c.pend - pendOut - kept;
  const ahead = wantOf(c, draft) - c.live;
  // One organisation's amounts must not fail the post of its shard.
  const want = clampAmount(need + ahead);
  const left = c.cap - pendOut - kept;
  const less = want < left ? want : left;
  const keep = c.has && less > need ? less : need;
  const asked: PostCounter = {
    limitId: c.limitId,
    kind: c.kind,
    windowStartMs: c.windowStartMs,
    windowEndMs: c.windowEndMs,
    limit: c.limit,
    has: c.has,
    spent: isRate ? c.spent : spent,
    kept,
    need,
    keep,
    want,
    corrections: correctionsOf(c, redisMs),
  };
  // Until the answer only what is covered with and without this post may be used.
  c.cap = keep + pendOut + kept;
  c.leaving = 0n;
  c.spent = 0n;
  c.corrections = new Map();
  if (isRate) c.postedOrder = m.decisions;
  return { row: { counter: c, pendOut, keptOut: kept, want, renews: c.outdated }, asked };
}

function endOf(hold: MemoryHold): PostEnd {
  const { requestId, authorisedAtMs, end } = hold;
  if (end === undefined) throw new Error(`${requestId} has not ended`);
  const { mode, counters, usage, dimensions, payload } = end;
  return { requestId, mode, authorisedAtMs, counters, usage, dimensions, payload };
}

function entryOf({ requestId, authorisedAtMs, step, ticketText, parts }: MemoryHold): PostEntry {
  const counters = parts
    .filter(({ amount }) => amount > 0n)
    .map(({ counter: { limitId, kind, windowStartMs, windowEndMs }, amount }) => {
      return { limitId, kind, windowStartMs, windowEndMs, amount };
    });
  return { requestId, authorisedAtMs, step, ticketText, counters };
}
