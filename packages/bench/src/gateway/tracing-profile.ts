// What tracing takes of one edge, by V8's profiler and the kernel: too little to be the difference of two edges.

import { threadsOf } from './accounting';
import { partsOf, profileDuring } from './cpu-profile';
import type { Measured } from './measure';
import type { Target } from './target';

/** Files whose time is tracing's, in the edge and in what it imports. */
const isTracing = (url: string): boolean => /\/tracing\/|\/request-trace\.js$/.test(url);
/** Names of the event loop's thread, by Node, and of the one that sends spans (`packages/kit/src/tracing/exporter.ts`). */
const [LOOP_THREAD, SENDING_THREAD] = ['MainThread', 'spans'];

/**
 * What tracing takes of an edge per request, µs, by function: the part that the profiler finds in its files, of what the
 * event loop takes, and the thread that sends. Processes without any tracing differ by more than that from each other.
 */
export async function profileTracing(
  target: Target | undefined,
  inspectorPort: number,
  run: () => Promise<Measured>,
): Promise<ReadonlyMap<string, number>> {
  const pid = target?.pids['edge'] ?? 0;
  const before = threadsOf(pid);
  let measured: Measured | undefined;
  const profile = await profileDuring(inspectorPort, async () => {
    measured = await run();
  });
  const after = threadsOf(pid);
  // The profiler has a thread of its own, which does not count.
  const spent = (name: string): number => {
    const us = after.get(name);
    if (us === undefined) throw new Error(`the edge has no thread ${name}`);
    return us - (before.get(name) ?? 0);
  };
  if (!measured) throw new Error('nothing was measured');
  const { requests } = measured;
  const parts = [...partsOf(profile, isTracing)].toSorted(([, a], [, b]) => b - a);
  return new Map([
    ...parts.map(([name, part]) => [name, (part * spent(LOOP_THREAD)) / requests] as const),
    ['the sending thread', spent(SENDING_THREAD) / requests],
  ]);
}
