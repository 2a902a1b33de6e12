import type { Answer } from './load';
import { seeded } from './random';
import { drawFault, losesTogether, type RandomFault } from './random-faults';
import type { Judgement } from './referee';
import { tally, type Measured, type Scenario } from './scenario';

// The breaches of a row: each number that must be zero, and the refusals that a budget explains.

const CAP = 1_000n;

const scenario: Scenario = {
  name: 'any',
  affords: 10,
  tokens: 1,
  load: { callers: 1, streamed: 0, givenUp: 0 },
};

const judged: Judgement = {
  lost: 0,
  lostNanoUsd: 0n,
  lostIds: [],
  duplicates: 0,
  abandoned: 0,
  compared: 1,
  differing: 0,
  differenceNanoUsd: 0n,
  estimated: 0,
  estimatedDifferenceNanoUsd: 0n,
  spentNanoUsd: CAP,
  shortfallNanoUsd: 0n,
};

const measured: Measured = { most: CAP, cap: CAP, held: 0, seconds: 1, floats: 0 };

const answers = (...statuses: number[]): Answer[] =>
  statuses.map((status) => ({
    status,
    requestId: 'any',
    complete: status === 200,
    givenUp: false,
    ms: 1,
  }));

test('a budget that is used to the last nano-USD is not a breach', () => {
  expect(tally(scenario, { answers: answers(200, 402, 503, 0) }, judged, measured)).toMatchObject({
    breaches: [],
    asked: 4,
    served: 1,
    refused: 1,
    away: 1,
    broken: 1,
    wrongful: 0,
    mostOfCap: 1_000,
  });
});

test.each<[string, Partial<Judgement>, Partial<Measured>]>([
  ['spent 1001 of 1000 nano-USD', { spentNanoUsd: CAP + 1n }, {}],
  ['held and spent 1001 of 1000 nano-USD at once', {}, { most: CAP + 1n }],
  ['5 nano-USD are held after every lease has ended', {}, { held: 5 }],
  ['-5 nano-USD are held after every lease has ended', {}, { held: -5 }],
  ['1 duplicate records', { duplicates: 1 }, {}],
  ['books less bill: 0 nano-USD, in 2 requests', { differing: 2 }, {}],
  ['no whole answer could be compared with the bill', { compared: 0 }, {}],
  ['1 lost: a', { lost: 1, lostIds: ['a'] }, {}],
])('%s', (breach, judgement, measures) => {
  const row = tally(
    scenario,
    { answers: answers(200) },
    { ...judged, ...judgement },
    { ...measured, ...measures },
  );
  expect(row.breaches).toEqual([breach]);
});

test('an abandoned request is a breach where every process could finish its requests', () => {
  const load = { answers: answers(200) };
  const left = { ...judged, abandoned: 2 };
  expect(tally(scenario, load, left, measured).breaches).toEqual([]);
  expect(tally({ ...scenario, drained: true }, load, left, measured).breaches).toEqual([
    '2 abandoned',
  ]);
});

test('output beyond the estimate may be spent on top of the cap', () => {
  const beyond = { ...judged, spentNanoUsd: CAP + 3n, shortfallNanoUsd: 3n };
  const load = { answers: answers(200) };
  expect(tally(scenario, load, beyond, { ...measured, most: CAP + 3n }).breaches).toEqual([]);
});

test('a scenario that may lose requests shows them without a breach', () => {
  const row = tally(
    { ...scenario, mayLose: true },
    { answers: answers(200) },
    { ...judged, lost: 1, lostIds: ['a'] },
    measured,
  );
  expect(row).toMatchObject({ lost: 1, breaches: [] });
});

test('faults at random may lose requests if Redis and an edge lost their data, and a breach names them', () => {
  const judgedLost = { ...judged, lost: 1, lostIds: ['a'] };
  const after = (...faults: readonly RandomFault[]) =>
    tally(scenario, { answers: answers(200) }, judgedLost, {
      ...measured,
      happened: { faults: faults.map(({ what }) => what), mayLose: losesTogether(faults) },
    }).breaches;
  const run = () => Promise.resolve();
  const redis: RandomFault = { what: 'redis emptied', loses: 'redis', run };
  const edge: RandomFault = { what: 'edges[0] killed', loses: 'edge', run };
  const frozen: RandomFault = { what: 'edges[1] frozen', run };
  const unbooked: RandomFault = { what: 'postgres killed', keepsFromBooks: true, run };
  for (const faults of [
    [redis, edge],
    [edge, redis],
    [frozen, redis, unbooked, unbooked, edge],
  ]) {
    expect(after(...faults)).toEqual([]);
  }
  expect(after(redis, frozen, edge)).toEqual([
    '1 lost: a',
    'after: redis emptied; edges[1] frozen; edges[0] killed',
  ]);
  expect(after(redis, unbooked)).toEqual(['1 lost: a', 'after: redis emptied; postgres killed']);
  expect(after(edge, edge)).toEqual(['1 lost: a', 'after: edges[0] killed; edges[0] killed']);
});

test('a seed stands for the same faults, and seeds for all of them', () => {
  const drawn = (seed: number): string[] => {
    const random = seeded(seed);
    return Array.from({ length: 8 }, () => drawFault(random).what);
  };
  expect(drawn(7)).toEqual(drawn(7));
  const all = new Set(
    Array.from({ length: 60 }, (_, seed) => drawn(seed))
      .flat()
      .map((what) => what.replace(/\d+/g, '')),
  );
  expect(all.size).toBe(13);
});

test('what an edge and a policy lose together is bounded by what they decided in that time', () => {
  const sent = [0, 50, 100, 150, 155].map((atMs) => ({ ...answers(200)[0], atMs })) as Answer[];
  const losing = (lost: number) =>
    tally({ ...scenario, mayLoseMs: 60 }, { answers: sent }, { ...judged, lost }, measured);
  expect(losing(3)).toMatchObject({ lost: 3, mayLose: 3, breaches: [] });
  expect(losing(4).breaches).toHaveLength(1);
});

test('a refusal before the last served request is early', () => {
  const sent = answers(402, 200, 402).map((one, atMs) => ({ ...one, atMs }));
  expect(tally(scenario, { answers: sent }, judged, measured)).toMatchObject({
    refused: 2,
    early: 1,
  });
});

test('every refusal by a budget with room is wrongful', () => {
  const half = { ...measured, most: CAP / 2n };
  const row = tally(scenario, { answers: answers(200, 402, 402) }, judged, half);
  expect(row).toMatchObject({ wrongful: 2, mostOfCap: 500 });
  expect(row.breaches).toEqual(['2 wrongful refusals: 200×1 402×2']);
});

test.each([400, 401, 403, 429, 500, 502])('%i is wrongful at any budget', (status) => {
  const row = tally(scenario, { answers: answers(200, status) }, judged, measured);
  expect(row.breaches).toEqual([`1 wrongful refusals: 200×1 ${status}×1`]);
});
