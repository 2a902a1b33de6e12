// Searches of the web that a provider's own tool has made, which it bills beside the tokens.

import type { ReportedUnits, ReportedUsage } from './normalised';

/** Nothing where there were none. */
export function searchUnits(searches: number): { units?: ReportedUnits } {
  return searches > 0 ? { units: { web_search: searches } } : {};
}

/** The same usage with the searches beside its tokens. */
export function withSearches(
  usage: ReportedUsage | undefined,
  searches: number,
): ReportedUsage | undefined {
  return usage && { ...usage, ...searchUnits(searches) };
}
