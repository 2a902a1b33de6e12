/**
 * First in, first out for each key; keys take turns. However much of one key waits, the head of another
 * key's lane is taken after at most one of every other.
 */
export type FairQueue<T> = {
  size: () => number;
  /**
   * Puts an item into its key's lane. Answers the item that has no place: none, the item itself, or the
   * last of the longest lane, which makes room for a key with less.
   */
  push: (key: string, item: T) => T | undefined;
  take: () => T | undefined;
  /** Takes from the heads of all lanes what `isOver`: in each lane, the oldest come first. */
  takeOver: (isOver: (item: T) => boolean) => T[];
};

export type FairQueueLimits = {
  /** Items in all lanes. */
  most: number;
  /** Items in one lane. */
  laneMost: number;
};

type Lane<T> = {
  readonly key: string;
  /** What was taken is cleared, so that nothing holds it. */
  items: (T | undefined)[];
  /** Where in `items` the oldest is. */
  head: number;
};

/** Lanes are cut to what they hold once so much of them has been taken. */
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

  // The longest lane gives way to one that stays shorter than it even so.
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
