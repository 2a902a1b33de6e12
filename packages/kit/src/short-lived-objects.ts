import { setFlagsFromString } from 'node:v8';

/**
 * V8 options for a process whose objects live as long as a request.
 *
 * - V8 makes objects among the old ones at once where most of those made by the same code have outlived a
 *   collection. While a heap is small, requests under way are most of what is in it, so it learns that of all
 *   that they are made of, and what such an old object holds stays until the next full collection.
 * - What outlives a young collection is little: to share that work among threads costs more than doing it.
 *
 * Decision 64 says when each can go.
 */
export const SHORT_LIVED_OBJECTS_FLAGS: readonly string[] = [
  '--no-allocation-site-pretenuring',
  '--no-parallel-scavenge',
];

/** Call before the first request. */
export function tuneForShortLivedObjects(): void {
  for (const flag of SHORT_LIVED_OBJECTS_FLAGS) setFlagsFromString(flag);
}
