// Counts the frequent ones of any number of keys in bounded memory, as Misra and Gries (1982) describe.

export interface Frequent {
  add(key: string): void;
  /**
   * Keys with their counts. A count is never too high. It is too low by at most the number of additions
   * divided by `most` + 1, so a key with more additions than that is always here.
   */
  entries(): IterableIterator<[string, number]>;
  clear(): void;
}

/** @param most how many keys are counted at a time */
export function createFrequent(most: number): Frequent {
  const counts = new Map<string, number>();

  /** Takes one from every key. It pays for itself: each key had to be added before. */
  function takeOneOfEach(): void {
    for (const [key, count] of counts) {
      if (count === 1) counts.delete(key);
      else counts.set(key, count - 1);
    }
  }

  return {
    add: (key) => {
      const before = counts.get(key);
      if (before !== undefined) counts.set(key, before + 1);
      else if (counts.size < most) counts.set(key, 1);
      else takeOneOfEach();
    },
    entries: () => counts.entries(),
    clear: () => counts.clear(),
  };
}
