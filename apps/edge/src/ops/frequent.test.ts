import fc from 'fast-check';

import { createFrequent } from './frequent';

test('a frequent key is found after any number of rare ones', () => {
  const frequent = createFrequent(4);
  for (let each = 0; each < 1_000; each += 1) {
    frequent.add(`rare ${each}`);
    if (each > 100) frequent.add('busy');
  }
  expect(new Map(frequent.entries()).get('busy')).toBeGreaterThan(899 - 1_899 / 5);
  frequent.clear();
  expect([...frequent.entries()]).toEqual([]);
});

test('no count is too high, or too low by more than the additions divided by the keys', () => {
  const additions = fc.array(fc.nat({ max: 12 }).map(String), { maxLength: 300 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), additions, (most, keys) => {
      const frequent = createFrequent(most);
      const exact = new Map<string, number>();
      for (const key of keys) {
        frequent.add(key);
        exact.set(key, (exact.get(key) ?? 0) + 1);
      }
      const counts = new Map(frequent.entries());
      expect(counts.size).toBeLessThanOrEqual(most);
      for (const [key, count] of exact) {
        const counted = counts.get(key) ?? 0;
        expect(counted).toBeLessThanOrEqual(count);
        expect(counted).toBeGreaterThanOrEqual(count - keys.length / (most + 1));
      }
    }),
  );
});
