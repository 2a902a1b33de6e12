import { TransientMap } from './transient-map';

export type BoundedCache<K, V> = {
  /** The value, which becomes the most recently used. */
  get: (key: K) => V | undefined;
  /** The value, without counting as a use. */
  peek: (key: K) => V | undefined;
  set: (key: K, value: V) => void;
  delete: (key: K) => boolean;
  /** Removes every entry the predicate names and says how many there were. Walks all entries. */
  deleteWhere: (matches: (value: V, key: K) => boolean) => number;
  clear: () => void;
  size: () => number;
};

// A map that never holds more than `max` entries: a new one pushes out the least recently used.
export function createBoundedCache<K, V>(options: { max: number }): BoundedCache<K, V> {
  const { max } = options;
  if (!Number.isInteger(max) || max < 1) throw new RangeError('max must be a whole number above 0');
  // It keeps insertion order, so its first key is the one unused for longest.
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
