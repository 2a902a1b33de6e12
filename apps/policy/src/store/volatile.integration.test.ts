import type { Store } from '.';
import { onEveryBackend, type Bench } from './test-support/backends';
import { randomFrom } from './test-support/random';
import { budget, concurrency, LEASE_MS, NOW, openShard, rate } from './test-support/requests';

// Rates and concurrency: counters that start at zero and need no seed.

onEveryBackend((bench: () => Bench) => {
  let store: Store;
  beforeAll(async () => {
    store = await bench().store();
  });

  describe('requests and tokens per minute', () => {
    test('refuse what would be more than the limit, and say when it fits', async () => {
      const s = await openShard(bench(), store);
      await s.authorize('r1', [rate(10n, 4n)]);
      await s.at(NOW + 20_500);
      await s.authorize('r2', [rate(10n, 5n)]);
      const refused = await s.authorize('r3', [rate(10n, 3n)]);
      expect(refused).toMatchObject({
        kind: 'DENY',
        limitIds: ['l1:rpm'],
        states: [{ settled: 9n, held: 0n, retryAtMs: NOW + 60_100, freeAtMs: NOW + 80_600 }],
      });
      expect(await s.authorize('r4', [rate(10n, 11n)])).toMatchObject({
        kind: 'DENY',
        states: [{ retryAtMs: 0 }],
      });
      await s.at(NOW + 60_099);
      expect(await s.authorize('r3', [rate(10n, 3n)])).toMatchObject({ kind: 'DENY' });
      await s.at(NOW + 60_100);
      expect(await s.authorize('r3', [rate(10n, 3n)])).toMatchObject({ kind: 'ALLOW' });
      expect(await s.settled('l1:rpm')).toBe(8n);
    });

    test('a refused request does not count', async () => {
      const s = await openShard(bench(), store);
      await s.authorize('r1', [rate(1n, 1n)]);
      for (let i = 0; i < 5; i += 1) await s.authorize(`no${i}`, [rate(1n, 1n)]);
      expect(await s.settled('l1:rpm')).toBe(1n);
    });

    test('the estimate is corrected at close in the bucket of the authorise', async () => {
      const s = await openShard(bench(), store);
      await s.authorize('less', [rate(100n, 50n)]);
      await s.authorize('more', [rate(100n, 20n)]);
      await s.at(NOW + 30_000);
      await s.close('less', 'SETTLED', [{ ...rate(100n, 50n), spent: 10n }]);
      expect(await s.settled('l1:rpm')).toBe(30n);
      await s.close('more', 'SETTLED', [{ ...rate(100n, 20n), spent: 90n }]);
      expect(await s.settled('l1:rpm')).toBe(100n);
      expect(await s.authorize('r1', [rate(100n, 1n)])).toMatchObject({ kind: 'DENY' });
      await s.at(NOW + 60_100);
      expect(await s.authorize('r1', [rate(100n, 100n)])).toMatchObject({ kind: 'ALLOW' });
    });

    test('a correction that comes after the minute changes nothing', async () => {
      const s = await openShard(bench(), store);
      await s.authorize('r1', [rate(100n, 50n)]);
      await s.at(NOW + 60_100);
      await s.authorize('r2', [rate(100n, 60n)]);
      await s.close('r1', 'SETTLED', [{ ...rate(100n, 50n), spent: 0n }]);
      expect(await s.settled('l1:rpm')).toBe(60n);
    });

    test('a cancelled request counts no more; a close of a lost hold takes nothing', async () => {
      const s = await openShard(bench(), store);
      await s.authorize('r1', [rate(100n, 50n)]);
      await s.authorize('r2', [rate(100n, 20n)]);
      await s.close('r1', 'CANCELLED', [rate(100n, 50n)]);
      await s.close('lost', 'SETTLED', [{ ...rate(100n, 20n), spent: 0n }]);
      expect(await s.settled('l1:rpm')).toBe(20n);
    });

    test('a longer answer adds its steps to the bucket it began in', async () => {
      const s = await openShard(bench(), store);
      await s.authorize('r1', [rate(100n, 50n)]);
      await s.at(NOW + 10_000);
      const step = (base: bigint, total: bigint) => [{ ...rate(100n, 0n), base, total }];
      expect(await s.extend('r1', { counters: step(50n, 90n) })).toMatchObject({ kind: 'GRANTED' });
      expect(await s.settled('l1:rpm')).toBe(90n);
      expect(await s.extend('r1', { counters: step(90n, 101n), step: 2 })).toMatchObject({
        kind: 'DENY',
      });
      await s.close('r1', 'SETTLED', [{ ...rate(100n, 90n), spent: 30n }]);
      expect(await s.settled('l1:rpm')).toBe(30n);
      await s.at(NOW + 60_100);
      expect(await s.settled('l1:rpm')).toBe(0n);
    });

    test('are never more than the limit in any 60 seconds, and never refuse without need', async () => {
      const random = randomFrom(7);
      const s = await openShard(bench(), store);
      const limit = 20;
      const admitted: { at: number; amount: number }[] = [];
      let now = NOW;
      for (let i = 0; i < 150; i += 1) {
        now += random.below(random.chance(0.1) ? 40_000 : 3_000);
        await s.at(now);
        const amount = 1 + random.below(6);
        const outcome = await s.authorize(`r${i}`, [rate(BigInt(limit), BigInt(amount))]);
        const within = (spanMs: number) =>
          admitted.filter(({ at }) => at > now - spanMs).reduce((sum, a) => sum + a.amount, 0);
        if (outcome.kind === 'ALLOW') {
          admitted.push({ at: now, amount });
          expect(within(60_000)).toBeLessThanOrEqual(limit);
        } else {
          expect(outcome.kind).toBe('DENY');
          // Buckets of a tenth of a second reach back less than that too far.
          expect(within(60_000 + (now % 100) + 1) + amount).toBeGreaterThan(limit);
        }
      }
    });
  });

  test('a limit per minute that is always full lets through 99.8 % of itself', async () => {
    const random = randomFrom(11);
    const s = await openShard(bench(), store);
    let now = NOW + random.below(100);
    const startedAt = now;
    const minutes = 60;
    for (let i = 0; i < minutes; i += 1) {
      await s.at(now);
      expect(await s.authorize(`yes${i}`, [rate(5n, 5n)])).toMatchObject({ kind: 'ALLOW' });
      const refused = await s.authorize(`no${i}`, [rate(5n, 5n)]);
      if (refused.kind !== 'DENY') throw new Error('more than the limit');
      now = refused.states[0]?.retryAtMs ?? 0;
    }
    expect(now - startedAt).toBeGreaterThanOrEqual(minutes * 60_000);
    expect(now - startedAt).toBeLessThanOrEqual((minutes * 60_000) / 0.998);
  });

  describe('concurrent requests', () => {
    test('are limited while held and free when they end in whatever way', async () => {
      const s = await openShard(bench(), store);
      await s.seed([{}]);
      const both = [concurrency(2n), budget(100n, 1n)];
      await s.authorize('r1', both);
      await s.authorize('r2', both);
      expect(await s.authorize('r3', both)).toMatchObject({
        kind: 'DENY',
        limitIds: ['l1:conc'],
        states: [{ settled: 0n, held: 2n }, {}],
      });
      await s.close('r1', 'CANCELLED', both);
      expect(await s.authorize('r3', both)).toMatchObject({ kind: 'ALLOW' });
      await s.close('r2', 'SETTLED', both);
      await s.at(NOW + LEASE_MS);
      for (const id of await store.expiredLeases(s.shard, 10)) await s.close(id, 'ABANDONED', both);
      expect(await s.held('l1:conc')).toBe(0n);
    });

    test('count a hold once, however often it is asked for and ended', async () => {
      const s = await openShard(bench(), store);
      for (let i = 0; i < 3; i += 1) await s.authorize('r1', [concurrency(5n)]);
      expect(await s.held('l1:conc')).toBe(1n);
      await s.authorize('r2', [concurrency(5n)]);
      for (let i = 0; i < 3; i += 1) await s.close('r1', 'SETTLED', [concurrency(5n)]);
      expect(await s.held('l1:conc')).toBe(1n);
    });
  });
});
