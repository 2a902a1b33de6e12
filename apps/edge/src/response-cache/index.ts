// Answers that are kept and used again for equal requests of the same organisation. What may be kept and used is
// decided by steps of the pipeline; here is how answers are named, written and stored.

import type { Logger } from '@tollgate/kit';

import type { ByteBudget } from '../intake';
import { decodeEntry, encodeEntry, type KeptAnswer, type KeptFacts } from './entry';
import { cacheKey, type CacheSecrets, type KeyParts } from './key';
import type { CacheStore } from './store';

export { canonicalBody } from './canonical';
export type { KeptAnswer, KeptFacts } from './entry';
export { cacheSecrets, type KeyParts } from './key';
export { createMemoryStore } from './memory-store';
export { createRecorder, type ResponseRecorder } from './recorder';
export { createRedisStore } from './redis-store';
export type { CacheStore } from './store';
export { CACHE_HEADER, CACHE_MAX_AGE_HEADER, readCacheWish, type CacheWish } from './wish';

export interface ResponseCache {
  keyOf: (parts: KeyParts) => string;
  /** Undefined: there is none, or the store is away. Never rejects. */
  find: (key: string) => Promise<KeptAnswer | undefined>;
  /** Keeps an answer, if the store takes it. Never rejects. */
  keep: (key: string, facts: KeptFacts, body: Buffer, ttlSeconds: number) => Promise<void>;
  /** Larger answers are not kept. */
  readonly mostBytes: number;
  /** Memory for answers that are recorded, or sent again. It is not that of other answers, which must not wait for these. */
  readonly room: ByteBudget;
  bytes: () => number;
  stop: () => void;
}

export interface ResponseCacheDeps {
  readonly store: CacheStore;
  readonly secrets: Pick<CacheSecrets, 'name'>;
  readonly mostBytes: number;
  readonly room: ByteBudget;
  readonly metrics: { cacheStored: () => void; cacheFailed: (operation: 'get' | 'set') => void };
  readonly log: Pick<Logger, 'debug'>;
}

/** Facts of an answer beside its body, at most. */
const FACTS_BYTES = 64 * 1024;
/** Answers that are being compressed and stored; beyond it further ones are not kept. */
const KEEPING_MOST_BYTES = 32 * 1024 * 1024;

export function createResponseCache(deps: ResponseCacheDeps): ResponseCache {
  const { log, metrics, mostBytes, room, secrets, store } = deps;
  let keepingBytes = 0;
  const failed = (operation: 'get' | 'set', error: unknown): void => {
    metrics.cacheFailed(operation);
    log.debug('the response cache failed', { operation, error: String(error) });
  };
  return {
    keyOf: (parts) => cacheKey(secrets, parts),
    find: async (key) => {
      try {
        const entry = await store.get(key);
        return entry && (await decodeEntry(entry, mostBytes + FACTS_BYTES));
      } catch (error) {
        failed('get', error);
        return undefined;
      }
    },
    keep: async (key, facts, body, ttlSeconds) => {
      if (keepingBytes + body.length > KEEPING_MOST_BYTES) {
        return failed('set', new Error('too many answers are being kept'));
      }
      // Compressing may be slower than answers arrive.
      keepingBytes += body.length;
      try {
        await store.set(key, await encodeEntry(facts, body), ttlSeconds);
        metrics.cacheStored();
      } catch (error) {
        failed('set', error);
      } finally {
        keepingBytes -= body.length;
      }
    },
    mostBytes,
    room,
    bytes: store.bytes,
    stop: store.stop,
  };
}
