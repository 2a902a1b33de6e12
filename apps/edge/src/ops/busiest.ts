// Counters of the busiest of many keys. Memory is bounded, and an addition costs a few lookups.

/** Keys that have a counter of their own at any time, as a multiple of those that count. */
const KEPT_TIMES = 4;
/** Keys without a counter whose traffic is watched, as a multiple of those that count. */
const WATCHED_TIMES = 8;
/** A key takes the place of another one only if it had this many times its traffic. */
const AHEAD_TIMES = 2;
const WINDOW_MS = 60_000;
const SEPARATOR = '\n';

type Tree<T> = Map<string, Map<string, Map<string, Map<string, T>>>>;

interface Slot<T> {
  readonly value: T;
  /** Whether new traffic is counted here. */
  counting: boolean;
  /** Requests in this window. */
  recent: number;
}

/** Four names, such as organisation, team, model and provider. */
export type Path = readonly [string, string, string, string];

export interface Busiest<T> {
  /** The value that counts a request of this path now; undefined: it belongs to the rest. */
  count(a: string, b: string, c: string, d: string): T | undefined;
  /** Every value that has ever counted, after a new ranking when a window is over. */
  values(): T[];
}

/**
 * Values for the `top` busiest keys. A key that falls behind keeps its value, which no longer grows, so
 * that no series goes backwards and the sum over all series stays the total. When four times `top` keys
 * have a value, no further key gets one.
 *
 * A path is looked up name by name: the hash of a name is known, and that of a joined key is not.
 *
 * @param create makes the value of a path that begins to count
 */
export function createBusiest<T>(
  top: number,
  create: (path: Path) => T,
  nowMs: () => number,
): Busiest<T> {
  const slots = new Map<string, Slot<T>>();
  const tree: Tree<Slot<T>> = new Map();
  const watched = new Map<string, number>();
  const keptMost = top * KEPT_TIMES;
  const watchedMost = top * WATCHED_TIMES;
  let windowStartMs = nowMs();

  function begin(key: string): T {
    const [a = '', b = '', c = '', d = ''] = key.split(SEPARATOR);
    const slot = { value: create([a, b, c, d]), counting: true, recent: 1 };
    slots.set(key, slot);
    branch(branch(branch(tree, a), b), c).set(d, slot);
    return slot.value;
  }

  function watch(key: string): undefined {
    const before = watched.get(key);
    if (before !== undefined) watched.set(key, before + 1);
    else if (watched.size < watchedMost) watched.set(key, 1);
  }

  function rank(): void {
    const counting = [...slots.values()].filter((slot) => slot.counting);
    counting.sort((a, b) => a.recent - b.recent);
    const waiting = [
      ...[...slots].flatMap(([key, slot]) => (slot.counting ? [] : [{ key, count: slot.recent }])),
      ...[...watched].map(([key, count]) => ({ key, count })),
    ].toSorted((a, b) => b.count - a.count);
    for (const { key, count } of waiting) {
      const [last] = counting;
      if (last === undefined || count === 0 || count < last.recent * AHEAD_TIMES) break;
      const known = slots.get(key);
      if (!known && slots.size >= keptMost) continue;
      counting.shift();
      last.counting = false;
      if (known) known.counting = true;
      else begin(key);
    }
    for (const slot of slots.values()) slot.recent = 0;
    watched.clear();
  }

  return {
    count: (a, b, c, d) => {
      const slot = tree.get(a)?.get(b)?.get(c)?.get(d);
      if (slot) {
        slot.recent += 1;
        return slot.counting ? slot.value : undefined;
      }
      const key = a + SEPARATOR + b + SEPARATOR + c + SEPARATOR + d;
      return slots.size < top ? begin(key) : watch(key);
    },
    values: () => {
      const now = nowMs();
      if (now - windowStartMs >= WINDOW_MS) {
        windowStartMs = now;
        rank();
      }
      return [...slots.values()].map(({ value }) => value);
    },
  };
}

function branch<K, V>(of: Map<K, Map<string, V>>, name: K): Map<string, V> {
  const known = of.get(name);
  if (known) return known;
  const added = new Map<string, V>();
  of.set(name, added);
  return added;
}
