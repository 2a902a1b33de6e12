import type { ResponseCacheResult, rest } from '@tollgate/contracts';

import type { Fact } from '../../design/facts';
import { showUsd } from '../../format/money';
import { showDuration } from '../../format/numbers';

export const CACHE_RESULTS: Readonly<Record<ResponseCacheResult, string>> = {
  HIT: 'Kept answer used',
  MISS: 'No kept answer found',
  BYPASS: 'Not used by the request',
};

export function cacheWords(result: string): string {
  return Object.hasOwn(CACHE_RESULTS, result)
    ? CACHE_RESULTS[result as ResponseCacheResult]
    : result;
}

type Cached = Pick<rest.UsageRecord, 'cachedAgeSeconds' | 'cachedCostUsd' | 'responseCache'>;

/** What a request had to do with the response cache; nothing without one. */
export function responseCacheFacts(record: Cached): Fact[] {
  const { cachedAgeSeconds, cachedCostUsd, responseCache } = record;
  if (responseCache === null) return [];
  return [
    { name: 'Response cache', value: cacheWords(responseCache) },
    ...(responseCache === 'HIT'
      ? [{ name: 'Answer kept for', value: showDuration((cachedAgeSeconds ?? 0) * 1_000) }]
      : []),
    ...(cachedCostUsd === null
      ? []
      : [{ name: 'Cost without the cache', value: showUsd(cachedCostUsd) }]),
  ];
}
