import { z } from 'zod';

import { RESPONSE_CACHE_MODES } from '../enums';
import { MOST_CACHE_TTL_SECONDS } from '../usage-most';

export const responseCache = z.enum(RESPONSE_CACHE_MODES);
export const responseCacheTtlSeconds = z.int().min(1).max(MOST_CACHE_TTL_SECONDS);
export const responseCachePricePercent = z.int().min(0).max(100);

/** Of an API key. */
export const keyResponseCache = responseCache.nullable().meta({
  description:
    "How requests of the key use the response cache; null: as the organisation's setting says. Default: null. Only administrators of the organisation change it.",
});
