import { createLogger } from '@tollgate/kit';

import type { ShardMeta } from '../store';
import { createEpochs, type EpochsDeps } from './epochs';

// Two policies that share a shard, a store and a catalog.

const SHARD = 7;

function bench() {
  const catalog = { epoch: 0, granted: 0 };
  const redis: { epoch: number | null } = { epoch: null };
  const opened: { epoch: number; graceMs: number }[] = [];
  const stateOf = () => ({ shard: SHARD, epoch: catalog.epoch, lastSeq: 0, rev: 0 });
  const meta = (epoch: number): ShardMeta => ({
    epoch,
    seq: 0,
    booked: 0,
    floor: 0,
    rev: 0,
    closedUntilMs: 0,
    sameServer: true,
  });
  const policy = (given: Partial<EpochsDeps> = {}) => {
    const reopened: number[] = [];
    const reasons: string[] = [];
    const epochs = createEpochs({
      store: {
        open: ({ newEpoch, graceMs }) => {
          const { epoch } = redis;
          if (epoch !== null && newEpoch <= epoch) {
            return Promise.resolve({ kind: 'ALREADY', epoch, lost: false });
          }
          redis.epoch = newEpoch;
          opened.push({ epoch: newEpoch, graceMs });
          return Promise.resolve({ kind: 'OPENED', closedUntilMs: graceMs });
        },
        readMeta: () => Promise.resolve(redis.epoch === null ? null : meta(redis.epoch)),
      },
      book: {
        getShards: () => Promise.resolve([stateOf()]),
        advanceEpoch: (_shard, fromEpoch) => {
          if (fromEpoch === catalog.epoch) {
            catalog.epoch += 1;
            catalog.granted += 1;
          }
          return Promise.resolve(stateOf());
        },
      },
      graceMs: 2_000,
      onReopened: (_shard, epoch, reason) => {
        reopened.push(epoch);
        reasons.push(reason);
      },
      wait: () => Promise.resolve(),
      log: createLogger({ service: 'test', level: 'error' }),
      ...given,
    });
    return { epochs, reasons, reopened };
  };
  return { catalog, redis, opened, policy };
}

const EMPTY = { kind: 'EPOCH', lost: true, epoch: null } as const;

test('a shard that nobody has opened yet is opened at once, without a grace', async () => {
  const { opened, policy } = bench();
  const { epochs, reopened } = policy();
  await epochs.follow(SHARD, EMPTY);
  expect(opened).toEqual([{ epoch: 1, graceMs: 0 }]);
  expect(epochs.of(SHARD)).toBe(1);
  expect(reopened).toEqual([]);
});

test('an answer from before the opening that is heard after it opens nothing again', async () => {
  const { catalog, opened, policy } = bench();
  const { epochs } = policy({ wait: () => Promise.reject(new Error('waited')) });
  await epochs.follow(SHARD, EMPTY);
  await epochs.follow(SHARD, EMPTY);
  expect(opened).toEqual([{ epoch: 1, graceMs: 0 }]);
  expect(catalog.granted).toBe(1);
});

test('who finds the shard empty while another opens it takes his generation', async () => {
  const { catalog, redis, opened, policy } = bench();
  // The other policy was granted the epoch and opens the shard during the wait.
  catalog.epoch = 1;
  const { epochs } = policy({
    wait: () => {
      redis.epoch = 1;
      return Promise.resolve();
    },
  });
  await epochs.follow(SHARD, EMPTY);
  expect(epochs.of(SHARD)).toBe(1);
  expect(catalog.granted).toBe(0);
  expect(opened).toEqual([]);
});

test('a generation that was lived and lost is not opened again', async () => {
  const { catalog, opened, policy } = bench();
  catalog.epoch = 3;
  let waited = 0;
  const { epochs } = policy({
    wait: () => {
      waited += 1;
      return Promise.resolve();
    },
  });
  await epochs.follow(SHARD, EMPTY);
  expect(waited).toBeGreaterThan(0);
  expect(opened).toEqual([{ epoch: 4, graceMs: 2_000 }]);
  expect(epochs.of(SHARD)).toBe(4);
});

test('who knew the last generation does not wait for anybody', async () => {
  const { catalog, redis, opened, policy } = bench();
  catalog.epoch = 3;
  const { epochs, reasons, reopened } = policy({
    wait: () => Promise.reject(new Error('waited')),
  });
  epochs.learn(SHARD, 3);
  redis.epoch = null;
  await epochs.follow(SHARD, EMPTY);
  expect(opened).toEqual([{ epoch: 4, graceMs: 2_000 }]);
  expect(reopened).toEqual([4]);
  expect(reasons).toEqual(['data_lost']);
});

test('taking up the generation of another tells the own edges of it', async () => {
  const { catalog, redis, policy } = bench();
  catalog.epoch = 3;
  redis.epoch = 3;
  const { epochs, reasons, reopened } = policy();
  epochs.learn(SHARD, 2);
  await epochs.follow(SHARD, EMPTY);
  expect(epochs.of(SHARD)).toBe(3);
  expect(reopened).toEqual([3]);
  expect(reasons).toEqual(['other_policy']);
});

test('after both stores have gone back, the next epoch is none that was used', async () => {
  const { catalog, redis, opened, policy } = bench();
  // The catalog was restored to its first epoch, and Redis was emptied.
  catalog.epoch = 1;
  const { epochs } = policy();
  epochs.learn(SHARD, 3);
  redis.epoch = null;
  await epochs.follow(SHARD, EMPTY);
  expect(opened).toEqual([{ epoch: 4, graceMs: 2_000 }]);
  expect(epochs.of(SHARD)).toBe(4);
});

test('an epoch of before, opened by a policy that knew none, is followed by a new one', async () => {
  const { catalog, redis, opened, policy } = bench();
  catalog.epoch = 2;
  redis.epoch = 2;
  const { epochs } = policy();
  epochs.learn(SHARD, 3);
  await epochs.follow(SHARD, { kind: 'EPOCH', lost: false, epoch: 2 });
  expect(opened).toEqual([{ epoch: 4, graceMs: 2_000 }]);
});

test('an answer from before the last opening opens nothing', async () => {
  const { catalog, redis, opened, policy } = bench();
  catalog.epoch = 3;
  redis.epoch = 3;
  const { epochs } = policy();
  epochs.learn(SHARD, 3);
  await epochs.follow(SHARD, { kind: 'EPOCH', lost: false, epoch: 2 });
  expect(opened).toEqual([]);
  expect(epochs.of(SHARD)).toBe(3);
});
