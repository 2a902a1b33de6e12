import type { Query } from '@tanstack/react-query';

import { mayPass } from '../api/queries';

/** A read that takes longer raises the question whether the catalog answers at all. */
export const SLOW_MS = 2_500;

/**
 * Finds the reads of the page that failed in a way that can pass, or that take long. `began` keeps when each
 * running read was first seen.
 */
export function stuckReads(
  reads: readonly Query[],
  began: Map<string, number>,
  nowMs: number,
): readonly Query[] {
  const running = new Set<string>();
  const stuck = reads.filter((read) => {
    const { fetchStatus, fetchFailureReason, error } = read.state;
    const failure = fetchFailureReason ?? error;
    if (fetchStatus === 'idle') return failure !== null && mayPass(failure);
    running.add(read.queryHash);
    const sinceMs = began.get(read.queryHash) ?? nowMs;
    began.set(read.queryHash, sinceMs);
    return (failure !== null && mayPass(failure)) || nowMs - sinceMs >= SLOW_MS;
  });
  for (const hash of began.keys()) if (!running.has(hash)) began.delete(hash);
  return stuck;
}
