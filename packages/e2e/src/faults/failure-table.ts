import { billOf } from '../gateway/books';
import { chat, eventually, newTenant, type Tenant } from '../gateway/tenant';
import { budgetOf } from './budget';
import { CELLS, type Cell } from './cells';
import { ended } from './counter';
import { startLoad, type Load } from './load';
import { pause } from './pause';
import { ms, percentile, type Finding, type Proof } from './proof';
import { seeded } from './random';
import { judge, readBooks } from './referee';
import { upstreamAway } from './upstream-away';
import type { World } from './world';

// The outcome of requests while a dependency is away, row by row: new ones, running ones, the
// booked amounts, and the health checks.

/** The number of streams that run during the failure, on each edge. */
const RUNNING = 4;
const AWAY_MS = 3_000;
const SHORT_AWAY_MS = 500;
const PROBES = 20;
const GAP_MS = 10;
/** The grace after data loss (OPEN_GRACE_MS), doubled for detection and opening. */
const GRACE_MS = 2_000 + 2_000;
/** The maximum duration of an answer that waits only for this machine. */
const AT_ONCE_MS = 100;

export const failureTable: Proof = {
  name: 'the failure table, cell by cell',
  run: async function* run(world, { short, seed }) {
    for (const cell of CELLS.filter((one) => one.short === true || !short)) {
      yield await runCell(world, cell, short, seed);
    }
    yield await upstreamAway(world);
  },
};

interface Probe {
  readonly status: number;
  readonly code: string;
  readonly dependency: string;
  readonly ms: number;
  readonly atMs: number;
}

async function runCell(world: World, cell: Cell, short: boolean, seed: number): Promise<Finding> {
  const { floats } = world;
  const tokens = short ? 60 : 150;
  const tenant = await newTenant(world, { upstreamModel: 'sim-tokens-1' });
  const slow = await tenant.model('slow', `sim-tokens-${String(tokens)}.pace-20`);
  const { key } = await tenant.key({ modelIds: [tenant.modelId, slow] });
  const budget = await budgetOf(world, tenant, key, { affords: 1_000_000, tokens: 1 });
  const urls = world.edgeUrls.filter((_, n) => n !== cell.edge);
  const before = await probes(urls, key, () => false);
  const load = startLoad({
    urls: world.edgeUrls,
    key,
    model: 'slow',
    maxTokens: tokens,
    callers: RUNNING * world.edgeUrls.length,
    each: 1,
    streamed: 1,
    givenUp: 0,
    random: seeded(seed),
  });
  await eventually('the streams have begun', async () => load.begun() === load.callers);
  await cell.begin(world);
  const beganMs = performance.now();
  let over = false;
  const during = probes(urls, key, () => !over);
  const [says, finished] = await Promise.all([
    health(world, cell, urls),
    load.finished,
    pause(short ? SHORT_AWAY_MS : AWAY_MS),
  ]);
  over = true;
  const seen = await during;
  await world.repair();
  const held = await ended(world, tenant, budget.id);
  const breaches = [
    ...freshBreaches(cell, floats ? afterMemory(seen, beganMs) : seen, beganMs, short),
    ...runningBreaches(cell, finished),
    ...says,
  ];
  const money = await moneyOf(world, tenant, load, held, cell);
  return {
    name: `failure: ${cell.name}`,
    figures: {
      new: tally(seen),
      ...latency(before, seen),
      running: `${finished.filter(({ complete }) => complete).length}/${finished.length} whole`,
      healthz: cell.out.join('+') || 'ok',
      ...money.figures,
    },
    breaches: [...breaches, ...money.breaches],
  };
}

/** Requests through every edge in turn: at least this number, and for the whole duration. */
async function probes(
  urls: readonly string[],
  key: string,
  lasting: () => boolean,
): Promise<readonly Probe[]> {
  const seen: Probe[] = [];
  while (seen.length < PROBES || lasting()) {
    const atMs = performance.now();
    const answer = await chat(urls[seen.length % urls.length] ?? '', key, { max_tokens: 1 });
    const { error } = answer.data as {
      error?: { code?: string; details?: { dependency?: string } };
    };
    seen.push({
      status: answer.status,
      code: error?.code ?? '',
      dependency: error?.details?.dependency ?? '',
      ms: performance.now() - atMs,
      atMs,
    });
    await pause(GAP_MS);
  }
  return seen;
}

/** A policy with floats decides from memory for 100 ms after its last answer of Redis. */
const FROM_MEMORY_MS = 150;

const afterMemory = (seen: readonly Probe[], beganMs: number): readonly Probe[] =>
  seen.filter(({ status, atMs }) => status !== 200 || atMs - beganMs > FROM_MEMORY_MS);

function freshBreaches(
  cell: Cell,
  seen: readonly Probe[],
  beganMs: number,
  short: boolean,
): string[] {
  const breaches: string[] = [];
  const wrong = seen.filter(
    ({ status, code }) => status !== 200 && (status !== 503 || code !== 'dependency_unavailable'),
  );
  for (const { status, code } of wrong.slice(0, 1)) {
    breaches.push(`${wrong.length} new requests answered ${status} ${code}`);
  }
  const served = seen.filter(({ status }) => status === 200);
  const away = seen.filter(({ status }) => status === 503);
  if (cell.fresh === 'served' && away.length > 0) {
    breaches.push(`${away.length} new requests refused: ${tally(seen)}`);
  }
  if (cell.fresh === 'refused' && served.length > 0) {
    breaches.push(`${served.length} new requests served without it`);
  }
  if (cell.fresh === 'closed for the grace') {
    const last = away.at(-1);
    if (seen.at(-1)?.status !== 200) breaches.push('not served again after the grace');
    if (!short && last && last.atMs - beganMs > GRACE_MS) {
      breaches.push(`refused for ${ms(last.atMs - beganMs)}, longer than the grace`);
    }
  }
  if (short) return breaches;
  const slowest = Math.max(...seen.map((one) => one.ms));
  if (slowest > cell.withinMs) {
    breaches.push(`a new request took ${ms(slowest)} of ${ms(cell.withinMs)}`);
  }
  const p50 = percentile(
    away.map((one) => one.ms),
    0.5,
  );
  // The first requests detect the failure; later ones do not wait for it.
  if (cell.fresh === 'refused' && p50 > AT_ONCE_MS) {
    breaches.push(`refusals take ${ms(p50)}: nothing stops asking what does not answer`);
  }
  return breaches;
}

function runningBreaches(cell: Cell, finished: Load['answers']): string[] {
  const whole = finished.filter(({ complete }) => complete).length;
  const wanted = cell.edge === undefined ? finished.length : finished.length - RUNNING;
  return whole >= wanted ? [] : [`${whole} of ${wanted} running requests ended whole`];
}

/** Every edge reports the failure, and whether it serves. */
async function health(world: World, cell: Cell, urls: readonly string[]): Promise<string[]> {
  const breaches: string[] = [];
  for (const url of urls) {
    let said = '';
    const named = async (): Promise<boolean> => {
      const answer = await fetch(`${url}/v1/healthz`);
      const { checks } = (await answer.json()) as { checks: Record<string, { ok: boolean }> };
      const out = Object.keys(checks).filter((name) => checks[name]?.ok === false);
      said = `${answer.status} ${out.toSorted().join(' ')}`;
      return said === `${cell.out.length === 0 ? 200 : 503} ${cell.out.join(' ')}`;
    };
    await eventually('healthz', named, 60_000).catch(() => {
      breaches.push(`healthz says ${said}, not ${cell.out.join(' ')}`);
    });
    const { status } = await fetch(`${url}/v1/healthz?scope=serving`);
    if ((status === 200) !== cell.serving) breaches.push(`the edge's own readiness says ${status}`);
  }
  return breaches;
}

function tally(seen: readonly Probe[]): string {
  const counts = new Map<string, number>();
  for (const { status, dependency } of seen) {
    const what = dependency === '' ? String(status) : `${status} (${dependency})`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, times]) => `${times} × ${what}`).join(' ');
}

function latency(before: readonly Probe[], during: readonly Probe[]): Record<string, string> {
  const usual = percentile(
    before.map((one) => one.ms),
    0.5,
  );
  const times = during.map((one) => one.ms);
  return {
    usually: ms(usual),
    'added p50': ms(Math.max(0, percentile(times, 0.5) - usual)),
    'added most': ms(Math.max(0, Math.max(...times) - usual)),
  };
}

interface Money {
  readonly figures: Record<string, string>;
  readonly breaches: readonly string[];
}

async function moneyOf(
  world: World,
  tenant: Tenant,
  load: Pick<Load, 'answers'>,
  held: number,
  cell: Cell,
): Promise<Money> {
  const verified = await world.verify();
  const books = await readBooks(world.pool, tenant.id);
  const judged = judge(load.answers, books, await billOf(world, tenant));
  const { lost, duplicates, differing, abandoned, differenceNanoUsd } = judged;
  const breaches = [...verified.breaches];
  if (held !== 0) breaches.push(`${held} nano-USD held after every lease`);
  if (lost > 0) breaches.push(`${lost} lost: ${judged.lostIds.join(' ')}`);
  if (duplicates > 0) breaches.push(`${duplicates} booked twice`);
  if (differing > 0) breaches.push(`books less bill: ${differenceNanoUsd} nano-USD`);
  if (cell.edge === undefined && abandoned > 0) breaches.push(`${abandoned} abandoned`);
  return {
    figures: { lost: String(lost), twice: String(duplicates), abandoned: String(abandoned) },
    breaches,
  };
}
