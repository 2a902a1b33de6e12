import type { ResponseCacheMode } from '@tollgate/contracts';
import type { KeyContext } from '@tollgate/contracts/node';

/** How a key uses the response cache: its own setting, else its organisation's. */
export interface ResponseCacheRow {
  response_cache: ResponseCacheMode;
  response_cache_ttl_seconds: number;
  response_cache_price_percent: number;
  response_cache_generation: number;
}

export function responseCacheOf(row: ResponseCacheRow): Pick<KeyContext, 'responseCache'> {
  if (row.response_cache === 'OFF') return { responseCache: null };
  return {
    responseCache: {
      mode: row.response_cache,
      ttlSeconds: row.response_cache_ttl_seconds,
      pricePercent: row.response_cache_price_percent,
      generation: row.response_cache_generation,
    },
  };
}
