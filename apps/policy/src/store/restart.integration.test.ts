import { startRedis, until } from '@tollgate/stack';

import { createStore } from '.';
import { installed, quiet, required } from './test-support/backends';

(installed || required ? describe : describe.skip)('redis-server with an append-only file', () => {
  test('what a restart finds is not believed until a new epoch, and then holds are still there', async () => {
    const server = await startRedis({ appendOnly: true });
    const limits = { deadlineMs: 15_000, leaseGraceMs: 0, ledgerStreamMax: 1_000 };
    const store = createStore({
      redis: { url: server.url, cluster: false },
      log: quiet,
      ...limits,
    });
    try {
      await store.connect();
      const [shard, requestId] = [1, 'r1'];
      await store.open({ shard, newEpoch: 1, position: 0, rev: 0, graceMs: 0 });
      const item = { shard, requestId, ticketText: 't', leaseMs: 60_000, counters: [] };
      expect(await store.authorize({ ...item, epoch: 1 })).toMatchObject({ kind: 'ALLOW' });
      // The file is written before the reply and synced every second; a clean stop syncs it.
      server.kill('SIGTERM');
      const gone = () =>
        store.ping().then(
          () => Promise.reject(new Error('still there')),
          () => undefined,
        );
      await until(gone, 'the server did not end', 30_000);
      await server.restart();
      const meta = await until(() => store.readMeta(shard), 'redis did not come back', 30_000);
      expect(meta).toMatchObject({ epoch: 1, sameServer: false });
      const lost = { kind: 'EPOCH', lost: true, epoch: 1 };
      expect(await store.authorize({ ...item, epoch: 1 })).toEqual(lost);
      await store.open({ shard, newEpoch: 2, position: 0, rev: 0, graceMs: 0 });
      const again = await store.authorize({ ...item, epoch: 2 });
      expect(again).toMatchObject({ kind: 'ALLOW', already: true });
    } finally {
      await store.stop();
      await server.stop();
    }
  });
});
