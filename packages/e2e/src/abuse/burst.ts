import { type ServerProcess, spawnServer } from '@tollgate/stack';

import { percentile } from '../faults/proof';
import { postHead } from './json-inputs';
import { type Seen, talk, withoutAdvice } from './client';
import { INPUT_TIMEOUT_MS } from './limits';
import type { World } from './world';

// `npm run abuse -- --burst`: ordinary calls, but far more at once than the gateway has room for, on a
// machine that is idle and on one that is not.

const CALLS = 900;
const AT_ONCE = 300;
const BUSY_LOOPS = 2;

export interface BurstResult {
  readonly busyLoops: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  readonly seconds: number;
  readonly breaches: readonly string[];
}

async function callOnce(world: World, signal: AbortSignal): Promise<Seen> {
  const body = '{"model":"chat","messages":[{"role":"user","content":"Hello there"}]}';
  const keys = `authorization: Bearer ${world.goodKey}\r\n`;
  const length = `content-length: ${String(body.length)}`;
  const head = postHead('/v1/chat/completions', keys, length);
  const [seen] = await talk({
    port: world.edge.layout.ports.edge,
    signal,
    say: async ({ send }) => {
      await send(head + body);
    },
  });
  return seen ?? { status: 0, code: 'none', ms: 0, retryAfter: false };
}

async function callAll(world: World): Promise<Seen[]> {
  const signal = AbortSignal.timeout(INPUT_TIMEOUT_MS);
  const seen: Seen[] = [];
  let left = CALLS;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      seen.push(await callOnce(world, signal));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return seen;
}

/** What is wrong with the answers to a burst. Pure. */
export function judgeBurst(seen: readonly Seen[]): string[] {
  const breaches = withoutAdvice(seen);
  const other = seen.filter(({ status }) => status !== 200 && status !== 503).length;
  if (other > 0) breaches.push(`${String(other)} calls got neither 200 nor 503`);
  return breaches;
}

async function burst(world: World, busyLoops: number): Promise<BurstResult> {
  const loops: ServerProcess[] = [];
  try {
    for (let n = 0; n < busyLoops; n += 1) {
      loops.push(await spawnServer(process.execPath, ['-e', 'for (;;);']));
    }
    const startedMs = performance.now();
    const seen = await callAll(world);
    const counts: Record<string, number> = {};
    for (const { status, code } of seen) {
      const said = `${status === 0 ? 'none' : String(status)} ${status === 200 ? '' : code}`.trim();
      counts[said] = (counts[said] ?? 0) + 1;
    }
    const waits = seen.map(({ ms }) => ms);
    return {
      busyLoops,
      counts,
      p50Ms: percentile(waits, 0.5),
      p99Ms: percentile(waits, 0.99),
      longestMs: Math.max(...waits),
      seconds: (performance.now() - startedMs) / 1_000,
      breaches: [...judgeBurst(seen), ...world.ended().map((name) => `${name} ended`)],
    };
  } finally {
    for (const loop of loops) await loop.stop('SIGKILL');
  }
}

/** The first of these meets an edge that is new, and slower for it. */
const BURSTS = [0, 0, BUSY_LOOPS] as const;

/** The bursts one after another, as they end. */
export async function* bursts(world: World): AsyncGenerator<BurstResult> {
  for (const busyLoops of BURSTS) yield await burst(world, busyLoops);
}

export function burstLines(result: BurstResult): string {
  const counts = Object.entries(result.counts).map(([said, count]) => `${String(count)} × ${said}`);
  const waits = [result.p50Ms, result.p99Ms, result.longestMs].map((ms) => ms.toFixed(0));
  const breaches = result.breaches.map((breach) => `  BREACH ${breach}\n`);
  return (
    `${String(CALLS)} calls, ${String(AT_ONCE)} at once, ${String(result.busyLoops)} busy loops: ` +
    `${counts.join(', ')}; p50 ${String(waits[0])}, p99 ${String(waits[1])}, ` +
    `max ${String(waits[2])} ms; ${result.seconds.toFixed(1)} s\n${breaches.join('')}`
  );
}
