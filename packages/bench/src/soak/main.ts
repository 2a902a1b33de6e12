import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openHeap, WITH_INSPECTOR, type Heap, type HeapUse } from '@tollgate/stack';

import { measure } from '../gateway/measure';
import { SCENARIOS, STREAM, TRANSLATED, UNARY } from '../gateway/scenarios';
import { startUpstream } from '../gateway/target';
import { startTollgate, type Tollgate } from '../gateway/tollgate';
import { undoing } from '../undoing';
import { leaveStreams } from './cuts';
import { grows, slopeOf, type Point } from './slope';

/**
 * `npm run soak`: a whole gateway under mixed load; between rounds, the heap of each process after
 * a full collection. Fails when one of them is shown to grow.
 */

const HELP = `npm run soak -- [options]

  --minutes <n>   of load (default 60)
  --every <n>     seconds of load between two looks at the heaps (default 30)
  --rate <n>      requests a second, a quarter of them streams (default 200)
  --floats <how>  on: policy decides from memory what it can, also at this rate; off (default on)
`;
/** During the first half caches fill and code is compiled. */
const WARM_UP = 0.5;
/** Allowed growth in megabytes per hour: twelve per day. */
const LET_PASS = 0.5;
const PARTS = ['heap', 'code', 'external'] as const satisfies readonly (keyof HeapUse)[];
/** Code is part of the heap and is reported to explain it. */
const JUDGED = new Set<keyof HeapUse>(['heap', 'external']);
const LEFT_EVERY_MS = 200;
const MB = 2 ** 20;
const HOUR_MS = 3_600_000;

/** Load, database and services share one machine: a slow answer is no unreachable dependency. */
const PATIENT = {
  REDIS_DEADLINE_MS: '10000',
  CATALOG_DEADLINE_MS: '10000',
  POLICY_DEADLINE_MS: '55000',
  POLICY_QUEUE_MS: '60000',
} as const;
/** Deciding from memory allows no longer deadline of an item. */
const DECIDED = {
  on: { FLOATS: 'on', FLOATS_FROM_RPS: '0', ITEM_DEADLINE_MS: '1250' },
  off: { FLOATS: 'off', ITEM_DEADLINE_MS: '50000' },
} as const;

const say = (line: string): void => console.log(new Date().toISOString().slice(11, 19), line);

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      every: { type: 'string', default: '30' },
      rate: { type: 'string', default: '200' },
      floats: { type: 'string', default: 'on' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const minutes = within('--minutes', values.minutes, 600);
  const load = {
    seconds: within('--every', values.every, 600),
    rate: within('--rate', values.rate, 100_000),
  };
  const { floats } = values;
  if (floats !== 'on' && floats !== 'off')
    throw new RangeError(`--floats: on or off, not ${floats}`);
  return await undoing(async (undo) => {
    const dir = await mkdtemp(join(tmpdir(), 'tollgate-soak-'));
    undo.push(() => rm(dir, { recursive: true, force: true }));
    const upstream = await startUpstream(undo);
    const tollgate = await startTollgate(
      {
        dir,
        upstreamUrl: upstream.url,
        keys: 100,
        env: { ...PATIENT, ...DECIDED[floats], ...WITH_INSPECTOR },
      },
      undo,
    );
    return await soak(tollgate, minutes, load);
  });
}

interface Series {
  readonly process: string;
  readonly part: keyof HeapUse;
  readonly points: Point[];
}

interface Load {
  readonly seconds: number;
  /** Requests per second. */
  readonly rate: number;
}

async function soak(tollgate: Tollgate, minutes: number, asked: Load): Promise<number> {
  const heaps = await openHeaps(tollgate);
  const series: Series[] = [...heaps.keys()].flatMap((process) =>
    PARTS.map((part) => ({ process, part, points: [] })),
  );
  let unexpected = 0;
  const startMs = performance.now();
  const elapsedMs = (): number => performance.now() - startMs;
  while (elapsedMs() < minutes * 60_000) {
    const { load, failures } = await loadFor(tollgate, asked);
    unexpected += failures;
    const atMs = elapsedMs();
    const sizes: string[] = [];
    for (const [name, heap] of heaps) {
      const used = await heap.used();
      if (atMs >= minutes * 60_000 * WARM_UP) {
        for (const { process, part, points } of series) {
          if (process === name) points.push({ x: atMs / HOUR_MS, y: used[part] / MB });
        }
      }
      const [heapMb, ...others] = PARTS.map((part) => (used[part] / MB).toFixed(2));
      sizes.push(`${name} ${heapMb ?? ''} MB (${others.join(', ')})`);
    }
    say(`${load} · ${sizes.join(' · ')}`);
  }
  for (const heap of heaps.values()) heap.close();
  say(`${String(await decidedFromMemory(tollgate))} requests decided from memory`);
  if (unexpected > 0) say(`${String(unexpected)} answers were not what was to be expected`);
  return judged(series) || Number(unexpected > 0);
}

function judged(series: readonly Series[]): number {
  let failed = 0;
  for (const { process, part, points } of series) {
    const slope = slopeOf(points);
    const bad = grows(slope, LET_PASS);
    if (bad && JUDGED.has(part)) failed = 1;
    const { perUnit, halfWidth } = slope;
    say(
      `${process}, ${part}: ${perUnit.toFixed(2)} ± ${halfWidth.toFixed(2)} MB an hour ` +
        `over ${String(points.length)} looks: ${bad ? 'GROWS' : 'does not grow'}`,
    );
  }
  return failed;
}

/** As policy counts them; nothing is counted without floats. */
async function decidedFromMemory({ policyHttpUrl }: Tollgate): Promise<number> {
  const text = await (await fetch(`${policyHttpUrl}/metrics`)).text();
  return Number(/^tollgate_floats_decided_total\S* (\d+)$/m.exec(text)?.[1] ?? 0);
}

async function openHeaps({ logs }: Tollgate): Promise<Map<string, Heap>> {
  const heaps = new Map<string, Heap>();
  for (const [name, path] of Object.entries(logs)) heaps.set(name, await openHeap(path));
  return heaps;
}

/** All kinds of requests at once: short, streamed, aborted, translated and refused. */
async function loadFor(
  tollgate: Tollgate,
  { seconds, rate }: Load,
): Promise<{ load: string; failures: number }> {
  const refused = SCENARIOS.filter(({ keys }) => keys !== undefined);
  const shares = [
    { scenario: { ...UNARY, keys: 100 }, share: 0.55 },
    { scenario: STREAM, share: 0.15 },
    { scenario: TRANSLATED, share: 0.1 },
    ...refused.map((scenario) => ({ scenario, share: 0.2 / refused.length })),
  ];
  const [left, ...measured] = await Promise.all([
    leaveStreams(tollgate, { seconds, everyMs: LEFT_EVERY_MS }),
    ...shares.map(({ scenario, share }) =>
      measure(scenario, tollgate, { seconds, perSecond: rate * share, connections: 32 }),
    ),
  ]);
  let failures = 0;
  for (const { scenario, failures: all } of measured) {
    for (const [why, times] of Object.entries(all)) {
      say(`${scenario}: ${String(times)} × ${why}`);
      failures += times;
    }
  }
  const requests = measured.reduce((sum, one) => sum + one.requests, 0);
  return { load: `${String(requests)} requests, ${String(left)} left`, failures };
}

function within(name: string, text: string, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new RangeError(`${name}: a whole number from 1 to ${String(most)}, not ${text}`);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error instanceof RangeError ? error.message : error);
    process.exitCode = 2;
  },
);
