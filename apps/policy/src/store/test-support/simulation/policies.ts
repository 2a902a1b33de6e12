import { isBroken, type BookItem, type LedgerEntry } from '../..';
import type { FakeLimit } from './fake-catalog';
import { amountsOf, breach, oneOf, type World } from './world';

// Steps of policies between catalog and Redis: seed, drain, book.

export function readTotals(w: World, wanted: FakeLimit[], at: number): void {
  const { state, counters } = w.catalog.windowTotals(wanted, at);
  const { epoch, lastSeq, rev } = state;
  w.seeds.push({ shard: w.shard, epoch, position: lastSeq, rev, counters });
}

/** Totals that were read reach Redis, possibly long after. */
export async function arrive(w: World): Promise<void> {
  const item = w.seeds.splice(w.random.below(w.seeds.length), 1)[0];
  if (item !== undefined) await w.store.seed(item);
}

export async function entriesFrom(w: World, position: number): Promise<LedgerEntry[]> {
  const page = await w.store.readLedger(w.shard, position, 1_000);
  if (page.gapBefore !== null) {
    breach(w, `the stream begins at ${page.gapBefore}, not after ${position}`);
    return [];
  }
  return page.entries.filter((e): e is LedgerEntry => !isBroken(e));
}

export async function drain(w: World, upTo: number): Promise<void> {
  if (w.orphans.length > 0) await takeOver(w);
  const { catalog } = w;
  const prev = catalog.state().lastSeq;
  const entries = (await entriesFrom(w, prev)).slice(0, upTo);
  const last = entries.at(-1)?.seq;
  if (last === undefined) return;
  const modes = new Map([...catalog.records].map(([id, { mode }]) => [id, mode]));
  const reply = catalog.append(w.epoch, prev, last, entries);
  if (!reply.committed) return;
  const item = bookItem(w, reply.state, reply.forget);
  w.books.push({ item, mustArrive: false, requestIds: entries.map((e) => e.requestId) });
  for (const { requestId } of entries) {
    const r = w.requests.find((one) => one.id === requestId);
    const record = catalog.records.get(requestId);
    if (r === undefined || record === undefined || r.edge >= 0) continue;
    if (record.mode === modes.get(requestId)) continue;
    const { COST: cost, TOKENS: tokens, REQUESTS: requests } = record.usage;
    r.spent = { cost, tokens, requests };
  }
}

export function bookItem(
  w: World,
  state: { lastSeq: number; rev: number },
  forget: string[],
): BookItem {
  const { shard, epoch } = w;
  return { shard, epoch, position: state.lastSeq, rev: state.rev, forgetLimitIds: forget };
}

/** The catalog is ahead of every pending book: the counters to forget are unknown. */
export async function takeOver(w: World): Promise<void> {
  const item = { ...bookItem(w, w.catalog.state(), []), forgetAll: true };
  if ((await w.store.book(item)).kind !== 'BOOKED') return;
  for (const r of w.requests) if (w.orphans.includes(r.id)) r.booked = true;
  w.orphans.length = 0;
}

/** One of the pending books reaches Redis, or is lost with its policy. */
export async function deliver(w: World): Promise<void> {
  const book = w.books.splice(w.random.below(w.books.length), 1)[0];
  if (book === undefined) return;
  if (!book.mustArrive && w.random.chance(0.1)) {
    w.orphans.push(...book.requestIds);
    return;
  }
  const outcome = await w.store.book({ ...book.item, epoch: w.epoch });
  if (outcome.kind !== 'BOOKED') {
    w.books.push(book);
    return;
  }
  if (book.correction) {
    const { request, cost } = book.correction;
    request.spent = { ...request.spent, cost: request.spent.cost + cost };
  }
  for (const r of w.requests) {
    const { close } = r;
    const kept = close?.item.mode !== 'SETTLED' || close.epoch !== w.epoch || !close.sent;
    if (!kept && close.seq <= outcome.booked) r.close = null;
    if (book.requestIds.includes(r.id)) r.booked = true;
  }
}

export async function deliverAll(w: World): Promise<void> {
  for (let tries = 0; w.books.length > 0 && tries < 100; tries += 1) await deliver(w);
}

/** A record is corrected; its counters are forgotten by the book, or by a seed before it. */
export function correct(w: World): void {
  const { catalog, random, requests } = w;
  const settled = requests.filter(
    (r) => r.booked && r.state === 'ENDED' && catalog.records.get(r.id)?.mode === 'SETTLED',
  );
  const request = oneOf(random, settled);
  if (request === undefined) return;
  const { cost } = request.spent;
  const change = BigInt(random.below(60)) - (cost < 30n ? cost : 30n);
  const { state, forget } = catalog.adjust(request.id, change);
  const known = change < 0n ? change : 0n;
  request.spent = { ...request.spent, cost: cost + known };
  const correction = { request, cost: change - known };
  w.books.push({ item: bookItem(w, state, forget), mustArrive: true, requestIds: [], correction });
}

/** After data loss, Redis's own data are all that is left of requests without an edge. */
export async function takeStock(w: World): Promise<void> {
  const entries = await entriesFrom(w, w.catalog.state().lastSeq);
  for (const r of w.requests) {
    if (r.edge >= 0 || r.state === 'LOST' || w.catalog.records.has(r.id)) continue;
    const hold = await w.store.readHold(w.shard, r.id);
    const inStream = entries.some(({ requestId }) => requestId === r.id);
    if (hold?.state === 'HELD') {
      r.state = 'HELD';
      r.held = amountsOf(hold.ticketText);
    } else if (!inStream && hold?.state !== 'CANCELLED') {
      r.state = 'LOST';
    }
  }
}
