import { createHash } from 'node:crypto';
import fc from 'fast-check';

import { AFFINITY_BYTES, affinityScore, itemHash } from './rendezvous';

const keyOf = (name: string): Buffer =>
  createHash('sha256').update(name).digest().subarray(0, AFFINITY_BYTES);

interface Item {
  readonly name: string;
  readonly weight: number;
}
const chosen = (key: Uint8Array, items: readonly Item[]): string =>
  items.reduce(
    (best, { name, weight }) => {
      const score = affinityScore(key, itemHash(name), weight);
      return score > best.score ? { name, score } : best;
    },
    { name: '', score: -1 },
  ).name;

test('over many conversations each item is first as often as its weight says', () => {
  const items = [
    { name: 'provider-1 model-1', weight: 5 },
    { name: 'provider-1 model-2', weight: 3 },
    { name: 'provider-2 model-3', weight: 2 },
  ];
  const counts = new Map<string, number>();
  const conversations = 40_000;
  for (let n = 0; n < conversations; n += 1) {
    const name = chosen(keyOf(`conversation ${String(n)}`), items);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const { name, weight } of items) {
    const share = (counts.get(name) ?? 0) / conversations;
    expect(Math.abs(share - weight / 10)).toBeLessThan(0.02 * (weight / 10));
  }
});

test('an item that goes moves only its own conversations, and moves them back when it returns', () => {
  const items = fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(
      items,
      fc.uint8Array({ minLength: 8, maxLength: 8 }),
      fc.nat(),
      (names, key, at) => {
        const all = names.map((name) => ({ name, weight: 1 }));
        const gone = names[at % names.length];
        const before = chosen(key, all);
        const after = chosen(
          key,
          all.filter(({ name }) => name !== gone),
        );
        expect(after === before).toBe(before !== gone);
        expect(chosen(key, all.toReversed())).toBe(before);
      },
    ),
  );
});

test('every key has a score that is a number', () => {
  for (const byte of [0, 255]) {
    const key = new Uint8Array(8).fill(byte);
    for (const hash of [0, 1, 0xffffffff]) {
      expect(affinityScore(key, hash, 1)).toBeGreaterThan(0);
      expect(Number.isFinite(affinityScore(key, hash, 60))).toBe(true);
    }
  }
});
