import { TransientMap } from './transient-map';

export interface BoundedCache<K, V> {
  /** Returns the value and marks it as most recently used. */
  get: (key: K) => V | undefined;
  /** Returns the value without marking it as used. */
  peek: (key: K) => V | undefined;
  set: (key: K, value: V) => void;
  delete: (key: K) => boolean;
  /** Removes matching entries and returns their number. Visits all entries. */
  deleteWhere: (matches: (value: V, key: K) => boolean) => number;
  clear: () => void;
  size: () => number;
}

// A map with at most `max` entries: a new one evicts the least recently used.
export function createBoundedCache<K, V>(options: { max: number }): BoundedCache<K, V> {
  const { max } = options;
  if (!Number.isInteger(max) || max < 1) throw new RangeError('max must be a whole number above 0');
  // Insertion order: the first key is the least recently used.
  const entries = new TransientMap<K, V>();

  const set = (key: K, value: V): void => {
    entries.delete(key);
    if (entries.size >= max) {
      const oldest = entries.keys().next();
      if (!oldest.done) entries.delete(oldest.value);
    }
    entries.set(key, value);
  };

  const deleteWhere = (matches: (value: V, key: K) => boolean): number => {
    let removed = 0;
    for (const [key, value] of entries.entries()) {
      if (matches(value, key) && entries.delete(key)) removed += 1;
    }
    return removed;
  };

  return {
    get: (key) => entries.refresh(key),
    peek: (key) => entries.get(key),
    set,
    delete: (key) => entries.delete(key),
    deleteWhere,
    clear: () => entries.clear(),
    size: () => entries.size,
  };
}
