import { withoutAdvice, type Seen } from './client';
import type { Input, Outcome } from './input';
import {
  GIVE_UP_AT_BYTES,
  INPUT_TIMEOUT_MS,
  MEMORY_EVERY_MS,
  MIB,
  OTHERS_PER_SECOND,
  ROW_MS,
  type Limits,
} from './limits';
import { watchMemory } from './memory';
import type { OthersReport } from './others-process';
import type { World } from './world';

// One input: its answers, and its effect on everything else.

export interface Row {
  readonly name: string;
  readonly answers: readonly Seen[];
  readonly others: OthersReport;
  /** The longest wait of any other caller or of the health probe. */
  readonly blockedMs: number;
  /** The edge's own event loop lag; undefined if the edge could not be asked. */
  readonly lagMs: number | undefined;
  readonly memoryBytes: number | undefined;
  /** Services that have ended. */
  readonly ended: readonly string[];
  readonly seconds: number;
  readonly breaches: readonly string[];
}

export type Measured = Omit<Row, 'breaches'>;

const LAG_TIMEOUT_MS = 5_000;
const LAG_LINE = /^nodejs_eventloop_lag_max_seconds\{[^}]*\} (\S+)$/m;

/** The longest lag since the last call. */
async function eventLoopLag(opsUrl: string): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(LAG_TIMEOUT_MS);
    const text = await (await fetch(`${opsUrl}/metrics`, { signal })).text();
    const seconds = Number(LAG_LINE.exec(text)?.[1] ?? Number.NaN);
    return Number.isFinite(seconds) ? seconds * 1_000 : undefined;
  } catch {
    return undefined;
  }
}

/** All breaches of a row. Pure. */
export function judge(row: Measured, limits: Limits, own: readonly string[] = []): string[] {
  const breaches = [...own];
  const { p99Ms, failed, asked } = row.others;
  if (asked < OTHERS_PER_SECOND) breaches.push(`only ${String(asked)} other requests were sent`);
  if (p99Ms > limits.othersP99Ms) {
    const most = `the limit is ${String(limits.othersP99Ms)} ms`;
    breaches.push(
      Number.isFinite(p99Ms)
        ? `other callers waited ${p99Ms.toFixed(0)} ms (p99); ${most}`
        : `${String(failed)} of ${String(asked)} requests of other callers failed`,
    );
  }
  if (row.memoryBytes !== undefined && row.memoryBytes > limits.memoryBytes) {
    const most = `the limit is ${(limits.memoryBytes / MIB).toFixed(0)} MiB`;
    breaches.push(`the edge took ${(row.memoryBytes / MIB).toFixed(0)} MiB; ${most}`);
  }
  for (const name of row.ended) breaches.push(`${name} ended`);
  const bugs = row.answers.filter(({ status }) => status === 500).length;
  if (bugs > 0) breaches.push(`${String(bugs)} × 500: the gateway blames itself`);
  return [...breaches, ...withoutAdvice(row.answers)];
}

export async function runInput(world: World, input: Input, limits: Limits): Promise<Row> {
  const startedMs = performance.now();
  const enough = new AbortController();
  const timer = setTimeout(() => enough.abort(), INPUT_TIMEOUT_MS);
  const memory = await watchMemory(world.edge.process().pid, MEMORY_EVERY_MS, (bytes) => {
    if (bytes > GIVE_UP_AT_BYTES) enough.abort();
  });
  await eventLoopLag(world.opsUrl);
  world.others.begin();
  try {
    const least = new Promise((resolve) => setTimeout(resolve, ROW_MS));
    const outcome: Outcome = await input.run(world.target(enough.signal));
    await least;
    const others = await world.others.end();
    const measured: Measured = {
      name: input.name,
      answers: outcome.answers,
      others,
      blockedMs: Math.max(others.longestMs, others.healthMs),
      lagMs: await eventLoopLag(world.opsUrl),
      memoryBytes: await memory.peak(),
      ended: world.ended(),
      seconds: (performance.now() - startedMs) / 1_000,
    };
    const row = { ...measured, breaches: judge(measured, limits, outcome.breaches) };
    // A restart makes the next input independent. Without a breach the edge keeps running, so that
    // slow growth adds up.
    if (row.breaches.length > 0) {
      await world.replaceEdge();
      await warmUp(world);
    }
    return row;
  } finally {
    clearTimeout(timer);
    memory.stop();
  }
}

/** Requests are slower while the edge is new. */
export async function warmUp(world: World): Promise<void> {
  world.others.begin();
  await new Promise((resolve) => setTimeout(resolve, ROW_MS));
  await world.others.end();
}
