/**
 * First in, first out per key, with the keys in round robin. However many items of one key wait,
 * the head of another key's lane waits for at most one item of each other lane.
 */
export interface FairQueue<T> {
  size: () => number;
  /**
   * Adds an item to its key's lane. Returns the item that is displaced: none, the item itself, or
   * the last of the longest lane, which makes room for a key with fewer items.
   */
  push: (key: string, item: T) => T | undefined;
  take: () => T | undefined;
  /**
   * Removes the items for which `isOver` holds, from the heads of all lanes. Each lane is in order
   * of age.
   */
  takeOver: (isOver: (item: T) => boolean) => T[];
}

export interface FairQueueLimits {
  /** Limit of items in all lanes. */
  most: number;
  /** Limit of items in one lane. */
  laneMost: number;
}

interface Lane<T> {
  readonly key: string;
  /** Removed items are cleared, so that they can be collected. */
  items: (T | undefined)[];
  /** The index of the oldest item. */
  head: number;
}

/** A lane is compacted after this many removals. */
const TAKEN_MOST = 64;

export function createFairQueue<T>({ most, laneMost }: FairQueueLimits): FairQueue<T> {
  const lanes = new Map<string, Lane<T>>();
  // Lanes with items, in the order of their turns. Those before `turn` have had theirs.
  let round: Lane<T>[] = [];
  let turn = 0;
  let size = 0;

  const push: FairQueue<T>['push'] = (key, item) => {
    const lane = lanes.get(key);
    if (waitingIn(lane) >= laneMost) return item;
    const displaced = size >= most ? displace(lane) : undefined;
    if (size >= most) return item;
    size += 1;
    if (lane) lane.items.push(item);
    else {
      const opened: Lane<T> = { key, items: [item], head: 0 };
      lanes.set(key, opened);
      round.push(opened);
    }
    return displaced;
  };

  // Displaces an item of the longest lane if that lane stays longer than the new item's lane.
  const displace = (own: Lane<T> | undefined): T | undefined => {
    let longest: Lane<T> | undefined;
    for (const lane of lanes.values()) {
      if (!longest || lengthOf(lane) > lengthOf(longest)) longest = lane;
    }
    if (!longest || lengthOf(longest) < waitingIn(own) + 2) return undefined;
    size -= 1;
    return longest.items.pop();
  };

  const take = (): T | undefined => {
    const lane = round[turn];
    if (!lane) return undefined;
    turn += 1;
    if (turn > TAKEN_MOST && turn * 2 > round.length) {
      round = round.slice(turn);
      turn = 0;
    }
    const item = shift(lane);
    if (lengthOf(lane) > 0) round.push(lane);
    else lanes.delete(lane.key);
    return item;
  };

  const shift = (lane: Lane<T>): T | undefined => {
    const item = lane.items[lane.head];
    lane.items[lane.head] = undefined;
    lane.head += 1;
    size -= 1;
    if (lane.head >= TAKEN_MOST && lane.head * 2 >= lane.items.length) {
      lane.items = lane.items.slice(lane.head);
      lane.head = 0;
    }
    return item;
  };

  const takeOver: FairQueue<T>['takeOver'] = (isOver) => {
    const taken: T[] = [];
    for (const lane of lanes.values()) {
      for (let oldest = headOf(lane); oldest !== undefined && isOver(oldest);) {
        taken.push(oldest);
        shift(lane);
        oldest = headOf(lane);
      }
      if (lengthOf(lane) === 0) lanes.delete(lane.key);
    }
    if (taken.length > 0) {
      round = round.slice(turn).filter((lane) => lengthOf(lane) > 0);
      turn = 0;
    }
    return taken;
  };

  return { size: () => size, push, take, takeOver };
}

function lengthOf({ items, head }: Lane<unknown>): number {
  return items.length - head;
}

function waitingIn(lane: Lane<unknown> | undefined): number {
  return lane ? lengthOf(lane) : 0;
}

function headOf<T>({ items, head }: Lane<T>): T | undefined {
  return items[head];
}
