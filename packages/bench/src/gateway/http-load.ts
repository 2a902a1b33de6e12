import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';

import { Pool } from 'undici';

import type { Job, Outcome, Quantiles } from './job';

/**
 * Open loop: requests begin at times that are fixed beforehand, whether earlier ones have been answered
 * or not, and a latency counts from the time at which its request was to begin. A server that stalls
 * is thereby charged with everybody who would have waited. Closed loop: every connection sends its
 * next request when the last is answered.
 */
export async function runJob(job: Job): Promise<Outcome> {
  const load = new Load(job);
  try {
    const startedMs = performance.now();
    if (job.perSecond === undefined) await load.closed(job.seconds);
    else await load.open(job.seconds, job.perSecond);
    return load.outcome(performance.now() - startedMs);
  } finally {
    await load.stop();
  }
}

class Load {
  private readonly pool: Pool;
  private readonly path: string;
  private readonly tokens: readonly string[];
  private readonly total = histogram();
  private readonly first = histogram();
  private sent = 0;
  private ok = 0;
  private readonly failures = new Map<string, number>();

  constructor(private readonly job: Job) {
    const url = new URL(job.url);
    this.pool = new Pool(url.origin, {
      connections: job.connections,
      pipelining: 1,
      headersTimeout: 60_000,
      bodyTimeout: 60_000,
    });
    this.path = url.pathname;
    this.tokens = job.tokens ?? [];
  }

  /** One request; its latency counts from `intendedMs` on the clock of `performance`. */
  async call(intendedMs: number): Promise<void> {
    const { headers, body, expect } = this.job;
    const token = this.tokens[this.sent % this.tokens.length];
    this.sent += 1;
    try {
      const answer = await this.pool.request({
        path: this.path,
        method: 'POST',
        headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
        body,
      });
      let begun = false;
      for await (const _part of answer.body) {
        if (!begun) this.record(this.first, intendedMs);
        begun = true;
      }
      if (answer.statusCode === expect) {
        this.ok += 1;
        this.record(this.total, intendedMs);
      } else this.fail(`status ${String(answer.statusCode)}`);
    } catch (error) {
      this.fail((error as { code?: string }).code ?? String(error));
    }
  }

  private record(into: RecordableHistogram, intendedMs: number): void {
    into.record(Math.max(1, Math.round((performance.now() - intendedMs) * 1_000)));
  }

  private fail(why: string): void {
    this.failures.set(why, (this.failures.get(why) ?? 0) + 1);
  }

  async closed(seconds: number): Promise<void> {
    const untilMs = performance.now() + seconds * 1_000;
    const one = async (): Promise<void> => {
      while (performance.now() < untilMs && !this.spent()) await this.call(performance.now());
    };
    await Promise.all(Array.from({ length: this.job.connections }, one));
  }

  private spent(): boolean {
    return this.job.once === true && this.sent >= this.tokens.length;
  }

  async open(seconds: number, perSecond: number): Promise<void> {
    const count = Math.round(seconds * perSecond);
    const calls: Promise<void>[] = [];
    const pacer = startPacer(count, 1_000 / perSecond);
    await new Promise<void>((resolve, reject) => {
      pacer.on('error', reject);
      pacer.on('message', (sinceEpochMs: number) => {
        calls.push(this.call(sinceEpochMs - performance.timeOrigin));
        if (calls.length === count) resolve();
      });
    });
    await Promise.all(calls);
    await pacer.terminate();
  }

  outcome(elapsedMs: number): Outcome {
    return {
      elapsedMs,
      requests: this.ok,
      failures: Object.fromEntries(this.failures),
      totalUs: quantiles(this.total),
      firstUs: quantiles(this.first),
    };
  }

  async stop(): Promise<void> {
    await this.pool.destroy();
  }
}

const histogram = (): RecordableHistogram =>
  createHistogram({ lowest: 1, highest: 600_000_000, figures: 3 });

function quantiles(from: RecordableHistogram): Quantiles {
  const at = (percent: number): number => (from.count === 0 ? 0 : from.percentile(percent));
  return { p50: at(50), p90: at(90), p99: at(99), p999: at(99.9) };
}

/**
 * A thread that wakes at each time and says which it was. A timer of the event loop is up to a
 * millisecond late, which would be most of the latency that is measured.
 */
function startPacer(count: number, everyMs: number): Worker {
  const program = `
    const { parentPort, workerData: { count, everyMs } } = require('node:worker_threads');
    const cell = new Int32Array(new SharedArrayBuffer(4));
    const now = () => performance.timeOrigin + performance.now();
    const start = now() + 100;
    for (let at = 0; at < count; at += 1) {
      const due = start + at * everyMs;
      const wait = due - now();
      if (wait > 0) Atomics.wait(cell, 0, 0, wait);
      parentPort.postMessage(due);
    }
    // The thread is ended by the one that has heard all.
    setInterval(() => undefined, 60_000);`;
  return new Worker(program, { eval: true, workerData: { count, everyMs } });
}
