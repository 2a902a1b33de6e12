// Counters of the busiest of many keys. Memory is bounded, and an addition costs a few lookups.

import { createFrequent, type Frequent } from './frequent';

/** Keys that have a counter of their own at any time, as a multiple of those that count. */
const KEPT_TIMES = 4;
/** Keys without a value whose traffic is watched, as a multiple of those that count. */
const WATCHED_TIMES = 8;
/** A key takes the place of another one only if it had this many times its traffic. */
const AHEAD_TIMES = 2;
const WINDOW_MS = 60_000;
/** Windows for which a value stands still before it may be dropped, so that every scraper has read its end. */
const STILL_WINDOWS = 2;
/** In one window at most this part of the places is dropped: every new series costs the scraper memory. */
const DROPPED_PART = 1 / 10;
const SEPARATOR = '\n';

type Tree<T> = Map<string, Map<string, Map<string, Map<string, T>>>>;

interface Slot<T> {
  readonly path: Path;
  readonly value: T;
  /** Whether new traffic is counted here. */
  counting: boolean;
  /** The window in which it ceased to count. */
  stillSince: number;
  /** Requests in this window. */
  recent: number;
}

/** Four names, such as organisation, team, model and provider. */
export type Path = readonly [string, string, string, string];

export interface Busiest<T> {
  /** The value that counts a request of this path now; undefined: it belongs to the rest. */
  count(a: string, b: string, c: string, d: string): T | undefined;
  /** Every value that is kept, after a new ranking when a window is over. */
  values(): T[];
}

export interface BusiestOptions<T> {
  /** Makes the value of a path that begins to count. */
  create: (path: Path) => T;
  /** Takes a value that is dropped. It has not grown for two windows. */
  drop: (value: T) => void;
  nowMs: () => number;
}

/**
 * Values for the `top` busiest keys. A key that falls behind keeps its value, which no longer grows.
 * When four times `top` keys have a value, a newcomer takes the place of the quietest of those that have
 * stood still for some time, and that one's value is dropped.
 *
 * A path is looked up name by name: the hash of a name is known, and that of a joined key is not.
 */
export function createBusiest<T>(top: number, options: BusiestOptions<T>): Busiest<T> {
  const { nowMs } = options;
  const state: State<T> = {
    options,
    slots: new Map(),
    tree: new Map(),
    watched: createFrequent(top * WATCHED_TIMES),
    keptMost: top * KEPT_TIMES,
    droppedMost: Math.ceil(top * DROPPED_PART),
    window: 0,
  };
  const { slots, tree, watched } = state;
  let windowStartMs = nowMs();

  return {
    count: (a, b, c, d) => {
      const slot = tree.get(a)?.get(b)?.get(c)?.get(d);
      if (slot) {
        slot.recent += 1;
        return slot.counting ? slot.value : undefined;
      }
      const key = a + SEPARATOR + b + SEPARATOR + c + SEPARATOR + d;
      if (slots.size < top) return begin(state, key);
      watched.add(key);
      return undefined;
    },
    values: () => {
      const now = nowMs();
      if (now - windowStartMs >= WINDOW_MS) {
        windowStartMs = now;
        rank(state);
      }
      return [...slots.values()].map(({ value }) => value);
    },
  };
}

interface State<T> {
  readonly options: BusiestOptions<T>;
  readonly slots: Map<string, Slot<T>>;
  readonly tree: Tree<Slot<T>>;
  readonly watched: Frequent;
  readonly keptMost: number;
  readonly droppedMost: number;
  /** How many rankings there were. */
  window: number;
}

function begin<T>({ options, slots, tree }: State<T>, key: string): T {
  const [a = '', b = '', c = '', d = ''] = key.split(SEPARATOR);
  const path: Path = [a, b, c, d];
  const slot = { path, value: options.create(path), counting: true, stillSince: 0, recent: 1 };
  slots.set(key, slot);
  branch(branch(branch(tree, a), b), c).set(d, slot);
  return slot.value;
}

function end<T>({ options, slots, tree }: State<T>, key: string, { path, value }: Slot<T>): void {
  slots.delete(key);
  cut(tree, path);
  options.drop(value);
}

/** Gives places to those that are well ahead of the quietest that have one, the busiest first. */
function rank<T>(state: State<T>): void {
  const { slots, watched, keptMost } = state;
  state.window += 1;
  const counting = [...slots.values()].filter((slot) => slot.counting);
  counting.sort((a, b) => a.recent - b.recent);
  const waiting = [
    ...[...slots].flatMap(([key, slot]) => (slot.counting ? [] : [{ key, count: slot.recent }])),
    ...[...watched.entries()].map(([key, count]) => ({ key, count })),
  ].toSorted((a, b) => b.count - a.count);
  const dropping = droppable(state);
  const ended = new Set<string>();
  for (const { key, count } of waiting) {
    const [last] = counting;
    if (last === undefined || count === 0 || count < last.recent * AHEAD_TIMES) break;
    if (ended.has(key)) continue;
    const known = slots.get(key);
    if (!known && slots.size >= keptMost) {
      const out = nextStill(state, dropping);
      if (out === undefined) continue;
      end(state, ...out);
      ended.add(out[0]);
    }
    counting.shift();
    last.counting = false;
    last.stillSince = state.window;
    if (known) known.counting = true;
    else begin(state, key);
  }
  for (const slot of slots.values()) slot.recent = 0;
  watched.clear();
}

/** Keys that may be dropped in this window, the quietest first. */
function droppable<T>({ slots, droppedMost, window }: State<T>): string[] {
  const still = [...slots].filter(
    ([, slot]) => !slot.counting && window - slot.stillSince >= STILL_WINDOWS,
  );
  still.sort(([, a], [, b]) => a.recent - b.recent);
  return still.slice(0, droppedMost).map(([key]) => key);
}

/** Takes the next of the keys that may be dropped, without those that count again since. */
function nextStill<T>({ slots }: State<T>, dropping: string[]): [string, Slot<T>] | undefined {
  for (let key = dropping.shift(); key !== undefined; key = dropping.shift()) {
    const slot = slots.get(key);
    if (slot && !slot.counting) return [key, slot];
  }
  return undefined;
}

function branch<K, V>(of: Map<K, Map<string, V>>, name: K): Map<string, V> {
  const known = of.get(name);
  if (known) return known;
  const added = new Map<string, V>();
  of.set(name, added);
  return added;
}

/** Removes a path, and the branches that it leaves empty. */
function cut<T>(tree: Tree<T>, [a, b, c, d]: Path): void {
  const ofA = tree.get(a);
  const ofB = ofA?.get(b);
  const ofC = ofB?.get(c);
  ofC?.delete(d);
  if (ofC?.size === 0) ofB?.delete(c);
  if (ofB?.size === 0) ofA?.delete(b);
  if (ofA?.size === 0) tree.delete(a);
}
