import type { Store } from '.';
import { onEveryBackend, type Bench } from './test-support/backends';
import {
  budget,
  concurrency,
  LEASE_MS,
  NEXT_WINDOW,
  NOW,
  openShard,
  warmShard,
  WINDOW,
} from './test-support/requests';

onEveryBackend((bench: () => Bench) => {
  let store: Store;
  beforeAll(async () => {
    store = await bench().store();
  });

  const warm = (settled = 0n) => warmShard(bench(), store, settled);

  describe('authorize', () => {
    test('takes every hold and says what is left', async () => {
      const s = await warm(100n);
      await s.seed([{ limitId: 'b2', total: 7n }]);
      const outcome = await s.authorize('r1', [
        budget(1_000n, 50n),
        budget(500n, 60n, { limitId: 'b2' }),
      ]);
      expect(outcome).toMatchObject({
        kind: 'ALLOW',
        nowMs: NOW,
        leaseUntilMs: NOW + LEASE_MS,
        already: false,
      });
      expect(outcome).toMatchObject({
        states: [
          { limitId: 'b1', settled: 100n, held: 50n },
          { limitId: 'b2', settled: 7n, held: 60n },
        ],
      });
    });

    test('takes no hold at all when one limit would be exceeded', async () => {
      const s = await warm(100n);
      await s.seed([{ limitId: 'b2', total: 7n }]);
      const outcome = await s.authorize('r1', [
        budget(1_000n, 50n),
        budget(50n, 60n, { limitId: 'b2' }),
      ]);
      expect(outcome).toMatchObject({ kind: 'DENY', limitIds: ['b2'], coldLimitIds: [] });
      expect([await s.held('b1'), await s.held('b2')]).toEqual([0n, 0n]);
      expect(await store.readHold(s.shard, 'r1')).toBeNull();
    });

    test('names every hard limit that would be exceeded', async () => {
      const s = await warm(100n);
      await s.seed([{ limitId: 'b2' }, { limitId: 'b3' }]);
      const outcome = await s.authorize('r1', [
        budget(100n, 1n),
        budget(9n, 10n, { limitId: 'b2' }),
        budget(10n, 10n, { limitId: 'b3' }),
      ]);
      expect(outcome).toMatchObject({ kind: 'DENY', limitIds: ['b1', 'b2'] });
    });

    test('fills a limit to the last unit and not one further, at the largest amounts', async () => {
      const cap = 9_000_000_000_000_000n;
      const s = await warm(cap - 2n);
      expect(await s.authorize('r1', [budget(cap, 1n)])).toMatchObject({ kind: 'ALLOW' });
      expect(await s.authorize('r2', [budget(cap, 2n)])).toMatchObject({ kind: 'DENY' });
      expect(await s.authorize('r3', [budget(cap, 1n)])).toMatchObject({ kind: 'ALLOW' });
      expect(await s.authorize('r4', [budget(cap, 1n)])).toMatchObject({ kind: 'DENY' });
      await s.close('r1', 'SETTLED', [budget(cap, 1n)]);
      expect(await s.settled()).toBe(cap - 1n);
    });

    test('a request that needs nothing of a limit is not refused when more than the limit is used', async () => {
      const s = await warm(100n);
      const [lowered, soft] = [budget(10n, 0n), budget(10n, 0n, { soft: true })];
      expect(await s.authorize('r1', [lowered])).toMatchObject({ kind: 'ALLOW' });
      const passed = await s.authorize('r2', [soft]);
      expect(passed).toMatchObject({ kind: 'ALLOW', softExceeded: [] });
      expect(await s.authorize('r3', [budget(10n, 1n)])).toMatchObject({ kind: 'DENY' });
    });

    test('a soft limit reports that it is passed and refuses nothing', async () => {
      const s = await warm(100n);
      const outcome = await s.authorize('r1', [budget(100n, 50n, { soft: true })]);
      expect(outcome).toMatchObject({ kind: 'ALLOW', softExceeded: ['b1'] });
      expect(await s.held()).toBe(50n);
    });

    test('a counter that is not known is never taken for zero', async () => {
      const s = await openShard(bench(), store);
      expect(await s.authorize('r1', [budget(1_000n, 1n)])).toEqual({
        kind: 'COLD',
        limitIds: ['b1'],
      });
      expect(await s.settled()).toBeNull();
    });

    test('a known refusal needs no seed of the others, and says which are not known', async () => {
      const s = await warm(100n);
      const outcome = await s.authorize('r1', [
        budget(100n, 1n),
        budget(1n, 1n, { limitId: 'cold' }),
      ]);
      expect(outcome).toMatchObject({ kind: 'DENY', limitIds: ['b1'], coldLimitIds: ['cold'] });
      expect(outcome).toMatchObject({ states: [{ settled: 100n }, { settled: null }] });
    });

    test('asked again while held it answers the same hold and takes nothing more', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 60n)]);
      await s.at(NOW + 5_000);
      const again = await s.authorize('r1', [budget(100n, 60n)], {
        ticketText: 'of another policy',
      });
      expect(again).toMatchObject({
        kind: 'ALLOW',
        already: true,
        ticketText: 'ticket r1',
        nowMs: NOW,
      });
      expect(again).toMatchObject({ leaseUntilMs: NOW + LEASE_MS, states: [{ held: 60n }] });
      expect(await s.held()).toBe(60n);
    });

    test('the id of an ended request can not be used again', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 60n)]);
      await s.close('r1', 'CANCELLED', [budget(100n, 60n)]);
      const again = await s.authorize('r1', [budget(100n, 60n)]);
      expect(again).toEqual({ kind: 'ENDED', state: 'CANCELLED' });
    });

    test("a window that does not hold the server's present is refused with its time", async () => {
      const s = await warm();
      await s.at(WINDOW.windowEndMs);
      const late = await s.authorize('r1', [budget(100n, 1n)]);
      expect(late).toEqual({ kind: 'CLOCK', nowMs: WINDOW.windowEndMs });
      const right = await s.authorize('r1', [budget(100n, 1n, NEXT_WINDOW)]);
      expect(right).toMatchObject({ kind: 'ALLOW', states: [{ settled: 0n, held: 1n }] });
    });

    test('the window after a known one starts at zero by itself; after an unknown one it is cold', async () => {
      const s = await warm(90n);
      await s.authorize('old', [budget(100n, 10n)]);
      await s.at(NEXT_WINDOW.windowStartMs + 1);
      const fresh = budget(100n, 100n, NEXT_WINDOW);
      expect(await s.authorize('r1', [fresh])).toMatchObject({ kind: 'ALLOW' });
      await s.close('old', 'SETTLED', [budget(100n, 10n)]);
      expect([await s.settled(), await s.held()]).toEqual([0n, 100n]);
      const unknown = budget(100n, 1n, { ...NEXT_WINDOW, limitId: 'b2' });
      expect(await s.authorize('r2', [unknown])).toEqual({ kind: 'COLD', limitIds: ['b2'] });
    });

    test('a window that overlaps the stored one (the limit was changed) is cold', async () => {
      const s = await warm(90n);
      const wider = budget(100n, 1n, { windowEndMs: WINDOW.windowEndMs + 1 });
      expect(await s.authorize('r1', [wider])).toEqual({ kind: 'COLD', limitIds: ['b1'] });
    });

    test('a clock that falls back after a failover does not bring an old window back', async () => {
      const s = await warm();
      await s.at(NEXT_WINDOW.windowStartMs + 400);
      await s.authorize('r1', [budget(100n, 100n, NEXT_WINDOW)]);
      await s.at(NEXT_WINDOW.windowStartMs - 300);
      expect(await s.authorize('r2', [budget(100n, 1n)])).toEqual({
        kind: 'CLOCK',
        nowMs: NEXT_WINDOW.windowStartMs,
      });
      expect(await s.authorize('r2', [budget(100n, 1n, NEXT_WINDOW)])).toMatchObject({
        kind: 'DENY',
      });
    });

    test('what nobody can know beforehand is refused once it has reached the limit', async () => {
      const s = await openShard(bench(), store);
      const errors = budget(2n, 0n, { limitId: 'e1', kind: 'POST_PAID' });
      await s.seed([{ limitId: 'e1', total: 1n, metric: 'ERRORS' }]);
      expect(await s.authorize('r1', [errors])).toMatchObject({ kind: 'ALLOW' });
      await s.close('r1', 'SETTLED', [{ ...errors, spent: 1n }]);
      const next = await s.authorize('r2', [errors]);
      expect(next).toMatchObject({ kind: 'DENY', states: [{ settled: 2n, held: 0n }] });
    });

    test('too much that is not booked refuses new requests, and trims nothing unread', async () => {
      const small = await bench().store({ ledgerStreamMax: 1 });
      const s = await openShard(bench(), small);
      await s.seed([{}]);
      for (const id of ['r1', 'r2']) {
        await s.authorize(id, [budget(100n, 1n)]);
        await s.close(id, 'SETTLED', [budget(100n, 1n)]);
      }
      expect(await s.authorize('r3', [budget(100n, 1n)])).toEqual({
        kind: 'LEDGER_FULL',
        undrained: 2,
      });
      await small.book({ shard: s.shard, epoch: 1, position: 1, rev: 0, forgetLimitIds: [] });
      expect(await s.authorize('r3', [budget(100n, 1n)])).toMatchObject({ kind: 'ALLOW' });
    });

    test('amounts out of range never reach a script', async () => {
      const s = await warm();
      await expect(s.authorize('r1', [budget(100n, -1n)])).rejects.toThrow(RangeError);
      await expect(s.authorize('r1', [budget(100n, 2n ** 60n)])).rejects.toThrow(RangeError);
    });
  });

  describe('close', () => {
    test('charges what was used and gives the rest back', async () => {
      const s = await warm(100n);
      await s.authorize('r1', [budget(1_000n, 50n)]);
      const outcome = await s.close('r1', 'SETTLED', [{ ...budget(1_000n, 50n), spent: 20n }]);
      expect(outcome).toMatchObject({ kind: 'CLOSED', seq: 1, late: false, unknown: false });
      expect(outcome).toMatchObject({ states: [{ settled: 120n, held: 0n }] });
      expect(await store.expiredLeases(s.shard, 10)).toEqual([]);
    });

    test('what was used beyond the hold is charged all the same', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 50n)]);
      await s.close('r1', 'SETTLED', [{ ...budget(100n, 50n), spent: 130n }]);
      expect([await s.settled(), await s.held()]).toEqual([130n, 0n]);
    });

    test('a cancelled hold frees the whole amount and leaves no ledger entry', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 50n)]);
      expect(await s.close('r1', 'CANCELLED', [budget(100n, 50n)])).toMatchObject({
        kind: 'CLOSED',
        seq: 0,
      });
      expect([await s.settled(), await s.held()]).toEqual([0n, 0n]);
      expect((await store.readLedger(s.shard, 0, 10)).entries).toEqual([]);
    });

    test('a hold ends once', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 50n)]);
      await s.close('r1', 'SETTLED', [budget(100n, 50n)]);
      const again = { kind: 'DUP', state: 'SETTLED', seq: 1 };
      expect(await s.close('r1', 'SETTLED', [budget(100n, 50n)])).toEqual(again);
      expect(await s.close('r1', 'CANCELLED', [budget(100n, 50n)])).toEqual(again);
      expect(await s.close('r1', 'ABANDONED', [budget(100n, 50n)])).toEqual(again);
      expect([await s.settled(), await s.held()]).toEqual([50n, 0n]);
    });

    test('a hold is abandoned only when its lease is over, and then charged in full', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 50n), concurrency(1n)]);
      const close = () => s.close('r1', 'ABANDONED', [budget(100n, 50n), concurrency(1n)]);
      expect(await close()).toEqual({ kind: 'ALIVE', leaseUntilMs: NOW + LEASE_MS });
      expect(await store.expiredLeases(s.shard, 10)).toEqual([]);
      await s.at(NOW + LEASE_MS);
      expect(await store.expiredLeases(s.shard, 10)).toEqual(['r1']);
      expect(await close()).toMatchObject({ kind: 'CLOSED', seq: 1 });
      expect([await s.settled(), await s.held(), await s.held('l1:conc')]).toEqual([50n, 0n, 0n]);
      expect(await close()).toMatchObject({ kind: 'DUP', state: 'ABANDONED' });
    });

    test('abandoning what is not known leaves only the list of leases', async () => {
      const s = await warm();
      await bench().raw('ZADD', `{s${s.shard}}:leases`, '5', 'ghost');
      expect(await store.expiredLeases(s.shard, 10)).toEqual(['ghost']);
      expect(await s.close('ghost', 'ABANDONED', [])).toEqual({ kind: 'UNKNOWN' });
      expect(await store.expiredLeases(s.shard, 10)).toEqual([]);
    });

    test('the truth that comes after ABANDONED charges nothing here and tells catalog', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 50n)]);
      await s.at(NOW + LEASE_MS);
      await s.close('r1', 'ABANDONED', [budget(100n, 50n)]);
      const late = await s.close('r1', 'SETTLED', [{ ...budget(100n, 50n), spent: 10n }]);
      expect(late).toMatchObject({ kind: 'CLOSED', seq: 2, late: true });
      expect(await s.settled()).toBe(50n);
      const { entries } = await store.readLedger(s.shard, 1, 10);
      expect(entries).toMatchObject([{ seq: 2, mode: 'SETTLED', late: true, touched: [] }]);
      expect(await s.close('r1', 'SETTLED', [])).toMatchObject({ kind: 'DUP', seq: 2 });
    });

    test('a cancel that may follow a forgotten ABANDONED leaves an entry', async () => {
      const s = await warm();
      expect(await s.close('r1', 'CANCELLED', [])).toMatchObject({ seq: 0, unknown: true });
      await s.at(NOW + LEASE_MS + 1);
      expect(await s.close('r2', 'CANCELLED', [])).toMatchObject({ seq: 1, unknown: true });
    });

    test('a cancel of a hold from before data loss leaves an entry too', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 50n)]);
      await store.open({ shard: s.shard, newEpoch: 2, position: 0, rev: 0, graceMs: 0 });
      const outcome = await s.close('r1', 'CANCELLED', [budget(100n, 50n)], { epoch: 2 });
      expect(outcome).toMatchObject({ kind: 'CLOSED', seq: 1, unknown: false });
      const { entries } = await store.readLedger(s.shard, 0, 10);
      expect(entries).toMatchObject([{ mode: 'CANCELLED', late: false, touched: [] }]);
    });

    test('a close works when the hold is not known, and gives back nothing it did not take', async () => {
      const s = await warm(5n);
      await s.authorize('other', [budget(100n, 50n)]);
      const outcome = await s.close('r1', 'SETTLED', [{ ...budget(100n, 30n), spent: 20n }]);
      expect(outcome).toMatchObject({ kind: 'CLOSED', unknown: true });
      expect([await s.settled(), await s.held()]).toEqual([25n, 50n]);
    });

    test('an orphan is cancelled like any hold, abandoned or not', async () => {
      const s = await warm();
      const orphan = (id: string) =>
        s.close(id, 'CANCELLED', [budget(100n, 20n)], { orphan: true });
      await s.authorize('r1', [budget(100n, 20n), concurrency(5n)]);
      expect(await orphan('r1')).toMatchObject({ kind: 'CLOSED', seq: 0, unknown: false });
      expect(await orphan('r1')).toMatchObject({ kind: 'DUP', state: 'CANCELLED' });
      expect([await s.settled(), await s.held()]).toEqual([0n, 0n]);
      await s.authorize('r2', [budget(100n, 20n)]);
      await s.at(NOW + LEASE_MS);
      await s.close('r2', 'ABANDONED', [budget(100n, 20n)]);
      expect(await orphan('r2')).toMatchObject({ kind: 'CLOSED', seq: 2, late: true });
    });

    test('an orphan that somebody has asked for again is left to its owner', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 20n)]);
      expect(await s.authorize('r1', [budget(100n, 20n)])).toMatchObject({ already: true });
      const outcome = await s.close('r1', 'CANCELLED', [budget(100n, 20n)], { orphan: true });
      expect(outcome).toEqual({ kind: 'KEPT' });
      expect(await s.held()).toBe(20n);
      expect(await s.close('r1', 'SETTLED', [budget(100n, 20n)])).toMatchObject({ seq: 1 });
    });

    test('an orphan whose call never arrived leaves the hold of another call alone', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 20n)], { attempt: 'second call' });
      const orphan = (attempt: string) =>
        s.close('r1', 'CANCELLED', [budget(100n, 20n)], { orphan: true, attempt });
      expect(await orphan('first call')).toEqual({ kind: 'KEPT' });
      expect(await s.held()).toBe(20n);
      expect(await orphan('second call')).toMatchObject({ kind: 'CLOSED', unknown: false });
      expect(await s.held()).toBe(0n);
    });

    test('an orphan that took no hold leaves nothing behind', async () => {
      const s = await warm();
      const outcome = await s.close('r1', 'CANCELLED', [budget(100n, 20n)], { orphan: true });
      expect(outcome).toEqual({ kind: 'KEPT' });
      expect(await store.readHold(s.shard, 'r1')).toBeNull();
      expect(await s.authorize('r1', [budget(100n, 20n)])).toMatchObject({ kind: 'ALLOW' });
    });

    test('the entry says everything, and which limits it touched', async () => {
      const s = await warm();
      const cold = budget(100n, 5n, { limitId: 'cold' });
      await s.authorize('r1', [budget(100n, 5n)]);
      await s.close('r1', 'SETTLED', [{ ...budget(100n, 5n), spent: 4n }, cold, concurrency(1n)]);
      const { entries, gapBefore } = await store.readLedger(s.shard, 0, 10);
      expect(gapBefore).toBeNull();
      expect(entries).toEqual([
        {
          seq: 1,
          requestId: 'r1',
          mode: 'SETTLED',
          late: false,
          authorisedAtMs: NOW,
          closedAtMs: NOW,
          usage: {
            REQUESTS: 1n,
            TOKENS: 0n,
            TOKENS_IN: 0n,
            TOKENS_OUT: 0n,
            ERRORS: 0n,
            COST: 4n,
            LATENCY_MS: 0n,
          },
          dimensions: {
            ORGANISATION: 'o1',
            TEAM: '',
            USER: 'u1',
            API_KEY: 'k1',
            MODEL: 'm1',
            MCP_SERVER: '',
          },
          touched: [{ limitId: 'b1', ...WINDOW, amount: 4n }],
          payload: 'payload r1',
        },
      ]);
      expect(await s.settled('cold')).toBeNull();
    });

    test('a counter that the close does not name is given back all the same', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 50n)]);
      await s.close('r1', 'CANCELLED', []);
      expect(await s.held()).toBe(0n);
    });

    test('a hold follows its window when the counter goes to another one and back', async () => {
      const s = await warm();
      await s.authorize('r1', [budget(100n, 50n)]);
      const wider = { windowEndMs: WINDOW.windowEndMs + 1 };
      await s.seed([wider]);
      expect(await s.held()).toBe(0n);
      await s.authorize('r2', [budget(100n, 5n, wider)]);
      await s.seed([{}]);
      expect(await s.held()).toBe(50n);
      await s.authorize('r3', [budget(100n, 30n)]);
      await s.close('r2', 'CANCELLED', [budget(100n, 5n, wider)]);
      await s.close('r1', 'SETTLED', [{ ...budget(100n, 50n), spent: 20n }]);
      expect([await s.settled(), await s.held()]).toEqual([20n, 30n]);
    });
  });
});
