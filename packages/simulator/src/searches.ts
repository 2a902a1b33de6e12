// Searches of the web that an answer is made with, where its request has a tool for them. They are
// billed by the piece, and what they find is input.

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

export function searchUnits(searches: number): { webSearches?: number } {
  return searches > 0 ? { webSearches: searches } : {};
}
