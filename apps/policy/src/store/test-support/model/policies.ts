import { isValueCounter } from '@tollgate/contracts';

import { isBroken, type LedgerEntry, type SeedItem } from '../..';
import { agree, fail } from './compare';
import { nth, windowed, type Step, type World } from './world';

// Steps of policies between catalog and Redis: seed, drain, book, open.

export async function setTime(w: World, ms: number): Promise<void> {
  w.model.setTime(ms);
  await w.bench.setTime(w.shard, ms);
}

/** The catalog's current totals of the windows at an instant. */
export function readTotals(w: World, at: number, limitIds?: readonly string[]): SeedItem {
  const wanted = w.limits.filter(
    (one) => windowed(one) && (limitIds === undefined || limitIds.includes(one.limitId)),
  );
  const { state, counters } = w.catalog.windowTotals(wanted, at);
  return { shard: w.shard, epoch: state.epoch, position: state.lastSeq, rev: state.rev, counters };
}

export async function seedWith(w: World, item: SeedItem): Promise<void> {
  const expected = w.model.seed(item);
  agree(w, 'seed', expected, await w.store.seed(item));
}

/** Totals that were read earlier reach Redis, possibly too late. */
export async function arrive(w: World, { a }: Step): Promise<void> {
  const [item] = w.seeds.splice(a % Math.max(1, w.seeds.length), 1);
  if (item) await seedWith(w, item);
}

export async function drain(w: World, upTo: number): Promise<void> {
  if (w.orphaned) await takeOver(w);
  const { catalog } = w;
  const { lastSeq: prev } = catalog.state();
  const page = await w.store.readLedger(w.shard, prev, upTo);
  const entries = page.entries.filter((e): e is LedgerEntry => !isBroken(e));
  const last = entries.at(-1)?.seq;
  if (last === undefined || page.gapBefore !== null) return;
  const reply = catalog.append(w.epoch, prev, last, entries);
  if (!reply.committed) return;
  w.said.push(`drain ${String(prev)} to ${String(last)}`);
  for (const { requestId, late } of entries) {
    if (!late) w.entries.set(requestId, (w.entries.get(requestId) ?? 0) + 1);
  }
  const { lastSeq: position, rev } = reply.state;
  const item = { shard: w.shard, epoch: w.epoch, position, rev, forgetLimitIds: reply.forget };
  w.books.push({ item, mustArrive: false });
}

/** One of the pending books reaches Redis, in any order. */
export async function deliver(w: World, { a }: Pick<Step, 'a'>): Promise<void> {
  const [book] = w.books.splice(a % Math.max(1, w.books.length), 1);
  if (book === undefined) return;
  const item = { ...book.item, epoch: w.epoch };
  const expected = w.model.book(item);
  const outcome = agree(w, 'book', expected, await w.store.book(item));
  if (outcome.kind !== 'BOOKED') w.books.push(book);
}

/** A policy dies between commit and book: the counters to forget are unknown. */
export function crashPolicy(w: World): void {
  w.orphaned ||= w.books.some(({ mustArrive }) => !mustArrive);
  w.books = w.books.filter(({ mustArrive }) => mustArrive);
  w.seeds = [];
}

/** The catalog is ahead of every pending book. */
export async function takeOver(w: World): Promise<void> {
  const { lastSeq: position, rev } = w.catalog.state();
  const forget = { forgetLimitIds: [], forgetAll: true };
  const item = { shard: w.shard, epoch: w.epoch, position, rev, ...forget };
  const expected = w.model.book(item);
  const outcome = agree(w, 'take over', expected, await w.store.book(item));
  if (outcome.kind === 'BOOKED') w.orphaned = false;
}

/** A record is corrected; its counters must be forgotten. */
export function correct(w: World, { a, b }: Step): void {
  const settled = w.requests.filter(({ id }) => w.catalog.records.get(id)?.mode === 'SETTLED');
  const r = nth(settled, a);
  const record = r && w.catalog.records.get(r.id);
  if (!r || !record) return;
  const { COST: cost } = record.usage;
  const change = BigInt(b % 60) - (cost < 30n ? cost : 30n);
  const { state, forget: forgetLimitIds } = w.catalog.adjust(r.id, change);
  r.corrected += change;
  const { lastSeq: position, rev } = state;
  const item = { shard: w.shard, epoch: w.epoch, position, rev, forgetLimitIds };
  w.books.push({ item, mustArrive: true });
}

/** A limit's window changes, or the amount of one on values; its counter must be forgotten. */
export function changeLimit(w: World, { a, b }: Step): void {
  const one = nth(w.limits.filter(windowed), a);
  if (one === undefined) return;
  if (!isValueCounter(one.limitId))
    one.windowMs = [4_000, 8_000, 10_000, 60_000][b % 4] ?? one.windowMs;
  const { state, forget: forgetLimitIds } = w.catalog.limitChanged(one.limitId);
  const { lastSeq: position, rev } = state;
  const item = { shard: w.shard, epoch: w.epoch, position, rev, forgetLimitIds };
  w.books.push({ item, mustArrive: true });
}

export async function drainAll(w: World): Promise<void> {
  for (let rounds = 0; w.model.state().stream.length > 0 || w.books.length > 0; rounds += 1) {
    if (rounds > 200) fail(w, 'the ledger does not drain');
    await drain(w, 1_000);
    await deliver(w, { a: 0 });
  }
}
