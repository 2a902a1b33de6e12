// What an answer is made with beside the model: searches of the web, which are billed by the piece and
// whose results are input, and runs of code, which are billed by their container.

import type { Directives } from './directives';
import { countOf } from './json';
import type { InputCount } from './tokens';

export const TOKENS_PER_SEARCH = 500;

/** One, or as many as the directive says; never more than the request allows. */
export function searchesFor(wanted: boolean, directives: Directives, bound?: unknown): number {
  if (!wanted) return 0;
  return Math.min(directives.searches ?? 1, countOf(bound) ?? Number.MAX_SAFE_INTEGER);
}

/** The input with what was found. A search that was not asked for by number finds nothing long. */
export function withFound(count: InputCount, searches: number, directives: Directives): InputCount {
  if (directives.searches === undefined) return count;
  return { ...count, text: count.text + searches * TOKENS_PER_SEARCH };
}

/** None, or as many as the directive says. */
export function runsFor(wanted: boolean, { runs = 0 }: Directives, bound?: unknown): number {
  return wanted ? Math.min(runs, countOf(bound) ?? Number.MAX_SAFE_INTEGER) : 0;
}

export interface ToolUnits {
  webSearches?: number;
  codeContainers?: number;
}

/** All runs of one answer share a container. */
export function toolUnits(searches: number, runs = 0): ToolUnits {
  return {
    ...(searches > 0 ? { webSearches: searches } : {}),
    ...(runs > 0 ? { codeContainers: 1 } : {}),
  };
}
