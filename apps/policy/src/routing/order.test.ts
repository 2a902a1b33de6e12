import fc from 'fast-check';

import type { PlannedCandidate } from '../directory';
import { listed, turned, type Choosable } from './order';

const choosable = (
  place: number,
  more: Partial<PlannedCandidate> & Partial<Choosable> = {},
): Choosable => ({
  candidate: {
    modelId: `m${String(place)}`,
    place,
    model: undefined,
    priority: more.priority ?? place + 1,
    weight: more.weight ?? 1,
    timeouts: { attemptMs: 0, connectMs: 0, firstTokenMs: 0, idleMs: 0 },
  },
  costNanoUsd: more.costNanoUsd,
  latencyUs: more.latencyUs,
});
const ids = (list: readonly Choosable[]) => list.map(({ candidate }) => candidate.modelId);
const three = [choosable(0), choosable(1), choosable(2)];

test('failover begins with the model that was asked for and goes around', () => {
  expect(ids(listed('failover', three, 'm1'))).toEqual(['m1', 'm2', 'm0']);
  expect(ids(listed('failover', three, undefined))).toEqual(['m0', 'm1', 'm2']);
});

test('priority follows the numbers, whatever was asked for; equals stay as they were given', () => {
  const some = [
    choosable(0, { priority: 5 }),
    choosable(1, { priority: 1 }),
    choosable(2, { priority: 5 }),
  ];
  expect(ids(listed('priority', some, 'm2'))).toEqual(['m1', 'm0', 'm2']);
});

test('lowest cost puts what has no price last', () => {
  const some = [choosable(0), choosable(1, { costNanoUsd: 7n }), choosable(2, { costNanoUsd: 3n })];
  expect(ids(listed('lowest_cost', some, undefined))).toEqual(['m2', 'm1', 'm0']);
});

test('round robin gives each as many turns as any other, but for one', () => {
  const property = fc.property(fc.integer({ min: 1, max: 16 }), fc.nat(500), (count, turns) => {
    const usable = Array.from({ length: count }, (_, place) => choosable(place));
    const firsts = new Map(ids(usable).map((id) => [id, 0]));
    for (let turn = 0; turn < turns; turn += 1) {
      const [first] = ids(turned('round_robin', usable, turn));
      firsts.set(first ?? '', (firsts.get(first ?? '') ?? 0) + 1);
    }
    const counts = [...firsts.values()];
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });
  fc.assert(property, { numRuns: 30 });
});

test('weighted gives each exactly its weight of as many turns as the weights come to', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 2, maxLength: 8 });
  const property = fc.property(weights, fc.nat(10_000), (list, from) => {
    const usable = list.map((weight, place) => choosable(place, { weight }));
    const total = list.reduce((sum, weight) => sum + weight, 0);
    const firsts = list.map(() => 0);
    for (let turn = from; turn < from + total; turn += 1) {
      const [first, ...rest] = turned('weighted', usable, turn);
      if (first) firsts[first.candidate.place] = (firsts[first.candidate.place] ?? 0) + 1;
      expect(rest).toHaveLength(list.length - 1);
    }
    expect(firsts).toEqual(list);
  });
  fc.assert(property, { numRuns: 30 });
});

test('weighted spreads the turns: of 9 to 1 the rare one never comes twice in ten', () => {
  const usable = [choosable(0, { weight: 9 }), choosable(1, { weight: 1 })];
  const firsts = Array.from({ length: 40 }, (_, turn) => ids(turned('weighted', usable, turn))[0]);
  const rare = firsts.flatMap((id, turn) => (id === 'm1' ? [turn] : []));
  expect(rare).toHaveLength(4);
  expect(rare.slice(1).map((turn, index) => turn - (rare[index] ?? 0))).toEqual([10, 10, 10]);
});

describe('lowest latency', () => {
  const known = [choosable(0, { latencyUs: 900 }), choosable(1, { latencyUs: 100 })];
  test('takes the quickest, turn or no turn', () => {
    for (const turn of [undefined, 0, 1, 16]) {
      expect(ids(turned('lowest_latency', known, turn))).toEqual(['m1', 'm0']);
    }
  });
  test('gives one request in sixteen to one that nobody knows', () => {
    const some = [...known, choosable(2), choosable(3)];
    const firsts = Array.from({ length: 64 }, (_, n) => ids(turned('lowest_latency', some, n))[0]);
    expect(firsts.filter((id) => id === 'm2')).toHaveLength(2);
    expect(firsts.filter((id) => id === 'm3')).toHaveLength(2);
    expect(firsts.filter((id) => id === 'm1')).toHaveLength(60);
  });
  test('takes turns while nothing is known of any', () => {
    const firsts = [0, 1, 2].map((turn) => ids(turned('lowest_latency', three, turn))[0]);
    expect(firsts).toEqual(['m0', 'm1', 'm2']);
  });
});
