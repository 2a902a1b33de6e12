import { onOneBackend, quiet, type Bench } from '../store/test-support/backends';
import { entry, FLOAT_LEASE_MS, lent, posterOf } from '../store/test-support/floats';
import { LEASE_MS, NOW, warmShard } from '../store/test-support/requests';
import { createSweep } from './sweep';

onOneBackend((bench: () => Bench) => {
  test('a float whose policy died becomes holds, and these are abandoned in turn', async () => {
    const store = await bench().store();
    const s = await warmShard(bench(), store);
    const abandoned: number[] = [];
    const sweep = createSweep({
      store,
      epochs: {
        of: () => 1,
        learn: () => {},
        follow: () => Promise.resolve(),
        recover: () => Promise.resolve(),
      },
      onAbandoned: (_shard, seq) => abandoned.push(seq),
      leaseMs: LEASE_MS,
      log: quiet,
    });
    const p = posterOf(s);
    await p.post([lent(1_000n, { want: 400n })]);
    await p.post([lent(1_000n, { has: true, need: 300n, keep: 400n, want: 400n })], {
      journal: Array.from({ length: 250 }, (_, i) => entry(`r${String(i)}`, 1n)),
    });
    await s.at(NOW + FLOAT_LEASE_MS - 1);
    await sweep(s.shard);
    expect(await s.held()).toBe(400n);
    await s.at(NOW + FLOAT_LEASE_MS);
    expect(await sweep(s.shard)).toBe(0);
    expect(await s.held()).toBe(250n);
    await s.at(NOW + FLOAT_LEASE_MS + LEASE_MS);
    expect(await sweep(s.shard)).toBe(200);
    expect(await sweep(s.shard)).toBe(50);
    expect(await s.held()).toBe(0n);
    expect(abandoned).toHaveLength(250);
  });
});
