import type { ResponseCacheResult } from '@tollgate/contracts';

import type { ResponseRecorder } from '../response-cache';

/** Why a request does not use the response cache. */
export const CACHE_BYPASSES = [
  /** The setting of the key, or the request, says so. */
  'off',
  /** The setting is ON_REQUEST, and the request does not ask for it. */
  'not_asked',
  /** This edge has no response cache. */
  'unavailable',
  /** Only JSON requests for text and embeddings use it. */
  'operation',
  'choices',
  'screening',
  'size',
  'stored',
  'tools',
] as const;
export type CacheBypass = (typeof CACHE_BYPASSES)[number];

/** What a request has to do with the response cache. */
export interface CacheUse {
  result: ResponseCacheResult;
  /** Of BYPASS. */
  reason: CacheBypass | undefined;
  /** Under which its answer is kept. Undefined: it is not. */
  key: string | undefined;
  /** Undefined: the answer is not kept. */
  recorder: ResponseRecorder | undefined;
  /** Of a HIT. */
  cachedCostNanoUsd: bigint;
  ageSeconds: number;
}
