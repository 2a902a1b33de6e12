import { createHash } from 'node:crypto';

import { createKeys } from './keys';

function create(...weights: number[]) {
  let nowMs = 0;
  const rows = weights.map((weight, n) => ({
    apiKeyId: `k${n}`,
    name: '',
    value: `key-${n}`,
    weight,
  }));
  const keys = createKeys(rows, () => nowMs);
  return { keys, pass: (ms: number) => (nowMs += ms) };
}

test('keys are used in proportion to their weights', () => {
  const { keys } = create(1, 3);
  expect([0, 0.24, 0.26, 0.99].map((chance) => keys.draw('m', chance, undefined))).toEqual([
    0, 0, 1, 1,
  ]);
});

test.each([
  [429, 7_000, 7_000],
  [429, undefined, 30_000],
  [401, undefined, 300_000],
  [402, undefined, 300_000],
  [403, undefined, 300_000],
  [429, 10 ** 9, 3_600_000],
])('a key answered %i with a wait of %s rests for %i ms', (status, wait, restMs) => {
  const { keys, pass } = create(1, 1);
  expect(keys.refused(0, 'm', status, wait)).toBe(true);
  pass(restMs - 1);
  expect(keys.draw('m', 0, undefined)).toBe(1);
  pass(1);
  expect(keys.draw('m', 0, undefined)).toBe(0);
});

test.each([401, 402])(
  'a key rests for every model when the provider refuses it or its account: %i',
  (status) => {
    const { keys } = create(1, 1);
    keys.refused(0, 'a', 429);
    expect(keys.draw('b', 0, undefined)).toBe(0);
    keys.refused(0, 'a', status);
    expect(keys.draw('b', 0, undefined)).toBe(1);
  },
);

test('if all keys rest, the one whose rest ends first is used', () => {
  const { keys } = create(1, 1, 1);
  keys.refused(0, 'm', 429, 9_000);
  keys.refused(1, 'm', 429, 3_000);
  keys.refused(2, 'm', 429, 6_000);
  expect(keys.draw('m', 0.99, undefined)).toBe(1);
  expect(keys.freeInMs('m')).toBe(3_000);
  expect(keys.draw('m', 0.99, new Set([1]))).toBeUndefined();
});

test('a single key never rests, and other statuses do not concern the key', () => {
  const { keys } = create(1);
  expect(keys.refused(0, 'm', 429)).toBe(false);
  expect(keys.draw('m', 0, undefined)).toBe(0);
  expect(keys.freeInMs('m')).toBeUndefined();
  const two = create(1, 1);
  expect(two.keys.refused(0, 'm', 500)).toBe(false);
  expect(two.keys.draw('m', 0, undefined)).toBe(0);
});

test('the state kept per key is bounded', () => {
  const { keys } = create(1, 1);
  for (let n = 0; n < 100; n += 1) keys.refused(0, `model-${n}`, 429);
  expect(keys.draw('another', 0, undefined)).toBe(1);
});

test('a conversation has the same key while it is usable, by weight over all conversations', () => {
  const keys = createKeys(
    [3, 1].map((weight, at) => ({
      apiKeyId: `key-${String(at)}`,
      name: '',
      value: '',
      weight,
    })),
    () => 0,
  );
  const counts = [0, 0];
  for (let n = 0; n < 8_000; n += 1) {
    const affinity = createHash('sha256').update(String(n)).digest().subarray(0, 8);
    const own = keys.draw('m', n / 8_000, undefined, affinity) ?? -1;
    expect(keys.draw('m', 1 - n / 8_000, undefined, affinity)).toBe(own);
    expect(keys.draw('m', 0, new Set([own]), affinity)).toBe(1 - own);
    counts[own] = (counts[own] ?? 0) + 1;
  }
  expect(Math.abs((counts[0] ?? 0) / 8_000 - 0.75)).toBeLessThan(0.02);
});
