import { itemHash } from '@tollgate/contracts';
import fc from 'fast-check';

import type { PlannedCandidate } from '../directory';
import {
  firstChoice,
  listed,
  preferred,
  settledOn,
  stillGood,
  turned,
  type Choosable,
} from './order';

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
    hash: itemHash(`m${String(place)}`),
    timeouts: { attemptMs: 0, connectMs: 0, firstTokenMs: 0, idleMs: 0 },
  },
  costNanoUsd: more.costNanoUsd,
  latencyUs: more.latencyUs,
  latencies: more.latencies ?? 200,
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

const keyOf = (conversation: number): Uint8Array => {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, conversation + 0.1);
  return bytes;
};

test('a conversation has the same order each time, whatever else is there, and wherever it stands', () => {
  const property = fc.property(fc.nat(100_000), fc.integer({ min: 2, max: 8 }), (n, count) => {
    const all = Array.from({ length: count }, (_, place) => choosable(place));
    const order = ids(preferred('round_robin', all, keyOf(n)));
    expect(ids(preferred('round_robin', all.toReversed(), keyOf(n)))).toEqual(order);
    // While its first candidate is away, the others keep their order.
    const left = all.filter(({ candidate }) => candidate.modelId !== order[0]);
    expect(ids(preferred('round_robin', left, keyOf(n)))).toEqual(order.slice(1));
  });
  fc.assert(property, { numRuns: 50 });
});

test.each([
  ['round_robin', [1, 1, 1]],
  ['weighted', [6, 3, 1]],
] as const)('conversations are spread by %s within 2 percent', (strategy, shares) => {
  const usable = [
    choosable(0, { weight: 6 }),
    choosable(1, { weight: 3 }),
    choosable(2, { weight: 1 }),
  ];
  const total = shares.reduce((sum, share) => sum + share, 0);
  const conversations = 30_000;
  const counts = [0, 0, 0];
  for (let n = 0; n < conversations; n += 1) {
    const [first] = preferred(strategy, usable, keyOf(n));
    counts[first?.candidate.place ?? 0] = (counts[first?.candidate.place ?? 0] ?? 0) + 1;
  }
  for (const [at, share] of shares.entries()) {
    expect(Math.abs((counts[at] ?? 0) / conversations - share / total)).toBeLessThan(0.02);
  }
});

test('with the lowest latency, conversations stay among the quick, and some explore', () => {
  const usable = [
    choosable(0, { latencyUs: 100_000 }),
    choosable(1, { latencyUs: 120_000 }),
    choosable(2, { latencyUs: 900_000 }),
    choosable(3),
  ];
  const firsts = new Map<string, number>();
  for (let n = 0; n < 4_096; n += 1) {
    const key = keyOf(n);
    key[0] = n % 256;
    const [first = ''] = ids(
      settledOn('lowest_latency', preferred('lowest_latency', usable, key), key),
    );
    firsts.set(first, (firsts.get(first) ?? 0) + 1);
  }
  expect(firsts.get('m2')).toBeUndefined();
  expect(firsts.get('m3')).toBe(256);
  expect(Math.abs((firsts.get('m0') ?? 0) - (firsts.get('m1') ?? 0))).toBeLessThan(250);
});

test('a new conversation begins at its own place unless that is no longer quick', () => {
  const at = (first: number, second: number) => {
    const usable = [choosable(0, { latencyUs: first }), choosable(1, { latencyUs: second })];
    const key = keyOf(7);
    key[0] = 1;
    return ids(settledOn('lowest_latency', preferred('lowest_latency', usable, key), key));
  };
  const [own] = at(100, 100);
  expect(at(100, 124)[0]).toBe(own);
  expect(at(124, 100)[0]).toBe(own);
  expect(at(100, 126)).toEqual(['m0', 'm1']);
  expect(at(126, 100)).toEqual(['m1', 'm0']);
});

test('without routing the requested model would answer, else the first one of the policy', () => {
  const candidates = [0, 1].map((place) => choosable(place).candidate);
  expect(firstChoice({ candidates, firstModelId: 'm0' }, 'm1')).toBe('m1');
  expect(firstChoice({ candidates, firstModelId: 'm0' }, undefined)).toBe('m0');
  expect(firstChoice({ candidates, firstModelId: 'm0' }, 'm9')).toBe('m0');
});

test('a conversation stays, with the lowest latency while no other candidate is so much quicker that a cold prompt pays', () => {
  const quick = choosable(0, { latencyUs: 100_000 });
  const near = choosable(1, { latencyUs: 300_000 });
  const slow = choosable(2, { latencyUs: 300_001 });
  const stranger = choosable(3);
  const usable = [quick, near, slow, stranger];
  const stays = (place: Choosable | undefined, among = usable) =>
    stillGood('lowest_latency', among, place, true)?.candidate.modelId;
  expect(stays(near)).toBe('m1');
  expect(stays(slow)).toBeUndefined();
  // Of slow models a part counts, not 200 ms.
  const [model, behind, far] = [1_000_000, 1_500_000, 1_500_001].map((latencyUs, at) =>
    choosable(at, { latencyUs }),
  );
  const slowModels = [model, behind, far].flatMap((one) => one ?? []);
  expect([stays(behind, slowModels), stays(far, slowModels)]).toEqual(['m1', undefined]);
  // The first answers of a quick candidate are no reason to leave.
  const fresh = (latencies: number) => choosable(0, { latencyUs: 100_000, latencies });
  expect([stays(slow, [fresh(19), slow]), stays(slow, [fresh(20), slow])]).toEqual([
    'm2',
    undefined,
  ]);
  expect(stays(stranger)).toBeUndefined();
  expect(stays(stranger, [stranger])).toBe('m3');
  expect(stays(near, [quick])).toBeUndefined();
  expect(stays(undefined)).toBeUndefined();
  // Nothing is cached for a conversation that has not begun.
  const begins = (place: Choosable) => stillGood('lowest_latency', usable, place, false);
  expect(begins(near)).toBeUndefined();
  expect(begins(quick)).toBe(quick);
  expect(stillGood('round_robin', usable, slow, true)).toBe(slow);
});
