import {
  redisCommand,
  startRedis,
  startRedisCluster,
  until,
  type RedisServer,
} from '@tollgate/stack';

import { createStore, type Store } from '.';
import { metaKey, slotOf } from './keys';
import { installed, quiet, required } from './test-support/backends';
import { FLOAT, FLOAT_LEASE_MS, lentSlots } from './test-support/floats';

// A cluster of two servers: shards on both, and a slot that moves from one to the other.

const SHARD_MOVED = 7;
const SHARD_STAYS = 8;

(installed || required ? describe : describe.skip)('redis-server, two of them', () => {
  let [first, second]: RedisServer[] = [];
  let store: Store | undefined;
  const started = (server: RedisServer | undefined): RedisServer => {
    if (server === undefined) throw new Error('the server did not start');
    return server;
  };

  beforeAll(async () => {
    first = await startRedisCluster();
    second = await startRedis({ cluster: true });
    const [port, busPort] = [String(first.port), String(first.busPort)];
    await redisCommand(second.url, ['CLUSTER', 'MEET', '127.0.0.1', port, busPort]);
    const [{ url }, { url: firstUrl }] = [second, first];
    const id = String(await redisCommand(url, ['CLUSTER', 'MYID']));
    const met = async () => {
      const info = String(await redisCommand(url, ['CLUSTER', 'INFO']));
      if (!info.includes('cluster_state:ok')) throw new Error(info);
      // The first learns the second's name only from its reply.
      const known = String(await redisCommand(firstUrl, ['CLUSTER', 'NODES']));
      if (!known.includes(id)) throw new Error(known);
    };
    await until(met, 'the servers did not meet', 30_000);
    const redis = { url: `${first.url},${url}`, cluster: true };
    const limits = { deadlineMs: 15_000, leaseGraceMs: 0, ledgerStreamMax: 1_000 };
    store = createStore({ redis, log: quiet, ...limits });
    await store.connect();
  });

  afterAll(async () => {
    await store?.stop();
    await first?.stop();
    await second?.stop();
  });

  test('a shard whose slot has moved is served by its new server, as data that were lost', async () => {
    if (store === undefined) throw new Error('no store');
    const [from, to] = [started(first), started(second)];
    const slot = String(slotOf(metaKey(SHARD_MOVED)));
    const id = String(await redisCommand(to.url, ['CLUSTER', 'MYID']));
    for (const shard of [SHARD_MOVED, SHARD_STAYS]) {
      await store.open({ shard, newEpoch: 1, position: 0, rev: 0, graceMs: 0 });
    }
    const post = (shard: number, epoch: number, floatId: string, batch: number) => {
      const asked = lentSlots(100n, { has: batch > 1, keep: batch > 1 ? 5n : 0n, want: 5n });
      const about = { shard, epoch, floatId, batch, floatLeaseMs: FLOAT_LEASE_MS, leaseMs: 60_000 };
      const nothing = { ends: [], journal: [], keeps: [], strikes: [], last: false };
      if (store === undefined) throw new Error('no store');
      return store.post({ ...about, ...nothing, counters: [asked] });
    };
    for (const shard of [SHARD_MOVED, SHARD_STAYS])
      expect(await post(shard, 1, FLOAT, 1)).toMatchObject({ counters: [{ target: 5n }] });
    const left = await redisCommand(from.url, ['CLUSTER', 'GETKEYSINSLOT', slot, '100']);
    await redisCommand(from.url, ['DEL', ...(left as string[])]);
    await redisCommand(to.url, ['CLUSTER', 'SETSLOT', slot, 'NODE', id]);
    await redisCommand(to.url, ['CLUSTER', 'BUMPEPOCH']);
    await redisCommand(from.url, ['CLUSTER', 'SETSLOT', slot, 'NODE', id]);
    const authorize = (shard: number, epoch: number) => {
      const item = {
        shard,
        epoch,
        requestId: `r${epoch}`,
        ticketText: 't',
        leaseMs: 60_000,
        counters: [],
      };
      return started(first) && store
        ? store.authorize(item)
        : Promise.reject(new Error('no store'));
    };
    const lost = async () => {
      const outcome = await authorize(SHARD_MOVED, 1);
      if (outcome.kind !== 'EPOCH') throw new Error(outcome.kind);
      return outcome;
    };
    expect(await until(lost, 'the slot did not move', 30_000)).toMatchObject({
      lost: true,
      epoch: null,
    });
    expect(await post(SHARD_MOVED, 1, FLOAT, 2)).toMatchObject({ kind: 'EPOCH', lost: true });
    await store.open({ shard: SHARD_MOVED, newEpoch: 2, position: 0, rev: 0, graceMs: 0 });
    expect(await authorize(SHARD_MOVED, 2)).toMatchObject({ kind: 'ALLOW' });
    expect(await redisCommand(to.url, ['EXISTS', metaKey(SHARD_MOVED)])).toBe(1);
    expect(await post(SHARD_MOVED, 2, FLOAT, 2)).toMatchObject({ kind: 'GONE' });
    const fresh = { kind: 'POSTED', counters: [{ held: 5n, target: 5n }] };
    expect(await post(SHARD_MOVED, 2, 'p1.2', 1)).toMatchObject(fresh);
    expect(await authorize(SHARD_STAYS, 1)).toMatchObject({ kind: 'ALLOW' });
    expect(await post(SHARD_STAYS, 1, FLOAT, 2)).toMatchObject(fresh);
  });
});
