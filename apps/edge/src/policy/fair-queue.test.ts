import fc from 'fast-check';

import { createFairQueue } from './fair-queue';

interface Item {
  key: string;
  n: number;
}

/** All items of the queue, in the order in which it returns them. */
function drain(queue: { take: () => Item | undefined }): string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item; item = queue.take()) taken.push(`${item.key}${item.n}`);
  return taken;
}

function filled(limits: { most: number; laneMost: number }, lanes: Record<string, number>) {
  const queue = createFairQueue<Item>(limits);
  for (const [key, count] of Object.entries(lanes)) {
    for (let n = 1; n <= count; n += 1) queue.push(key, { key, n });
  }
  return queue;
}

const WIDE = { most: 1_000, laneMost: 1_000 };

test('keys take turns, and each key’s order is kept', () => {
  const queue = filled(WIDE, { a: 4, b: 2, c: 1 });
  expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  expect(queue.size()).toBe(0);
});

test('a key is limited to its share of the queue', () => {
  const queue = filled({ most: 10, laneMost: 5 }, { a: 5 });
  const sixth = { key: 'a', n: 6 };
  expect(queue.push('a', sixth)).toBe(sixth);
  expect(queue.push('b', { key: 'b', n: 1 })).toBeUndefined();
  expect(queue.size()).toBe(6);
});

test('a full queue accepts a key with fewer items, and drops one of the longest lane', () => {
  const queue = filled({ most: 10, laneMost: 6 }, { a: 6, b: 4 });
  expect(queue.push('c', { key: 'c', n: 1 })).toEqual({ key: 'a', n: 6 });
  expect(queue.push('c', { key: 'c', n: 2 })).toEqual({ key: 'a', n: 5 });
  expect(queue.push('c', { key: 'c', n: 3 })).toEqual({ key: 'a', n: 4 });
  // No lane is long enough now to lose an item.
  const fourth = { key: 'c', n: 4 };
  expect(queue.push('c', fourth)).toBe(fourth);
  expect(queue.size()).toBe(10);
});

test('a queue of size zero accepts nothing', () => {
  const queue = createFairQueue<Item>({ most: 0, laneMost: 0 });
  const item = { key: 'a', n: 1 };
  expect(queue.push('a', item)).toBe(item);
  expect(queue.take()).toBeUndefined();
});

test('expired items are removed from every lane, and turns continue', () => {
  const queue = filled(WIDE, { a: 3, b: 1, c: 2 });
  queue.take();
  expect(queue.takeOver(({ n }) => n <= 1)).toEqual([
    { key: 'b', n: 1 },
    { key: 'c', n: 1 },
  ]);
  expect(queue.size()).toBe(3);
  expect(drain(queue).toSorted()).toEqual(['a2', 'a3', 'c2']);
});

const actions = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ push: fc.constantFrom('a', 'b', 'c', 'd') }) },
    { weight: 2, arbitrary: fc.constant('take' as const) },
    { weight: 1, arbitrary: fc.record({ over: fc.nat(200) }) },
  ),
  { maxLength: 200 },
);

test('no item is lost or returned twice, and no bound is exceeded', () => {
  fc.assert(
    fc.property(actions, fc.integer({ min: 0, max: 12 }), fc.nat(12), (list, most, laneMost) => {
      const queue = createFairQueue<Item>({ most, laneMost });
      const inside = new Map<number, string>();
      const remove = (item: Item | undefined): void => {
        if (item) expect(inside.delete(item.n)).toBe(true);
      };
      for (const [n, action] of list.entries()) {
        if (action === 'take') {
          const oldest = new Map<string, number>();
          for (const [id, key] of inside) if (!oldest.has(key)) oldest.set(key, id);
          const item = queue.take();
          expect(item === undefined).toBe(inside.size === 0);
          if (item) expect(oldest.get(item.key)).toBe(item.n);
          remove(item);
        } else if ('over' in action) {
          for (const item of queue.takeOver((one) => one.n < action.over)) remove(item);
          for (const id of inside.keys()) expect(id).toBeGreaterThanOrEqual(action.over);
        } else {
          inside.set(n, action.push);
          remove(queue.push(action.push, { key: action.push, n }));
        }
        expect(queue.size()).toBe(inside.size);
        expect(inside.size).toBeLessThanOrEqual(most);
        for (const key of 'abcd') {
          const own = [...inside.values()].filter((one) => one === key).length;
          expect(own).toBeLessThanOrEqual(laneMost);
        }
      }
    }),
  );
});

test('the first item of a key waits for at most one item of each other key', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 300 }), (flood) => {
      const queue = createFairQueue<Item>(WIDE);
      for (const [n, key] of flood.entries()) queue.push(key, { key, n });
      queue.push('mine', { key: 'mine', n: 0 });
      let before = 0;
      while (queue.take()?.key !== 'mine') {
        before += 1;
        queue.push('a', { key: 'a', n: 1_000 + before });
      }
      expect(before).toBeLessThanOrEqual(new Set([...flood, 'a']).size);
    }),
  );
});
