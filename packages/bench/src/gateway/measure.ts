import { fork, type ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { join } from 'node:path';

import { createRandom } from '../random';
import { usedBy, type Used } from './accounting';
import type { Job, Outcome } from './job';
import { FRESH_KEYS, type Scenario } from './scenarios';
import type { Target } from './target';
import { GROWN, type Grown } from './tenant';
import type { Tollgate } from './tollgate';
import { runWrk } from './wrk';

export interface Run {
  readonly seconds: number;
  /** Open loop with this many requests per second; closed loop without. */
  readonly perSecond?: number;
  readonly connections?: number;
  /** Duration of a warm-up of the same kind, which is not measured; not with wrk. */
  readonly warmUpSeconds?: number;
  /** Every key is sent once, and the load ends with the last one. */
  readonly once?: boolean;
  /** Closed loops of whole answers use wrk. */
  readonly wrk?: boolean;
  /** Called halfway through the load. */
  readonly meanwhile?: () => void;
}

export interface Measured extends Outcome {
  readonly scenario: string;
  readonly target: string;
  readonly perSecond: number;
  /** Microseconds of CPU time per request, by process. */
  readonly cpuUs: Readonly<Record<string, number>>;
  /** Peak resident memory so far, bytes, by process. */
  readonly peakRss: Readonly<Record<string, number>>;
}

/** Loads one target with one scenario, from a separate process. */
export async function measure(
  scenario: Scenario,
  target: Target,
  { seconds, perSecond, connections, warmUpSeconds, wrk = false, once = false, meanwhile }: Run,
): Promise<Measured> {
  const job: Job = {
    url: `${target.url}${scenario.path}`,
    headers: { 'content-type': 'application/json', ...target.headers, ...scenario.headers },
    body: target.bodyOf?.(scenario.body) ?? scenario.body,
    expect: scenario.expect,
    connections: connections ?? scenario.connections,
    seconds,
    ...tokensFor(scenario, target),
    ...(once ? { once } : {}),
    ...(perSecond === undefined ? {} : { perSecond }),
    ...(warmUpSeconds === undefined ? {} : { warmUpSeconds }),
  };
  let before: Record<string, Used> = {};
  let half: NodeJS.Timeout | undefined;
  const begin = (): void => {
    before = used(target);
    half = setTimeout(() => meanwhile?.(), seconds * 500);
  };
  // wrk aborts running requests at the end: negligible for answers, but much of a stream.
  const byWrk = wrk && perSecond === undefined && !job.once && scenario.chunks === undefined;
  if (byWrk) begin();
  const outcome = await (byWrk ? runWrk(job) : generate(job, begin));
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

function tokensFor({ keys }: Scenario, target: Target): Pick<Job, 'tokens' | 'once'> {
  if (keys === undefined) return {};
  if (keys === 'unknown') return { tokens: [`tg_${'x'.repeat(43)}`] };
  const { poorKey, keys: all, freshKeys, grown } = target as Tollgate;
  if (keys === 'poor') return { tokens: [poorKey] };
  if (keys === 'fresh') return { tokens: freshKeys(FRESH_KEYS), once: true };
  if (isGrown(keys)) return { tokens: grown[keys] };
  return { tokens: skewed(all.slice(0, keys)) };
}

const isGrown = (keys: string | number): keys is Grown => keys in GROWN;

/** As many draws as keys; the n-th key is about n times as rare as the first. */
export function skewed(keys: readonly string[]): string[] {
  const random = createRandom(keys.length);
  // The logarithm of the rank is uniform, so the rank is drawn as its reciprocal.
  return keys.map(() => keys[Math.floor((keys.length + 1) ** random.next()) - 1] ?? '');
}

/** Runs a job in a separate process; `onWarm` is called right before the measurement. */
function generate(job: Job, onWarm: () => void): Promise<Outcome> {
  const child = fork(join(__dirname, 'generator.js'));
  child.send(job);
  return outcomeOf(child, onWarm);
}

/** What a generator reports; rejects when it ends without a report. */
export function outcomeOf(
  child: EventEmitter & Pick<ChildProcess, 'send'>,
  onWarm: () => void,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    child.on('message', (said: 'warm' | Outcome) => {
      if (said !== 'warm') {
        resolve(said);
        return;
      }
      onWarm();
      child.send('begin');
    });
    child.once('error', reject);
    // Its last message may come after `exit` when several children end at once, but not after `close`.
    child.once('close', (code: number | null, signal: string | null) =>
      reject(new Error(`the generator ended with ${String(signal ?? code)}`)),
    );
  });
}

/** The median by `of`; of an even number the lower of the two in the middle. */
export function median<T>(list: readonly T[], of: (item: T) => number): T {
  const sorted = list.toSorted((a, b) => of(a) - of(b));
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new RangeError('median of nothing');
  return middle;
}
