import { KEPT_BY, MAX_AMOUNT } from '../store';
import { installed, onOneBackend, required, type Bench } from '../store/test-support/backends';
import {
  budget,
  concurrency,
  LEASE_MS,
  NOW,
  rate,
  type Shard,
} from '../store/test-support/requests';
import { cost, endOf, LIMIT, openRig, warmRig, type Rig } from './test-support/rig';

// What is decided from memory, and what becomes of it.

const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `r${String(i)}`);
const journalOf = async ({ shard, bench }: Shard): Promise<unknown> => {
  const keys = (await bench.raw('KEYS', `{s${String(shard)}}:j:*`)) as string[];
  return keys.length;
};

(installed || required ? describe : describe.skip)('deciding from memory', () => {
  onOneBackend((bench: () => Bench) => {
    test('few requests are decided exactly, many from memory', async () => {
      const rig = await openRig(bench());
      await rig.s.seed([{}]);
      for (let i = 0; i < 3; i += 1) rig.ask(`few ${String(i)}`, cost());
      await rig.pass(20);
      expect(await rig.s.held()).toBe(0n);
      for (let i = 0; i < 4; i += 1) rig.ask(`more ${String(i)}`, cost());
      await rig.pass(200);
      expect([rig.floats.busy, await rig.s.held()]).toEqual([false, 0n]);
      rig.ask('one', cost());
      await rig.warmUp(cost());
      expect(await rig.s.held()).toBe(70n);
      expect(rig.ask('r1', cost())).toEqual({
        kind: 'ALLOW',
        already: false,
        nowMs: NOW + 240,
        leaseUntilMs: NOW + 240 + LEASE_MS,
        ticketText: 'ticket r1',
        floatId: 'p1.2',
        states: [{ limitId: 'b1', settled: 0n, held: 70n, freeAtMs: 0, retryAtMs: 0 }],
      });
      expect(rig.ask('r1', cost(20n))).toMatchObject({ already: true, ticketText: 'ticket r1' });
    });

    test('a request that is asked again counts once', async () => {
      const rig = await openRig(bench());
      await rig.s.seed([{}]);
      const lentAfter = async (again: boolean): Promise<boolean> => {
        for (let i = 0; i < 3; i += 1) rig.ask(`few ${String(again)} ${String(i)}`, cost());
        for (let i = 0; i < 8; i += 1) rig.ask(`few ${String(again)} 0`, cost(), false, again);
        await rig.pass(30);
        return (await rig.s.held()) > 0n;
      };
      expect([await lentAfter(true), await lentAfter(false)]).toEqual([false, true]);
    });

    test('a request is journaled, settled with the next post, and its float goes when idle', async () => {
      const rig = await warmRig(bench());
      expect(rig.decided(['r1', 'r2'], cost())).toBe(2);
      await rig.pass(10);
      expect(await journalOf(rig.s)).toBe(1);
      const ended = rig.settle('r1', cost(), 7n);
      expect(rig.ask('r1', cost())).toEqual({ kind: 'ENDED', state: 'SETTLED' });
      const again = rig.settle('r1', cost(), 7n);
      await rig.pass(10);
      expect(await ended).toEqual({
        kind: 'CLOSED',
        seq: 1,
        epoch: 1,
        nowMs: NOW + 40,
        authorisedAtMs: NOW + 20,
        charged: '1',
      });
      expect(await again).toMatchObject({ seq: 1, again: true });
      expect(await rig.s.settled()).toBe(7n);
      expect(rig.settle('r1', cost(), 7n)).toBeUndefined();
      await rig.pass(200);
      expect(await rig.s.held()).toBe(10n);
      void rig.settle('r2', cost(), 10n);
      await rig.pass(600);
      expect(rig.floats.busy).toBe(false);
      expect(await rig.s.held()).toBe(0n);
      expect(await bench().raw('EXISTS', `{s${String(rig.s.shard)}}:f:p1.1`)).toBe(0);
    });

    test('a session that ends, a drain and trouble keep every hold as an ordinary one', async () => {
      const rig = await warmRig(bench());
      rig.decided(['r1', 'r2'], cost());
      rig.floats.sessionEnded('s1');
      await rig.pass(10);
      expect(await rig.s.store.readHold(rig.s.shard, 'r1')).toMatchObject({ state: 'HELD' });
      expect(rig.settle('r1', cost(), 1n)).toBeUndefined();
      await rig.s.close('r1', 'SETTLED', cost());
      await rig.s.close('r2', 'SETTLED', cost());
      await rig.warmUp(cost());
      expect(rig.decided(['r3'], cost())).toBe(1);
      rig.floats.drain();
      expect(rig.decided(['r4'], cost())).toBe(0);
      await rig.pass(50);
      expect(rig.floats.busy).toBe(false);
      // What was asked to warm up was decided from memory the second time.
      expect(await rig.s.held()).toBe(70n);
      expect(await rig.s.store.readHold(rig.s.shard, 'r3')).toMatchObject({ state: 'HELD' });
    });

    const extendTo = (rig: Rig, step: number, total: bigint) =>
      rig.floats.extend(rig.s.shard, {
        requestId: 'r1',
        leaseMs: LEASE_MS,
        step,
        session: 's1',
        floatId: 'p1.1',
        ticketText: `step ${String(step)} to ${String(total)}`,
        counters: [{ ...budget(LIMIT, 0n), base: 10n, total }],
      });

    test('an extension moves the lease in memory, and takes its step from what is free', async () => {
      const rig = await warmRig(bench());
      rig.decided(['r1'], cost());
      await rig.pass(10);
      expect(extendTo(rig, 0, 10n)).toEqual({ kind: 'GRANTED', leaseUntilMs: NOW + 30 + LEASE_MS });
      expect(extendTo(rig, 1, 25n)).toMatchObject({ kind: 'GRANTED' });
      await rig.pass(10);
      // More than is free: the hold is kept, and Redis extends it.
      const exact = extendTo(rig, 2, 900n);
      await rig.pass(10);
      expect(await exact).toEqual({ kind: 'EXACT' });
      const hold = await rig.s.store.readHold(rig.s.shard, 'r1');
      expect(hold).toMatchObject({ state: 'HELD', step: 1, ticketText: 'step 1 to 25' });
      await rig.pass(300);
      expect(await rig.s.held()).toBe(25n);
    });

    async function keptHold(rig: Rig) {
      rig.floats.sessionEnded('s1');
      await rig.pass(20);
      return await rig.s.store.readHold(rig.s.shard, 'r1');
    }

    test('a step that no counter counts is told with its ticket, by which an abandoned request is charged', async () => {
      const rig = await warmRig(bench());
      rig.decided(['r1'], cost());
      await rig.pass(10);
      expect(extendTo(rig, 1, 10n)).toMatchObject({ kind: 'GRANTED' });
      expect(await keptHold(rig)).toMatchObject({ step: 1, ticketText: 'step 1 to 10' });
    });

    test('a step of the same number holds what it has beyond the first one', async () => {
      const rig = await warmRig(bench());
      rig.decided(['r1'], cost());
      for (const total of [25n, 40n, 30n])
        expect(extendTo(rig, 1, total)).toMatchObject({ kind: 'GRANTED' });
      expect(await keptHold(rig)).toMatchObject({ ticketText: 'step 1 to 40' });
      await rig.pass(300);
      expect(await rig.s.held()).toBe(40n);
    });

    test('a step is not as old as its request', async () => {
      const rig = await warmRig(bench());
      rig.decided(['r1'], cost());
      for (let i = 0; i < 10; i += 1) await rig.warmUp(cost());
      expect(extendTo(rig, 1, 11n)).toMatchObject({ kind: 'GRANTED' });
      expect(rig.decided(['r2'], cost())).toBe(1);
    });

    test('amounts of one organisation do not fail the float of its shard', async () => {
      const rig = await warmRig(bench());
      const huge = [{ ...budget(MAX_AMOUNT, MAX_AMOUNT / 3n), limitId: 'b2' }];
      await rig.s.seed([{ limitId: 'b2' }]);
      for (let i = 0; i < 6; i += 1) rig.ask(`huge ${String(i)}`, huge);
      await rig.pass(30);
      expect(rig.ask('r1', cost())).toMatchObject({ kind: 'ALLOW', floatId: 'p1.1' });
      // Ends are posted one after the other when they charge too much together.
      const dear = ['r2', 'r3', 'r4'];
      expect(rig.decided(dear, cost())).toBe(3);
      for (const id of dear) void rig.settle(id, cost(), MAX_AMOUNT / 2n);
      await rig.pass(60);
      expect(await rig.s.settled()).toBe((MAX_AMOUNT / 2n) * 3n);
      expect(rig.adopted).toEqual([]);
    });

    test('what another policy ended or adopted is not reported, and its amount is freed', async () => {
      const rig = await warmRig(bench());
      expect(rig.decided(['r1', 'r2', 'r3'], cost())).toBe(3);
      await rig.s.close('r1', 'SETTLED', [{ ...budget(LIMIT, 10n), spent: 4n }]);
      const counters = [{ ...budget(LIMIT, 0n), base: 10n, total: 10n }];
      await rig.s.extend('r2', { counters, step: 0 });
      const ended = rig.settle('r1', cost(), 4n);
      await rig.pass(20);
      expect(await ended).toEqual({ kind: 'EXACT' });
      expect(await rig.s.settled()).toBe(4n);
      void rig.settle('r3', cost(), 3n);
      await rig.pass(1_200);
      expect([await rig.s.settled(), await rig.s.held()]).toEqual([7n, 10n]);
      expect(rig.floats.busy).toBe(false);
    });

    test('a copy of a request that Redis holds is dropped when its hold is extended', async () => {
      const rig = await warmRig(bench());
      expect(rig.decided(['r1'], cost())).toBe(1);
      // It is in the journal, so no further post names it.
      await rig.pass(20);
      await rig.s.authorize('r1', cost());
      const counters = [{ ...budget(LIMIT, 0n), base: 10n, total: 10n }];
      const about = { requestId: 'r1', leaseMs: LEASE_MS, step: 0, ticketText: 'step 0' };
      const extension = { ...about, counters, session: 's1', floatId: '' };
      expect(rig.floats.extend(rig.s.shard, extension)).toBeUndefined();
      await rig.pass(1_200);
      expect(rig.floats.busy).toBe(false);
      expect(await rig.s.held()).toBe(10n);
    });

    test('a kept hold of which nobody was told is cancelled, one of another call is not', async () => {
      const rig = await warmRig(bench());
      expect(rig.decided(['r1', 'r2', 'r3'], cost())).toBe(3);
      // All are kept by a post that does not arrive yet; another policy is asked for one of them.
      rig.floats.sessionEnded('s1');
      rig.reach.redis = false;
      await rig.pass(10);
      await rig.s.authorize('r2', cost(), { attempt: 'other' });
      const kept = ['r1', 'r2', 'r3'].map((id) => rig.floats.drop(rig.s.shard, id));
      rig.reach.redis = true;
      await rig.pass(20);
      for (const one of kept) expect(await one).toEqual({ kind: 'EXACT' });
      const cancel = (id: string) =>
        rig.s.close(id, 'CANCELLED', cost(), { orphan: true, attempt: KEPT_BY });
      expect(await cancel('r1')).toMatchObject({ kind: 'CLOSED' });
      expect(await cancel('r2')).toEqual({ kind: 'KEPT' });
      // Its edge was told, and had it adopted.
      const counters = [{ ...budget(LIMIT, 0n), base: 10n, total: 10n }];
      await rig.s.extend('r3', { counters, step: 0 });
      expect(await cancel('r3')).toEqual({ kind: 'KEPT' });
      expect(await rig.s.store.readHold(rig.s.shard, 'r2')).toMatchObject({ state: 'HELD' });
    });

    test('a hold whose lease ends is abandoned at the held amount', async () => {
      const rig = await warmRig(bench());
      rig.decided(['r1'], cost());
      await rig.pass(10);
      await rig.pass(LEASE_MS, 'frozen');
      await rig.pass(20);
      const hold = await rig.s.store.readHold(rig.s.shard, 'r1');
      expect(hold).toMatchObject({ state: 'ABANDONED' });
    });

    test('rates are used at once, and corrected when the request ends', async () => {
      const rig = await openRig(bench());
      const tokens = [rate(100n, 10n)];
      await rig.warmUp(tokens);
      expect(rig.decided(['r1', 'r2'], tokens)).toBe(2);
      void rig.settle('r1', tokens, 4n);
      await rig.pass(10);
      expect(await rig.s.settled('l1:rpm')).toBe(14n);
      void rig.settle('r2', tokens, 3n);
      await rig.pass(300);
      expect([await rig.s.settled('l1:rpm'), await rig.s.held('l1:rpm')]).toEqual([7n, 0n]);
    });

    test('a step that another policy grants before the post is in the rate beside it', async () => {
      const rig = await openRig(bench());
      const tokens = [rate(LIMIT, 10n, 'l1:tpm')];
      await rig.warmUp(tokens);
      const before = (await rig.s.settled('l1:tpm')) ?? 0n;
      expect(rig.decided(['r1'], tokens)).toBe(1);
      const counters = [{ ...rate(LIMIT, 0n, 'l1:tpm'), base: 10n, total: 35n }];
      await rig.s.extend('r1', { counters, floatId: 'p1.1' });
      expect(await rig.s.settled('l1:tpm')).toBe(before + 25n);
      // The post finds the hold elsewhere, and tells of what was decided all the same.
      await rig.pass(20);
      expect(await rig.s.settled('l1:tpm')).toBe(before + 35n);
      await rig.s.close('r1', 'SETTLED', [rate(LIMIT, 30n, 'l1:tpm')]);
      expect(await rig.s.settled('l1:tpm')).toBe(before + 35n);
    });

    test('slots of ended requests are free again after a post', async () => {
      const rig = await openRig(bench());
      const slots = [concurrency(40n)];
      await rig.warmUp(slots);
      expect(rig.decided(ids(10), slots)).toBe(6);
      for (const id of ids(6)) void rig.settle(id, slots, 0n);
      expect(rig.decided(['next'], slots)).toBe(0);
      await rig.pass(20);
      expect(rig.decided(['after'], slots)).toBe(1);
    });

    test('a float that is gone is lost: edges adopt, and ends go by Redis', async () => {
      const rig = await warmRig(bench());
      rig.decided(['r1', 'r2'], cost());
      await rig.pass(10);
      await rig.pass(6_000, 'frozen');
      const { shard, store } = rig.s;
      await store.reclaim({ shard, epoch: 1, floatId: 'p1.1', leaseMs: LEASE_MS });
      const ended = rig.floats.settle(shard, 'r1', endOf('r1', cost(), 5n));
      await rig.pass(20);
      expect(await ended).toEqual({ kind: 'EXACT' });
      expect(rig.adopted).toEqual(['p1.1']);
      expect(await rig.s.held()).toBe(20n);
      // The next generation.
      await rig.warmUp(cost());
      expect(rig.ask('r3', cost())).toMatchObject({ kind: 'ALLOW', floatId: 'p1.2' });
    });
  });
});
