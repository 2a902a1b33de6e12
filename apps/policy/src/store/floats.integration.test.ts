import type { PostOutcome, Store } from '.';
import { onEveryBackend, type Bench } from './test-support/backends';
import {
  end,
  entry,
  FLOAT,
  FLOAT_LEASE_MS,
  lent,
  lentRate,
  lentSlots,
  posterOf,
} from './test-support/floats';
import {
  budget,
  concurrency,
  LEASE_MS,
  NOW,
  openShard,
  rate,
  warmShard,
} from './test-support/requests';

// What posts and reclaims do to counters, holds and the ledger.

const took = (outcome: PostOutcome): bigint[] => {
  if (outcome.kind !== 'POSTED') throw new Error(`the post was answered ${outcome.kind}`);
  return outcome.counters.map(({ target }) => target);
};

onEveryBackend((bench: () => Bench) => {
  let store: Store;
  beforeAll(async () => {
    store = await bench().store();
  });

  test('an amount taken in advance is held, and refuses others', async () => {
    const s = await warmShard(bench(), store, 100n);
    const p = posterOf(s);
    expect(await p.post([lent(1_000n, { want: 500n })])).toEqual({
      kind: 'POSTED',
      nowMs: NOW,
      undrained: 0,
      seqs: [],
      counters: [{ settled: 100n, held: 500n, incarnation: '1', target: 500n, wanted: false }],
    });
    expect(await s.held()).toBe(500n);
    expect(await s.authorize('r1', [budget(1_000n, 400n)])).toMatchObject({ kind: 'ALLOW' });
    expect(await s.authorize('r2', [budget(1_000n, 1n)])).toMatchObject({ kind: 'DENY' });
  });

  test('ends settle, keeps become holds, the rest goes back', async () => {
    const s = await warmShard(bench(), store);
    const p = posterOf(s);
    await p.post([lent(1_000n, { want: 300n })]);
    const outcome = await p.post(
      [lent(1_000n, { has: true, spent: 70n, kept: 50n, need: 20n, keep: 60n, want: 40n })],
      {
        ends: [end('r1', 70n), end('r2', 0n, { mode: 'CANCELLED' })],
        journal: [entry('r3', 20n)],
        keeps: [entry('r4', 50n)],
      },
    );
    expect(outcome).toEqual({
      kind: 'POSTED',
      nowMs: NOW,
      undrained: 1,
      seqs: [1, 0],
      counters: [{ settled: 70n, held: 90n, incarnation: '1', target: 40n, wanted: false }],
    });
    expect(await s.settled()).toBe(70n);
    expect(await s.held()).toBe(90n);
    const page = await store.readLedger(s.shard, 0, 10);
    expect(page.entries).toMatchObject([
      {
        seq: 1,
        requestId: 'r1',
        mode: 'SETTLED',
        late: false,
        touched: [{ limitId: 'b1', amount: 70n }],
        payload: 'payload r1',
      },
    ]);
    expect(await store.readHold(s.shard, 'r4')).toMatchObject({
      state: 'HELD',
      leaseUntilMs: NOW + LEASE_MS,
      ticketText: 'ticket r4',
    });
    // From then on today's scripts know it.
    await s.close('r4', 'SETTLED', [budget(1_000n, 50n)]);
    expect(await s.settled()).toBe(120n);
    expect(await s.held()).toBe(40n);
    expect(await s.close('r1', 'SETTLED', [budget(1_000n, 70n)])).toEqual({
      kind: 'DUP',
      state: 'SETTLED',
      seq: 1,
    });
    expect(await s.authorize('r2', [budget(1_000n, 1n)])).toMatchObject({ kind: 'ENDED' });
  });

  test('the end of a hold that names no rate leaves what floats have of it', async () => {
    const s = await warmShard(bench(), store);
    await posterOf(s).post([lentRate(100n, { want: 10n })]);
    await s.authorize('r1', [budget(1_000n, 5n), rate(100n, 1n)]);
    await s.close('r1', 'CANCELLED', [budget(1_000n, 0n)]);
    expect(await s.held('l1:rpm')).toBe(10n);
  });

  test('a float that gives everything back leaves nothing behind', async () => {
    const s = await warmShard(bench(), store);
    const p = posterOf(s);
    await p.post([
      lent(1_000n, { want: 300n }),
      lentRate(100n, { want: 10n }),
      lentSlots(100n, { want: 5n }),
    ]);
    expect(await s.held('l1:rpm')).toBe(10n);
    expect(await s.held('l1:conc')).toBe(5n);
    await p.post(
      [lent(1_000n, { has: true }), lentRate(100n, { has: true }), lentSlots(100n, { has: true })],
      { last: true },
    );
    const keys = (await bench().raw('KEYS', `{s${s.shard}}:*`)) as string[];
    expect(keys.filter((key) => /:(?:f|j):|:floats$|conc$/.test(key))).toEqual([]);
    expect(await s.held()).toBe(0n);
    expect(await s.held('l1:rpm')).toBe(0n);
    expect(await p.post([])).toEqual({ kind: 'GONE' });
  });

  test('a rate counts what floats hold of it, and what they used in the present bucket', async () => {
    const s = await openShard(bench(), store);
    const p = posterOf(s);
    expect(took(await p.post([lentRate(10n, { want: 4n })]))).toEqual([4n]);
    expect(await s.authorize('r1', [rate(10n, 6n)])).toMatchObject({ kind: 'ALLOW' });
    expect(await s.authorize('r2', [rate(10n, 1n)])).toMatchObject({ kind: 'DENY' });
    // Three of four were used; the hold that used two of them came to one.
    await s.at(NOW + 500);
    await p.post([lentRate(10n, { has: true, spent: 3n })]);
    expect(await s.settled('l1:rpm')).toBe(9n);
    await p.post([lentRate(10n, { has: true, corrections: [{ atMs: NOW + 500, by: -1n }] })]);
    expect(await s.settled('l1:rpm')).toBe(8n);
    expect(await s.held('l1:rpm')).toBe(0n);
    await s.at(NOW + 60_100);
    expect(await s.settled('l1:rpm')).toBe(2n);
  });

  test('a rate that starts anew still owes what floats hold', async () => {
    const s = await openShard(bench(), store);
    const p = posterOf(s);
    await p.post([lentRate(10n, { want: 4n })]);
    for (let at = 1; at <= 16; at += 1) {
      await s.at(NOW + at * 4_900);
      expect(took(await p.post([lentRate(10n, { has: true, keep: 4n, want: 4n })]))).toEqual([4n]);
    }
    expect(await s.authorize('r1', [rate(10n, 7n)])).toMatchObject({ kind: 'DENY' });
    expect(await s.authorize('r2', [rate(10n, 6n)])).toMatchObject({ kind: 'ALLOW' });
    expect(took(await p.post([lentRate(10n, { has: true })]))).toEqual([0n]);
    expect(await s.held('l1:rpm')).toBe(0n);
    expect(await s.settled('l1:rpm')).toBe(6n);
  });

  test('a counter that is cold, unknown or in another window lends nothing', async () => {
    const s = await openShard(bench(), store);
    const p = posterOf(s);
    const other = { windowStartMs: NOW - 3_600_000, windowEndMs: NOW };
    expect(await p.post([lent(1_000n, { want: 10n })])).toMatchObject({
      counters: [{ settled: null, held: 0n, incarnation: null, target: 0n }],
    });
    await s.seed([{ total: 5n }]);
    expect(took(await p.post([lent(1_000n, { want: 10n, ...other })]))).toEqual([0n]);
    expect(took(await p.post([lent(1_000n, { want: 10n })]))).toEqual([10n]);
    await store.book({ shard: s.shard, epoch: 1, position: 0, rev: 0, forgetLimitIds: ['b1'] });
    expect(
      await p.post([lent(1_000n, { has: true, need: 4n, keep: 10n, want: 20n })]),
    ).toMatchObject({ counters: [{ settled: null, held: 10n, target: 10n }] });
    // A float of a cold counter is held all the same.
    await s.seed([{ total: 5n }]);
    expect(await s.held()).toBe(10n);
  });

  test('a float whose lease is over becomes ordinary holds, and the rest is free', async () => {
    const s = await warmShard(bench(), store);
    const p = posterOf(s);
    await p.post([
      lent(1_000n, { want: 100n }),
      lentRate(50n, { want: 9n }),
      lentSlots(50n, { want: 5n }),
    ]);
    const slots = { limitId: 'l1:conc', kind: 'CONCURRENCY' as const, windowStartMs: 0 };
    const both = [...entry('r1', 30n).counters, { ...slots, windowEndMs: 0, amount: 1n }];
    await p.post([lent(1_000n, { has: true, need: 30n, keep: 100n, want: 100n })], {
      journal: [entry('r1', 30n, { counters: both })],
    });
    expect(await store.expiredFloats(s.shard, 10)).toEqual([]);
    await s.at(NOW + FLOAT_LEASE_MS);
    expect(await store.expiredFloats(s.shard, 10)).toEqual([FLOAT]);
    expect(await p.reclaim()).toEqual({ kind: 'DONE', holds: 1 });
    expect(await p.reclaim()).toEqual({ kind: 'GONE' });
    expect(await store.expiredFloats(s.shard, 10)).toEqual([]);
    expect(await s.held()).toBe(30n);
    expect(await s.held('l1:conc')).toBe(1n);
    expect([await s.held('l1:rpm'), await s.settled('l1:rpm')]).toEqual([0n, 9n]);
    await s.close('r1', 'SETTLED', [budget(1_000n, 30n), concurrency(50n)]);
    expect(await s.held()).toBe(0n);
    expect(await s.held('l1:conc')).toBe(0n);
  });

  test('a long journal is reclaimed in chunks by several policies', async () => {
    const s = await warmShard(bench(), store);
    const p = posterOf(s);
    await p.post([lent(10_000n, { want: 450n })]);
    const ids = Array.from({ length: 450 }, (_, i) => `r${String(i)}`);
    for (const from of [0, 225]) {
      await p.post([lent(10_000n, { has: true, need: 450n, keep: 450n, want: 450n })], {
        journal: ids.slice(from, from + 225).map((id) => entry(id, 1n)),
      });
    }
    await s.at(NOW + FLOAT_LEASE_MS);
    const replies: string[] = [];
    while (replies.at(-1) !== 'DONE') {
      const reply = await p.reclaim();
      replies.push(reply.kind);
      expect(await s.held()).toBe(450n);
    }
    expect(replies).toEqual(['MORE', 'MORE', 'DONE']);
    expect(await bench().raw('ZCARD', `{s${s.shard}}:leases`)).toBe(450);
  });

  test('a post of more than it may carry is refused before it is sent', async () => {
    const s = await warmShard(bench(), store);
    const p = posterOf(s);
    const ends = Array.from({ length: 65 }, (_, i) => end(`r${String(i)}`, 1n));
    await expect(p.post([lent(1_000n)], { ends })).rejects.toThrow(
      'ends: 65 in one post, at most 64',
    );
    await expect(p.post([lent(1_000n, { need: 2n, keep: 1n })])).rejects.toThrow(RangeError);
    await expect(p.post([], { ends: [end('r1', 1n)] })).rejects.toThrow(
      'not a counter of the post',
    );
  });

  test('a post that fails has changed nothing', async () => {
    const s = await warmShard(bench(), store);
    const p = posterOf(s);
    await p.post([lent(1_000n, { want: 100n })]);
    const before = await bench().snapshot(s.shard);
    // More is kept than the float has.
    const more = lent(1_000n, { has: true, spent: 10n, keep: 90n, kept: 20n, want: 90n });
    await expect(
      p.post([more], { ends: [end('r1', 10n)], keeps: [entry('r2', 20n)], batch: 2 }),
    ).rejects.toThrow('a float is smaller than its parts');
    expect(await bench().snapshot(s.shard)).toEqual(before);
  });
});
