import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { type Used, usedBy } from './accounting';
import type { Job, Outcome } from './job';
import type { Scenario } from './scenarios';
import type { Target } from './target';
import type { Tollgate } from './tollgate';

const run = promisify(execFile);

export interface Run {
  readonly seconds: number;
  /** Open loop with so many requests a second; closed loop without. */
  readonly perSecond?: number;
  readonly connections?: number;
  /** Called while the load runs, half-way through. */
  readonly meanwhile?: () => void;
}

export interface Measured extends Outcome {
  readonly scenario: string;
  readonly target: string;
  readonly perSecond: number;
  /** Microseconds of CPU time per request, by process. */
  readonly cpuUs: Readonly<Record<string, number>>;
  /** Highest resident memory so far, bytes, by process. */
  readonly peakRss: Readonly<Record<string, number>>;
}

/** Loads one target with one scenario, from a process of its own. */
export async function measure(
  scenario: Scenario,
  target: Target,
  { seconds, perSecond, connections, meanwhile }: Run,
): Promise<Measured> {
  const job: Job = {
    url: `${target.url}${scenario.path}`,
    headers: { 'content-type': 'application/json', ...target.headers, ...scenario.headers },
    body: scenario.body,
    expect: scenario.expect,
    connections: connections ?? scenario.connections,
    seconds,
    ...tokensFor(scenario, target),
    ...(perSecond === undefined ? {} : { perSecond }),
  };
  const before = used(target);
  const half = setTimeout(() => meanwhile?.(), seconds * 500);
  const outcome = await generate(job);
  clearTimeout(half);
  const after = used(target);
  return {
    ...outcome,
    scenario: scenario.name,
    target: target.name,
    perSecond: (outcome.requests / outcome.elapsedMs) * 1_000,
    cpuUs: byProcess(target, (name) => {
      const ms = (after[name]?.cpuMs ?? 0) - (before[name]?.cpuMs ?? 0);
      return (ms * 1_000) / Math.max(1, outcome.requests);
    }),
    peakRss: byProcess(target, (name) => after[name]?.peakRss ?? 0),
  };
}

export function used(target: Target): Record<string, Used> {
  return Object.fromEntries(Object.entries(target.pids).map(([name, pid]) => [name, usedBy(pid)]));
}

function byProcess(target: Target, value: (name: string) => number): Record<string, number> {
  return Object.fromEntries(Object.keys(target.pids).map((name) => [name, value(name)]));
}

function tokensFor({ keys }: Scenario, target: Target): { tokens?: readonly string[] } {
  if (keys === undefined) return {};
  if (keys === 'unknown') return { tokens: [`tg_${'x'.repeat(43)}`] };
  const { poorKey, keys: all } = target as Tollgate;
  return { tokens: keys === 'poor' ? [poorKey] : all.slice(0, keys) };
}

async function generate(job: Job): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  try {
    const file = join(folder, 'job.json');
    await writeFile(file, JSON.stringify(job));
    const { stdout } = await run(process.execPath, [join(__dirname, 'generator.js'), file]);
    return JSON.parse(stdout) as Outcome;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The middle one by what `of` says; the lower of the two in the middle of an even number. */
export function median<T>(list: readonly T[], of: (item: T) => number): T {
  const sorted = list.toSorted((a, b) => of(a) - of(b));
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new RangeError('median of nothing');
  return middle;
}
