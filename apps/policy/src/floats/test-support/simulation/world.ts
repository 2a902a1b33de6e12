import type { createFloats, EndContent } from '../..';
import type { AuthorizeCounter, BookItem, CounterKind, Store } from '../../../store';
import type { Bench, Snapshot } from '../../../store/test-support/backends';
import { randomFrom, type Random } from '../../../store/test-support/random';
import {
  createFakeCatalog,
  matches,
  windowOf,
  type FakeCatalog,
  type FakeLimit,
} from '../../../store/test-support/simulation/fake-catalog';
import type { Policy } from './policies';

// Virtual time, and the exact truth about requests. Everything that happens is an event; a script
// runs within one event, at its virtual instant.

export const LEASE_MS = 6_000;
export const GRACE_MS = 2_000;
/** In the past: a call whose instant is after its real deadline is asked twice. */
export const START = 1_700_000_000_000;
/** Of the store, in real time: on a busy machine no call may end while the server still runs it. */
export const STORE_DEADLINE_MS = 600_000;
export const ITEM_DEADLINE_MS = 500;
export const EDGES = 2;

export type SimLimit = FakeLimit & { kind: CounterKind };

export interface Amounts {
  cost: bigint;
  tokens: bigint;
}

export interface Request {
  id: string;
  edge: number;
  dimensions: EndContent['dimensions'];
  amounts: Amounts;
  state: 'ASKING' | 'RUNNING' | 'ENDED' | 'GAVE_UP';
  /** The session that is asked, and the last one that answered. */
  session: string;
  deadlineMs: number;
  asks: number;
  /** From the answer. */
  at: number;
  /** That the policy knew when it decided. */
  epoch: number;
  leaseUntil: number;
  floatId: string;
  counters: AuthorizeCounter[];
  step: number;
  /** Decided once by the edge. */
  end: EndContent | null;
  spent: Amounts;
  /** The close was answered, with this number of this epoch. */
  acked: { seq: number; epoch: number } | null;
  /** Losses of data after which it was told again: answers to earlier sends are void. */
  losses: number;
  /** Nothing needs to be sent again: it is booked. */
  booked: boolean;
  /** When Redis first knew of what the catalog has of it. */
  toldAt: number | undefined;
  startedAt: number;
  /** A message about it waits for an answer. */
  sending: boolean;
  /** Extensions so far, and the last of them that was granted. */
  asked: number;
  granted: number;
  /** Costs that steps were granted since the last loss of data, whether or not the edge was told, and when. */
  took: { cost: bigint; at: number }[];
  /** Another session had to take an item of its float: the own one is not asked again. */
  strayed: boolean;
}

export interface Breach {
  seed: number;
  atMs: number;
  what: string;
}

/** What is taken out on purpose, to see that it is noticed. */
export interface Without {
  /** The memory without one of its guards. */
  create?: typeof createFloats;
  adoption?: true;
  adoptNotice?: true;
  silence?: true;
}

export interface World {
  bench: Bench;
  store: Store;
  shard: number;
  seed: number;
  random: Random;
  without: Without;
  limits: SimLimit[];
  catalog: FakeCatalog;
  /** The limits that the catalog knows. */
  booked: FakeLimit[];
  policies: Policy[];
  edges: { alive: boolean; generation: number }[];
  requests: Request[];
  breaches: Breach[];
  books: { item: BookItem; requestIds: string[] }[];
  now: number;
  epoch: number;
  clockSetTo: number;
  events: { at: number; order: number; run: () => unknown; isQuick: boolean }[];
  order: number;
  made: number;
  snapshot: Snapshot | null;
  /** When Redis last lost its data. */
  lostAt: number;
  /** When edges have told again what was lost. */
  completeFrom: number;
  calm: boolean;
  /** Requests neither end nor extend their holds. */
  endless: boolean;
  impairedUntil: number;
  counts: { memory: number; exact: number; posts: number; denied: number; faults: number };
  log: string[];
  auditSha?: string;
  /** What each ticket text stands for. */
  tickets: Map<string, Ticket>;
  sessions: Map<string, Session>;
  /** Number of ledger entries of each request, without late ones. */
  entries: Map<string, number>;
}

export interface Ticket {
  requestId: string;
  counters: AuthorizeCounter[];
  amounts: Amounts;
}

export interface Session {
  id: string;
  edge: number;
  policy: Policy;
  openAtEdge: boolean;
  openAtPolicy: boolean;
  heardAt: number;
  /** Its window has no room for further items of the edge. */
  fullUntil: number;
}

function limitsOf(random: Random): SimLimit[] {
  // Tight limits decide exactly and refuse; wide ones are lent.
  const of = (most: number, least: number): bigint =>
    BigInt((least + random.below(most - least)) * (random.chance(0.35) ? 1 : 10));
  const org = { scopeType: 'ORGANISATION', scopeId: 'o1' } as const;
  const key = { scopeType: 'API_KEY', scopeId: 'k1' } as const;
  const user = { scopeType: 'USER', scopeId: 'u1' } as const;
  const rows: [
    id: string,
    CounterKind,
    SimLimit['metric'],
    typeof org | typeof key | typeof user,
    number,
    bigint,
  ][] = [
    ['org', 'WINDOW', 'COST', org, 10_000, of(12_000, 500)],
    ['key', 'WINDOW', 'TOKENS', key, 4_000, of(6_000, 150)],
    ['user', 'WINDOW', 'REQUESTS', user, 10_000, of(400, 15)],
    ['rpm', 'RATE', 'REQUESTS', org, 60_000, of(900, 60)],
    ['tpm', 'RATE', 'TOKENS', org, 60_000, of(20_000, 900)],
    ['conc', 'CONCURRENCY', 'REQUESTS', org, 1, of(160, 6)],
    ['err', 'POST_PAID', 'ERRORS', org, 10_000, 1_000n],
  ];
  return rows
    .filter(([limitId]) => limitId === 'org' || random.chance(0.6))
    .map(([limitId, kind, metric, scope, windowMs, cap]) => ({
      limitId,
      kind,
      metric,
      ...scope,
      windowMs,
      cap,
    }));
}

export async function createWorld(
  bench: Bench,
  store: Store,
  seed: number,
  without: Without,
): Promise<World> {
  const shard = bench.freshShard();
  await bench.empty(shard);
  const random = randomFrom(seed);
  const limits = limitsOf(random);
  const booked: FakeLimit[] = limits.filter(isWindowed);
  return {
    bench,
    store,
    shard,
    seed,
    random,
    without,
    limits,
    catalog: createFakeCatalog(booked),
    booked,
    policies: [],
    edges: Array.from({ length: EDGES }, () => ({ alive: true, generation: 0 })),
    requests: [],
    breaches: [],
    books: [],
    // Not far from the end of a window.
    now: START + random.below(10_000),
    epoch: 0,
    clockSetTo: 0,
    events: [],
    order: 0,
    made: 0,
    snapshot: null,
    lostAt: 0,
    completeFrom: 0,
    calm: false,
    endless: false,
    impairedUntil: 0,
    counts: { memory: 0, exact: 0, posts: 0, denied: 0, faults: 0 },
    log: [],
    tickets: new Map(),
    sessions: new Map(),
    entries: new Map(),
  };
}

export const isWindowed = ({ kind }: Pick<SimLimit, 'kind'>): boolean =>
  kind === 'WINDOW' || kind === 'POST_PAID';

/** Runs something at a virtual instant. Quick: it resolves no promise that somebody waits for. */
export function at(w: World, ms: number, run: () => unknown, isQuick = false): void {
  const event = { at: Math.max(ms, w.now), order: (w.order += 1), run, isQuick };
  let i = w.events.length;
  while (i > 0 && (w.events[i - 1]?.at ?? 0) > event.at) i -= 1;
  w.events.splice(i, 0, event);
}

export const after = (w: World, ms: number, run: () => unknown): void => at(w, w.now + ms, run);

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export async function runUntil(w: World, ms: number): Promise<void> {
  for (let event = w.events[0]; event !== undefined && event.at <= ms; event = w.events[0]) {
    if (w.breaches.length > 0) return;
    w.events.shift();
    w.now = event.at;
    if (event.isQuick) {
      event.run();
      continue;
    }
    await event.run();
    await turn();
  }
  w.now = Math.max(w.now, ms);
}

/** Runs a script at the present instant, after what the one before has left was audited. */
export async function script<T>(w: World, run: () => Promise<T>): Promise<T> {
  await audit(w, Math.floor(w.now));
  return await run();
}

// Sets the time. One line for each counter whose h is not the sum of its holds and floats. It runs before every
// script, so it reads each hold once.
const AUDIT = `
redis.call('SET', KEYS[1] .. 'clock', table.remove(ARGV))
local prefix, fields, present, sums, wrong = KEYS[1], {}, {}, {}, {}
for i = 1, #ARGV, 2 do
  local c = redis.call('HMGET', prefix .. 'c:' .. ARGV[i], 'h', 'n')
  fields[#fields + 1] = 'h:' .. ARGV[i]
  present[#fields], sums[#fields] = { h = tonumber(c[1] or 0), n = c[2], rate = ARGV[i + 1] == 'RATE' }, 0
end
local function add(key, is_hold)
  for i, text in ipairs(redis.call('HMGET', key, unpack(fields))) do
    local n, amount = string.match(text or '', '^(%d+) (%d+)')
    if n and n == present[i].n and not (is_hold and present[i].rate) then sums[i] = sums[i] + tonumber(amount) end
  end
end
for _, rid in ipairs(redis.call('ZRANGE', prefix .. 'leases', 0, -1)) do add(prefix .. 'r:' .. rid, true) end
for _, f in ipairs(redis.call('ZRANGE', prefix .. 'floats', 0, -1)) do add(prefix .. 'f:' .. f, false) end
for i, c in ipairs(present) do
  if sums[i] ~= c.h then
    wrong[#wrong + 1] = ARGV[2 * i - 1] .. ' holds ' .. c.h .. ', holds and floats are ' .. sums[i]
  end
end
return wrong`;

export async function audit(w: World, nextMs = w.clockSetTo): Promise<void> {
  const args = w.limits.flatMap(({ limitId, kind }) => [limitId, kind]);
  args.push(String(nextMs));
  w.auditSha ??= String(await w.bench.raw('SCRIPT', 'LOAD', AUDIT));
  const wrong = await w.bench.raw('EVALSHA', w.auditSha, '1', `{s${w.shard}}:`, ...args);
  for (const what of Array.isArray(wrong) ? wrong : []) breach(w, String(what), w.clockSetTo);
  w.clockSetTo = nextMs;
}

export function breach(w: World, what: string, ms = w.now): void {
  if (w.breaches.length < 4) w.breaches.push({ seed: w.seed, atMs: ms - START, what });
}

export function note(w: World, what: string): void {
  w.log.push(`${(w.now - START).toFixed(1)} ${what}`);
}

export function limitOf(w: World, id: string): SimLimit {
  const one = w.limits.find(({ limitId }) => limitId === id);
  if (one === undefined) throw new Error(`no limit ${id}`);
  return one;
}

export function amountOf({ kind, metric }: SimLimit, { cost, tokens }: Amounts): bigint {
  if (kind === 'POST_PAID') return 0n;
  if (kind === 'CONCURRENCY' || metric === 'REQUESTS') return 1n;
  return metric === 'COST' ? cost : tokens;
}

/** The counters of a request by a policy's own idea of the limits. */
export function countersOf(
  plan: readonly SimLimit[],
  r: Pick<Request, 'dimensions' | 'amounts'>,
  ms: number,
): AuthorizeCounter[] {
  return plan
    .filter((one) => matches(one, r.dimensions))
    .map((one) => {
      const window = isWindowed(one) ? windowOf(one, ms) : { windowStartMs: 0, windowEndMs: 0 };
      const { limitId, kind, cap: limit } = one;
      return { limitId, kind, ...window, limit, soft: false, amount: amountOf(one, r.amounts) };
    });
}

/** A ticket text that stands for these counters and amounts. */
export function ticket(
  w: World,
  r: Request,
  counters: AuthorizeCounter[],
  amounts: Amounts,
): string {
  const text = `${r.id} ${(w.made += 1)}`;
  w.tickets.set(text, { requestId: r.id, counters, amounts });
  return text;
}

export function oneOf<T>(random: Random, list: readonly T[]): T | undefined {
  return list[random.below(list.length)];
}

export const isAlive = (w: World, r: Request): boolean => w.edges[r.edge]?.alive === true;
