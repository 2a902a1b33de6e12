import fc from 'fast-check';

import { TransientMap } from './transient-map';

const keys = fc.integer({ min: 0, max: 5 });
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('set' as const), key: keys, value: fc.option(fc.nat()) }),
    fc.record({ do: fc.constant('delete' as const), key: keys }),
    fc.record({ do: fc.constant('refresh' as const), key: keys }),
    fc.record({ do: fc.constant('clear' as const) }),
  ),
);

test('does what a Map does', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const ours = new TransientMap<number, number | null>();
      const theirs = new Map<number, number | null>();
      for (const step of all) {
        if (step.do === 'set') {
          ours.set(step.key, step.value);
          theirs.set(step.key, step.value);
        } else if (step.do === 'clear') {
          ours.clear();
          theirs.clear();
        } else if (step.do === 'refresh') {
          const value = theirs.get(step.key);
          if (theirs.delete(step.key)) theirs.set(step.key, value ?? null);
          expect(ours.refresh(step.key)).toBe(value);
        } else {
          expect(ours.delete(step.key)).toBe(theirs.delete(step.key));
        }
        expect([...ours.entries()]).toEqual([...theirs]);
      }
      expect([...ours.keys()]).toEqual([...theirs.keys()]);
      expect([...ours.values()]).toEqual([...theirs.values()]);
      expect(ours.size).toBe(theirs.size);
      for (let key = 0; key <= 5; key += 1) {
        expect([ours.get(key), ours.has(key)]).toEqual([theirs.get(key), theirs.has(key)]);
      }
    }),
  );
});

test('entries may be deleted while they are gone through', () => {
  const map = new TransientMap<number, string>();
  for (const key of [1, 2, 3]) map.set(key, `v${String(key)}`);
  const seen: string[] = [];
  for (const [key, value] of map.entries()) {
    seen.push(value);
    map.delete(key);
  }
  expect(seen).toEqual(['v1', 'v2', 'v3']);
  expect(map.size).toBe(0);
});
