import type { AuthorizeOutcome, Store } from '.';
import { counterKey } from './keys';
import { onEveryBackend, type Bench } from './test-support/backends';
import { budget, concurrency, openShard, rate, usage, WINDOW } from './test-support/requests';

// Holds of one turn of the event loop are taken and ended by one script, each whole by itself.

const ids = (count: number) => Array.from({ length: count }, (_, i) => `r${String(i)}`);

onEveryBackend((bench: () => Bench) => {
  let store: Store;
  beforeAll(async () => {
    store = await bench().store();
  });

  const seeded = async () => {
    const s = await openShard(bench(), store);
    await s.seed([{ limitId: 'b1', ...WINDOW, total: 0n, metric: 'COST' }]);
    return s;
  };
  const allowed = (outcomes: readonly AuthorizeOutcome[]) =>
    outcomes.filter(({ kind }) => kind === 'ALLOW').length;

  test('a cap is as exact as if they had come one by one, and every end is booked once', async () => {
    const s = await seeded();
    const counters = [budget(100n, 3n), rate(1_000n, 1n), concurrency(50n)];
    const outcomes = await Promise.all(ids(70).map((id) => s.authorize(id, counters)));
    expect(allowed(outcomes)).toBe(33);
    expect(outcomes.slice(0, 33).every(({ kind }) => kind === 'ALLOW')).toBe(true);
    expect(await s.held()).toBe(99n);

    const spent = counters.map((counter, i) => ({ ...counter, spent: [2n, 1n, 0n][i] ?? 0n }));
    const closes = await Promise.all(
      ids(33).flatMap((id) => {
        const more = { usage: usage({ COST: 2n }) };
        return [s.close(id, 'SETTLED', spent, more), s.close(id, 'SETTLED', spent, more)];
      }),
    );
    const ended = closes.filter(({ kind }) => kind === 'CLOSED');
    expect(ended.map((close) => ('seq' in close ? close.seq : 0))).toEqual(
      Array.from({ length: 33 }, (_, i) => i + 1),
    );
    expect(closes.filter(({ kind }) => kind === 'DUP')).toHaveLength(33);
    expect(await s.held()).toBe(0n);
    expect(await s.settled()).toBe(66n);
    expect((await store.readLedger(s.shard, 0, 100)).entries).toHaveLength(33);
  });

  test('one that fails fails alone', async () => {
    const s = await seeded();
    await bench().raw('SET', counterKey(s.shard, 'broken'), 'no hash');
    const results = await Promise.allSettled(
      ids(6).map((id, i) =>
        s.authorize(id, [budget(100n, 1n, i === 3 ? { limitId: 'broken' } : {})]),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(results[3]).toMatchObject({ reason: { message: expect.stringMatching(/WRONGTYPE/) } });
    expect(await s.held()).toBe(5n);
  });

  test('what ends goes before what begins: its room is there for what comes with it', async () => {
    const s = await seeded();
    await s.authorize('first', [budget(10n, 10n)]);
    const [second] = await Promise.all([
      s.authorize('second', [budget(10n, 10n)]),
      s.close('first', 'CANCELLED', [budget(10n, 10n)]),
    ]);
    expect(second).toMatchObject({ kind: 'ALLOW' });
  });

  test('callers of two epochs are each told what concerns them', async () => {
    const s = await seeded();
    const counters = [budget(100n, 1n)];
    const outcomes = await Promise.all([
      s.authorize('old', counters, { epoch: 0 }),
      s.authorize('new', counters),
      s.authorize('new2', counters),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['EPOCH', 'ALLOW', 'ALLOW']);
  });

  test('a close that nobody wants the states of ends the hold just the same', async () => {
    const s = await seeded();
    const counters = [budget(100n, 10n), rate(1_000n, 5n), concurrency(5n)];
    await s.authorize('quiet', counters);
    const spent = counters.map((counter, i) => ({ ...counter, spent: [4n, 2n, 0n][i] ?? 0n }));
    const more = { states: false, usage: usage({ COST: 4n }) };
    expect(await s.close('quiet', 'SETTLED', spent, more)).toMatchObject({ seq: 1, states: [] });
    expect([await s.held(), await s.settled()]).toEqual([0n, 4n]);
    expect(await s.settled('l1:rpm')).toBe(2n);
    expect(await s.held('l1:conc')).toBe(0n);
  });
});
