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
    await redisCommand(from.url, ['DEL', metaKey(SHARD_MOVED)]);
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
    await store.open({ shard: SHARD_MOVED, newEpoch: 2, position: 0, rev: 0, graceMs: 0 });
    expect(await authorize(SHARD_MOVED, 2)).toMatchObject({ kind: 'ALLOW' });
    expect(await redisCommand(to.url, ['EXISTS', metaKey(SHARD_MOVED)])).toBe(1);
    expect(await authorize(SHARD_STAYS, 1)).toMatchObject({ kind: 'ALLOW' });
  });
});
