import { createBoundedCache } from './bounded-cache';

test('the least recently used entry makes room for a new one', () => {
  const cache = createBoundedCache<string, number>({ max: 2 });
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  expect(cache.peek('b')).toBeUndefined();
  expect([cache.peek('a'), cache.peek('c')]).toEqual([1, 3]);
  expect(cache.size()).toBe(2);
});

test('peeking is not using', () => {
  const cache = createBoundedCache<string, number>({ max: 2 });
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.peek('a')).toBe(1);
  cache.set('c', 3);
  expect(cache.get('a')).toBeUndefined();
});

test('setting a key again replaces its value and pushes nothing out', () => {
  const cache = createBoundedCache<string, number>({ max: 2 });
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('a', 3);
  expect(cache.get('a')).toBe(3);
  expect(cache.get('b')).toBe(2);
});

test('an undefined value is an entry like any other', () => {
  const cache = createBoundedCache<string, undefined>({ max: 2 });
  cache.set('a', undefined);
  cache.get('a');
  expect(cache.size()).toBe(1);
});

test('entries are removed one by one, by what they hold, or all together', () => {
  const cache = createBoundedCache<string, number>({ max: 9 });
  for (const n of [1, 2, 3, 4, 5]) cache.set(`k${n}`, n);
  expect(cache.delete('k1')).toBe(true);
  expect(cache.delete('k1')).toBe(false);
  expect(cache.deleteWhere((value, key) => value > 3 && key !== 'k5')).toBe(1);
  expect(cache.size()).toBe(3);
  cache.clear();
  expect(cache.size()).toBe(0);
});

test('a cache without room is a mistake', () => {
  expect(() => createBoundedCache({ max: 0 })).toThrow(RangeError);
});
