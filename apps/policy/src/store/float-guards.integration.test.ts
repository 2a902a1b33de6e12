import type { PostOutcome, Store } from '.';
import { onOneBackend, TEST_SCRIPTS, type Bench } from './test-support/backends';
import {
  end,
  entry,
  FLOAT_LEASE_MS,
  lent,
  lentRate,
  lentSlots,
  posterOf,
} from './test-support/floats';
import { budget, concurrency, NOW, openShard, rate, warmShard } from './test-support/requests';
import { withoutGuard } from './test-support/without-guard';

// Every guard of floats in the scripts: what it prevents happens without it.

const targets = (outcome: PostOutcome): bigint[] => {
  if (outcome.kind !== 'POSTED') throw new Error(`the post was answered ${outcome.kind}`);
  return outcome.counters.map(({ target }) => target);
};
const LIMIT = 1_000n;
const kept = (amount: bigint) => ({ need: amount, keep: amount, want: amount });

interface Promised {
  guard: string;
  promise: string;
  /** What a shard of this store shows, with the guard and without it. */
  shows: (bench: Bench, store: Store, withheld?: string) => Promise<unknown>;
  kept: unknown;
  broken: unknown;
}

const PROMISES: Promised[] = [
  {
    guard: 'post late',
    promise: 'a post that arrives after its time has no effect',
    async shows(bench, _store, withheld) {
      // Falls back by more than the slack between two readings: every call comes too late.
      let now = NOW;
      const clock = { now: () => (now -= 100_000) };
      const scripts = withheld === undefined ? TEST_SCRIPTS : withoutGuard(TEST_SCRIPTS, withheld);
      const s = await warmShard(bench, await bench.store({ clock, scripts }));
      const answer = await posterOf(s).post([lent(LIMIT, { want: 100n })]);
      return [answer.kind, await s.held()];
    },
    kept: ['LATE', 0n],
    broken: ['POSTED', 100n],
  },
  {
    guard: 'float gone',
    promise: 'a post does not bring back a float that is gone',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await p.post([lent(LIMIT, { want: 100n })]);
      await p.reclaim(true);
      await p.post([lent(LIMIT, { has: true })]);
      return (await bench.raw('EXISTS', `{s${s.shard}}:f:p1.1`)) === 1;
    },
    kept: false,
    broken: true,
  },
  {
    guard: 'reclaiming',
    promise: 'no post is taken of a float that is being reclaimed',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await p.post([lent(LIMIT, { want: 500n })]);
      for (const from of [0, 100, 200]) {
        const ids = Array.from({ length: 100 }, (_, i) => `r${String(from + i)}`);
        await p.post([lent(LIMIT, { has: true, ...kept(500n) })], {
          journal: ids.map((id) => entry(id, 1n)),
        });
      }
      await s.at(NOW + FLOAT_LEASE_MS);
      await p.reclaim();
      // Its policy wakes: it goes on from what it had.
      return (await p.post([lent(LIMIT, { has: true, ...kept(200n) })])).kind;
    },
    kept: 'GONE',
    broken: 'POSTED',
  },
  {
    guard: 'old lease',
    promise: 'a float whose lease ended a minute ago takes no more posts',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await p.post([lent(LIMIT, { want: 100n })]);
      await s.at(NOW + FLOAT_LEASE_MS + 60_001);
      return (await p.post([lent(LIMIT, { has: true, ...kept(100n) })])).kind;
    },
    kept: 'GONE',
    broken: 'POSTED',
  },
  {
    guard: 'batch number',
    promise: 'a post is applied once, however often it is sent',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await p.post([lentRate(100n, { want: 50n })]);
      const used = [lentRate(100n, { has: true, spent: 10n, keep: 40n, want: 40n })];
      await p.post(used);
      await p.post(used, { batch: 2 });
      return await s.settled('l1:rpm');
    },
    kept: 10n,
    broken: 20n,
  },
  {
    guard: 'elsewhere',
    promise: 'a request that others ended is not charged again',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await p.post([lent(LIMIT, { want: 100n })]);
      await s.close('r1', 'SETTLED', [budget(LIMIT, 30n)]);
      await p.post([lent(LIMIT, { has: true, spent: 30n })], { ends: [end('r1', 30n)] });
      return await s.settled();
    },
    kept: 30n,
    broken: 60n,
  },
  {
    guard: 'float incarnation',
    promise: 'a float of a window that is over takes nothing from the next one',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      const window = { windowStartMs: NOW, windowEndMs: NOW + 4_000 };
      await s.seed([{ limitId: 'b2', ...window }]);
      const old = lent(LIMIT, { limitId: 'b2', ...window, has: true });
      await p.post([{ ...old, has: false, want: 100n }]);
      await s.at(NOW + 4_000);
      const next = { windowStartMs: NOW + 4_000, windowEndMs: NOW + 8_000 };
      await s.authorize('r1', [budget(LIMIT, 300n, { limitId: 'b2', ...next })]);
      await p.post([old]);
      return await s.held('b2');
    },
    kept: 300n,
    broken: 200n,
  },
  {
    guard: 'float grace',
    promise: 'nothing is lent before the holds of a lost shard are back',
    async shows(bench, store) {
      const s = await openShard(bench, store, 2_000);
      return targets(await posterOf(s).post([lentSlots(100n, { want: 5n })]));
    },
    kept: [0n],
    broken: [5n],
  },
  {
    guard: 'post creates nothing',
    promise: 'a cold counter stays cold when a post charges it',
    async shows(bench, store) {
      const s = await warmShard(bench, store, 100n);
      const p = posterOf(s);
      const item = { shard: s.shard, epoch: 1, position: 0, rev: 0 };
      await store.book({ ...item, forgetLimitIds: ['b1'] });
      await p.post([lent(LIMIT, { spent: 30n })], { ends: [end('r1', 30n)] });
      return await s.settled();
    },
    kept: null,
    broken: 30n,
  },
  {
    guard: 'half full',
    promise: 'nothing is lent while half of the ledger waits',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      const ids = Array.from({ length: 500 }, (_, i) => `r${String(i)}`);
      await Promise.all(ids.map((id) => s.close(id, 'SETTLED', [budget(LIMIT, 0n)])));
      return targets(await p.post([lent(LIMIT, { want: 100n })]));
    },
    kept: [0n],
    broken: [100n],
  },
  {
    guard: 'float window',
    promise: 'nothing is lent of a window that is over',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      await s.at(NOW + 3_600_000);
      return targets(await posterOf(s).post([lent(LIMIT, { want: 100n })]));
    },
    kept: [0n],
    broken: [100n],
  },
  {
    guard: 'wanted',
    promise: 'a refusal wants back what floats have free, and nothing is lent for a while',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await p.post([lent(LIMIT, { want: 800n })]);
      const refused = await s.authorize('r1', [budget(LIMIT, 300n)]);
      const answer = await p.post([lent(LIMIT, { has: true, keep: 400n, want: 850n })]);
      const { lent: said } = refused as { lent?: true };
      return [said, answer.kind === 'POSTED' && answer.counters[0]?.wanted, targets(answer)];
    },
    kept: [true, true, [400n]],
    broken: [true, false, [850n]],
  },
  {
    guard: 'wanted by a step',
    promise: 'a step that is refused wants back what floats have free',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await s.authorize('r1', [budget(LIMIT, 10n)]);
      await p.post([lent(LIMIT, { want: 800n })]);
      const step = { ...budget(LIMIT, 10n), base: 10n, total: 300n };
      const refused = await s.extend('r1', { counters: [step] });
      const answer = await p.post([lent(LIMIT, { has: true, keep: 400n, want: 400n })]);
      const granted = await s.extend('r1', { counters: [step] });
      const wanted = answer.kind === 'POSTED' && answer.counters[0]?.wanted;
      return [refused.kind, (refused as { lent?: true }).lent, wanted, granted.kind];
    },
    kept: ['DENY', true, true, 'GRANTED'],
    broken: ['DENY', undefined, false, 'GRANTED'],
  },
  {
    guard: 'wanted back',
    promise: 'nothing is lent of a counter that is wanted back',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await p.post([lent(LIMIT, { want: 800n })]);
      await s.authorize('r1', [budget(LIMIT, 300n)]);
      const before = targets(await p.post([lent(LIMIT, { has: true, keep: 400n, want: 850n })]));
      await s.at(NOW + 1_000);
      const after = targets(await p.post([lent(LIMIT, { has: true, keep: 400n, want: 850n })]));
      return [before, after];
    },
    kept: [[400n], [850n]],
    broken: [[850n], [850n]],
  },
  {
    guard: 'reserve',
    promise: 'a tenth of a limit is never lent',
    async shows(bench, store) {
      const s = await warmShard(bench, store, 100n);
      const p = posterOf(s);
      return [
        ...targets(await p.post([lent(LIMIT, { want: 801n })])),
        ...targets(await p.post([lent(LIMIT, { want: 800n })])),
      ];
    },
    kept: [0n, 800n],
    broken: [801n, 800n],
  },
  {
    guard: 'strikes',
    promise: 'what has ended leaves the journal',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await p.post([lent(LIMIT, { want: 100n })]);
      await p.post([lent(LIMIT, { has: true, ...kept(90n) })], {
        journal: [entry('r1', 30n), entry('r2', 30n), entry('r3', 30n)],
      });
      await p.post([lent(LIMIT, { has: true, spent: 9n, kept: 30n })], {
        ends: [end('r1', 9n)],
        keeps: [entry('r2', 30n)],
        strikes: ['r3'],
      });
      return await bench.raw('HLEN', `{s${s.shard}}:j:p1.1`);
    },
    kept: 0,
    broken: 3,
  },
  {
    guard: 'strike at close',
    promise: 'a settle at another policy leaves nothing to reclaim',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await p.post([lent(LIMIT, { want: 100n })]);
      await p.post([lent(LIMIT, { has: true, ...kept(30n) })], { journal: [entry('r1', 30n)] });
      await s.close('r1', 'SETTLED', [budget(LIMIT, 30n)], { floatId: 'p1.1' });
      return await bench.raw('HLEN', `{s${s.shard}}:j:p1.1`);
    },
    kept: 0,
    broken: 1,
  },
  {
    guard: 'strike at extend',
    promise: 'a hold that another policy adopted is not reclaimed',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await p.post([lent(LIMIT, { want: 100n })]);
      await p.post([lent(LIMIT, { has: true, ...kept(30n) })], { journal: [entry('r1', 30n)] });
      const counters = [{ ...budget(LIMIT, 0n), base: 30n, total: 30n }];
      await s.extend('r1', { counters, step: 0, floatId: 'p1.1' });
      await s.at(NOW + FLOAT_LEASE_MS);
      const reclaimed = await p.reclaim();
      return [reclaimed, await s.held()];
    },
    kept: [{ kind: 'DONE', holds: 0 }, 30n],
    broken: [{ kind: 'DONE', holds: 1 }, 30n],
  },
  {
    guard: 'step without a record',
    promise: 'a step of a hold that was adopted before its float told of it is in its rate, once',
    async shows(bench, store) {
      const s = await openShard(bench, store);
      const p = posterOf(s);
      await p.post([lentRate(100n, { want: 50n })]);
      const step = { floatId: 'p1.1', counters: [{ ...rate(100n, 0n), base: 10n, total: 45n }] };
      await s.extend('r1', step);
      await s.extend('r1', step);
      const before = await s.settled('l1:rpm');
      await p.post([lentRate(100n, { has: true, spent: 10n, keep: 40n, want: 40n })]);
      return [before, await s.settled('l1:rpm')];
    },
    kept: [35n, 45n],
    broken: [0n, 10n],
  },
  {
    guard: 'float lease',
    promise: 'a float is reclaimed by others when its lease is over, not before',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await p.post([lent(LIMIT, { want: 100n })]);
      await s.at(NOW + FLOAT_LEASE_MS - 1);
      return [(await p.reclaim()).kind, await s.held()];
    },
    kept: ['ALIVE', 100n],
    broken: ['DONE', 0n],
  },
  {
    guard: 'taken elsewhere',
    promise: 'reclaiming does not bring back what has ended elsewhere',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await p.post([lent(LIMIT, { want: 100n })]);
      await p.post([lent(LIMIT, { has: true, ...kept(30n) })], { journal: [entry('r1', 30n)] });
      // Its caller did not say of which float it was.
      await s.close('r1', 'SETTLED', [budget(LIMIT, 30n)]);
      await s.at(NOW + FLOAT_LEASE_MS);
      await p.reclaim();
      return [await s.held(), (await store.readHold(s.shard, 'r1'))?.state];
    },
    kept: [0n, 'SETTLED'],
    broken: [30n, 'HELD'],
  },
  {
    guard: 'rest of a rate',
    promise: 'what a lost policy may have used of a rate counts as used',
    async shows(bench, store) {
      const s = await openShard(bench, store);
      const p = posterOf(s);
      await p.post([lentRate(100n, { want: 50n })]);
      await s.at(NOW + FLOAT_LEASE_MS);
      await p.reclaim();
      return (await s.authorize('r1', [rate(100n, 60n)])).kind;
    },
    kept: 'DENY',
    broken: 'ALLOW',
  },
  {
    guard: 'floats found again',
    promise: 'a window that was changed and changed back holds what floats have of it',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await p.post([lent(LIMIT, { want: 100n })]);
      const { shard } = s;
      const forget = () =>
        store.book({ shard, epoch: 1, position: 0, rev: 0, forgetLimitIds: ['b1'] });
      await forget();
      await s.seed([{ windowStartMs: NOW, windowEndMs: NOW + 7_200_000 }]);
      expect(await s.held()).toBe(0n);
      await forget();
      await s.seed([{}]);
      return [await s.held(), targets(await p.post([lent(LIMIT, { has: true, ...kept(60n) })]))];
    },
    kept: [100n, [60n]],
    broken: [0n, [0n]],
  },
  {
    guard: 'one window',
    promise: 'a float keeps what it has of a window that may come back',
    async shows(bench, store) {
      const s = await warmShard(bench, store);
      const p = posterOf(s);
      await p.post([lent(LIMIT, { want: 100n })]);
      const { shard } = s;
      const forget = () =>
        store.book({ shard, epoch: 1, position: 0, rev: 0, forgetLimitIds: ['b1'] });
      const other = { windowStartMs: NOW, windowEndMs: NOW + 7_200_000 };
      await forget();
      await s.seed([other]);
      const refused = targets(await p.post([lent(LIMIT, { ...other, want: 70n })]));
      await forget();
      await s.seed([{}]);
      return [refused, await s.held()];
    },
    kept: [[0n], 100n],
    broken: [[70n], 0n],
  },
];

onOneBackend((bench: () => Bench) => {
  describe.each(PROMISES)('$promise', ({ guard, shows, kept: promised, broken }) => {
    test('is kept', async () => {
      expect(await shows(bench(), await bench().store())).toEqual(promised);
    });
    test(`is broken without the guard "${guard}"`, async () => {
      const store = await bench().store({ scripts: withoutGuard(TEST_SCRIPTS, guard) });
      expect(await shows(bench(), store, guard)).toEqual(broken);
    });
  });

  test('slots that a float has count like holds', async () => {
    const s = await openShard(bench(), await bench().store());
    await posterOf(s).post([lentSlots(10n, { want: 8n })]);
    expect((await s.authorize('r1', [concurrency(10n)])).kind).toBe('ALLOW');
    expect((await s.authorize('r2', [concurrency(10n)])).kind).toBe('ALLOW');
    expect((await s.authorize('r3', [concurrency(10n)])).kind).toBe('DENY');
  });
});
