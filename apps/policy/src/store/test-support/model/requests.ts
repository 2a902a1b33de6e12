import { isValueCounter } from '@tollgate/contracts';

import type { AuthorizeItem, CloseItem, ExtendItem, Hold } from '../..';
import { counterKey, holdKey } from '../../keys';
import { agree, capsHold, fail } from './compare';
import { readTotals, seedWith } from './policies';
import {
  amountOf,
  amountsOf,
  closeItem,
  countersOf,
  EDGES,
  LEASE_MS,
  limitOf,
  newRequest,
  nth,
  ticketTextOf,
  windowed,
  type Request,
  type Step,
  type World,
} from './world';

// Steps of requests, of their edges and of the sweeper.

export async function authorize(w: World, step: Step): Promise<void> {
  const r = newRequest(w, step);
  // Sometimes the policy's clock is wrong.
  const skewMs = step.a % 9 === 0 ? (step.b % 3_000) - 1_500 : 0;
  // Sometimes the answer is lost, or the policy dies with it.
  const heard = step.c % 11 !== 0;
  // Sometimes an earlier call never arrived.
  if (step.b % 13 === 0) r.unheard.push('never arrived');
  if (await take(w, r, heard, skewMs, step.b)) w.requests.push(r);
}

/** The edge asks again: it got no answer, or its session broke with the answer. */
export async function retry(w: World, { a, b }: Step): Promise<void> {
  const { holds } = w.model.state();
  // No edge waits for an answer as long as a lease.
  const waits = (one: Request): boolean =>
    one.unheard.length > 0 && one.end === null && w.model.now() < one.askedAt + LEASE_MS;
  const r = nth(
    w.requests.filter((one) => holds.has(one.id) || waits(one)),
    a,
  );
  if (r) await take(w, r, b % 5 !== 0, 0, b);
}

async function take(
  w: World,
  r: Request,
  heard: boolean,
  skewMs: number,
  b: number,
): Promise<boolean> {
  let at = w.model.now() + skewMs;
  for (let round = 0; round < 5; round += 1) {
    const counters = countersOf(w, r, at);
    const { shard, epoch } = w;
    const requestId = r.id;
    const attempt = `${r.id}.${String((r.calls += 1))}`;
    const item: AuthorizeItem = {
      shard,
      epoch,
      requestId,
      attempt,
      counters,
      ticketText: ticketTextOf(r.held),
      leaseMs: LEASE_MS,
    };
    const expected = w.model.authorize(item);
    const outcome = agree(w, `authorize ${r.id}`, expected, await w.store.authorize(item));
    switch (outcome.kind) {
      case 'ALLOW':
        r.at = outcome.nowMs;
        r.leaseUntil = outcome.leaseUntilMs;
        if (!outcome.already) Object.assign(r, { counters, step: 0 });
        if (!outcome.already)
          capsHold(
            w,
            counters.map(({ limitId }) => limitId),
          );
        if (heard && r.edge < 0) r.edge = b % EDGES;
        if (!heard) r.edge = -1;
        if (!heard) r.unheard.push(attempt);
        return true;
      case 'CLOCK':
        at = outcome.nowMs;
        break;
      case 'COLD':
        if (b % 4 === 0) return false;
        await seedWith(w, readTotals(w, at, outcome.limitIds));
        break;
      default:
        return false;
    }
  }
  return false;
}

const carried = (w: World): Request[] => w.requests.filter((r) => r.edge >= 0 && r.end === null);

export async function extend(w: World, { a, b, c }: Step): Promise<void> {
  // Sometimes by an edge that does not know that the hold has ended.
  const r = nth(c % 8 === 0 ? w.requests.filter(({ edge }) => edge >= 0) : carried(w), a);
  if (!r) return;
  // A granted step is repeated when its answer was lost, possibly late.
  const before = nth(r.steps, b);
  if (b % 6 === 1 && before) await sendExtend(w, r, before);
  else await grow(w, r, b % 3 === 0 ? 0n : BigInt(b % 60));
}

/** Moves the lease, takes a lost hold again, and holds `more` if allowed. */
export async function grow(w: World, r: Request, more: bigint): Promise<void> {
  const total = { cost: r.held.cost + more, tokens: r.held.tokens + more / 2n };
  const counters = r.counters.map((counter) => {
    const one = limitOf(w, counter.limitId);
    return { ...counter, base: amountOf(one, r.held), total: amountOf(one, total) };
  });
  const item = {
    shard: w.shard,
    epoch: w.epoch,
    requestId: r.id,
    authorisedAtMs: r.at,
    leaseMs: LEASE_MS,
    step: more > 0n ? r.step + 1 : r.step,
    previousTicketText: ticketTextOf(r.held),
    ticketText: ticketTextOf(total),
    counters,
  };
  const outcome = await sendExtend(w, r, item);
  if (outcome.kind === 'EPOCH' || outcome.kind === 'GONE') return;
  r.leaseUntil = outcome.leaseUntilMs;
  if (outcome.kind !== 'GRANTED' && outcome.kind !== 'ADOPTED') return;
  if (more === 0n) return;
  r.steps.push(item);
  r.step = item.step;
  r.held = total;
  r.counters = r.counters.map((one, i) => ({ ...one, amount: counters[i]?.total ?? one.amount }));
  const checked = counters.filter((one) => windowed(one) && one.total > one.base);
  const present = checked.filter(({ limitId, windowStartMs }) => {
    return w.model.state().counters.get(limitId)?.start === windowStartMs;
  });
  capsHold(
    w,
    present.map(({ limitId }) => limitId),
  );
}

async function sendExtend(w: World, r: Request, before: ExtendItem) {
  const item = { ...before, epoch: w.epoch };
  const expected = w.model.extend(item);
  const outcome = agree(w, `extend ${r.id}`, expected, await w.store.extend(item));
  await readHold(w, r.id);
  return outcome;
}

/** A request ends; its edge decides how, once, and sends it now or later. */
export async function settle(w: World, { a, b, c }: Step): Promise<void> {
  const r = nth(carried(w), a);
  if (!r) return;
  decide(w, r, b);
  if (c % 10 > 0) await sendClose(w, r);
}

export function decide(w: World, r: Request, b: number): void {
  const of = (amount: bigint): bigint => (amount * BigInt(b % 130)) / 100n;
  const spent = { cost: of(r.held.cost), tokens: of(r.held.tokens) };
  r.end = closeItem(w, r, b % 5 === 0 ? 'CANCELLED' : 'SETTLED', spent, b % 7 === 0);
}

export async function sendClose(w: World, r: Request): Promise<void> {
  if (r.end === null) return;
  const outcome = await close(w, { ...r.end, epoch: w.epoch });
  if (outcome.kind === 'CLOSED' || outcome.kind === 'DUP') r.settledSeq = outcome.seq;
}

export async function close(w: World, item: CloseItem) {
  const what = `close ${item.requestId} ${item.mode}`;
  const expected = w.model.close(item);
  return agree(w, what, expected, await w.store.close(item));
}

/** A close is repeated, or arrives late and out of order. */
export async function resend(w: World, { a }: Step): Promise<void> {
  const r = nth(
    w.requests.filter((one) => one.end !== null && one.edge >= 0),
    a,
  );
  if (r) await sendClose(w, r);
}

/**
 * The caller never got the answer: the policy cancels the hold, unless a repeated request owns it.
 */
export async function orphan(w: World, { a, b }: Step): Promise<void> {
  const r = nth(
    w.requests.filter(({ unheard }) => unheard.length > 0),
    a,
  );
  if (!r) return;
  const item = closeItem(w, r, 'CANCELLED', { cost: 0n, tokens: 0n }, false);
  const attempt = nth(r.unheard, b) ?? '';
  await close(w, { ...item, orphan: true, attempt });
}

/** The sweeper: expired leases, what the store knows of each, and its end. */
export async function sweep(w: World, c: number): Promise<void> {
  const ids = await w.store.expiredLeases(w.shard, 1_000);
  const expected = w.model.expired();
  if (ids.toSorted().join() !== expected.toSorted().join())
    fail(w, `expired are ${ids.join()}, not ${expected.join()}`);
  for (const id of ids) await abandon(w, id, c);
}

/** Leases that are not over, and unknown holds. */
export async function abandonEarly(w: World, { a, c }: Step): Promise<void> {
  const r = nth(w.requests, a);
  if (r) await abandon(w, r.id, c);
}

async function abandon(w: World, id: string, c: number): Promise<void> {
  const r = w.requests.find((one) => one.id === id);
  if (r === undefined) fail(w, `nobody knows ${id}`);
  const hold = await readHold(w, id);
  const held = amountsOf(hold?.ticketText ?? ticketTextOf(r.held));
  const item = closeItem(
    w,
    { ...r, leaseUntil: hold?.leaseUntilMs ?? 0 },
    'ABANDONED',
    held,
    false,
  );
  // A hold may be closed without a counter: the books find its request. They learn of values from entries alone.
  const some = item.counters.filter(({ limitId }, i) => i > 0 || isValueCounter(limitId));
  await close(w, c % 6 === 0 ? { ...item, counters: some } : item);
}

/** A hold carries the ticket and the step of what was last granted. */
async function readHold(w: World, id: string): Promise<Hold | null> {
  const hold = await w.store.readHold(w.shard, id);
  const known = w.model.state().holds.get(id);
  if (hold?.state !== known?.state) fail(w, `${id} is ${String(hold?.state)}`);
  if (known && hold && known.state === 'HELD') {
    if (known.ticketText !== hold.ticketText || known.step !== hold.step)
      fail(w, `${id} bears ${hold.ticketText}, step ${String(hold.step)}, not ${known.ticketText}`);
  }
  return hold;
}

/** An edge is killed and loses its memory. */
export function crashEdge(w: World, edge: number): void {
  for (const r of w.requests) if (r.edge === edge) r.edge = -1;
}

/** Two minutes later Redis has forgotten ended holds. */
export async function forgetEnded(w: World): Promise<void> {
  const gone = w.model.forgetEnded();
  if (gone.length === 0) return;
  w.mayRepeat = true;
  await w.bench.raw('DEL', ...gone.map((id) => holdKey(w.shard, id)));
}

export const keysOf = (w: World): string[] => [
  ...w.requests.map(({ id }) => holdKey(w.shard, id)),
  ...w.limits.map(({ limitId }) => counterKey(w.shard, limitId)),
];
