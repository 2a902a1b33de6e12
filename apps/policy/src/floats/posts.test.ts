import { createFloats, FLOAT_PARAMETERS, type FloatDeps, type FloatParameters } from '.';
import {
  StoreUnavailableError,
  type AuthorizeCounter,
  type PostItem,
  type PostOutcome,
  type ReclaimOutcome,
} from '../store';
import { quiet } from '../store/test-support/backends';
import { budget, NOW } from '../store/test-support/requests';
import { QUIET_PARAMETERS } from './test-support/parameters';
import { endOf } from './test-support/rig';

// What a policy does with answers of the store that it does not expect.

function floatsWith(
  post: (item: PostItem) => PostOutcome | Error,
  reclaims: ReclaimOutcome[] = [],
  parameters: FloatParameters = QUIET_PARAMETERS,
) {
  const clock = { ms: 0 };
  const epoch = { now: 1 };
  const posts: PostItem[] = [];
  const reclaimed: string[] = [];
  const adopted: string[] = [];
  const deps: FloatDeps = {
    store: {
      post: async (item) => {
        posts.push(item);
        const answer = post(item);
        if (answer instanceof Error) throw answer;
        return Promise.resolve(answer);
      },
      reclaim: async ({ floatId }) => {
        reclaimed.push(floatId);
        return Promise.resolve(reclaims.shift() ?? { kind: 'DONE', holds: 0 });
      },
    },
    clock: { monotonicMs: () => clock.ms, wallMs: () => clock.ms },
    parameters,
    processId: 'p',
    leaseMs: 30_000,
    ledgerMax: 100,
    allKnowFloats: () => true,
    epochOf: () => epoch.now,
    onEpoch: () => undefined,
    onAdopt: (_shard, floatId) => adopted.push(floatId),
    abandoned: () => {
      throw new Error('nothing is abandoned');
    },
    log: quiet,
  };
  const floats = createFloats(deps);
  const ask = (count = 8, counter: (n: number) => AuthorizeCounter = () => budget(1_000n, 10n)) => {
    for (let i = 0; i < count; i += 1) {
      floats.authorize(0, {
        requestId: `r${String(i)}`,
        session: 's',
        resent: false,
        leaseMs: 30_000,
        ticketText: 't',
        counters: [counter(i)],
      });
    }
  };
  ask();
  const round = async (): Promise<void> => {
    clock.ms += FLOAT_PARAMETERS.postIntervalMs;
    floats.tick();
    await new Promise(setImmediate);
  };
  return { adopted, ask, clock, epoch, floats, posts, reclaimed, round };
}

/** Without the answer of any counter. */
const POSTED: PostOutcome & { kind: 'POSTED' } = {
  kind: 'POSTED',
  nowMs: 1_000,
  undrained: 0,
  seqs: [],
  counters: [],
};

test('a shard with few requests borrows nothing', async () => {
  const more = { ...FLOAT_PARAMETERS, shardFrom: 9 };
  const { posts, round } = floatsWith(() => POSTED, [], more);
  await round();
  expect(posts).toEqual([]);
  const enough = floatsWith(() => POSTED, [], { ...more, shardFrom: 8 });
  await enough.round();
  expect(enough.posts[0]?.counters[0]?.want).toBeGreaterThan(0n);
});

test('limits that are asked too seldom to be lent are in no post', async () => {
  const { ask, posts, round } = floatsWith((item) => lent(item, 1));
  await round();
  const seldom = posts.length;
  // The shard is busy with many limits; what they hold, Redis decides.
  for (let n = 0; n < 5; n += 1) {
    ask(8, (i) => budget(1_000n, 10n, { limitId: `b${String(n)}-${String(i)}` }));
    await round();
  }
  const named = posts.slice(seldom).flatMap((item) => item.counters.map((c) => c.limitId));
  expect(named.filter((limitId) => limitId !== 'b1')).toEqual([]);
  // What holds nothing is decided from the figures of the last answer.
  ask(1, () => budget(1_000n, 0n, { limitId: 'free' }));
  await round();
  expect(posts.at(-1)?.counters.map((c) => c.limitId)).toContain('free');
});

test('while a window of a limit is lent, no other window of it is', async () => {
  const { ask, clock, posts, round } = floatsWith((item) => lent(item, 1));
  await round();
  const [own] = posts[0]?.counters ?? [];
  if (own === undefined) throw new Error('nothing was lent');
  const windowEndMs = own.windowEndMs + 1_000;
  const wanted = (): bigint[] =>
    posts.flatMap(({ counters }) =>
      counters.filter((c) => c.windowEndMs === windowEndMs).map(({ want }) => want),
    );
  ask(8, () => budget(1_000n, 10n, { windowEndMs }));
  await round();
  expect(wanted().filter((want) => want > 0n)).toEqual([]);
  // Nobody asks for the first one any more, so that it goes back.
  for (let n = 0; n < 40; n += 1) {
    clock.ms += FLOAT_PARAMETERS.postIntervalMs;
    ask(1, () => budget(1_000n, 10n, { windowEndMs }));
    await round();
  }
  expect(wanted().at(-1)).toBeGreaterThan(0n);
});

test('a float is given back when a quarter of its demand is left, though requests come', async () => {
  const { ask, clock, posts, round } = floatsWith((item) => lent(item, 1), [], {
    ...FLOAT_PARAMETERS,
    shardFrom: 8,
  });
  await round();
  expect(posts).toHaveLength(1);
  // Two within 150 ms are a quarter, one is less.
  const others = (ms: number, times: number) => async (): Promise<boolean> => {
    for (let n = 0; n < times && posts.at(-1)?.last !== true; n += 1) {
      ask(1, () => budget(1_000n, 10n, { limitId: 'another' }));
      clock.ms += ms - FLOAT_PARAMETERS.postIntervalMs;
      await round();
    }
    return posts.at(-1)?.last === true;
  };
  expect(await others(70, 40)()).toBe(false);
  expect(await others(140, 40)()).toBe(true);
});

test('while Redis is away, an end waits for its post with four repeats and no more', async () => {
  let away = false;
  const { floats, round } = floatsWith((item) =>
    away ? new StoreUnavailableError('away') : lent(item, 1),
  );
  await round();
  const counters = [budget(1_000n, 10n)];
  const request = { session: 's', resent: false, leaseMs: 30_000, ticketText: 't', counters };
  expect(floats.authorize(0, { requestId: 'one', ...request })).toMatchObject({ kind: 'ALLOW' });
  away = true;
  const end = async () => await floats.settle(0, 'one', endOf('one', counters, 7n));
  const waiting = [end(), end(), end(), end(), end()];
  await expect(end()).rejects.toThrow(StoreUnavailableError);
  away = false;
  await round();
  await round();
  expect(await Promise.all(waiting)).toMatchObject([
    { kind: 'CLOSED', seq: 1 },
    ...Array.from({ length: 4 }, () => ({ kind: 'CLOSED', seq: 1, again: true })),
  ]);
});

describe('more counters than a post has places for', () => {
  /** So many requests in memory, with two limits of their own each. */
  async function crowd(count: number) {
    const eager = { ...FLOAT_PARAMETERS, floatFrom: 1, shardFrom: 1 };
    const parts = floatsWith((item) => lent(item, 1), [], eager);
    const { floats, round } = parts;
    const own = (n: number): AuthorizeCounter[] =>
      ['a', 'b'].map((which) => budget(1_000n, 10n, { limitId: `${which}${String(n)}` }));
    const ids = Array.from({ length: count }, (_, n) => `own${String(n)}`);
    const askAll = () =>
      ids.map((requestId, n) => {
        const about = { session: 's', resent: false, leaseMs: 30_000, ticketText: 't' };
        return floats.authorize(0, { requestId, ...about, counters: own(n) })?.kind;
      });
    askAll();
    for (let n = 0; n < 4; n += 1) await round();
    expect(new Set(askAll())).toEqual(new Set(['ALLOW']));
    return { ...parts, ids, own };
  }

  test('holds to keep are in the next post, and what is given back has places', async () => {
    const { clock, floats, ids, own, posts, round } = await crowd(70);
    await round();
    // What is free goes back: nobody has asked for as long as demand is remembered.
    clock.ms += 200;
    const extension = { leaseMs: 1, step: 1, ticketText: 't', session: 'other', floatId: 'p.1' };
    void floats.extend(0, { requestId: 'own69', ...extension, counters: [] });
    for (const [n, id] of ids.slice(0, 69).entries())
      void floats.settle(0, id, endOf(id, own(n), 7n));
    await round();
    const [post] = posts.filter(({ ends }) => ends.length > 0);
    expect(post?.keeps.map(({ requestId }) => requestId)).toEqual(['own69']);
    const ended = new Set(post?.ends.flatMap(({ counters }) => counters.map((c) => c.limitId)));
    const others = post?.counters.filter((c) => !ended.has(c.limitId) && c.kept === 0n) ?? [];
    expect(others.length).toBeGreaterThanOrEqual(16);
    expect(post?.counters).toHaveLength(128);
  });

  test('a float does not end while a counter without a place has something to give back', async () => {
    const { clock, floats, ids, posts, round } = await crowd(70);
    for (let n = 0; n < 40; n += 1) await round();
    clock.ms += 200;
    for (const id of ids) void floats.drop(0, id);
    const before = posts.length;
    for (let n = 0; n < 10; n += 1) await round();
    const [first, second] = posts.slice(before);
    expect([first?.counters.length, first?.last]).toEqual([128, false]);
    expect([second?.counters.length, second?.last]).toEqual([12, true]);
  });
});

test('a fault in what is remembered ends the float and not the process', async () => {
  const { clock, floats, reclaimed, round } = floatsWith((item) => lent(item, 1));
  await round();
  const counters = [budget(1_000n, 10n)];
  const request = { session: 's', resent: false, leaseMs: 200, ticketText: 't', counters };
  expect(floats.authorize(0, { requestId: 'one', ...request })).toMatchObject({ kind: 'ALLOW' });
  // Its end cannot be made: `abandoned` throws.
  clock.ms += 1_000;
  await round();
  expect(reclaimed).toEqual(['p.1']);
  expect(floats.settle(0, 'one', endOf('one', counters, 7n))).toBeUndefined();
});

test('while Redis is out of memory nothing is decided from memory', async () => {
  let full: { full?: true } = {};
  const { floats, round } = floatsWith((item) => ({ ...lent(item, 1), ...full }));
  await round();
  const about = { session: 's', resent: false, leaseMs: 30_000, ticketText: 't' };
  const allowed = (requestId: string) =>
    floats.authorize(0, { requestId, ...about, counters: [budget(1_000n, 10n)] })?.kind;
  expect(allowed('one')).toBe('ALLOW');
  full = { full: true };
  await round();
  expect(allowed('two')).toBeUndefined();
  full = {};
  const ended = floats.settle(0, 'one', endOf('one', [budget(1_000n, 10n)], 7n));
  await round();
  expect(await ended).toMatchObject({ kind: 'CLOSED' });
  expect(allowed('three')).toBe('ALLOW');
});

describe('answers to posts', () => {
  test('requests that the post does not name end the float, once', async () => {
    const { adopted, posts, reclaimed, round } = floatsWith(() => ({
      kind: 'ELSE',
      requestIds: ['unknown'],
    }));
    await round();
    expect(posts).toHaveLength(1);
    // Nothing was decided from it, so that nothing is to be adopted.
    expect([reclaimed, adopted]).toEqual([['p.1'], []]);
  });

  test('an answer that does not fit ends the float and not the process', async () => {
    const { adopted, posts, reclaimed, round } = floatsWith(() => POSTED);
    await round();
    expect(posts[0]?.counters).toHaveLength(1);
    // Nothing was decided from it, so that nothing is to be adopted.
    expect([reclaimed, adopted]).toEqual([['p.1'], []]);
  });

  test('a float that is given up is reclaimed to its end', async () => {
    const more: ReclaimOutcome = { kind: 'MORE', holds: 200 };
    const { reclaimed, round } = floatsWith(() => new TypeError('what?'), [more, more]);
    await round();
    await round();
    expect(reclaimed.filter((id) => id === 'p.1')).toHaveLength(3);
  });
});

test('while an epoch is being followed, posts wait', async () => {
  const { ask, epoch, posts, round } = floatsWith(() => ({
    kind: 'EPOCH',
    epoch: 2,
    lost: false,
  }));
  for (let i = 0; i < 20; i += 1) await round();
  expect(posts).toHaveLength(1);
  epoch.now = 2;
  await round();
  ask();
  await round();
  expect(posts.map((item) => item.epoch)).toEqual([1, 2]);
});

/** Lends all that a post wants; its ends get numbers from `firstSeq` on. */
function lent(item: PostItem, firstSeq: number): PostOutcome {
  return {
    ...POSTED,
    nowMs: NOW,
    seqs: item.ends.map((_, i) => firstSeq + i),
    counters: item.counters.map(({ want }) => ({
      settled: 0n,
      held: want,
      incarnation: '1',
      target: want,
      wanted: false,
    })),
  };
}

test('the answer to a post from before a loss of data ends nothing', async () => {
  const { epoch, floats, round } = floatsWith((item) => {
    if (item.ends.length > 0) epoch.now = 2;
    return lent(item, 69);
  });
  await round();
  const counters = [budget(1_000n, 10n)];
  const request = { session: 's', resent: false, leaseMs: 30_000, ticketText: 't', counters };
  expect(floats.authorize(0, { requestId: 'one', ...request })).toMatchObject({ kind: 'ALLOW' });
  const ended = floats.settle(0, 'one', endOf('one', counters, 7n));
  await round();
  expect(await ended).toEqual({ kind: 'EXACT' });
});

test.each([
  ['here', 7n],
  ['elsewhere', 0n],
])('an end %s may charge another window of a limit than its hold has', async (where, spent) => {
  const { floats, posts, round } = floatsWith((item) => {
    if (where === 'elsewhere' && item.ends.length > 0) return { kind: 'ELSE', requestIds: ['one'] };
    return lent(item, 1);
  });
  await round();
  const counters = [budget(1_000n, 10n)];
  const request = { session: 's', resent: false, leaseMs: 30_000, ticketText: 't', counters };
  expect(floats.authorize(0, { requestId: 'one', ...request })).toMatchObject({ kind: 'ALLOW' });
  // The limit's window was changed, and another policy has decided the request with it.
  const [own] = counters;
  if (own === undefined) throw new Error('no counter');
  const other = { ...own, windowEndMs: own.windowEndMs + 1_000 };
  void floats.settle(0, 'one', endOf('one', [other], 7n));
  await round();
  await round();
  const charged = posts.filter(({ counters: { length } }) => length === 2).at(-1)?.counters;
  expect(charged).toMatchObject([
    { windowEndMs: own.windowEndMs, spent: 0n },
    { windowEndMs: other.windowEndMs, spent },
  ]);
});
