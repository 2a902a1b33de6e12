import { isValueCounter } from '@tollgate/contracts';

import type { PostCounter, PostItem, ReclaimItem } from '../..';
import { windowOf } from '../simulation/fake-catalog';
import { agree } from './compare';
import { lentOf } from './lent';
import { rateOf } from './rates';
import { epochRefusal, heldIn, LEDGER_MAX, metaNow, type Expected } from './shard';
import type { ModelFloat, ShardModel } from './state';
import { windowed, type ModelLimit, type Step, type World } from './world';

// Floats in the model: amounts that are lent and given back, without requests (the simulation of
// deciding from memory has these).

export const FLOAT_LEASE_MS = 1_500;
const OLD_LEASE_MS = 60_000;
const FLOATS = 2;

const lives = (model: ShardModel, c: PostCounter): boolean => {
  if (c.kind === 'RATE' || c.kind === 'CONCURRENCY') return true;
  const counter = model.data.counters.get(c.limitId);
  return counter?.start === c.windowStartMs && counter.end === c.windowEndMs;
};

function post(model: ShardModel, item: PostItem): Expected {
  const lost = epochRefusal(model, item.epoch);
  if (lost) return lost;
  const known = model.data.floats.get(item.floatId);
  if (known && model.now - known.lease > OLD_LEASE_MS) return { kind: 'GONE' };
  if (item.batch > (known?.batch ?? 0) + 1) return { kind: 'GONE' };
  const float: ModelFloat = known ?? { batch: 0, lease: 0, parts: new Map() };
  const { seq, booked, closed } = metaNow(model);
  const lends = model.now >= closed && seq - booked < LEDGER_MAX / 2;
  const counters = item.counters.map((c) => lend(model, float, c, item, lends));
  float.batch = item.batch;
  float.lease = model.now + item.floatLeaseMs;
  model.data.floats.set(item.floatId, float);
  return { kind: 'POSTED', nowMs: model.now, undrained: seq - booked, seqs: [], targets: counters };
}

function lend(
  model: ShardModel,
  float: ModelFloat,
  c: PostCounter,
  { floatId, batch }: PostItem,
  lends: boolean,
): bigint {
  const { limitId, windowStartMs: start, windowEndMs: end } = c;
  const { data, now } = model;
  const part = float.parts.get(limitId);
  const mine = part?.start === start && part.end === end;
  const own = mine && lives(model, c);
  const rate = c.kind === 'RATE';
  if (rate && c.spent > 0n)
    rateOf(model, limitId).set(`${floatId} ${String(batch)}`, { at: now, amount: c.spent });
  const returns = part !== undefined && !mine && part.end > now;
  if (!own && (c.has || mine || returns)) {
    // Not the counter that it was lent of: nothing is left of a part that needs nothing.
    if (mine) float.parts.delete(limitId);
    return 0n;
  }
  const current = own ? part.amount : 0n;
  const settled = usedOf(model, c);
  const base = c.has ? c.keep : 0n;
  // A rate's holds are in its buckets.
  const held = rate ? lentOf(model.data, limitId, 0, 0) : heldIn(model, limitId, start, end);
  const isNow = end === 0 || (now >= start && now < end);
  const room = c.limit - (c.limit + 9n) / 10n;
  const free = now >= (data.wanted.get(limitId) ?? 0) && lends && isNow && settled !== null;
  const fits = free && settled + held + c.want - current <= room;
  let target = c.want < base ? c.want : base;
  if (c.want > base && fits) target = c.want;
  // What was lent of a window that is over stays until something is lent of another.
  if (target > 0n) float.parts.set(limitId, { amount: target, start, end, free: target, rate });
  else if (mine) float.parts.delete(limitId);
  forgetSlots(model, c);
  return target;
}

function usedOf(model: ShardModel, c: PostCounter): bigint | null {
  if (c.kind === 'CONCURRENCY') return 0n;
  if (c.kind === 'RATE') {
    let sum = 0n;
    const since = Math.floor(model.now / 100) - 601;
    for (const { at, amount } of rateOf(model, c.limitId).values())
      if (Math.floor(at / 100) > since) sum += amount;
    return sum;
  }
  const counter = model.data.counters.get(c.limitId);
  return lives(model, c) ? (counter?.settled ?? null) : null;
}

function forgetSlots(model: ShardModel, c: Pick<PostCounter, 'kind' | 'limitId'>): void {
  if (c.kind === 'CONCURRENCY' && heldIn(model, c.limitId, 0, 0) === 0n)
    model.data.wanted.delete(c.limitId);
}

function reclaim(model: ShardModel, item: ReclaimItem): Expected {
  const lost = epochRefusal(model, item.epoch);
  if (lost) return lost;
  const float = model.data.floats.get(item.floatId);
  if (float === undefined) return { kind: 'GONE' };
  if (float.lease > model.now) return { kind: 'ALIVE', leaseUntilMs: float.lease };
  model.data.floats.delete(item.floatId);
  for (const [limitId, { amount, rate, end }] of float.parts) {
    if (rate) rateOf(model, limitId).set(`rest of ${item.floatId}`, { at: model.now, amount });
    if (!rate && end === 0) forgetSlots(model, { kind: 'CONCURRENCY', limitId });
  }
  return { kind: 'DONE', holds: 0 };
}

/** A policy reports what it used of its rates, and asks for amounts or gives them back. */
export async function lendStep(w: World, { a, b, c }: Step): Promise<void> {
  const which = a % FLOATS;
  const generation = w.generations[which] ?? 1;
  const floatId = `p${String(which)}.${String(generation)}`;
  const float = w.model.state().floats.get(floatId);
  // Requests that count in limits on values are decided without floats.
  const named = w.limits.filter(
    ({ kind, limitId }, i) =>
      kind !== 'POST_PAID' && !isValueCounter(limitId) && ((b >> i) & 1) === 1,
  );
  const at = w.model.now() - (c % 7 === 0 ? 3_000 : 0);
  const item: PostItem = {
    shard: w.shard,
    epoch: w.epoch,
    floatId,
    batch: (float?.batch ?? 0) + 1,
    floatLeaseMs: FLOAT_LEASE_MS,
    leaseMs: 3_000,
    counters: named.map((one, i) => asked(one, at, float, c + 37 * i)),
    ends: [],
    journal: [],
    keeps: [],
    strikes: [],
    last: false,
  };
  const { targets, ...expected } = post(w.model.inner, item);
  const outcome = await w.store.post(item);
  const told = outcome.kind === 'POSTED' ? outcome.counters.map(({ target }) => target) : undefined;
  agree(w, `post of ${floatId}`, { ...expected, targets }, { ...outcome, targets: told });
  if (outcome.kind === 'GONE') w.generations[which] = generation + 1;
}

function asked(one: ModelLimit, at: number, float: ModelFloat | undefined, n: number): PostCounter {
  const { limitId, kind, cap: limit } = one;
  const window = windowed(one) ? windowOf(one, at) : { windowStartMs: 0, windowEndMs: 0 };
  const part = float?.parts.get(limitId);
  const has = part?.start === window.windowStartMs && part.end === window.windowEndMs;
  const current = has ? part.amount : 0n;
  const share = (amount: bigint, of: number): bigint => (amount * BigInt(of % 101)) / 100n;
  const spent = kind === 'RATE' ? share(current, n) : 0n;
  const keep = share(current - spent, n >> 3);
  const want = n % 3 === 0 ? share(keep, n >> 2) : share(limit, n >> 4);
  return {
    limitId,
    kind,
    ...window,
    limit,
    has,
    spent,
    kept: 0n,
    need: 0n,
    keep,
    want,
    corrections: [],
  };
}

export async function reclaimStep(w: World): Promise<void> {
  const ids = await w.store.expiredFloats(w.shard, 10);
  // One whose lease is running as well.
  for (const floatId of new Set([...ids, ...w.model.state().floats.keys()])) {
    const item = { shard: w.shard, epoch: w.epoch, floatId, leaseMs: 3_000 };
    agree(w, `reclaim ${floatId}`, reclaim(w.model.inner, item), await w.store.reclaim(item));
    const which = Number(floatId[1]);
    if (!w.model.state().floats.has(floatId)) w.generations[which] = Number(floatId.slice(3)) + 1;
  }
}
