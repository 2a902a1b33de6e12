import { onOneBackend, type Bench } from './store/test-support/backends';
import { FLOAT, FLOAT_LEASE_MS, lent, posterOf } from './store/test-support/floats';
import { NOW, warmShard, WINDOW } from './store/test-support/requests';
import { compare, LEASE_GRACE_MS } from './verify';

// What the comparison of the live store with the books reports.

onOneBackend((bench: () => Bench) => {
  test('a float that nobody reclaimed is a breach once its lease is over by the grace', async () => {
    const store = await bench().store();
    const live = await warmShard(bench(), store);
    const lost = await warmShard(bench(), store);
    for (const s of [live, lost]) await posterOf(s).post([lent(1_000n, { want: 100n })]);
    const shards = [live, lost].map(({ shard }) => ({ shard, epoch: '1', lastSeq: '0' }));
    const window = { limitId: 'b1', startMs: WINDOW.windowStartMs, endMs: WINDOW.windowEndMs };
    const windows = shards.map(({ shard }) => ({ shard, ...window, settled: '0' }));
    const breaches = async () => {
      const result = await compare(store, { shards, windows });
      expect(result).toMatchObject({ shardsOpen: 2, countersCompared: 2 });
      return result.breaches;
    };

    expect(await breaches()).toEqual([]);
    // The sweep may still come.
    await lost.at(NOW + FLOAT_LEASE_MS + LEASE_GRACE_MS - 1);
    expect(await breaches()).toEqual([]);
    await lost.at(NOW + FLOAT_LEASE_MS + LEASE_GRACE_MS);
    expect(await breaches()).toEqual([
      `shard ${String(lost.shard)}: float ${FLOAT} outlives its lease`,
    ]);
    expect(await lost.held()).toBe(100n);

    await posterOf(lost).reclaim();
    expect(await breaches()).toEqual([]);
    expect(await lost.held()).toBe(0n);
  });
});
