import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { until } from '@tollgate/stack';

import {
  createStore,
  StoreUnavailableError,
  UnansweredError,
  type AuthorizeItem,
  type Store,
} from '.';
import { buildScripts } from './scripts';
import { onEveryBackend, quiet, TEST_SCRIPTS, type Bench } from './test-support/backends';
import { end, lent, posterOf } from './test-support/floats';
import { budget, NOW, openShard } from './test-support/requests';

// Calls while Redis is slow, frozen, gone, restarted or full.

const REAL_TIME = buildScripts();
const LONG_MS = 30_000;
/**
 * For tests that freeze the server: enough time for the work before the freeze on a busy machine.
 */
const DEADLINE_MS = 1_000;

onEveryBackend((bench: () => Bench) => {
  const item = (shard: number, requestId: string): AuthorizeItem => ({
    shard,
    epoch: 1,
    requestId,
    ticketText: 't',
    leaseMs: 60_000,
    counters: [],
  });
  const opened = async (store: Store): Promise<number> => {
    const shard = bench().freshShard();
    await store.open({ shard, newEpoch: 1, position: 0, rev: 0, graceMs: 0 });
    return shard;
  };
  const works = (store: Store, shard: number) =>
    until(() => store.authorize(item(shard, 'again')), 'redis did not come back', LONG_MS);

  test('calls of one event-loop turn leave in one write, those for one shard as a few scripts', async () => {
    const writes: number[] = [];
    const sockets = new Set<Socket>();
    const proxy = createServer((client) => {
      const upstream = connect(bench().server.port, '127.0.0.1');
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => socket.destroy());
      }
      client.on('data', (data) => writes.push(data.toString().split('EVALSHA').length - 1));
      client.pipe(upstream).pipe(client);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const url = `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const options = { log: quiet, deadlineMs: 15_000, leaseGraceMs: 0, ledgerStreamMax: 1_000 };
    const store = createStore({ redis: { url, cluster: false }, ...options });
    await store.connect();
    const shard = await opened(store);
    writes.length = 0;
    const ids = Array.from({ length: 50 }, (_, i) => `r${i}`);
    const outcomes = await Promise.all(ids.map((id) => store.authorize(item(shard, id))));
    expect(outcomes.every(({ kind }) => kind === 'ALLOW')).toBe(true);
    // One write; the network may deliver it in a few pieces. Of fifty calls a script runs 32 at most.
    expect(writes.reduce((sum, n) => sum + n, 0)).toBe(2);
    expect(writes.length).toBeLessThanOrEqual(5);
    await store.stop();
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });

  test('scripts that the server has forgotten are loaded again', async () => {
    const store = await bench().store({ scripts: REAL_TIME });
    const shard = await opened(store);
    await bench().raw('SCRIPT', 'FLUSH');
    const both = [store.authorize(item(shard, 'r1')), store.authorize(item(shard, 'r2'))];
    expect(await Promise.all(both)).toMatchObject([{ kind: 'ALLOW' }, { kind: 'ALLOW' }]);
  });

  test("a store whose idea of the server's clock is wrong finds out and decides all the same", async () => {
    const store = await bench().store({ clock: { now: () => Date.now() - 86_400_000 } });
    const s = await openShard(bench(), store);
    expect(await s.authorize('r1', [])).toMatchObject({ kind: 'ALLOW' });
    await s.at(NOW + 7_200_000);
    expect(await s.authorize('r2', [])).toMatchObject({ kind: 'ALLOW' });
  });

  test('a frozen server is an error within the deadline, then at once; a call that waited in it does nothing', async () => {
    const store = await bench().store({ scripts: REAL_TIME, deadlineMs: DEADLINE_MS });
    const shard = await opened(store);
    bench().server.kill('SIGSTOP');
    const startedAt = Date.now();
    const tries = Array.from({ length: 8 }, (_, i) => store.authorize(item(shard, `frozen${i}`)));
    const results = await Promise.allSettled(tries);
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    await expect(tries[0]).rejects.toThrow(StoreUnavailableError);
    // The breaker is open: no call waits for the deadline.
    await expect(store.authorize(item(shard, 'later'))).rejects.toThrow(
      /did not answer the last calls/,
    );
    await until(
      () =>
        Date.now() - startedAt > 3 * DEADLINE_MS
          ? Promise.resolve()
          : Promise.reject(new Error('not yet')),
      'time stands still',
      LONG_MS,
    );
    bench().server.kill('SIGCONT');
    await works(store, shard);
    expect(await store.readHold(shard, 'frozen0')).toBeNull();
    expect(await store.ping()).toEqual({ latencyMs: expect.any(Number) });
  });

  test('an ALLOW that comes after its deadline can be cancelled as an orphan', async () => {
    const store = await bench().store({ deadlineMs: DEADLINE_MS, scripts: TEST_SCRIPTS });
    const s = await openShard(bench(), store);
    expect(await s.authorize('before', [])).toMatchObject({ kind: 'ALLOW' });
    bench().server.kill('SIGSTOP');
    await expect(s.authorize('r1', [])).rejects.toThrow(UnansweredError);
    bench().server.kill('SIGCONT');
    const cancel = () => s.close('r1', 'CANCELLED', [], { orphan: true });
    await until(
      async () => expect(await cancel()).toMatchObject({ kind: 'CLOSED', seq: 0 }),
      'the late hold did not come',
      LONG_MS,
    );
    expect(await store.readHold(s.shard, 'r1')).toMatchObject({ state: 'CANCELLED' });
  });

  test('a server that ends is an error at once; restarted, its data are not believed', async () => {
    const store = await bench().store({ scripts: REAL_TIME });
    const shard = await opened(store);
    bench().server.kill('SIGKILL');
    const down = () =>
      store.authorize(item(shard, 'r1')).then(
        () => Promise.reject(new Error('still there')),
        () => undefined,
      );
    await until(down, 'the store does not notice', LONG_MS);
    // At once, not after the deadline, which would be an UnansweredError.
    await expect(store.authorize(item(shard, 'r1'))).rejects.toThrow('not connected');
    await bench().server.restart();
    expect(await works(store, shard)).toEqual({ kind: 'EPOCH', lost: true, epoch: null });
    await store.open({ shard, newEpoch: 2, position: 0, rev: 0, graceMs: 0 });
    expect(await store.authorize({ ...item(shard, 'r1'), epoch: 2 })).toMatchObject({
      kind: 'ALLOW',
    });
  });
});

onEveryBackend((bench: () => Bench) => {
  test('without memory nothing new is taken, but everything can end', async () => {
    // The JavaScript server has no limit to set.
    if (!bench().real) return;
    const store = await bench().store();
    const s = await openShard(bench(), store);
    await s.seed([{}]);
    await s.authorize('r1', [budget(100n, 10n)]);
    await s.authorize('r2', [budget(100n, 10n)]);
    const p = posterOf(s);
    await p.post([lent(100n, { want: 10n })]);
    await bench().raw('CONFIG', 'SET', 'maxmemory', '1');
    try {
      const more = [lent(100n, { has: true, spent: 2n, keep: 8n, want: 30n })];
      expect(await p.post(more, { ends: [end('f1', 2n)] })).toMatchObject({
        kind: 'POSTED',
        full: true,
        seqs: [1],
        counters: [{ settled: 2n, target: 8n }],
      });
      await expect(s.authorize('r3', [budget(100n, 10n)])).rejects.toThrow(StoreUnavailableError);
      expect(await s.close('r1', 'SETTLED', [budget(100n, 10n)])).toMatchObject({
        kind: 'CLOSED',
        seq: 2,
      });
      const step = { counters: [{ ...budget(100n, 0n), base: 10n, total: 20n }] };
      expect(await s.extend('r2', step)).toMatchObject({ kind: 'GRANTED' });
      const book = { shard: s.shard, epoch: 1, position: 1, rev: 0, forgetLimitIds: [] };
      expect(await store.book(book)).toMatchObject({ kind: 'BOOKED' });
    } finally {
      await bench().raw('CONFIG', 'SET', 'maxmemory', '0');
    }
    expect(await s.authorize('r3', [budget(100n, 10n)])).toMatchObject({ kind: 'ALLOW' });
    const answer = await p.post([lent(100n, { has: true, keep: 8n, want: 10n })]);
    expect(answer).toMatchObject({ counters: [{ target: 10n }] });
    expect(answer).not.toHaveProperty('full');
  });
});
