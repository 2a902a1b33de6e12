import { isValueCounter } from '@tollgate/contracts';

import type { Store } from '../..';
import type { Bench } from '../backends';
import { begin, crashEdge, end, keepAlive, resend, sendClose, sweep } from './edges';
import {
  arrive,
  bookItem,
  correct,
  deliver,
  deliverAll,
  drain,
  entriesFrom,
  readTotals,
  takeOver,
  takeStock,
} from './policies';
import {
  breach,
  createWorld,
  GRACE_MS,
  LEASE_MS,
  localNow,
  oneOf,
  setTime,
  shuffled,
  type Breach,
  type Request,
  type World,
} from './world';

// Policies, edges and catalog around one shard take random steps: requests come, grow, end, or lose
// their edge; totals and commits are read now and arrive at Redis later or never; the clock jumps
// over windows; limits are created and changed; records are corrected; Redis is emptied or rolled
// back. The exact truth is kept beside it and compared.

export type { Breach } from './world';

export async function simulate(
  bench: Bench,
  store: Store,
  seed: number,
  steps: number,
  values = false,
): Promise<Breach[]> {
  const w = await createWorld(bench, store, seed, values);
  await recover(w);
  for (w.step = 0; w.step < steps; w.step += 1) await takeStep(w);
  await settleDown(w);
  await compare(w);
  return w.breaches;
}

async function takeStep(w: World): Promise<void> {
  const { random } = w;
  if (w.values && random.chance(0.06)) return await jump(w);
  const dice = random.below(100);
  const r = living(w);
  if (dice < 34 || (dice < 54 && r === undefined)) {
    if (await begin(w)) await recover(w);
  } else if (dice < 48) await (r && end(w, r));
  else if (dice < 54) await (r && keepAlive(w, r, BigInt(random.below(40))));
  else if (dice < 60) await drain(w, 1 + random.below(6));
  else if (dice < 68) await deliver(w);
  else if (dice < 75) readTotals(w, w.limits, localNow(w));
  else if (dice < 80) await arrive(w);
  else if (dice < 83) await resend(w);
  else if (dice < 86) await sweep(w);
  else if (dice < 92) await setTime(w, w.now + random.below(2_500));
  else if (dice < 95) correct(w);
  else if (dice < 96) await changeLimits(w);
  else if (dice < 97) crashEdge(w);
  else if (dice < 98) w.snapshot = await w.bench.snapshot(w.shard);
  else if (dice < 99) await loseData(w);
  else w.snapshot = null;
}

/** The next short window, or so much later that unused counters of values have expired. */
async function jump(w: World): Promise<void> {
  const far = w.random.chance(0.3);
  await setTime(w, w.now + (far ? 26 * 3_600_000 : 30_000 + w.random.below(100_000)));
  if (!far) return;
  for (const { limitId } of w.limits) {
    const key = `{s${w.shard}}:c:${limitId}`;
    // The holds of living edges are extended all the time, which keeps their counters.
    const unused = isValueCounter(limitId) && String(await w.bench.raw('HGET', key, 'h')) === '0';
    if (unused) await w.bench.raw('DEL', key);
  }
}

const living = (w: World): Request | undefined =>
  oneOf(
    w.random,
    w.requests.filter((r) => r.state === 'HELD' && r.edge >= 0),
  );

async function changeLimits(w: World): Promise<void> {
  const { random, limits, catalog } = w;
  const fresh = !w.values && limits.length < 5 && random.chance(0.5);
  const limitId = fresh ? `new${limits.length}` : random.pick(['org', 'key', 'user']);
  if (fresh) {
    const metric = random.pick<'COST' | 'TOKENS'>(['COST', 'TOKENS']);
    limits.push({
      limitId,
      metric,
      scopeType: 'MODEL',
      scopeId: 'm1',
      windowMs: 10_000,
      cap: 400n,
    });
  }
  for (const one of limits) {
    if (!fresh && one.limitId === limitId) one.windowMs = random.pick([4_000, 8_000, 10_000]);
  }
  const { state, forget } = catalog.limitChanged(limitId);
  w.books.push({ item: bookItem(w, state, forget), mustArrive: true, requestIds: [] });
  await deliverAll(w);
}

async function loseData(w: World): Promise<void> {
  if (w.snapshot !== null && w.random.chance(0.6)) {
    await w.bench.restore(w.shard, w.snapshot);
    await w.bench.raw('HSET', `{s${w.shard}}:meta`, 'run', 'the process before');
  } else {
    await w.bench.empty(w.shard);
  }
  if (w.random.chance(0.3)) await setTime(w, w.now + w.random.below(6_000));
}

// A policy finds the shard lost: a new epoch, then the edges resend what they know.
async function recover(w: World): Promise<void> {
  const { store, shard, catalog, random } = w;
  const meta = await store.readMeta(shard);
  if (meta?.sameServer && meta.epoch === catalog.state().epoch) {
    w.epoch = meta.epoch;
    return;
  }
  const { epoch: newEpoch, lastSeq: position, rev } = catalog.advanceEpoch(catalog.state().epoch);
  await store.open({ shard, newEpoch, position, rev, graceMs: GRACE_MS });
  w.epoch = newEpoch;
  // A second policy found out too, with older totals.
  if (random.chance(0.5))
    await store.open({ shard, newEpoch, position: 0, rev: 0, graceMs: GRACE_MS });
  await takeStock(w);
  for (const r of shuffled(random, w.requests)) {
    if (r.edge >= 0 && r.state === 'HELD') await keepAlive(w, r, 0n);
    else if (r.edge >= 0) await sendClose(w, r);
  }
  await setTime(w, w.now + GRACE_MS);
}

// All requests end, everything is booked.
async function settleDown(w: World): Promise<void> {
  const probe = await w.store.book(bookItem(w, { lastSeq: 0, rev: 0 }, []));
  if (probe.kind === 'EPOCH') await recover(w);
  for (const r of w.requests) if (r.state === 'HELD' && r.edge >= 0) await end(w, r);
  for (const r of w.requests) if (r.edge >= 0) await sendClose(w, r);
  await setTime(w, w.now + LEASE_MS + GRACE_MS);
  await sweep(w);
  while ((await entriesFrom(w, w.catalog.state().lastSeq)).length > 0) await drain(w, 1_000);
  await deliverAll(w);
  if (w.orphans.length > 0) await takeOver(w);
  while (w.seeds.length > 0) await arrive(w);
}

// Then truth, books and counters must agree.
async function compare(w: World): Promise<void> {
  for (const one of w.limits) {
    const [counter] = await w.store.readCounters(w.shard, [
      { limitId: one.limitId, kind: 'WINDOW' },
    ]);
    if (counter === undefined) throw new Error('no counter was answered');
    const { windowStartMs, windowEndMs, settled, held } = counter;
    if (held !== 0n) breach(w, `${one.limitId} holds ${held} when everything has ended`);
    const booked = w.catalog.total(one, windowStartMs, windowEndMs);
    if (settled !== null && settled !== booked) {
      breach(w, `${one.limitId}: ${settled} settled in Redis, ${booked} in the books`);
    }
  }
  for (const r of w.requests) {
    const record = w.catalog.records.get(r.id);
    const cost = record?.usage.COST ?? 0n;
    if (r.state === 'LOST' || cost === r.spent.cost) continue;
    // Abandoned twice, before and after data loss: the first amount stands.
    if (r.edge < 0 && record?.mode === 'ABANDONED' && cost <= r.held.cost) continue;
    breach(w, `${r.id} cost ${r.spent.cost}, booked ${cost}`);
  }
  if ((await w.store.expiredLeases(w.shard, 10)).length > 0) breach(w, 'a hold outlives its lease');
}
