import type { AuthorizeReply__Output, SettleRequest } from '@tollgate/contracts/node';
import { callUnary, GrpcFailure, grpcStatus } from '@tollgate/kit';
import { redisCommand } from '@tollgate/stack';

import { buildScripts } from '../store';
import { ask, context, KEY, limit, settled } from '../test-support/contexts';
import { eventually, startRig, type Rig } from '../test-support/rig';

const CALL = { deadlineMs: 15_000 };

let rig: Rig;
afterEach(async () => {
  await rig.stop();
});

const tokenOf = ({ allow }: AuthorizeReply__Output): Buffer => {
  if (!allow) throw new Error('not allowed');
  return allow.holdToken;
};

const statusOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'OK';
  } catch (error) {
    return (error as Error).message.split(':', 1)[0] ?? '';
  }
};

const booked = (requestId: string, mode: string) =>
  eventually(`${requestId} is booked as ${mode}`, () => {
    const entry = rig.catalog.books.records.get(requestId);
    expect(entry?.mode).toBe(mode);
    return entry;
  });

const total = () => rig.catalog.books.total('limit-1', Date.now());

describe('a hold whose lease ends', () => {
  test('is charged in full, and a late settle corrects it', async () => {
    rig = await startRig({ LEASE_MS: '150' });
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    const request = ask();
    const holdToken = tokenOf(await rig.authorize(request));
    await booked(request.requestId, 'ABANDONED');
    expect(total()).toBe(200_000n);
    const late = await rig.settle(settled(request.requestId, holdToken));
    expect(late.duplicate).toBe(false);
    await booked(request.requestId, 'SETTLED');
    expect(total()).toBe(140_000n);
    expect(rig.catalog.books.adjustments).toEqual([
      { requestId: request.requestId, costNanoUsd: -60_000n },
    ]);
    await eventually('the counter has the truth', async () => {
      const reply = await callUnary(rig.client, 'validateKey', { keySha256: KEY }, CALL);
      expect(reply.limits[0]?.settled).toBe('140000');
    });
    await eventually('people can see it', () => {
      expect(rig.catalog.books.holds.get(request.requestId)?.state).toBe('SETTLED');
    });
    expect(await rig.metric('tollgate_policy_holds_abandoned_total')).toMatch(/ [1-9]/);
  });
});

describe('when Redis is emptied', () => {
  test('requests wait out the grace, holds in flight are adopted, nothing is lost', async () => {
    // Longer than the calls take on a busy machine.
    rig = await startRig({ OPEN_GRACE_MS: '3000' });
    rig.catalog.putKey(KEY, context({ limits: [limit({ limit: '1000000' })] }));
    const before = ask();
    await rig.settle(settled(before.requestId, tokenOf(await rig.authorize(before))));
    await booked(before.requestId, 'SETTLED');
    const running = ask();
    const holdToken = tokenOf(await rig.authorize(running));

    await redisCommand(rig.redis.url, ['FLUSHALL']);
    expect(await statusOf(rig.authorize(ask()))).toBe('14 UNAVAILABLE');
    const adopted = await callUnary(
      rig.client,
      'extend',
      { requestId: running.requestId, holdToken, modelId: 'model-1', adopt: true },
      CALL,
    );
    expect(adopted.granted).toBe(true);
    const { allow } = await eventually('it serves again', async () => {
      const reply = await rig.authorize(ask());
      expect(reply.allow).toBeTruthy();
      return reply;
    });
    // 140,000 settled before; 200,000 adopted and 200,000 of the request that was just allowed.
    expect(allow?.limits).toMatchObject([{ settled: '140000', held: '400000' }]);
    await rig.settle(settled(running.requestId, adopted.holdToken));
    await booked(running.requestId, 'SETTLED');
    expect(total()).toBe(280_000n);
  });

  test('a settle of a hold that nobody knows any more is booked all the same', async () => {
    rig = await startRig();
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    const request = ask();
    const holdToken = tokenOf(await rig.authorize(request));
    await redisCommand(rig.redis.url, ['FLUSHALL']);
    await rig.settle(settled(request.requestId, holdToken));
    await booked(request.requestId, 'SETTLED');
    expect(total()).toBe(140_000n);
  });

  test('a restart without its data is noticed as well', async () => {
    rig = await startRig();
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    await rig.authorize(ask());
    await rig.redis.restart();
    await eventually('it serves again', async () => {
      const { allow } = await rig.authorize(ask());
      expect(allow?.limits).toMatchObject([{ settled: '0' }]);
    });
    expect(Math.max(...rig.catalog.books.shards.map(({ epoch }) => epoch))).toBe(2);
  });
});

describe('when Redis does not answer', () => {
  test('frozen: UNAVAILABLE within the deadline, and back by itself', async () => {
    rig = await startRig({ REDIS_DEADLINE_MS: '1000' });
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    await eventually('it serves', async () =>
      expect((await rig.authorize(ask())).allow).toBeTruthy(),
    );
    rig.redis.kill('SIGSTOP');
    // Not DEADLINE_EXCEEDED, with which the caller's own timeout ends.
    expect(await statusOf(rig.authorize(ask()))).toBe('14 UNAVAILABLE');
    rig.redis.kill('SIGCONT');
    await eventually('it serves again', async () => {
      expect((await rig.authorize(ask())).allow).toBeTruthy();
    });
  });
});

describe('when the catalog is away', () => {
  test('known keys are served, entries wait, and all are booked when it is back', async () => {
    rig = await startRig({ CATALOG_DEADLINE_MS: '1000' });
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    const first = ask();
    await rig.settle(settled(first.requestId, tokenOf(await rig.authorize(first))));
    await booked(first.requestId, 'SETTLED');
    await rig.catalog.stop();
    const requests = Array.from({ length: 20 }, () => ask());
    for (const request of requests) {
      await rig.settle(settled(request.requestId, tokenOf(await rig.authorize(request))));
    }
    const unknown = ask({ keySha256: Buffer.alloc(32) });
    expect(await statusOf(rig.authorize(unknown))).toBe('14 UNAVAILABLE');
    await rig.catalog.start();
    for (const { requestId } of requests) await booked(requestId, 'SETTLED');
    expect(total()).toBe(21n * 140_000n);
  });

  test('a cold counter is never taken for zero', async () => {
    rig = await startRig({ CATALOG_DEADLINE_MS: '1000' });
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    // Reads the context and uses no counter.
    expect((await rig.authorize(ask({ model: 'nope' }))).denial?.code).toBe('model_not_found');
    await rig.catalog.stop();
    expect(await statusOf(rig.authorize(ask()))).toBe('14 UNAVAILABLE');
    await rig.catalog.start();
    await eventually('it serves again', async () => {
      expect((await rig.authorize(ask())).allow).toBeTruthy();
    });
  });

  test('a full buffer refuses new requests, and drops nothing', async () => {
    rig = await startRig({ LEDGER_STREAM_MAX: '5', CATALOG_DEADLINE_MS: '1000' });
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    tokenOf(await rig.authorize(ask()));
    await rig.catalog.stop();
    const settledIds: string[] = [];
    const status = await eventually('the buffer is full', async () => {
      const request = ask();
      const code = await statusOf(
        rig.authorize(request).then(async (reply) => {
          await rig.settle(settled(request.requestId, tokenOf(reply)));
          settledIds.push(request.requestId);
        }),
      );
      expect(code).not.toBe('OK');
      return code;
    });
    expect(status).toBe('8 RESOURCE_EXHAUSTED');
    expect(settledIds).toHaveLength(6);
    await rig.catalog.start();
    for (const requestId of settledIds) await booked(requestId, 'SETTLED');
  });
});

describe('entries that this policy has just written', () => {
  const settlesOf = async (count: number): Promise<SettleRequest[]> => {
    const requests = Array.from({ length: count }, () => ask());
    const replies = await Promise.all(requests.map(rig.authorize));
    return replies.map((reply, i) => settled(requests[i]?.requestId ?? '', tokenOf(reply)));
  };
  const settleMany = async (count: number): Promise<string[]> => {
    const settles = await settlesOf(count);
    await Promise.all(settles.map(rig.settle));
    return settles.map(({ requestId }) => requestId ?? '');
  };

  test('go to the catalog from memory, whole: here the stream cannot be read', async () => {
    const scripts = buildScripts();
    const { close } = scripts;
    let settles = 0;
    const unreadable = close.source.replace("'p', own[4]", "'p', 'unreadable'");
    expect(unreadable).not.toBe(close.source);
    rig = await startRig({}, { scripts: { ...scripts, close: { ...close, source: unreadable } } });
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    // A drainer that looks between the script and its answer reads the stream, and sets aside.
    const record = await eventually('one is booked', async () => {
      const [requestId = ''] = await settleMany(1);
      const { records, quarantined } = rig.catalog.books;
      settles += 1;
      await eventually('it left', () => expect(records.size + quarantined.length).toBe(settles));
      const found = records.get(requestId);
      if (found === undefined) throw new Error('it was set aside');
      return found;
    });
    expect(record.settle).toMatchObject({ costNanoUsd: '140000', holdToken: Buffer.alloc(0) });
    expect(record.touched).toMatchObject([{ limitId: 'limit-1', amount: '140000' }]);
  });

  test('are in the stream for the next policy when this one ends before it sends them', async () => {
    rig = await startRig({ CATALOG_DEADLINE_MS: '1000' });
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    for (const requestId of await settleMany(1)) await booked(requestId, 'SETTLED');
    await rig.catalog.stop();
    const requestIds = await settleMany(20);
    await rig.policy.stop();
    expect(rig.catalog.books.records.size).toBe(1);
    await rig.catalog.start();
    await rig.another();
    for (const requestId of requestIds) await booked(requestId, 'SETTLED');
    expect(rig.catalog.books.records.size).toBe(21);
    expect(total()).toBe(21n * 140_000n);
  });

  test('are booked once when the answer to a batch is lost', async () => {
    rig = await startRig();
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    for (const requestId of await settleMany(1)) await booked(requestId, 'SETTLED');
    let lost = 0;
    rig.catalog.books.committed = () => {
      lost += 1;
      if (lost <= 3) throw new GrpcFailure(grpcStatus.UNAVAILABLE, 'the answer is lost');
    };
    await settleMany(20);
    await eventually('all are booked', () => {
      expect(rig.catalog.books.records.size).toBe(21);
      expect(lost).toBeGreaterThan(0);
    });
    expect(total()).toBe(21n * 140_000n);
  });

  test('are booked once when the store loses them and their edges send them again', async () => {
    rig = await startRig({ CATALOG_DEADLINE_MS: '1000' });
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    for (const requestId of await settleMany(1)) await booked(requestId, 'SETTLED');
    await rig.catalog.stop();
    const lost = await settlesOf(3);
    await Promise.all(lost.map(rig.settle));
    await redisCommand(rig.redis.url, ['FLUSHALL']);
    await rig.catalog.start();
    // Under their old numbers they may be booked already, under the next epoch's they must not be.
    const later = await eventually('it serves again', () => settleMany(3));
    await Promise.all(lost.map(rig.settle));
    const all = [...later, ...lost.map(({ requestId }) => requestId ?? '')];
    for (const requestId of all) await booked(requestId, 'SETTLED');
    expect(rig.catalog.books.records.size).toBe(7);
    expect(total()).toBe(7n * 140_000n);
    await eventually('the counter has the truth', async () => {
      const reply = await callUnary(rig.client, 'validateKey', { keySha256: KEY }, CALL);
      expect(reply.limits[0]?.settled).toBe('980000');
    });
  });
});

describe('an entry that cannot be booked', () => {
  test('is set aside alone, and the rest flows on', async () => {
    rig = await startRig();
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    const requests = Array.from({ length: 30 }, () => ask());
    const bad = requests[17]?.requestId ?? '';
    rig.catalog.books.poison = ({ requestId }) => requestId === bad;
    const replies = await Promise.all(requests.map(rig.authorize));
    await Promise.all(
      replies.map((reply, index) =>
        rig.settle(settled(requests[index]?.requestId ?? '', tokenOf(reply))),
      ),
    );
    for (const { requestId } of requests) if (requestId !== bad) await booked(requestId, 'SETTLED');
    await eventually('it is in quarantine', () => {
      expect(rig.catalog.books.quarantined).toMatchObject([
        { reason: expect.stringContaining('cannot be booked'), entries: [{ requestId: bad }] },
      ]);
    });
    expect(rig.catalog.books.records.size).toBe(29);
  });

  test('nor does one in the stream that nobody can read', async () => {
    rig = await startRig();
    const shard = context().shard;
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    const request = ask();
    const holdToken = tokenOf(await rig.authorize(request));
    const meta = `{s${String(shard)}}:meta`;
    const seq = String(await redisCommand(rig.redis.url, ['HINCRBY', meta, 'seq', '1']));
    await redisCommand(rig.redis.url, ['XADD', `{s${String(shard)}}:ledger`, `${seq}-0`, 'r', 'x']);
    await rig.settle(settled(request.requestId, holdToken));
    await booked(request.requestId, 'SETTLED');
    expect(rig.catalog.books.quarantined).toHaveLength(1);
  });
});

describe('a batch whose answer is lost', () => {
  test('is booked once, and the counters forget what nobody could tell them', async () => {
    rig = await startRig({ LEASE_MS: '150' });
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    const request = ask();
    const holdToken = tokenOf(await rig.authorize(request));
    await booked(request.requestId, 'ABANDONED');
    let lost = 0;
    rig.catalog.books.committed = () => {
      if (lost > 0) return;
      lost += 1;
      throw new GrpcFailure(grpcStatus.UNAVAILABLE, 'the answer is lost');
    };
    // Only the books have the difference to the abandoned charge: the counter must be seeded again.
    await rig.settle(settled(request.requestId, holdToken));
    await eventually('the counter has the truth', async () => {
      const reply = await callUnary(rig.client, 'validateKey', { keySha256: KEY }, CALL);
      expect(reply.limits[0]?.settled).toBe('140000');
    });
    expect(lost).toBe(1);
    expect(rig.catalog.books.adjustments).toHaveLength(1);
  });
});

test('entries that are gone from the stream are set aside by number', async () => {
  rig = await startRig();
  const { shard } = context();
  rig.catalog.putKey(KEY, context({ limits: [limit()] }));
  const first = ask();
  await rig.settle(settled(first.requestId, tokenOf(await rig.authorize(first))));
  await booked(first.requestId, 'SETTLED');
  await redisCommand(rig.redis.url, ['HINCRBY', `{s${String(shard)}}:meta`, 'seq', '700']);
  const second = ask();
  await rig.settle(settled(second.requestId, tokenOf(await rig.authorize(second))));
  await booked(second.requestId, 'SETTLED');
  expect(rig.catalog.books.quarantined.map(({ last }) => last)).toEqual([501, 701]);
});

describe('the catalog’s word', () => {
  test('revokes a key at once, and makes counters forget what was corrected', async () => {
    rig = await startRig();
    rig.catalog.putKey(KEY, context({ limits: [limit()] }));
    const request = ask();
    await rig.settle(settled(request.requestId, tokenOf(await rig.authorize(request))));
    await booked(request.requestId, 'SETTLED');
    const { shard } = context();
    const rev = rig.catalog.books.correct(shard, 'limit-1', Date.now(), 1_000n);
    rig.catalog.announce({
      kind: 'LEDGER',
      organisationId: 'org-1',
      shard,
      rev,
      limitIds: ['limit-1'],
    });
    await eventually('the correction is in the counter', async () => {
      const { allow } = await rig.authorize(ask());
      expect(allow?.limits[0]?.settled).toBe('141000');
    });
    rig.catalog.putKey(KEY, context({ active: false, limits: [limit()] }));
    await eventually('the key is refused', async () => {
      expect((await rig.authorize(ask())).denial?.code).toBe('invalid_api_key');
    });
  });
});

test('a batch that is booked after a correction nobody heard of does not hide it', async () => {
  rig = await startRig();
  rig.catalog.putKey(KEY, context({ limits: [limit()] }));
  const settleOne = async (): Promise<void> => {
    const request = ask();
    await rig.settle(settled(request.requestId, tokenOf(await rig.authorize(request))));
    await booked(request.requestId, 'SETTLED');
  };
  await settleOne();
  const { shard } = context();
  rig.catalog.books.correct(shard, 'limit-1', Date.now(), 1_000n);
  await settleOne();
  const meta = `{s${String(shard)}}:meta`;
  await eventually('the store knows what is booked', async () => {
    expect(await redisCommand(rig.redis.url, ['HGET', meta, 'booked'])).toBe('2');
  });
  // Behind the catalog's revision: that shows the missed correction.
  expect(await redisCommand(rig.redis.url, ['HGET', meta, 'rev'])).toBe('0');
});

test('two policies on the same shards book everything once', async () => {
  rig = await startRig();
  rig.catalog.putKey(KEY, context({ limits: [limit()] }));
  const { client } = await rig.another();
  const requests = Array.from({ length: 200 }, () => ask());
  await Promise.all(
    requests.map(async (request, index) => {
      const holdToken = tokenOf(await rig.authorize(request));
      const settle = settled(request.requestId, holdToken);
      if (index % 2 === 0) await rig.settle(settle);
      else await callUnary(client, 'settle', settle, CALL);
    }),
  );
  await eventually('all are booked', () => {
    expect(rig.catalog.books.records.size).toBe(200);
  });
  expect(total()).toBe(200n * 140_000n);
});
