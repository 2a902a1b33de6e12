import { createLogger } from '@tollgate/kit';

import type { ShardMeta } from '../store';
import { createWorker } from './worker';

// A worker that owns shard 7 of a store and a catalog that are plain values.
function bench() {
  const seen: string[] = [];
  const clock = { nowMs: 0 };
  const meta: ShardMeta = {
    epoch: 2,
    seq: 10,
    booked: 10,
    floor: 10,
    rev: 4,
    closedUntilMs: 0,
    sameServer: true,
  };
  const catalog = { rev: 4 };
  const failing = { drain: false };
  const stream = { entries: 0 };
  const claimed: [readonly number[], readonly string[]][] = [];
  let releases = 0;
  const worker = createWorker({
    ownerId: 'me',
    store: {
      claimShards: () => Promise.resolve({ shards: [7], members: ['me', 'another'] }),
      readMeta: () => Promise.resolve({ ...meta }),
      releaseShards: () => {
        releases += 1;
        return Promise.resolve();
      },
    },
    epochs: {
      of: (shard) => (shard === 7 ? 2 : 0),
      learn: () => {},
      follow: () => Promise.resolve(),
      recover: (shard, epoch, _reason, graceMs) => {
        seen.push(`recover ${String(shard)} from ${String(epoch)} grace ${String(graceMs)}`);
        return Promise.resolve();
      },
    },
    bookedMarks: {
      advance: () => {},
      awaitSeq: () => {},
      refresh: () => Promise.resolve(),
      all: () => [],
      subscribe: () => () => {},
    },
    drain: {
      run: () => {
        seen.push('drain');
        return failing.drain ? Promise.reject(new Error('away')) : Promise.resolve(stream.entries);
      },
      forget: () => Promise.resolve(),
      stop: () => {},
    },
    onClaimed: (shards, members) => claimed.push([shards, members]),
    sweep: () => Promise.resolve(0),
    checkpoint: () => Promise.resolve(),
    shardStates: () => Promise.resolve([{ shard: 7, epoch: 2, lastSeq: 10, rev: catalog.rev }]),
    onLag: (entries) => {
      if (entries > 0) seen.push(`lag ${String(entries)}`);
    },
    intervals: { drainMs: 100, sweepMs: 1_000, checkpointMs: 5_000 },
    clock: { now: () => clock.nowMs },
    log: createLogger({ service: 'test', level: 'error', write: () => {} }),
  });
  const pass = async (ms: number): Promise<void> => {
    for (let step = 0; step < ms; step += 50) {
      clock.nowMs += 50;
      await jest.advanceTimersByTimeAsync(50);
    }
  };
  return { worker, seen, meta, catalog, failing, stream, claimed, pass, releases: () => releases };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('others are told which shards are drained here, and by whom the rest', async () => {
  const { worker, claimed, pass } = bench();
  worker.start();
  await pass(50);
  expect(claimed).toEqual([[[7], ['me', 'another']]]);
  await worker.stop({ drainMs: 0 });
});

test('a shard is drained while it is warm, and left alone when it is not', async () => {
  const { worker, seen, pass } = bench();
  worker.start();
  await pass(5_000);
  expect(seen).toEqual([]);
  worker.poke(7);
  await pass(5_000);
  expect(seen.length).toBeGreaterThan(5);
  await pass(10_000);
  const warm = seen.length;
  await pass(10_000);
  expect(seen.length).toBe(warm);
  await worker.stop({ drainMs: 1_000 });
});

test('a shard with few entries is left alone for a moment, so that they come together', async () => {
  const { worker, seen, stream, pass } = bench();
  stream.entries = 99;
  worker.start();
  worker.poke(7);
  await pass(100);
  expect(seen.length).toBe(1);
  await pass(2_000);
  expect(seen.length).toBeLessThanOrEqual(6);
  stream.entries = 100;
  const before = seen.length;
  await pass(2_500);
  expect(seen.length).toBeGreaterThanOrEqual(before + 20);
  await worker.stop({ drainMs: 1_000 });
});

test('what another policy wrote into the stream is found, and its lag is told', async () => {
  const { worker, seen, meta, pass } = bench();
  meta.seq = 13;
  worker.start();
  await pass(3_000);
  expect(seen).toContain('lag 3');
  expect(seen).toContain('drain');
  await worker.stop({ drainMs: 1_000 });
});

test('while the catalog is away it is asked less and less often', async () => {
  const { worker, seen, failing, pass } = bench();
  failing.drain = true;
  worker.start();
  worker.poke(7);
  await pass(30_000);
  expect(seen.length).toBeLessThan(20);
  failing.drain = false;
  const before = seen.length;
  await pass(6_000);
  expect(seen.length).toBeGreaterThan(before);
  await worker.stop({ drainMs: 1_000 });
});

test('a correction that nobody heard of makes every counter cold, without a grace', async () => {
  const { worker, seen, catalog, pass } = bench();
  worker.start();
  await pass(16_000);
  expect(seen).toEqual([]);
  catalog.rev = 5;
  await pass(15_000);
  expect(seen).toEqual([]);
  await pass(15_000);
  expect(seen).toEqual(['recover 7 from 2 grace 0']);
  await worker.stop({ drainMs: 1_000 });
});

test('a stop gives the shards to others', async () => {
  const { worker, releases, pass } = bench();
  worker.start();
  await pass(100);
  await worker.stop({ drainMs: 1_000 });
  expect(releases()).toBe(1);
});
