import type { ResolveKeysReply__Output } from '@tollgate/contracts/node';

import { Failure } from '../failure';
import { context, KEY, resolved, sha256 } from '../test-support/contexts';
import { createDirectory, type Directory } from './directory';
import { AwayError } from './key-reads';

interface Bench {
  readonly directory: Directory;
  readonly reads: () => number;
  readonly clock: { nowMs: number };
  answer: () => Promise<ResolveKeysReply__Output>;
}

const found = (changes = {}, outboxSeq = 0) => resolved([context(changes)], outboxSeq);
const nobody = resolved([undefined]);

function bench(maxKeys = 100): Bench {
  const clock = { nowMs: 1_000_000 };
  let reads = 0;
  const own: Bench = {
    clock,
    reads: () => reads,
    answer: () => Promise.resolve(found()),
    directory: createDirectory({
      resolveKeys: () => {
        reads += 1;
        return own.answer();
      },
      clock: { now: () => clock.nowMs },
      freshMs: 30_000,
      staleMs: 900_000,
      maxKeys,
      onLookup: () => {},
      onError: () => {},
    }),
  };
  own.directory.setWatched(true);
  return own;
}

const away = () => Promise.reject(new AwayError('14 UNAVAILABLE'));

async function outcome(work: ReturnType<Directory['lookup']>): Promise<string> {
  try {
    return (await work)?.subject.apiKeyId ?? 'unknown';
  } catch (error) {
    return error instanceof Failure ? `${error.code} ${String(error.dependency)}` : String(error);
  }
}

test('a fresh plan is answered at once, not by a promise', async () => {
  const { directory, reads } = bench();
  await directory.lookup(KEY);
  expect(directory.lookup(KEY)).not.toBeInstanceOf(Promise);
  expect(reads()).toBe(1);
});

test('a hundred lookups at once are one call', async () => {
  const { directory, reads } = bench();
  await Promise.all(Array.from({ length: 100 }, async () => directory.lookup(KEY)));
  expect(reads()).toBe(1);
});

test('an unknown key is remembered for five seconds', async () => {
  const b = bench();
  b.answer = () => Promise.resolve(nobody);
  expect(await outcome(b.directory.lookup(KEY))).toBe('unknown');
  b.clock.nowMs += 4_999;
  expect(await outcome(b.directory.lookup(KEY))).toBe('unknown');
  expect(b.reads()).toBe(1);
  b.clock.nowMs += 1;
  b.answer = () => Promise.resolve(found());
  expect(await outcome(b.directory.lookup(KEY))).toBe('key-1');
});

test('a plan is read anew after 30 s when the catalog answers', async () => {
  const b = bench();
  await b.directory.lookup(KEY);
  b.answer = () => Promise.resolve(found({ active: false }));
  b.clock.nowMs += 30_000;
  expect((await b.directory.lookup(KEY))?.active).toBe(false);
});

test('a plan is good for longer while the catalog says that nothing has changed', async () => {
  const b = bench();
  await b.directory.lookup(KEY);
  for (let times = 0; times < 10; times += 1) {
    b.clock.nowMs += 20_000;
    b.directory.confirm();
    expect(b.directory.lookup(KEY)).not.toBeInstanceOf(Promise);
  }
  expect(b.reads()).toBe(1);
  b.answer = () => Promise.resolve(found({ active: false }));
  b.clock.nowMs += 30_000;
  expect((await b.directory.lookup(KEY))?.active).toBe(false);
});

test('once nobody tells of changes, what was confirmed is good for a second as well', async () => {
  const b = bench();
  await b.directory.lookup(KEY);
  b.clock.nowMs += 100_000;
  b.directory.confirm();
  b.directory.setWatched(false);
  b.clock.nowMs += 999;
  await b.directory.lookup(KEY);
  expect(b.reads()).toBe(1);
  b.clock.nowMs += 1;
  await b.directory.lookup(KEY);
  expect(b.reads()).toBe(2);
});

test('while the catalog is away, 15 minutes count from when the plan was last confirmed', async () => {
  const b = bench();
  await b.directory.lookup(KEY);
  b.clock.nowMs += 600_000;
  b.directory.confirm();
  b.directory.setWatched(false);
  b.answer = away;
  b.clock.nowMs += 900_000;
  expect(await outcome(b.directory.lookup(KEY))).toBe('key-1');
  b.clock.nowMs += 1;
  expect(await outcome(b.directory.lookup(KEY))).toBe('UNAVAILABLE catalog');
});

test('while the catalog is away a plan serves for 15 minutes and no longer', async () => {
  const b = bench();
  await b.directory.lookup(KEY);
  b.answer = away;
  b.clock.nowMs += 900_000;
  expect(await outcome(b.directory.lookup(KEY))).toBe('key-1');
  b.clock.nowMs += 1;
  expect(await outcome(b.directory.lookup(KEY))).toBe('UNAVAILABLE catalog');
});

test('a failure is never a refusal, and nothing is remembered of it', async () => {
  const b = bench();
  b.answer = away;
  expect(await outcome(b.directory.lookup(KEY))).toBe('UNAVAILABLE catalog');
  b.answer = () => Promise.resolve(found());
  expect(await outcome(b.directory.lookup(KEY))).toBe('key-1');
});

test('a catalog that fails again and again is left alone for a moment', async () => {
  const b = bench();
  b.answer = away;
  for (let i = 0; i < 10; i += 1) await outcome(b.directory.lookup(KEY));
  expect(b.reads()).toBe(3);
  b.clock.nowMs += 500;
  b.answer = () => Promise.resolve(found());
  expect(await outcome(b.directory.lookup(KEY))).toBe('key-1');
});

test('a context that makes no sense is a failure, not an unknown key', async () => {
  const b = bench();
  b.answer = () => Promise.resolve(found({ subject: null }));
  expect(await outcome(b.directory.lookup(KEY))).toBe('UNAVAILABLE catalog');
});

test('drops one key, one organisation, or everything', async () => {
  const b = bench();
  const other = sha256('other');
  await b.directory.lookup(KEY);
  await b.directory.lookup(other);
  expect(b.directory.drop({ organisationId: 'another' })).toBe(0);
  expect(b.directory.drop({ keySha256: other })).toBe(1);
  expect(b.directory.drop({ organisationId: 'org-1', keySha256: Buffer.alloc(0) })).toBe(1);
  await b.directory.lookup(KEY);
  expect(b.directory.drop({})).toBe(1);
});

test('an answer that a change overtook is not kept', async () => {
  const b = bench();
  let first = true;
  b.answer = () => {
    if (!first) return Promise.resolve(found({ active: false }, 8));
    first = false;
    b.directory.sawChange(8);
    b.directory.drop({ organisationId: 'org-1' });
    return Promise.resolve(found({ active: true }, 7));
  };
  expect((await b.directory.lookup(KEY))?.active).toBe(false);
  expect(b.reads()).toBe(2);
});

test('without a watch a plan is fresh for a second only', async () => {
  const b = bench();
  await b.directory.lookup(KEY);
  b.directory.setWatched(false);
  b.clock.nowMs += 1_000;
  await b.directory.lookup(KEY);
  expect(b.reads()).toBe(2);
});

test('never keeps more than its bound', async () => {
  const b = bench(3);
  for (let i = 0; i < 10; i += 1) await b.directory.lookup(sha256(String(i)));
  expect(b.directory.size()).toBe(3);
});

describe('a plan that is read ahead without haste is there at once for who must wait for it', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
  afterEach(() => jest.useRealTimers());

  test.each([
    ['since it is old by now', (b: Bench) => (b.clock.nowMs += 5_000)],
    ['since it was dropped', (b: Bench) => b.directory.drop({ keySha256: KEY })],
  ])('%s', async (_, change) => {
    const b = bench();
    await b.directory.lookup(KEY);
    b.answer = () => Promise.resolve(found({ active: false }));
    b.clock.nowMs += 25_000;
    expect(b.directory.lookup(KEY)).not.toBeInstanceOf(Promise);
    expect(b.reads()).toBe(1);
    change(b);
    expect((await b.directory.lookup(KEY))?.active).toBe(false);
    expect(b.reads()).toBe(2);
  });

  test('a plan that is confirmed again and again is read anew after ten minutes or so', async () => {
    const b = bench();
    await b.directory.lookup(KEY);
    b.answer = () => Promise.resolve(found({ active: false }));
    for (const [minutes, reads] of [
      [7, 1],
      [13, 2],
    ] as const) {
      b.clock.nowMs = 1_000_000 + minutes * 60_000;
      b.directory.confirm();
      expect(b.directory.lookup(KEY)).not.toBeInstanceOf(Promise);
      await jest.advanceTimersByTimeAsync(200);
      await new Promise((resolve) => setImmediate(resolve));
      expect(b.reads()).toBe(reads);
    }
    expect((await b.directory.lookup(KEY))?.active).toBe(false);
  });

  test('also when a change overtakes the first answer', async () => {
    const b = bench();
    await b.directory.lookup(KEY);
    b.answer = () => {
      if (b.reads() === 2) b.directory.drop({ keySha256: KEY });
      return Promise.resolve(found({ active: b.reads() === 2 }));
    };
    b.clock.nowMs += 25_000;
    await b.directory.lookup(KEY);
    b.clock.nowMs += 5_000;
    expect((await b.directory.lookup(KEY))?.active).toBe(false);
    expect(b.reads()).toBe(3);
  });
});
