/**
 * A Map for entries that come and go with requests. A Map of V8 that has seen many deletions moves to
 * another table; the table that it leaves keeps the entries it had and a link to the next one. Once one of
 * them is among the old objects, all that were ever in it are held, with whatever they reach, until the next
 * full collection. So what is deleted here is emptied first. Decision 64 says when a plain Map will do.
 */
export class TransientMap<K, V> {
  private readonly boxes = new Map<K, { value: V }>();

  get size(): number {
    return this.boxes.size;
  }

  get(key: K): V | undefined {
    return this.boxes.get(key)?.value;
  }

  has(key: K): boolean {
    return this.boxes.has(key);
  }

  /** A new entry goes last; an existing one keeps its place. */
  set(key: K, value: V): void {
    const box = this.boxes.get(key);
    if (box === undefined) this.boxes.set(key, { value });
    else box.value = value;
  }

  /** Like `get`; moves the entry to the end. */
  refresh(key: K): V | undefined {
    const box = this.boxes.get(key);
    if (box === undefined) return undefined;
    this.boxes.delete(key);
    this.boxes.set(key, box);
    return box.value;
  }

  delete(key: K): boolean {
    const box = this.boxes.get(key);
    if (box === undefined) return false;
    empty(box);
    return this.boxes.delete(key);
  }

  clear(): void {
    for (const box of this.boxes.values()) empty(box);
    this.boxes.clear();
  }

  keys(): MapIterator<K> {
    return this.boxes.keys();
  }

  *values(): Generator<V, void> {
    for (const box of this.boxes.values()) yield box.value;
  }

  *entries(): Generator<[K, V], void> {
    for (const [key, box] of this.boxes) yield [key, box.value];
  }
}

// Nothing reads a box that is in no map.
function empty(box: { value: unknown }): void {
  box.value = undefined;
}
