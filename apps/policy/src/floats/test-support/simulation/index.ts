import { isBroken, type LedgerEntry, type Store } from '../../../store';
import type { Bench } from '../../../store/test-support/backends';
import {
  adoptNotice,
  begin,
  closeSession,
  crashEdge,
  fillSessions,
  finish,
  heartbeat,
  openSessions,
  tellAgain,
} from './edges';
import {
  follow,
  freeze,
  inTurn,
  livingPolicy,
  startPolicy,
  whenAdoptNoticed,
  whenReopened,
  type Policy,
} from './policies';
import { sweep } from './serving';
import { checkCounters } from './truth';
import {
  after,
  audit,
  breach,
  createWorld,
  isAlive,
  isWindowed,
  LEASE_MS,
  limitOf,
  note,
  oneOf,
  runUntil,
  script,
  type Breach,
  type SimLimit,
  type Without,
  type World,
} from './world';

// Policies that decide from the real memory, edges and the catalog around one shard, on a real Redis
// in virtual time. Requests come in bursts; whatever can go wrong does.

export type { Breach, Without } from './world';

const BURSTS = 7;
const CHECKED_MS = 100;

export interface Result {
  breaches: Breach[];
  counts: World['counts'];
  log: string[];
}

export async function simulate(
  bench: Bench,
  store: Store,
  seed: number,
  without: Without = {},
): Promise<Result> {
  const w = await startWorld(bench, store, seed, without);
  for (let burst = 0; burst < BURSTS; burst += 1) {
    planBurst(w);
    await runUntil(w, w.now + 300 + w.random.below(2_500));
  }
  if (w.breaches.length === 0) await comeToRest(w);
  if (w.breaches.length === 0) await compareAtRest(w);
  await audit(w);
  await bench.empty(w.shard);
  return { breaches: w.breaches, counts: w.counts, log: w.log };
}

async function startWorld(
  bench: Bench,
  store: Store,
  seed: number,
  without: Without,
): Promise<World> {
  whenAdoptNoticed(adoptNotice);
  whenReopened(tellAgain);
  const w = await createWorld(bench, store, seed, without);
  await follow(w, null);
  for (let i = 0; i < 2 + (seed % 2); i += 1) startPolicy(w);
  openSessions(w);
  heartbeat(w);
  fillSessions(w);
  background(w);
  return w;
}

const WIDE = 1_000_000n;

/**
 * One policy is lost right after it has decided requests that it has not told of: killed, frozen, or
 * cut off from Redis. The requests run on. Returns what is wrong when its float has been reclaimed.
 */
export async function losePolicy(
  bench: Bench,
  store: Store,
  how: 'killed' | 'frozen' | 'cut off',
  without: Without = {},
): Promise<{ breaches: Breach[]; untold: number }> {
  const w = await startWorld(bench, store, 1, without);
  w.calm = true;
  w.endless = true;
  for (const p of w.policies) p.plan = p.plan.map((one) => ({ ...one, cap: WIDE }));
  for (let i = 0; i < 100; i += 1) after(w, i * 5, () => begin(w));
  await runUntil(w, w.now + 505);
  const [p] = w.policies;
  if (p === undefined) throw new Error('no policy runs');
  // Between two of its posts.
  await runUntil(w, w.now + 1);
  for (let i = 0; i < 20; i += 1) begin(w);
  await runUntil(w, w.now + 3);
  const journal = await journalOf(w);
  const untold = w.requests.filter(({ floatId, id }) => floatId !== '' && !journal.has(id));
  if (how === 'killed') crash(w, p);
  else if (how === 'frozen') p.frozenUntil = w.now + 12_000;
  else p.cutUntil = w.now + 12_000;
  await runUntil(w, w.now + 9_000);
  await audit(w);
  const { breaches } = w;
  await bench.empty(w.shard);
  return { breaches, untold: untold.length };
}

async function journalOf({ bench, shard }: World): Promise<ReadonlySet<string>> {
  const keys = (await bench.raw('KEYS', `{s${shard}}:j:*`)) as string[];
  const ids = await Promise.all(keys.map((key) => bench.raw('HKEYS', key) as Promise<string[]>));
  return new Set(ids.flat());
}

function planBurst(w: World): void {
  const { random } = w;
  const spanMs = 60 + random.below(random.chance(0.5) ? 150 : 700);
  const requests = 5 + random.below(random.chance(0.3) ? 50 : 200);
  for (let i = 0; i < requests; i += 1) after(w, random.below(spanMs), () => begin(w));
  const faults = random.below(3);
  for (let i = 0; i < faults; i += 1) after(w, random.below(spanMs + 500), () => misfortune(w));
}

async function misfortune(w: World): Promise<void> {
  const { random } = w;
  const dice = random.below(100);
  if (dice < 10) return changeCap(w);
  if (dice < 15) return changeWindow(w);
  if (dice < 20) return newLimit(w);
  if (dice < 26) return correct(w);
  if (dice < 32) return void w.books.push({ item: bookItem(w, somePart(w)), requestIds: [] });
  if (dice < 37) return recycle(w);
  if (dice < 40) return meetOlder(w);
  if (dice < 48) return crashEdge(w, random.below(w.edges.length));
  if (dice < 51) return void (w.snapshot = await w.bench.snapshot(w.shard));
  // One policy at a time is out of order: that an adoption succeeds in time is the edges' promise.
  if (w.now < w.impairedUntil) return;
  w.counts.faults += 1;
  if (dice < 55) return await loseData(w);
  const p = livingPolicy(w);
  if (p === undefined) return;
  const ms = 50 + random.below(random.chance(0.3) ? 8_000 : 1_500);
  if (dice < 66) return crash(w, p);
  if (dice < 76) return freeze(w, p, ms);
  if (dice < 84) return drain(w, p);
  note(w, `${p.name} is cut off for ${ms}`);
  w.impairedUntil = w.now + ms + 1_000;
  if (dice < 94) p.cutUntil = w.now + ms;
  if (dice >= 92) p.edgeCutUntil = w.now + ms;
}

const somePart = (w: World): string[] =>
  w.limits.map(({ limitId }) => limitId).filter(() => w.random.chance(0.5));

function crash(w: World, p: Policy): void {
  note(w, `${p.name} is killed`);
  p.alive = false;
  w.impairedUntil = w.now + 1_500;
  w.policies = w.policies.filter((one) => one !== p);
  for (const s of w.sessions.values()) {
    if (s.policy === p) after(w, w.random.below(50), () => closeSession(w, s));
  }
  after(w, 300, () => {
    startPolicy(w);
    openSessions(w);
  });
}

function drain(w: World, p: Policy): void {
  note(w, `${p.name} drains`);
  p.draining = true;
  inTurn(w, p, () => p.floats.drain());
  for (const s of w.sessions.values()) {
    if (s.policy === p) after(w, 100 + w.random.below(200), () => closeSession(w, s));
  }
  startPolicy(w);
  openSessions(w);
  const leave = (): void => {
    if (!p.alive) return;
    if (p.floats.busy) return after(w, 50, leave);
    p.alive = false;
    w.policies = w.policies.filter((one) => one !== p);
    note(w, `${p.name} has left`);
  };
  after(w, 400, leave);
}

function recycle(w: World): void {
  const s = oneOf(
    w.random,
    [...w.sessions.values()].filter(({ openAtEdge }) => openAtEdge),
  );
  if (s === undefined) return;
  note(w, `session ${s.id} is recycled`);
  closeSession(w, s);
  openSessions(w);
}

/** Each policy sees in its own time that an older one has come, and that it has gone. */
function meetOlder(w: World): void {
  const { random } = w;
  note(w, 'a policy that does not know floats comes');
  for (const p of w.policies) {
    after(w, random.below(300), () => {
      p.olderUntil = w.now + 100 + random.below(1_500);
    });
  }
}

/** Each policy learns of the limits in its own time. */
function announce(w: World): void {
  for (const p of w.policies) {
    after(w, w.random.below(80), () => {
      p.plan = w.limits.map((one) => ({ ...one }));
    });
  }
}

function changeCap(w: World): void {
  const one = oneOf(w.random, w.limits);
  if (one === undefined) return;
  one.cap = (one.cap * BigInt(30 + w.random.below(200))) / 100n + 1n;
  note(w, `${one.limitId} is ${one.cap} now`);
  announce(w);
}

function changeWindow(w: World): void {
  const one = oneOf(w.random, w.limits.filter(isWindowed));
  if (one === undefined) return;
  one.windowMs = w.random.pick([4_000, 8_000, 10_000]);
  note(w, `${one.limitId} has windows of ${one.windowMs} now`);
  const { forget } = w.catalog.limitChanged(one.limitId);
  w.books.push({ item: bookItem(w, forget), requestIds: [] });
  for (const p of w.policies) p.plan = w.limits.map((other) => ({ ...other }));
}

function newLimit(w: World): void {
  if (w.limits.length > 8) return;
  const limitId = `new${w.limits.length}`;
  const about = { kind: 'WINDOW', metric: 'COST', scopeType: 'MODEL', scopeId: 'm1' } as const;
  const fresh: SimLimit = { limitId, ...about, windowMs: 10_000, cap: 900n };
  w.limits.push(fresh);
  w.booked.push(fresh);
  const { forget } = w.catalog.limitChanged(limitId);
  w.books.push({ item: bookItem(w, forget), requestIds: [] });
  announce(w);
}

/** A record is corrected downwards. */
function correct(w: World): void {
  const settled = w.requests.filter(
    (r) => isAlive(w, r) && r.booked && w.catalog.records.get(r.id)?.mode === 'SETTLED',
  );
  const r = oneOf(w.random, settled);
  if (r === undefined) return;
  const change = r.spent.cost / 2n;
  const { forget } = w.catalog.adjust(r.id, -change);
  r.spent = { ...r.spent, cost: r.spent.cost - change };
  w.books.push({ item: bookItem(w, forget), requestIds: [] });
}

async function loseData(w: World): Promise<void> {
  await audit(w);
  note(w, w.snapshot === null ? 'redis is emptied' : 'redis is rolled back');
  if (w.snapshot === null) await w.bench.empty(w.shard);
  else {
    await w.bench.restore(w.shard, w.snapshot);
    await w.bench.raw('HSET', `{s${w.shard}}:meta`, 'run', 'the process before');
  }
  w.snapshot = null;
  w.lostAt = w.now;
  for (const r of w.requests) r.took = [];
  w.completeFrom = Number.POSITIVE_INFINITY;
  w.impairedUntil = w.now + 3_000;
}

function bookItem(w: World, forgetLimitIds: string[]) {
  const { lastSeq: position, rev } = w.catalog.state();
  return { shard: w.shard, epoch: w.epoch, position, rev, forgetLimitIds };
}

/** Draining, booking and sweeping. */
function background(w: World): void {
  const drainRound = async (): Promise<void> => {
    after(w, 60 + w.random.below(200), drainRound);
    await drainLedger(w);
  };
  const bookRound = async (): Promise<void> => {
    after(w, 5 + w.random.below(60), bookRound);
    await deliver(w);
  };
  const sweepRound = (): void => {
    after(w, 400, sweepRound);
    const p = livingPolicy(w);
    if (p !== undefined) inTurn(w, p, () => void sweep(w, p).catch(() => undefined));
  };
  const checkRound = async (): Promise<void> => {
    after(w, CHECKED_MS, checkRound);
    await checkCounters(w);
  };
  after(w, CHECKED_MS, checkRound);
  after(w, 100, drainRound);
  after(w, 100, bookRound);
  after(w, 100, sweepRound);
}

async function drainLedger(w: World): Promise<void> {
  const { lastSeq: prev } = w.catalog.state();
  const page = await w.store.readLedger(w.shard, prev, 200);
  const entries = page.entries.filter((e): e is LedgerEntry => !isBroken(e));
  const last = entries.at(-1)?.seq;
  if (last === undefined || page.gapBefore !== null) return;
  const reply = w.catalog.append(w.epoch, prev, last, entries);
  if (!reply.committed) return;
  for (const { requestId, late } of entries) {
    if (!late) w.entries.set(requestId, (w.entries.get(requestId) ?? 0) + 1);
  }
  const requestIds = entries.map(({ requestId }) => requestId);
  w.books.push({ item: bookItem(w, reply.forget), requestIds });
}

async function deliver(w: World): Promise<void> {
  const book = w.books.shift();
  if (book === undefined) return;
  const outcome = await script(w, () => w.store.book({ ...book.item, epoch: w.epoch }));
  if (outcome.kind === 'EPOCH') {
    w.books.unshift(book);
    return await follow(w, null);
  }
  const ids = new Set(book.requestIds);
  for (const r of w.requests) {
    if (ids.has(r.id)) r.toldAt ??= w.now;
    const { acked } = r;
    if (acked?.epoch === w.epoch && acked.seq > 0 && acked.seq <= outcome.booked) r.booked = true;
  }
}

async function comeToRest(w: World): Promise<void> {
  w.calm = true;
  for (const p of w.policies)
    Object.assign(p, { frozenUntil: 0, cutUntil: 0, edgeCutUntil: 0, olderUntil: 0 });
  for (const s of w.sessions.values()) s.fullUntil = 0;
  await deliver(w);
  await follow(w, null);
  await runUntil(w, w.now + 4_000);
  for (const r of w.requests) finish(w, r);
  await runUntil(w, w.now + 2 * LEASE_MS + 8_000);
}

async function compareAtRest(w: World): Promise<void> {
  const { bench, shard } = w;
  const keys = (await bench.raw('KEYS', `{s${shard}}:*`)) as string[];
  const left = keys.filter((key) => /:(?:f|j):|:floats$|:leases$/.test(key));
  if (left.length > 0) breach(w, `at rest there are ${left.join(', ')}`);
  for (const p of w.policies) if (p.floats.busy) breach(w, `${p.name} is not at rest`);
  const counters = await w.store.readCounters(shard, w.limits);
  for (const { limitId, held, settled, windowStartMs, windowEndMs } of counters) {
    if (held !== 0n) breach(w, `${limitId} holds ${held} at rest`);
    const one = limitOf(w, limitId);
    if (!isWindowed(one) || settled === null) continue;
    const booked = w.catalog.total(one, windowStartMs, windowEndMs);
    if (settled !== booked) breach(w, `${limitId}: ${settled} are settled, ${booked} booked`);
  }
  for (const r of w.requests.filter((one) => isAlive(w, one))) {
    const record = w.catalog.records.get(r.id);
    const mode = r.state === 'ENDED' ? r.end?.mode : undefined;
    if (r.state === 'RUNNING' || r.state === 'ASKING') breach(w, `${r.id} is ${r.state} at rest`);
    const cost = mode === 'SETTLED' ? r.spent.cost : 0n;
    if (mode !== undefined && (record?.usage.COST ?? 0n) !== cost)
      breach(w, `${r.id} ${mode} at ${cost}, the record is ${record?.mode} ${record?.usage.COST}`);
    if (mode === 'SETTLED' && w.lostAt === 0 && w.entries.get(r.id) !== 1)
      breach(w, `${r.id} has ${w.entries.get(r.id)} entries`);
  }
}
