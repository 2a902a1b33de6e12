import type { CacheStore } from './store';

export interface MemoryStoreOptions {
  readonly mostBytes: number;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
}

interface Stored {
  readonly entry: Buffer;
  readonly untilMs: number;
}

/** What an entry takes beside its bytes, about. */
const OVERHEAD_BYTES = 256;

/** Answers in this process, within a budget of bytes. Evicts the least recently used. */
export function createMemoryStore({ mostBytes, nowMs }: MemoryStoreOptions): CacheStore {
  // In the order of their last use.
  const stored = new Map<string, Stored>();
  let bytes = 0;

  const remove = (key: string, { entry }: Stored): void => {
    stored.delete(key);
    bytes -= entry.length + OVERHEAD_BYTES;
  };

  const find = (key: string): Buffer | undefined => {
    const found = stored.get(key);
    if (found === undefined) return undefined;
    if (found.untilMs <= nowMs()) {
      remove(key, found);
      return undefined;
    }
    stored.delete(key);
    stored.set(key, found);
    return found.entry;
  };

  return {
    get: (key) => Promise.resolve(find(key)),
    set: (key, entry, ttlSeconds) => {
      const before = stored.get(key);
      if (before !== undefined) remove(key, before);
      const needed = entry.length + OVERHEAD_BYTES;
      if (needed > mostBytes) return Promise.resolve();
      for (const [oldest, one] of stored) {
        if (bytes + needed <= mostBytes) break;
        remove(oldest, one);
      }
      // A small buffer is a part of a larger one, which it would keep whole.
      const own = Buffer.allocUnsafeSlow(entry.length);
      entry.copy(own);
      stored.set(key, { entry: own, untilMs: nowMs() + ttlSeconds * 1_000 });
      bytes += needed;
      return Promise.resolve();
    },
    bytes: () => bytes,
    stop: () => {
      stored.clear();
      bytes = 0;
    },
  };
}
