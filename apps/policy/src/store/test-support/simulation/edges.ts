import type { CloseItem } from '../..';
import { usage } from '../requests';
import { windowOf } from './fake-catalog';
import { arrive, readTotals } from './policies';
import {
  amountOf,
  countersOf,
  EDGES,
  judge,
  LEASE_MS,
  limitOf,
  localNow,
  oneOf,
  ticketTextOf,
  type Request,
  type World,
} from './world';

// Steps of requests and of their edges.

/** A request comes. Returns whether the shard turned out to be lost. */
export async function begin(w: World): Promise<boolean> {
  const { random, store, shard } = w;
  const r = newRequest(w);
  let at = localNow(w);
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const counters = countersOf(w, r, at);
    const item = {
      shard,
      epoch: w.epoch,
      requestId: r.id,
      ticketText: ticketTextOf(r.held),
      leaseMs: LEASE_MS,
    };
    const outcome = await store.authorize({ ...item, counters });
    switch (outcome.kind) {
      case 'ALLOW':
        r.at = outcome.nowMs;
        r.leaseUntil = outcome.leaseUntilMs;
        r.counters = counters;
        w.requests.push(r);
        judge(w, r, counters);
        // The edge may be gone before it got the answer.
        if (random.chance(0.03)) r.edge = -1;
        return false;
      case 'CLOCK':
        at = outcome.nowMs;
        break;
      case 'EPOCH':
        return true;
      case 'COLD':
        readTotals(
          w,
          w.limits.filter((one) => outcome.limitIds.includes(one.limitId)),
          at,
        );
        if (random.chance(0.3)) return false;
        await arrive(w);
        break;
      default:
        return false;
    }
  }
  return false;
}

function newRequest(w: World): Request {
  const { random } = w;
  const cost = BigInt(1 + random.below(120));
  const amounts = { cost, tokens: cost / 2n, requests: 1n };
  return {
    id: `r${w.made++}`,
    edge: random.below(EDGES),
    at: 0,
    leaseUntil: 0,
    step: 0,
    dimensions: {
      ORGANISATION: 'o1',
      TEAM: '',
      USER: random.pick(['u1', 'u2']),
      API_KEY: random.pick(['k1', 'k2']),
      MODEL: random.pick(['m1', 'm2']),
      MCP_SERVER: '',
    },
    counters: [],
    held: amounts,
    state: 'HELD',
    close: null,
    spent: amounts,
    booked: false,
  };
}

/** Moves the lease, takes a lost hold again, and holds `more` if allowed. */
export async function keepAlive(w: World, r: Request, more: bigint): Promise<void> {
  const total = { ...r.held, cost: r.held.cost + more, tokens: r.held.tokens + more };
  const outcome = await w.store.extend({
    shard: w.shard,
    epoch: w.epoch,
    requestId: r.id,
    authorisedAtMs: r.at,
    leaseMs: LEASE_MS,
    step: more > 0n ? r.step + 1 : r.step,
    previousTicketText: ticketTextOf(r.held),
    ticketText: ticketTextOf(total),
    counters: r.counters.map((c) => {
      const one = limitOf(w, c.limitId);
      return { ...c, base: amountOf(one, r.held), total: amountOf(one, total) };
    }),
  });
  if (outcome.kind === 'EPOCH' || outcome.kind === 'GONE') return;
  r.leaseUntil = outcome.leaseUntilMs;
  if (more === 0n || (outcome.kind !== 'GRANTED' && outcome.kind !== 'ADOPTED')) return;
  r.step += 1;
  r.held = r.spent = total;
  r.counters = r.counters.map((c) => ({ ...c, amount: amountOf(limitOf(w, c.limitId), total) }));
  // Windows that have ended, or are no longer the limit's, are skipped.
  const binding = r.counters.filter((c) => {
    const window = windowOf(limitOf(w, c.limitId), r.at);
    return c.windowEndMs > w.now && c.windowEndMs === window.windowEndMs;
  });
  judge(w, r, binding);
}

export async function end(w: World, r: Request): Promise<void> {
  const cancelled = w.random.chance(0.2);
  const cost = cancelled ? 0n : (r.held.cost * BigInt(w.random.below(101))) / 100n;
  r.spent = { cost, tokens: cost / 2n, requests: cancelled ? 0n : 1n };
  r.state = 'ENDED';
  const item = closeItem(w, r, cancelled ? 'CANCELLED' : 'SETTLED');
  r.close = { item, sent: false, seq: 0, epoch: w.epoch };
  if (w.random.chance(0.9)) await sendClose(w, r);
}

export function closeItem(w: World, r: Request, mode: CloseItem['mode']): CloseItem {
  const spent = mode === 'ABANDONED' ? r.held : r.spent;
  return {
    shard: w.shard,
    epoch: w.epoch,
    requestId: r.id,
    mode,
    authorisedAtMs: r.at,
    leaseUntilMs: r.leaseUntil,
    counters: r.counters.map(({ limitId, kind, windowStartMs, windowEndMs }) => {
      return {
        limitId,
        kind,
        windowStartMs,
        windowEndMs,
        spent: amountOf(limitOf(w, limitId), spent),
      };
    }),
    usage: usage({ REQUESTS: spent.requests, COST: spent.cost, TOKENS: spent.tokens }),
    dimensions: r.dimensions,
    payload: '{}',
  };
}

export async function sendClose(w: World, r: Request): Promise<void> {
  if (r.close === null) return;
  const outcome = await w.store.close({ ...r.close.item, epoch: w.epoch });
  if (outcome.kind !== 'CLOSED' && outcome.kind !== 'DUP') return;
  r.close.sent = true;
  r.close.epoch = w.epoch;
  r.close.seq = outcome.seq;
}

export async function resend(w: World): Promise<void> {
  const r = oneOf(
    w.random,
    w.requests.filter((one) => one.close !== null && one.edge >= 0),
  );
  if (r) await sendClose(w, r);
}

/** An edge is killed and loses its memory. */
export function crashEdge(w: World): void {
  const edge = w.random.below(EDGES);
  for (const r of w.requests) {
    if (r.edge !== edge) continue;
    r.edge = -1;
    // A close that never reached Redis is unknown: its hold will be charged in full.
    if (r.close?.sent === false) {
      r.state = 'HELD';
      r.spent = r.held;
    }
    r.close = null;
  }
}

/** The sweeper: holds whose lease is over. */
export async function sweep(w: World): Promise<void> {
  for (const id of await w.store.expiredLeases(w.shard, 100)) {
    const r = w.requests.find((one) => one.id === id);
    if (r === undefined) throw new Error(`nobody knows ${id}`);
    const outcome = await w.store.close(closeItem(w, r, 'ABANDONED'));
    if (outcome.kind !== 'CLOSED' || r.edge >= 0 || r.state !== 'HELD') continue;
    r.state = 'ENDED';
    r.spent = r.held;
  }
}
