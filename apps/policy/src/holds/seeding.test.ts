import type { WindowQuery, WindowTotalsReply__Output } from '@tollgate/contracts/node';

import { Failure } from '../failure';
import type { SeedItem, SeedOutcome } from '../store';
import { createSeeding, type SeedingDeps } from './seeding';
import type { HeldLimit } from './ticket';

const limit = (limitId: string, windowStartMs = 0): HeldLimit => ({
  limitId,
  kind: 'BUDGET',
  metric: 'COST',
  scopeType: 'API_KEY',
  scopeId: `of ${limitId}`,
  period: 'MONTHLY',
  windowSeconds: 0,
  limit: 100n,
  mode: 'HARD',
  held: 1n,
  windowStartMs,
  windowEndMs: windowStartMs + 1_000,
});

/** A catalog that replies on demand, and a store. */
function rig(outcomes: SeedOutcome[] = []) {
  const asked: { organisationId: string; ids: string[]; answer: (error?: Error) => void }[] = [];
  const seeded: SeedItem[] = [];
  const said: string[] = [];
  const gone = new Set<string>();
  /** Of the catalog; each answer has one entry more. */
  const books = { epoch: 1, lastSeq: 7, perAnswer: 1 };
  let nowMs = 0;
  const windowTotals: SeedingDeps['windowTotals'] = (shard, organisationId, windows) =>
    new Promise((resolve, reject) => {
      const ids = windows.map(({ limitId }) => limitId ?? '');
      const answer = (error?: Error): void => {
        if (error !== undefined) return reject(error);
        const { epoch, lastSeq } = books;
        resolve({ ...totalsOf(windows, gone), state: { shard, epoch, lastSeq, rev: 2 } });
        books.lastSeq += books.perAnswer;
      };
      asked.push({ organisationId, ids, answer });
    });
  const seed = createSeeding({
    store: {
      seed: (item) => {
        seeded.push(item);
        return Promise.resolve(outcomes.shift() ?? { kind: 'DONE', nowMs: 0, results: [] });
      },
    },
    epochs: {
      follow: (shard: number) => {
        said.push(`follow ${String(shard)}`);
        return Promise.resolve();
      },
      recover: (_shard: number, epoch: number) => {
        said.push(`recover ${String(epoch)}`);
        books.epoch = epoch + 1;
        return Promise.resolve();
      },
    } as unknown as SeedingDeps['epochs'],
    windowTotals,
    drainSoon: (shard) => said.push(`drain ${String(shard)}`),
    clock: { now: () => nowMs },
    wait: (ms) => {
      said.push(`wait ${String(ms)}`);
      return Promise.resolve();
    },
  });
  return {
    asked,
    books,
    seeded,
    said,
    gone,
    seed: (organisationId: string, limits: readonly HeldLimit[], deadlineAtMs = 1_000) =>
      seed({ shard: 3, organisationId, limits, deadlineAtMs }),
    at: (ms: number) => (nowMs = ms),
    /** Resolves when nothing more happens without a reply. */
    settle: async () => {
      for (let turns = 0; turns < 3; turns += 1) await new Promise((done) => setImmediate(done));
    },
  };
}

function totalsOf(
  windows: readonly WindowQuery[],
  gone: ReadonlySet<string>,
): Pick<WindowTotalsReply__Output, 'totals'> {
  return {
    totals: windows.map(({ limitId = '', windowStartMs = 0 }) => ({
      limitId,
      windowStartMs: Number(windowStartMs),
      settled: '5',
      limitFound: !gone.has(limitId),
      metric: 'COST',
      scopeType: 'API_KEY',
      scopeId: `of ${limitId}`,
    })),
  };
}

const idsOf = (items: readonly SeedItem[]) =>
  items.map(({ counters }) => counters.map(({ limitId }) => limitId));

test('the cold counters of an organisation are read and made known together', async () => {
  const { seed, asked, seeded, settle } = rig();
  const all = Promise.all([seed('o', [limit('a'), limit('all')]), seed('o', [limit('b')])]);
  await settle();
  expect(asked.map(({ ids }) => ids)).toEqual([['a', 'all', 'b']]);
  asked[0]?.answer();
  await expect(all).resolves.toEqual([{ gone: [] }, { gone: [] }]);
  expect(seeded).toEqual([
    {
      shard: 3,
      epoch: 1,
      position: 7,
      rev: 2,
      counters: ['a', 'all', 'b'].map((limitId) => ({
        limitId,
        windowStartMs: 0,
        windowEndMs: 1_000,
        total: 5n,
        metric: 'COST',
        scopeType: 'API_KEY',
        scopeId: `of ${limitId}`,
      })),
    },
  ]);
});

test('what comes while they are read goes together after them, and nothing is read twice', async () => {
  const { seed, asked, settle } = rig();
  const all = [seed('o', [limit('a')])];
  await settle();
  all.push(
    seed('o', [limit('a'), limit('b')]),
    seed('o', [limit('b')]),
    seed('o', [limit('b', 1_000)]),
  );
  await settle();
  expect(asked).toHaveLength(1);
  asked[0]?.answer();
  await settle();
  expect(asked.map(({ ids }) => ids)).toEqual([['a'], ['b', 'b']]);
  asked[1]?.answer();
  await Promise.all(all);
  const again = seed('o', [limit('a')]);
  await settle();
  asked[2]?.answer();
  await again;
  expect(asked[2]?.ids).toEqual(['a']);
});

test('one organisation does not wait for another', async () => {
  const { seed, asked, settle } = rig();
  const first = seed('o', [limit('a')]);
  const second = seed('p', [limit('b')]);
  await settle();
  expect(asked.map(({ organisationId, ids }) => [organisationId, ids])).toEqual([
    ['o', ['a']],
    ['p', ['b']],
  ]);
  asked[1]?.answer();
  await second;
  asked[0]?.answer();
  await first;
});

test('they are a hundred at most', async () => {
  const { seed, asked, settle } = rig();
  const all = Promise.all(
    Array.from({ length: 250 }, (_, at) => seed('o', [limit(`l${String(at)}`)])),
  );
  for (const count of [100, 100, 50]) {
    await settle();
    expect(asked.at(-1)?.ids).toHaveLength(count);
    asked.at(-1)?.answer();
  }
  await all;
});

test('a limit that is gone is told to those who named it', async () => {
  const { seed, asked, gone, seeded, settle } = rig();
  gone.add('b');
  const all = Promise.all([seed('o', [limit('a')]), seed('o', [limit('a'), limit('b')])]);
  await settle();
  asked[0]?.answer();
  await expect(all).resolves.toEqual([{ gone: [] }, { gone: ['b'] }]);
  expect(idsOf(seeded)).toEqual([['a']]);
});

test('one whose total cannot be read fails alone', async () => {
  const { seed, asked, settle } = rig();
  const all = Promise.allSettled(['a', 'bad', 'c'].map((id) => seed('o', [limit(id)])));
  await settle();
  asked[0]?.answer(new Error('statement timeout'));
  await settle();
  expect(asked.slice(1).map(({ ids }) => ids)).toEqual([['a'], ['bad'], ['c']]);
  for (const { ids, answer } of asked.slice(1)) {
    answer(ids[0] === 'bad' ? new Error('statement timeout') : undefined);
  }
  await expect(all).resolves.toMatchObject([
    { status: 'fulfilled' },
    { reason: { code: 'UNAVAILABLE', dependency: 'catalog' } },
    { status: 'fulfilled' },
  ]);
});

test('totals that are too old are read again, after the drainer where it is behind', async () => {
  const { seed, asked, books, said, settle } = rig([
    { kind: 'STALE' },
    { kind: 'LAG', undrained: 2_000 },
    { kind: 'EPOCH', lost: false, epoch: 2 },
  ]);
  const seeding = seed('o', [limit('a')]);
  for (let round = 1; round <= 4; round += 1) {
    await settle();
    expect(asked).toHaveLength(round);
    if (round === 4) books.epoch = 2;
    asked.at(-1)?.answer();
  }
  await seeding;
  expect(said).toEqual(['drain 3', 'wait 20', 'follow 3']);
});

test.each([
  ['its totals do not rise', { kind: 'STALE' }, 'recover 1', 2],
  ['its epoch does not', { kind: 'EPOCH', lost: false, epoch: 3 }, 'recover 3', 4],
] as const)(
  'a catalog that was restored to an earlier moment is not asked for ever: %s',
  async (_, outcome, recovers, epoch) => {
    const { seed, asked, books, said, seeded, settle } = rig([outcome]);
    books.perAnswer = 0;
    const seeding = seed('o', [limit('a')]);
    for (let round = 1; round <= 3; round += 1) {
      await settle();
      asked.at(-1)?.answer();
    }
    await expect(seeding).resolves.toEqual({ gone: [] });
    expect(said.at(-1)).toBe(recovers);
    expect(seeded.at(-1)).toMatchObject({ epoch });
  },
);

test('a store that is closed fails all of them, and nothing is asked again', async () => {
  const { seed, asked, settle } = rig([{ kind: 'CLOSED', untilMs: 5, nowMs: 1 }]);
  const all = Promise.allSettled([seed('o', [limit('a')]), seed('o', [limit('b')])]);
  await settle();
  asked[0]?.answer();
  const redisAway = { reason: { code: 'UNAVAILABLE', dependency: 'redis' } };
  await expect(all).resolves.toMatchObject([redisAway, redisAway]);
  expect(asked).toHaveLength(1);
});

test('it is given up when nobody waits any longer', async () => {
  const { seed, asked, at, settle } = rig(Array.from({ length: 3 }, () => ({ kind: 'STALE' })));
  const all = Promise.allSettled([seed('o', [limit('a')], 10), seed('o', [limit('b')], 30)]);
  await settle();
  at(20);
  asked[0]?.answer();
  await settle();
  at(31);
  asked[1]?.answer();
  const [first, second] = await all;
  expect(asked).toHaveLength(2);
  for (const one of [first, second]) {
    expect(one).toMatchObject({ reason: expect.any(Failure) });
    expect(one).toMatchObject({ reason: { code: 'DEADLINE_EXCEEDED' } });
  }
});
