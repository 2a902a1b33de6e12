import { isDeepStrictEqual } from 'node:util';

import { endedKey, leasesKey, ledgerKey, metaKey } from '../../keys';
import { matches } from '../simulation/fake-catalog';
import type { Expected, Told } from './shard';
import { windowed, type ModelLimit, type World } from './world';

// Compares the store with the model, and the model with the promises.

export class Disagreement extends Error {
  override readonly name = 'Disagreement';
}

export function fail(w: World, what: string): never {
  throw new Disagreement([...w.said, what].join('\n'));
}

const shown = (value: unknown): string =>
  JSON.stringify(value, (_key, v: unknown) => (typeof v === 'bigint' ? `${String(v)}n` : v));

/** Every field that the model predicts must be in the outcome with that value. */
export function agree<T extends { kind: string }>(
  w: World,
  what: string,
  expected: Expected,
  actual: T,
): T {
  w.said.push(`${what}: ${expected.kind}`);
  const found: Record<string, unknown> = { ...actual };
  for (const [field, value] of Object.entries(expected)) {
    const got = field === 'states' ? told(found['states']) : found[field];
    if (isDeepStrictEqual(got, value)) continue;
    fail(w, `${what}: ${field} is ${shown(got)}, not ${shown(value)} of ${shown(expected)}`);
  }
  return actual;
}

function told(states: unknown): Told[] {
  const list = Array.isArray(states) ? (states as Told[]) : [];
  return list.map(({ limitId, settled, held }) => ({ limitId, settled, held }));
}

/** Compares everything in the shard. All reads of one event-loop turn leave as one write. */
export async function compare(w: World): Promise<void> {
  const { model, store, shard, bench } = w;
  const raw = (...command: string[]): Promise<unknown> => bench.raw(...command);
  const [counters, meta, leases, page, entries] = await Promise.all([
    store.readCounters(shard, w.limits),
    raw('HMGET', metaKey(shard), 'epoch', 'seq', 'booked', 'floor', 'rev', 'closed'),
    raw('ZRANGE', leasesKey(shard), '0', '-1', 'WITHSCORES'),
    store.readLedger(shard, w.seen, 1_000),
    raw('XLEN', ledgerKey(shard)),
  ]);
  const state = model.state();
  for (const [i, one] of w.limits.entries()) {
    const counter = counters[i];
    const { settled, held } = expectedCounter(w, one);
    if (counter?.settled === settled && counter.held === held) continue;
    fail(w, `${one.limitId} is ${shown(counter)}, not ${shown({ settled, held })}`);
  }
  const { meta: m } = state;
  const numbers = m && [m.epoch, m.seq, m.booked, m.floor, m.rev, m.closed];
  same(w, 'meta', meta, numbers ? numbers.map(String) : Array.from({ length: 6 }, () => null));
  const held = [...state.holds].filter(([, hold]) => hold.state === 'HELD');
  const ends = held
    .map(([id, { lease }]) => [lease, id] as const)
    .sort(([one, id], [other, otherId]) => one - other || (id < otherId ? -1 : 1));
  same(
    w,
    'leases',
    leases,
    ends.flatMap(([lease, id]) => [id, String(lease)]),
  );
  same(w, 'entries', entries, state.stream.length);
  same(
    w,
    'the ledger',
    page.entries,
    state.stream.filter(({ seq }) => seq > w.seen),
  );
  w.seen = state.meta?.seq ?? 0;
  keepPromises(w);
}

function same(w: World, what: string, actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected))
    fail(w, `${what}: ${shown(actual)}, not ${shown(expected)}`);
}

function expectedCounter(w: World, one: ModelLimit): { settled: bigint | null; held: bigint } {
  const { model } = w;
  if (one.kind === 'RATE')
    return { settled: model.rateSum(one.limitId), held: model.lent(one.limitId) };
  if (one.kind === 'CONCURRENCY') return { settled: 0n, held: model.held(one.limitId, 0, 0) };
  const counter = model.state().counters.get(one.limitId);
  if (counter === undefined) return { settled: null, held: 0n };
  const { settled, start, end } = counter;
  return { settled, held: model.held(one.limitId, start, end) };
}

/**
 * The amount of a window by the catalog's books and by the entries on their way there. null: the
 * catalog has booked a difference that the counter does not know yet, or the data cannot be
 * trusted.
 */
export function due(w: World, one: ModelLimit, start: number, end: number): bigint | null {
  const { model, catalog } = w;
  const { meta, sameServer, stream } = model.state();
  if (meta === null || !sameServer || w.orphaned) return null;
  if (w.books.some(({ item }) => item.forgetLimitIds.includes(one.limitId))) return null;
  let sum = catalog.total(one, start, end);
  for (const entry of stream) {
    const { authorisedAtMs: at, dimensions, touched } = entry;
    if (entry.seq <= catalog.state().lastSeq || entry.late || entry.mode === 'CANCELLED') continue;
    if (at < start || at >= end || !matches(one, dimensions)) continue;
    // Closed while the counter was cold or in another window, or without naming it.
    const charged = touched.some(
      (t) => t.limitId === one.limitId && t.windowStartMs === start && t.windowEndMs === end,
    );
    if (!charged) return null;
    sum += entry.usage[one.metric];
  }
  return sum;
}

function keepPromises(w: World): void {
  for (const one of w.limits.filter(windowed)) {
    const counter = w.model.state().counters.get(one.limitId);
    if (!counter || counter.settled === null) continue;
    const owed = due(w, one, counter.start, counter.end);
    if (owed !== null && owed !== counter.settled)
      fail(w, `${one.limitId}: ${shown(counter.settled)} is settled, ${shown(owed)} is due`);
  }
}

/** The true amounts of what was just admitted, with everything before, never exceed a hard cap. */
export function capsHold(w: World, limitIds: readonly string[]): void {
  for (const one of w.limits) {
    if (one.soft || !limitIds.includes(one.limitId)) continue;
    if (one.kind === 'RATE' && w.model.rateSum(one.limitId) > one.cap)
      fail(w, `${one.limitId} lets through more than ${shown(one.cap)} a minute`);
    if (one.kind === 'CONCURRENCY' && w.model.held(one.limitId, 0, 0) > one.cap)
      fail(w, `${one.limitId} lets through more than ${shown(one.cap)} at once`);
    const counter = w.model.state().counters.get(one.limitId);
    if (one.kind !== 'WINDOW' || counter === undefined) continue;
    const owed = due(w, one, counter.start, counter.end);
    if (owed === null) continue;
    const sum = owed + w.model.held(one.limitId, counter.start, counter.end);
    if (sum > one.cap) fail(w, `${one.limitId}: ${shown(sum)} were admitted of ${shown(one.cap)}`);
  }
}

/** Runs when everything has ended and is booked. */
export async function compareAtRest(w: World): Promise<void> {
  const { model, catalog, bench, shard } = w;
  for (const [id, { state }] of model.state().holds)
    if (state === 'HELD') fail(w, `${id} outlives its lease`);
  for (const one of w.limits) {
    const { held } = expectedCounter(w, one);
    if (held !== 0n) fail(w, `${one.limitId} holds ${shown(held)} when everything has ended`);
  }
  const reported = await bench.raw('ZRANGE', endedKey(shard), '0', '-1');
  const ids = Array.isArray(reported) ? [...reported].map(String).sort() : [];
  same(w, 'ended holds', ids, [...model.state().ended.keys()].sort());
  for (const r of w.requests) {
    const record = catalog.records.get(r.id);
    if (r.edge < 0 || r.end === null) continue;
    const { mode, usage } = r.end;
    const cost = usage.COST + r.corrected;
    if ((record?.usage.COST ?? 0n) !== (mode === 'SETTLED' ? cost : 0n))
      fail(w, `${r.id} cost ${shown(cost)}, booked is ${shown(record)}`);
    if (mode === 'SETTLED' && record?.mode !== mode) fail(w, `${r.id} is ${shown(record)}`);
    const times = w.entries.get(r.id) ?? 0;
    if (mode === 'SETTLED' && !w.mayRepeat && times !== 1)
      fail(w, `${r.id} has ${shown(times)} ledger entries`);
  }
}
