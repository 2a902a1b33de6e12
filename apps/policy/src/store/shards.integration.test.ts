import { isBroken, type Store } from '.';
import { slotOf } from './keys';
import { onEveryBackend, TEST_SCRIPTS, type Bench } from './test-support/backends';
import {
  budget,
  LEASE_MS,
  NEXT_WINDOW,
  NOW,
  openShard,
  usage,
  WINDOW,
} from './test-support/requests';

onEveryBackend((bench: () => Bench) => {
  let store: Store;
  beforeAll(async () => {
    store = await bench().store();
  });

  const settle = async (s: Awaited<ReturnType<typeof openShard>>, id: string, spent: bigint) => {
    await s.authorize(id, [budget(1_000n, spent)]);
    await s.close(id, 'SETTLED', [budget(1_000n, spent)]);
  };
  const book = (shard: number, position: number, forgetLimitIds: string[] = [], rev = 0) =>
    store.book({ shard, epoch: 1, position, rev, forgetLimitIds });

  describe('seed', () => {
    test('makes a counter known, once', async () => {
      const s = await openShard(bench(), store);
      expect(await s.seed([{ total: 40n }])).toMatchObject({
        kind: 'DONE',
        results: [{ limitId: 'b1', kind: 'SEEDED' }],
      });
      expect(await s.seed([{ total: 99n }])).toMatchObject({ results: [{ kind: 'WARM' }] });
      expect(await s.settled()).toBe(40n);
    });

    test("adds what the stream holds after catalog's position, and only what matches", async () => {
      const s = await openShard(bench(), store);
      await s.seed([{}]);
      for (const spent of [1n, 2n, 4n]) await settle(s, `r${spent}`, spent);
      await s.close('other org', 'SETTLED', [], {
        dimensions: {
          ORGANISATION: 'o2',
          TEAM: '',
          USER: '',
          API_KEY: 'k9',
          MODEL: 'm1',
          MCP_SERVER: '',
        },
        usage: usage({ COST: 8n, TOKENS: 100n }),
      });
      await s.close('before', 'SETTLED', [], {
        authorisedAtMs: NOW - 1,
        usage: usage({ COST: 16n }),
      });
      const results = await s.seed(
        [
          { limitId: 'b2', total: 1_000n },
          { limitId: 'by model', total: 0n, scopeType: 'MODEL', scopeId: 'm1' },
          { limitId: 'tokens', total: 5n, metric: 'TOKENS', scopeType: 'API_KEY', scopeId: 'k9' },
          { limitId: 'no team', total: 0n, scopeType: 'TEAM', scopeId: 't1' },
          { limitId: 'count', total: 0n, metric: 'REQUESTS' },
        ],
        { position: 1 },
      );
      expect(results).toMatchObject({ kind: 'DONE' });
      const settled = ['b2', 'by model', 'tokens', 'no team', 'count'].map((id) => s.settled(id));
      expect(await Promise.all(settled)).toEqual([1_006n, 14n, 105n, 0n, 2n]);
    });

    test('skips what ended after ABANDONED: catalog books the difference and has it forgotten', async () => {
      const s = await openShard(bench(), store);
      await s.seed([{}]);
      await s.authorize('r1', [budget(100n, 50n)]);
      await s.at(NOW + LEASE_MS);
      await s.close('r1', 'ABANDONED', [budget(100n, 50n)]);
      await s.close('r1', 'SETTLED', [{ ...budget(100n, 50n), spent: 10n }]);
      await s.seed([{ limitId: 'b2' }]);
      expect(await s.settled('b2')).toBe(50n);
    });

    test('totals older than what was booked are refused', async () => {
      const s = await openShard(bench(), store);
      await s.seed([{}]);
      await settle(s, 'r1', 5n);
      await settle(s, 'r2', 5n);
      await book(s.shard, 2);
      expect(await s.seed([{ limitId: 'b2', total: 5n }], { position: 1 })).toEqual({
        kind: 'STALE',
      });
      expect(await s.seed([{ limitId: 'b2', total: 10n }], { position: 2 })).toMatchObject({
        kind: 'DONE',
      });
    });

    test('totals from before a correction are refused', async () => {
      const s = await openShard(bench(), store);
      await book(s.shard, 0, [], 4);
      expect(await s.seed([{}], { rev: 3 })).toEqual({ kind: 'STALE' });
      expect(await s.seed([{}], { rev: 4 })).toMatchObject({ kind: 'DONE' });
    });

    test('too much that is not drained is not looked through', async () => {
      const lazy = await bench().store({ seedScanMax: 1 });
      const s = await openShard(bench(), lazy);
      await s.close('r1', 'SETTLED', []);
      expect(await s.seed([{}])).toMatchObject({ kind: 'DONE' });
      await s.close('r2', 'SETTLED', []);
      expect(await s.seed([{ limitId: 'b2' }])).toEqual({ kind: 'LAG', undrained: 2 });
    });

    test("a window that does not hold the server's present is not seeded", async () => {
      const s = await openShard(bench(), store);
      await s.at(NEXT_WINDOW.windowStartMs);
      expect(await s.seed([{}, { ...NEXT_WINDOW, limitId: 'b2' }])).toMatchObject({
        kind: 'DONE',
        results: [{ kind: 'CLOCK' }, { kind: 'SEEDED' }],
      });
    });

    test('a position that Redis never reached means that Redis lost data', async () => {
      const s = await openShard(bench(), store);
      expect(await s.seed([{}], { position: 1 })).toEqual({ kind: 'EPOCH', lost: true, epoch: 1 });
      expect(await book(s.shard, 1)).toEqual({ kind: 'EPOCH', lost: true, epoch: 1 });
    });

    test('a hole in the stream means that Redis lost data', async () => {
      const s = await openShard(bench(), store);
      await s.close('r1', 'SETTLED', []);
      await s.close('r2', 'SETTLED', []);
      await bench().raw('XDEL', `{s${s.shard}}:ledger`, '1-0');
      expect(await s.seed([{}])).toEqual({ kind: 'EPOCH', lost: true, epoch: 1 });
      expect(await store.readLedger(s.shard, 0, 10)).toMatchObject({
        gapBefore: 2,
        entries: [{ seq: 2 }],
      });
    });
  });

  describe('book', () => {
    test('trims what is committed, never more, and keeps numbers rising', async () => {
      const s = await openShard(bench(), store);
      for (const id of ['r1', 'r2', 'r3']) await s.close(id, 'SETTLED', []);
      expect(await book(s.shard, 2)).toEqual({ kind: 'BOOKED', booked: 2, seq: 3 });
      expect((await store.readLedger(s.shard, 2, 10)).entries).toMatchObject([
        { seq: 3, requestId: 'r3' },
      ]);
      expect(await book(s.shard, 1)).toEqual({ kind: 'BOOKED', booked: 2, seq: 3 });
      await book(s.shard, 3);
      expect(await s.close('r4', 'SETTLED', [])).toMatchObject({ seq: 4 });
      expect(await store.readMeta(s.shard)).toEqual({
        epoch: 1,
        seq: 4,
        booked: 3,
        floor: 3,
        rev: 0,
        closedUntilMs: NOW,
        sameServer: true,
      });
    });

    test('a forgotten counter keeps its holds and must be seeded again', async () => {
      const s = await openShard(bench(), store);
      await s.seed([{ total: 10n }]);
      await s.authorize('r1', [budget(100n, 30n)]);
      await book(s.shard, 0, ['b1', 'never seen'], 1);
      expect(await s.authorize('r2', [budget(100n, 1n)])).toEqual({
        kind: 'COLD',
        limitIds: ['b1'],
      });
      await s.close('r3', 'SETTLED', [budget(100n, 5n)]);
      expect(await s.settled()).toBeNull();
      await s.seed([{ total: 20n }], { rev: 1 });
      expect([await s.settled(), await s.held()]).toEqual([25n, 30n]);
    });

    test('an entry that can not be read is shown, not thrown', async () => {
      const s = await openShard(bench(), store);
      await s.close('r1', 'SETTLED', []);
      await bench().raw('XADD', `{s${s.shard}}:ledger`, '2-0', 'm', 'NONSENSE');
      const { entries } = await store.readLedger(s.shard, 0, 10);
      expect(entries.map((entry) => isBroken(entry))).toEqual([false, true]);
      expect(entries[1]).toMatchObject({ seq: 2, raw: '["m","NONSENSE"]' });
    });
  });

  describe('open and epochs', () => {
    const asks = (s: Awaited<ReturnType<typeof openShard>>, epoch: number) => [
      s.authorize('x', [], { epoch }),
      s.extend('x', { counters: [], epoch }),
      s.close('x', 'SETTLED', [], { epoch }),
      s.seed([], { epoch }),
      store.book({ shard: s.shard, epoch, position: 0, rev: 0, forgetLimitIds: [] }),
    ];

    test('every script refuses a caller of another epoch', async () => {
      const s = await openShard(bench(), store, 0, 3);
      for (const outcome of await Promise.all(asks(s, 2))) {
        expect(outcome).toEqual({ kind: 'EPOCH', lost: false, epoch: 3 });
      }
      for (const outcome of await Promise.all(asks(s, 4))) {
        expect(outcome).toEqual({ kind: 'EPOCH', lost: true, epoch: 3 });
      }
    });

    test('every script refuses a shard that is not there', async () => {
      const s = await openShard(bench(), store, 0, 0);
      expect(await store.readMeta(s.shard)).toBeNull();
      for (const outcome of await Promise.all(asks(s, 1))) {
        expect(outcome).toEqual({ kind: 'EPOCH', lost: true, epoch: null });
      }
    });

    test('every script refuses data of another server process', async () => {
      const s = await openShard(bench(), store);
      await bench().raw('HSET', `{s${s.shard}}:meta`, 'run', 'another');
      expect(await store.readMeta(s.shard)).toMatchObject({ epoch: 1, sameServer: false });
      for (const outcome of await Promise.all(asks(s, 1))) {
        expect(outcome).toEqual({ kind: 'EPOCH', lost: true, epoch: 1 });
      }
    });

    test('a new epoch makes every counter cold and keeps holds and undrained entries', async () => {
      const s = await openShard(bench(), store);
      await s.seed([{ total: 10n }]);
      await s.authorize('r1', [budget(100n, 30n)]);
      await settle(s, 'r2', 5n);
      await settle(s, 'r3', 5n);
      const opened = await store.open({
        shard: s.shard,
        newEpoch: 2,
        position: 1,
        rev: 7,
        graceMs: 2_000,
      });
      expect(opened).toEqual({ kind: 'OPENED', closedUntilMs: NOW + 2_000 });
      expect([await s.settled(), await s.held()]).toEqual([null, 30n]);
      expect(await store.readMeta(s.shard)).toMatchObject({
        epoch: 2,
        seq: 2,
        booked: 1,
        floor: 1,
        rev: 7,
      });
      expect((await store.readLedger(s.shard, 1, 10)).entries).toMatchObject([{ seq: 2 }]);
    });

    test('during the grace new requests and seeds wait, closes and adoptions do not', async () => {
      const s = await openShard(bench(), store, 2_000);
      const closed = { kind: 'CLOSED', untilMs: NOW + 2_000, nowMs: NOW };
      expect(await s.authorize('r1', [budget(100n, 1n)])).toEqual(closed);
      expect(await s.seed([{}])).toEqual(closed);
      expect(await s.close('r2', 'SETTLED', [budget(100n, 1n)])).toMatchObject({
        kind: 'CLOSED',
        seq: 1,
      });
      const adopt = { counters: [{ ...budget(100n, 0n), base: 5n, total: 5n }] };
      expect(await s.extend('r3', adopt)).toMatchObject({ kind: 'ADOPTED' });
      await s.at(NOW + 2_000);
      expect(await s.authorize('r1', [budget(100n, 1n)])).toMatchObject({ kind: 'COLD' });
    });

    test('numbers go on after the further of catalog and Redis', async () => {
      const s = await openShard(bench(), store);
      await store.open({ shard: s.shard, newEpoch: 2, position: 40, rev: 0, graceMs: 0 });
      expect(await s.close('r1', 'SETTLED', [], { epoch: 2 })).toMatchObject({ seq: 41 });
      await bench().raw('DEL', `{s${s.shard}}:meta`);
      await store.open({ shard: s.shard, newEpoch: 3, position: 40, rev: 0, graceMs: 0 });
      expect(await s.close('r2', 'SETTLED', [], { epoch: 3 })).toMatchObject({ seq: 42 });
      expect((await store.readLedger(s.shard, 40, 10)).entries).toHaveLength(2);
    });

    test('entries from before an earlier loss are kept under numbers that catalog has not seen', async () => {
      const s = await openShard(bench(), store, 0, 2);
      await s.seed([{}]);
      await s.authorize('r1', [budget(100n, 5n)]);
      await s.close('r1', 'SETTLED', [budget(100n, 5n)]);
      // Meanwhile the catalog granted epoch 3, and its number 1 is another entry.
      await store.open({ shard: s.shard, newEpoch: 4, position: 1, rev: 0, graceMs: 0 });
      const { entries } = await store.readLedger(s.shard, 1, 10);
      expect(entries).toMatchObject([{ seq: 2, requestId: 'r1' }]);
      const again = await s.close('r1', 'SETTLED', [], { epoch: 4 });
      expect(again).toEqual({ kind: 'DUP', state: 'SETTLED', seq: 2 });
      expect(await s.close('r2', 'SETTLED', [], { epoch: 4 })).toMatchObject({ seq: 3 });
    });

    test('a hole left by lost entries is closed by the next epoch', async () => {
      const s = await openShard(bench(), store);
      for (const id of ['r1', 'r2', 'r3']) await s.close(id, 'SETTLED', []);
      await bench().raw('XDEL', `{s${s.shard}}:ledger`, '2-0');
      await store.open({ shard: s.shard, newEpoch: 2, position: 1, rev: 0, graceMs: 0 });
      const { entries, gapBefore } = await store.readLedger(s.shard, 1, 10);
      expect(gapBefore).toBeNull();
      expect(entries).toMatchObject([{ seq: 2, requestId: 'r3' }]);
      expect(await s.seed([{}], { epoch: 2, position: 1 })).toMatchObject({ kind: 'DONE' });
    });

    test('forgetting all makes every counter cold and leaves the holds', async () => {
      const s = await openShard(bench(), store);
      await s.seed([{ total: 10n }, { limitId: 'b2' }]);
      await s.authorize('r1', [budget(100n, 30n)]);
      const item = {
        shard: s.shard,
        epoch: 1,
        position: 0,
        rev: 0,
        forgetLimitIds: [],
        forgetAll: true,
      };
      expect(await store.book(item)).toMatchObject({ kind: 'BOOKED' });
      expect([await s.settled('b1'), await s.settled('b2'), await s.held('b1')]).toEqual([
        null,
        null,
        30n,
      ]);
      await s.seed([{ total: 15n }]);
      expect([await s.settled(), await s.held()]).toEqual([15n, 30n]);
    });

    test('a shard that an earlier release opened begins to trust counters of values from its next report', async () => {
      const s = await openShard(bench(), store);
      const meta = `{s${s.shard}}:meta`;
      await bench().raw('HDEL', meta, 'born');
      await book(s.shard, 0);
      const born = await bench().raw('HGET', meta, 'born');
      expect(String(born)).toMatch(/^1 \d+$/);
      await s.at(NOW + 60_000);
      await book(s.shard, 0);
      expect(await bench().raw('HGET', meta, 'born')).toEqual(born);
    });

    test('a second open of the same epoch changes nothing', async () => {
      const s = await openShard(bench(), store);
      await s.seed([{ total: 10n }]);
      await settle(s, 'r1', 5n);
      await book(s.shard, 1, [], 3);
      const again = await store.open({
        shard: s.shard,
        newEpoch: 1,
        position: 0,
        rev: 0,
        graceMs: 2_000,
      });
      expect(again).toEqual({ kind: 'ALREADY', epoch: 1, lost: false });
      expect(await store.readMeta(s.shard)).toMatchObject({ floor: 1, rev: 3, closedUntilMs: NOW });
      expect(await s.settled()).toBe(15n);
    });
  });

  describe('reading', () => {
    test('counters with their windows, cold ones as not known', async () => {
      const s = await openShard(bench(), store);
      await s.seed([{ total: 9_000_000_000_000_000n }]);
      const [b1, none] = await store.readCounters(s.shard, [
        { limitId: 'b1', kind: 'WINDOW' },
        { limitId: 'none', kind: 'WINDOW' },
      ]);
      expect(b1).toEqual({
        limitId: 'b1',
        ...WINDOW,
        settled: 9_000_000_000_000_000n,
        held: 0n,
        freeAtMs: 0,
      });
      expect(none).toMatchObject({ windowStartMs: 0, settled: null, held: 0n });
    });

    test('holds that live longer than a moment, and holds that ended other than settled', async () => {
      const s = await openShard(bench(), store);
      for (const id of ['r1', 'r2', 'r3']) await s.authorize(id, []);
      await s.at(NOW + 4_000);
      await s.authorize('young', []);
      await s.at(NOW + 5_000);
      await s.close('r2', 'CANCELLED', []);
      await s.close('r3', 'SETTLED', []);
      expect(await store.heldHolds(s.shard, 5_000, 100)).toEqual([
        {
          requestId: 'r1',
          state: 'HELD',
          authorisedAtMs: NOW,
          leaseUntilMs: NOW + LEASE_MS,
          endedAtMs: 0,
          seq: 0,
          step: 0,
          ticketText: 'ticket r1',
        },
      ]);
      const ended = await store.endedHolds(s.shard, 100);
      expect(ended).toMatchObject([
        { requestId: 'r2', state: 'CANCELLED', endedAtMs: NOW + 5_000, ticketText: 'ticket r2' },
      ]);
      await store.reportedHolds(s.shard, ['r2']);
      expect(await store.endedHolds(s.shard, 100)).toEqual([]);
    });

    test('an ended hold of which nothing is kept leaves the list', async () => {
      const s = await openShard(bench(), store);
      await s.authorize('r1', []);
      await s.close('r1', 'CANCELLED', []);
      await bench().raw('DEL', `{s${s.shard}}:r:r1`);
      expect(await store.endedHolds(s.shard, 100)).toEqual([]);
      expect(await bench().raw('EXISTS', `{s${s.shard}}:ended`)).toBe(0);
    });
  });

  describe('background work', () => {
    test('is shared evenly, moves to a newcomer and comes back from who is gone', async () => {
      await bench().setTime('policies', NOW);
      const members = async (owner: string) => (await store.claimShards(owner, 10_000)).members;
      const claim = async (owner: string) => (await store.claimShards(owner, 10_000)).shards;
      expect(await members('a')).toEqual(['a']);
      expect(await claim('a')).toHaveLength(256);
      expect(await members('b')).toEqual(['a', 'b']);
      expect(await claim('b')).toEqual([]);
      const [a, b] = [await claim('a'), await claim('b')];
      expect([a.length, b.length]).toEqual([128, 128]);
      expect(new Set([...a, ...b]).size).toBe(256);
      await bench().setTime('policies', NOW + 9_000);
      await claim('a');
      await bench().setTime('policies', NOW + 11_000);
      expect(await members('a')).toEqual(['a']);
      expect(await claim('a')).toHaveLength(256);
      await store.releaseShards('a');
      expect(await claim('b')).toHaveLength(256);
    });
  });

  test('every key of a shard lies in one cluster slot', () => {
    expect(slotOf('{s7}:meta')).toBe(slotOf('{s7}:c:any'));
    expect(slotOf('123456789')).toBe(12_739);
    expect(Object.keys(TEST_SCRIPTS)).toHaveLength(22);
  });
});
