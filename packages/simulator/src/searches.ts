// Server tools used for an answer: web searches, which are billed by the search and whose results
// count as input, and code runs, which are billed by the container.

import type { Directives } from './directives';
import { countOf } from './json';
import type { InputCount } from './tokens';

export const TOKENS_PER_SEARCH = 500;

/** One search, or as many as the directive says; never more than the request allows. */
export function searchesFor(wanted: boolean, directives: Directives, bound?: unknown): number {
  if (!wanted) return 0;
  return Math.min(directives.searches ?? 1, countOf(bound) ?? Number.MAX_SAFE_INTEGER);
}

/** The input with the search results. Only searches requested by number return long results. */
export function withFound(count: InputCount, searches: number, directives: Directives): InputCount {
  if (directives.searches === undefined) return count;
  return { ...count, text: count.text + searches * TOKENS_PER_SEARCH };
}

/** No run, or as many as the directive says. */
export function runsFor(wanted: boolean, { runs = 0 }: Directives, bound?: unknown): number {
  return wanted ? Math.min(runs, countOf(bound) ?? Number.MAX_SAFE_INTEGER) : 0;
}

export interface ToolUnits {
  webSearches?: number;
  codeContainers?: number;
}

/** All code runs of one answer share a container. */
export function toolUnits(searches: number, runs = 0): ToolUnits {
  return {
    ...(searches > 0 ? { webSearches: searches } : {}),
    ...(runs > 0 ? { codeContainers: 1 } : {}),
  };
}
