import type { ResponseCacheResult } from '@tollgate/contracts';
import type { Metrics } from '@tollgate/kit';

export interface CacheMetrics {
  cacheResult: (result: ResponseCacheResult) => void;
  cacheStored: () => void;
  /** An answer was not kept. */
  cacheUnfit: () => void;
  cacheFailed: (operation: 'get' | 'set') => void;
  /** The source of the gauge. */
  watchCache: (bytes: () => number) => void;
}

export function createCacheMetrics(metrics: Metrics): CacheMetrics {
  const results = metrics.counter(
    'tollgate_edge_response_cache_requests_total',
    'Requests of keys with the response cache, and those that name it; the result is hit, miss or bypass.',
    ['result'],
  );
  const answers = metrics.counter(
    'tollgate_edge_response_cache_answers_total',
    'Answers to misses: kept, or unfit because they are incomplete, too large, screened or end with a tool call.',
    ['outcome'],
  );
  const failures = metrics.counter(
    'tollgate_edge_response_cache_failures_total',
    'Commands that the store of the response cache did not answer in time; the request went on without it.',
    ['operation'],
  );
  return {
    cacheResult: (result) => results.inc({ result: result.toLowerCase() }),
    cacheStored: () => answers.inc({ outcome: 'kept' }),
    cacheUnfit: () => answers.inc({ outcome: 'unfit' }),
    cacheFailed: (operation) => failures.inc({ operation }),
    watchCache: (bytes) =>
      metrics.reading(
        'tollgate_edge_response_cache_bytes',
        'Kept answers in the memory of this process; 0 with RESPONSE_CACHE_REDIS_URL.',
        bytes,
      ),
  };
}
