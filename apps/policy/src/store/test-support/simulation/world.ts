import type { AuthorizeCounter, BookItem, CloseItem, SeedItem, Store } from '../..';
import type { Bench, Snapshot } from '../backends';
import { randomFrom, type Random } from '../random';
import {
  createFakeCatalog,
  matches,
  windowOf,
  type FakeCatalog,
  type FakeLimit,
} from './fake-catalog';

// The state of a simulation, and the exact truth of held and spent amounts.

export const LEASE_MS = 3_000;
export const GRACE_MS = 2_000;
export const START = 1_800_000_000_000;
export const EDGES = 2;

export interface Amounts {
  cost: bigint;
  tokens: bigint;
  requests: bigint;
}

export interface Request {
  id: string;
  /** −1: the edge is gone. */
  edge: number;
  at: number;
  leaseUntil: number;
  step: number;
  dimensions: CloseItem['dimensions'];
  /** Limits at its authorise instant, with windows and held amounts. */
  counters: AuthorizeCounter[];
  held: Amounts;
  /** LOST: its edge and Redis were lost together. */
  state: 'HELD' | 'ENDED' | 'LOST';
  /**
   * The close that the edge keeps until it is booked; a cancelled one is never booked and kept for
   * good.
   */
  close: { item: CloseItem; sent: boolean; seq: number; epoch: number } | null;
  /** The true charge: the held amount until it is known better. */
  spent: Amounts;
  /** Its entry is committed, and the counters to forget are known. */
  booked: boolean;
}

export interface Breach {
  seed: number;
  step: number;
  what: string;
}

/** A book that was read from the catalog and has not reached Redis. */
export interface PendingBook {
  item: BookItem;
  /** The outbox repeats it until it arrives. */
  mustArrive: boolean;
  requestIds: string[];
  correction?: { request: Request; cost: bigint };
}

export interface World {
  bench: Bench;
  store: Store;
  shard: number;
  seed: number;
  random: Random;
  limits: FakeLimit[];
  catalog: FakeCatalog;
  requests: Request[];
  breaches: Breach[];
  /** Totals that were read and have not reached Redis. */
  seeds: SeedItem[];
  books: PendingBook[];
  /** Committed entries that nobody will book: their policy died. */
  orphans: string[];
  /** Requests so far. */
  made: number;
  now: number;
  epoch: number;
  step: number;
  snapshot: Snapshot | null;
  /** Limits on each value, long jumps of the clock, and counters that expire. */
  values: boolean;
}

/** The longest window of a value: its counters expire within it. */
const DAYS_MS = 3 * 86_400_000;

const VALUE_LIMITS: readonly FakeLimit[] = [
  ...['u1', 'u2'].map((scopeId) => ({
    limitId: `long~e${scopeId}`,
    metric: 'COST' as const,
    scopeType: 'USER' as const,
    scopeId,
    windowMs: DAYS_MS,
    cap: 900n,
  })),
  ...['u1', 'u2'].map((scopeId) => ({
    limitId: `short~s${scopeId}`,
    metric: 'TOKENS' as const,
    scopeType: 'USER' as const,
    scopeId,
    windowMs: 100_000,
    cap: 200n,
  })),
];

export async function createWorld(
  bench: Bench,
  store: Store,
  seed: number,
  values = false,
): Promise<World> {
  const shard = bench.freshShard();
  await bench.empty(shard);
  const limits: FakeLimit[] = [
    {
      limitId: 'org',
      metric: 'COST',
      scopeType: 'ORGANISATION',
      scopeId: 'o1',
      windowMs: 10_000,
      cap: 1_000n,
    },
    {
      limitId: 'key',
      metric: 'TOKENS',
      scopeType: 'API_KEY',
      scopeId: 'k1',
      windowMs: 4_000,
      cap: 300n,
    },
    {
      limitId: 'user',
      metric: 'REQUESTS',
      scopeType: 'USER',
      scopeId: 'u1',
      windowMs: 10_000,
      cap: 12n,
    },
    ...(values ? VALUE_LIMITS.map((limit) => ({ ...limit })) : []),
  ];
  const w: World = {
    bench,
    store,
    shard,
    seed,
    random: randomFrom(seed),
    limits,
    catalog: createFakeCatalog(limits),
    requests: [],
    breaches: [],
    seeds: [],
    books: [],
    orphans: [],
    made: 0,
    now: START,
    epoch: 0,
    step: 0,
    snapshot: null,
    values,
  };
  await setTime(w, START);
  return w;
}

export async function setTime(w: World, ms: number): Promise<void> {
  w.now = ms;
  await w.bench.setTime(w.shard, ms);
}

export function breach(w: World, what: string): void {
  w.breaches.push({ seed: w.seed, step: w.step, what });
}

/** The time by the clock of a policy that is wrong by up to 1.5 seconds. */
export const localNow = (w: World): number => w.now + w.random.below(3_000) - 1_500;

export function limitOf(w: World, id: string): FakeLimit {
  const one = w.limits.find(({ limitId }) => limitId === id);
  if (one === undefined) throw new Error(`no limit ${id}`);
  return one;
}

export function amountOf(one: FakeLimit, of: Amounts): bigint {
  if (one.metric === 'REQUESTS') return of.requests;
  return one.metric === 'COST' ? of.cost : of.tokens;
}

export const ticketTextOf = (held: Amounts): string =>
  [held.cost, held.tokens, held.requests].join(' ');

export function amountsOf(ticketText: string): Amounts {
  const [cost = 0n, tokens = 0n, requests = 0n] = ticketText.split(' ').map(BigInt);
  return { cost, tokens, requests };
}

export function countersOf(w: World, request: Pick<Request, 'dimensions' | 'held'>, at: number) {
  return w.limits
    .filter((one) => matches(one, request.dimensions))
    .map((one): AuthorizeCounter => ({
      limitId: one.limitId,
      kind: 'WINDOW',
      ...windowOf(one, at),
      limit: one.cap,
      amount: amountOf(one, request.held),
      soft: false,
    }));
}

// The true amount of a limit's window: everything authorised under it that is live or charged, and
// for the rest what the catalog has booked.
function truth(w: World, one: FakeLimit, from: number, to: number): bigint {
  let sum = 0n;
  for (const r of w.requests) {
    if (r.state === 'LOST' || r.at < from || r.at >= to || !matches(one, r.dimensions)) continue;
    const under = r.counters.some(
      (c) => c.limitId === one.limitId && c.windowEndMs === to && c.windowStartMs === from,
    );
    if (under || r.booked) sum += amountOf(one, r.state === 'HELD' ? r.held : r.spent);
  }
  return sum;
}

/** No true amount may exceed a cap when something is admitted. */
export function judge(w: World, r: Request, counters: readonly AuthorizeCounter[]): void {
  for (const c of counters) {
    const sum = truth(w, limitOf(w, c.limitId), c.windowStartMs, c.windowEndMs);
    if (sum > c.limit) breach(w, `${r.id} was allowed at ${sum} of ${c.limit} in ${c.limitId}`);
  }
}

export function oneOf<T>(random: Random, list: readonly T[]): T | undefined {
  return list[random.below(list.length)];
}

export function shuffled<T>(random: Random, list: readonly T[]): T[] {
  const rest = [...list];
  const out: T[] = [];
  while (rest.length > 0) out.push(...rest.splice(random.below(rest.length), 1));
  return out;
}
