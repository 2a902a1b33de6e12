import type { Store } from '.';
import { onEveryBackend, type Bench } from './test-support/backends';
import {
  budget,
  concurrency,
  LEASE_MS,
  NEXT_WINDOW,
  NOW,
  openShard,
  rate,
  warmShard,
} from './test-support/requests';

onEveryBackend((bench: () => Bench) => {
  let store: Store;
  beforeAll(async () => {
    store = await bench().store();
  });

  const warm = (settled = 0n) => warmShard(bench(), store, settled);

  describe('extend', () => {
    const step = (base: bigint, total: bigint, limit = 100n) => [
      { ...budget(limit, 0n), base, total },
    ];

    test('moves the lease and nothing else', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 10n)]);
      await s.at(NOW + 30_000);
      const outcome = await s.extend('r1', {
        counters: step(10n, 10n),
        step: 0,
        ticketText: 'ticket r1',
      });
      expect(outcome).toMatchObject({ kind: 'GRANTED', leaseUntilMs: NOW + 30_000 + LEASE_MS });
      await s.at(NOW + LEASE_MS);
      expect(await s.close('r1', 'ABANDONED', [])).toMatchObject({ kind: 'ALIVE' });
      expect(await s.held()).toBe(10n);
    });

    test('a counter of a value lives as long as its hold is used', async () => {
      const s = await warm();
      const limitId = 'b1~sAAAAAAAAAAAAAAAAAAAAAA';
      const held = budget(100n, 10n, { limitId });
      await s.seed([{ limitId }]);
      await s.authorize('r1', [held]);
      const key = `{s${s.shard}}:c:${limitId}`;
      const lives = async () => Number(await bench().raw('PTTL', key));
      const kept = await lives();
      expect(kept).toBeGreaterThan(60_000);
      await bench().raw('PEXPIRE', key, '5000');
      await s.extend('r1', {
        counters: [{ ...held, base: 10n, total: 10n }],
        step: 0,
        ticketText: 'ticket r1',
      });
      expect(await lives()).toBeGreaterThan(60_000);
      await bench().raw('PEXPIRE', key, '5000');
      await s.close('r1', 'SETTLED', [{ ...held, spent: 5n }]);
      expect(await lives()).toBeGreaterThan(60_000);
    });

    test('holds more, once, however often the same step is sent', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 10n)]);
      for (let i = 0; i < 3; i += 1) {
        expect(await s.extend('r1', { counters: step(10n, 40n) })).toMatchObject({
          kind: 'GRANTED',
        });
      }
      expect(await s.held()).toBe(40n);
      expect(await store.readHold(s.shard, 'r1')).toMatchObject({
        step: 1,
        ticketText: 'longer ticket r1',
      });
      await s.close('r1', 'CANCELLED', [budget(100n, 40n)]);
      expect(await s.held()).toBe(0n);
    });

    test('a step that would pass a limit is refused; the hold stays as it was', async () => {
      const s = await warm(50n);
      await s.authorize('r1', [budget(100n, 10n)]);
      const outcome = await s.extend('r1', { counters: step(10n, 51n) });
      expect(outcome).toMatchObject({
        kind: 'DENY',
        limitIds: ['b1'],
        states: [{ settled: 50n, held: 10n }],
      });
      expect(await store.readHold(s.shard, 'r1')).toMatchObject({
        step: 0,
        ticketText: 'ticket r1',
      });
    });

    test('a hold that was lost is adopted without a check, a step beyond it is checked', async () => {
      const s = await warm(90n);
      const outcome = await s.extend('r1', { counters: step(30n, 31n), authorisedAtMs: NOW - 5 });
      expect(outcome).toMatchObject({ kind: 'DENY', limitIds: ['b1'] });
      expect(await s.held()).toBe(30n);
      expect(await store.readHold(s.shard, 'r1')).toMatchObject({
        state: 'HELD',
        ticketText: 'ticket r1',
        authorisedAtMs: NOW - 5,
      });
      expect(await s.extend('r1', { counters: step(30n, 30n) })).toMatchObject({ kind: 'GRANTED' });
      await s.close('r1', 'SETTLED', [budget(100n, 30n)]);
      expect([await s.settled(), await s.held()]).toEqual([120n, 0n]);
    });

    test('adopts into a counter that is not there, and leaves it cold', async () => {
      const s = await openShard(bench(), store);
      const counters = [...step(30n, 30n), { ...concurrency(1n), base: 1n, total: 1n }];
      expect(await s.extend('r1', { counters })).toMatchObject({ kind: 'ADOPTED' });
      expect([await s.settled(), await s.held(), await s.held('l1:conc')]).toEqual([null, 30n, 1n]);
      await s.seed([{ total: 60n }]);
      expect(await s.authorize('r2', [budget(100n, 11n)])).toMatchObject({ kind: 'DENY' });
    });

    test('a step on a counter that is not known asks for its seed, or for patience in the grace', async () => {
      const s = await openShard(bench(), store, 2_000);
      const counters = step(30n, 31n);
      expect(await s.extend('r1', { counters })).toMatchObject({
        kind: 'CLOSED',
        untilMs: NOW + 2_000,
      });
      await s.at(NOW + 2_000);
      expect(await s.extend('r1', { counters })).toMatchObject({ kind: 'COLD', limitIds: ['b1'] });
      await s.seed([{}]);
      expect(await s.extend('r1', { counters })).toMatchObject({ kind: 'GRANTED' });
      expect(await s.held()).toBe(31n);
    });

    test('a step of a rate is in the minute of its request', async () => {
      const s = await openShard(bench(), store);
      await s.authorize('r1', [rate(100n, 10n)]);
      await s.at(NOW + 30_000);
      await s.extend('r1', { counters: [{ ...rate(100n, 0n), base: 10n, total: 40n }] });
      expect(await s.settled('l1:rpm')).toBe(40n);
      await s.close('r1', 'SETTLED', [rate(100n, 25n)]);
      expect(await s.settled('l1:rpm')).toBe(25n);
      await s.at(NOW + 60_100);
      expect(await s.settled('l1:rpm')).toBe(0n);
    });

    test('an adopted hold adds to a rate what is granted here, and that stays for its minute', async () => {
      const s = await openShard(bench(), store);
      await s.authorize('r1', [rate(100n, 60n)]);
      await s.at(NOW + 30_000);
      const step = (number: number, base: bigint, total: bigint) =>
        s.extend('r2', { step: number, counters: [{ ...rate(100n, 0n), base, total }] });
      // What it had before is told of by others, and the step is compared with the limit.
      expect(await step(0, 20n, 20n)).toMatchObject({ kind: 'ADOPTED' });
      expect(await step(1, 20n, 61n)).toMatchObject({ kind: 'DENY', limitIds: ['l1:rpm'] });
      expect(await s.settled('l1:rpm')).toBe(60n);
      expect(await step(1, 20n, 50n)).toMatchObject({ kind: 'GRANTED' });
      expect(await step(1, 20n, 50n)).toMatchObject({ kind: 'GRANTED' });
      expect(await step(2, 50n, 55n)).toMatchObject({ kind: 'GRANTED' });
      expect(await s.settled('l1:rpm')).toBe(95n);
      await s.close('r2', 'SETTLED', [rate(100n, 21n)]);
      expect(await s.settled('l1:rpm')).toBe(95n);
      await s.at(NOW + 60_100);
      expect(await s.settled('l1:rpm')).toBe(35n);
      await s.at(NOW + 90_100);
      expect(await s.settled('l1:rpm')).toBe(0n);
    });

    test('a step of a request older than a minute is in no rate', async () => {
      const s = await openShard(bench(), store);
      await s.at(NOW + 60_100);
      const counters = [{ ...rate(100n, 0n), base: 10n, total: 500n }];
      expect(await s.extend('r1', { counters })).toMatchObject({ kind: 'ADOPTED' });
      expect(await s.settled('l1:rpm')).toBe(0n);
    });

    test('an ended hold is gone', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 10n)]);
      await s.close('r1', 'SETTLED', [budget(100n, 10n)]);
      expect(await s.extend('r1', { counters: step(10n, 20n) })).toEqual({
        kind: 'GONE',
        state: 'SETTLED',
      });
    });

    test('a window that has gone by takes no part', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 10n)]);
      await s.at(NEXT_WINDOW.windowStartMs);
      await s.authorize('r2', [budget(100n, 100n, NEXT_WINDOW)]);
      expect(await s.extend('r1', { counters: step(10n, 1_000n) })).toMatchObject({
        kind: 'GRANTED',
      });
      expect(await s.held()).toBe(100n);
    });
  });
});
