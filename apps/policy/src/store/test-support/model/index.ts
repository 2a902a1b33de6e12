import type { Store } from '../..';
import { endedKey, floatKey, floatsKey, leasesKey, ledgerKey, metaKey } from '../../keys';
import type { Bench } from '../backends';
import { agree, compare, compareAtRest } from './compare';
import { lendStep, reclaimStep } from './floats';
import {
  arrive,
  changeLimit,
  correct,
  crashPolicy,
  deliver,
  drain,
  drainAll,
  readTotals,
  setTime,
  takeOver,
} from './policies';
import {
  abandonEarly,
  authorize,
  crashEdge,
  decide,
  extend,
  forgetEnded,
  grow,
  keysOf,
  orphan,
  resend,
  retry,
  sendClose,
  settle,
  sweep,
} from './requests';
import {
  createWorld,
  EDGES,
  GRACE_MS,
  LEASE_MS,
  START,
  type Run,
  type Step,
  type World,
} from './world';

// Plays random steps on the store and on its model, and compares both after every step.

export { run } from './world';
export { Disagreement } from './compare';
export { LEDGER_MAX, SCAN_MAX } from './shard';

/** Throws a Disagreement that lists every step so far. The shard is emptied before and after. */
export async function play(bench: Bench, store: Store, shard: number, drawn: Run): Promise<void> {
  const w = createWorld(bench, store, shard, drawn);
  try {
    await setTime(w, START);
    await recover(w, 0);
    for (const step of drawn.steps) {
      w.said.push(`- ${step.kind}`);
      await takeStep(w, step);
      // The next caller of a lost shard opens it again.
      if (step.c % 3 === 0) await recover(w, step.b);
      await compare(w);
    }
    await comeToRest(w);
    await compare(w);
    await compareAtRest(w);
  } finally {
    await wipe(w);
    await bench.raw('DEL', ...keysIn(w).map((key) => saved(key)));
  }
}

async function takeStep(w: World, step: Step): Promise<void> {
  const { a, b, c } = step;
  switch (step.kind) {
    case 'authorize':
      return await authorize(w, step);
    case 'retry':
      return await retry(w, step);
    case 'settle':
      return await settle(w, step);
    case 'resend':
      return await resend(w, step);
    case 'extend':
      return await extend(w, step);
    case 'sweep':
      return await sweep(w, c);
    case 'abandonEarly':
      return await abandonEarly(w, step);
    case 'orphan':
      return await orphan(w, step);
    case 'drain':
      return await drain(w, 1 + (b % 6));
    case 'deliver':
      return await deliver(w, step);
    case 'readTotals':
      w.seeds.push(readTotals(w, w.model.now() + (a % 5 === 0 ? (b % 3_000) - 1_500 : 0)));
      return;
    case 'arrive':
      return await arrive(w, step);
    case 'correct':
      return correct(w, step);
    case 'tick':
      return await setTime(w, w.model.now() + (a % 2_500));
    case 'longTick':
      await setTime(w, w.model.now() + longTime(step));
      return await forgetEnded(w);
    case 'changeLimit':
      return changeLimit(w, step);
    case 'crashEdge':
      return crashEdge(w, a % EDGES);
    case 'crashPolicy':
      return crashPolicy(w);
    case 'lend':
      return await lendStep(w, step);
    case 'reclaim':
      return await reclaimStep(w);
    default:
      return await misfortune(w, step);
  }
}

/** Past the edge of a minute, past some windows, or until ended holds are forgotten. */
function longTime({ a, b }: Step): number {
  if (a % 3 === 0) return 59_900 + 100 * (b % 4);
  return a % 3 === 1 ? 4_000 + (b % 40_000) : 121_000;
}

async function misfortune(w: World, { kind, b }: Step): Promise<void> {
  switch (kind) {
    case 'restart':
      w.model.restart();
      if (w.model.state().meta) await w.bench.raw('HSET', metaKey(w.shard), 'run', 'another');
      return;
    case 'empty':
      w.mayRepeat = true;
      w.model.empty();
      w.seen = 0;
      return await wipe(w);
    case 'snapshot':
      return await save(w);
    case 'rollBack':
      return await rollBack(w);
    default:
      return await recover(w, b);
  }
}

/**
 * A policy finds the shard lost: a new epoch, then the edges resend what they know in any order.
 */
async function recover(w: World, b: number): Promise<void> {
  const { meta, sameServer } = w.model.state();
  const { epoch: granted, lastSeq: position, rev } = w.catalog.state();
  if (meta && sameServer && meta.epoch === granted) return;
  const { epoch: newEpoch } = w.catalog.advanceEpoch(granted);
  const graceMs = newEpoch === 1 ? 0 : GRACE_MS;
  const item = { shard: w.shard, newEpoch, position, rev, graceMs };
  // A second policy finds out too, with older totals.
  for (const one of b % 2 === 0 ? [item, { ...item, position: 0, rev: 0 }] : [item]) {
    const expected = w.model.open(one);
    agree(w, 'open', expected, await w.store.open(one));
  }
  w.epoch = newEpoch;
  w.seen = 0;
  await tellAgain(w, position, b);
  if (b % 4 > 0) await setTime(w, w.model.now() + GRACE_MS);
}

async function tellAgain(w: World, booked: number, b: number): Promise<void> {
  const told = w.requests.filter(({ edge, end, settledSeq }) => {
    const sure = end !== null && settledSeq > 0 && settledSeq <= booked;
    return edge >= 0 && !sure;
  });
  const from = told.length === 0 ? 0 : b % told.length;
  const order = [...told.slice(from), ...told.slice(0, from)];
  for (const r of b % 3 === 0 ? order.reverse() : order) {
    if (r.end === null) await grow(w, r, 0n);
    else await sendClose(w, r);
  }
}

/** All requests end, leases expire, everything is booked. */
async function comeToRest(w: World): Promise<void> {
  w.said.push('- the end');
  await recover(w, 1);
  for (const [i, r] of w.requests.entries()) {
    if (r.edge >= 0 && r.end === null) decide(w, r, i);
    if (r.edge >= 0) await sendClose(w, r);
  }
  await setTime(w, w.model.now() + LEASE_MS);
  await sweep(w, 1);
  await reclaimStep(w);
  await drainAll(w);
  if (w.orphaned) await takeOver(w);
  while (w.seeds.length > 0) await arrive(w, { kind: 'arrive', a: 0, b: 0, c: 0 });
}

const keysIn = (w: World): string[] => [
  metaKey(w.shard),
  ledgerKey(w.shard),
  leasesKey(w.shard),
  endedKey(w.shard),
  floatsKey(w.shard),
  // Every float that a run may have had.
  ...[0, 1].flatMap((which) =>
    Array.from({ length: w.generations[which] ?? 1 }, (_, i) =>
      floatKey(w.shard, `p${String(which)}.${String(i + 1)}`),
    ),
  ),
  ...keysOf(w),
];
const saved = (key: string): string => `${key}:saved`;

async function wipe(w: World): Promise<void> {
  await w.bench.raw('DEL', ...keysIn(w));
}

async function save(w: World): Promise<void> {
  w.saved = w.model.snapshot();
  const keys = keysIn(w);
  await w.bench.raw('DEL', ...keys.map(saved));
  await Promise.all(keys.map((key) => w.bench.raw('COPY', key, saved(key), 'REPLACE')));
}

async function rollBack(w: World): Promise<void> {
  if (w.saved === null) return;
  w.mayRepeat = true;
  w.model.rollBack(w.saved);
  w.seen = 0;
  await wipe(w);
  await Promise.all(keysIn(w).map((key) => w.bench.raw('COPY', saved(key), key)));
  if (w.saved.meta) await w.bench.raw('HSET', metaKey(w.shard), 'run', 'another');
}
