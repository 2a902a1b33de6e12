import { shardOf } from '@tollgate/contracts';
import { callUnary } from '@tollgate/kit';
import { redisCommand } from '@tollgate/stack';

import { ask, context, KEY, limit, settled, SUBJECT } from '../test-support/contexts';
import { startDeafProxy, type DeafProxy } from '../test-support/deaf-proxy';
import { eventually, startRig, type Rig } from '../test-support/rig';

// An authorize whose reply was lost: the caller got an error, and the store has taken the hold.

const CALL = { deadlineMs: 15_000 };

let rig: Rig;
let proxy: DeafProxy;
beforeEach(async () => {
  rig = await startRig();
  proxy = await startDeafProxy(rig.redis.url);
  rig.catalog.putKey(KEY, context({ limits: [limit()] }));
});
afterEach(async () => {
  await rig.stop();
  await proxy.stop();
});

const stateOf = async (requestId: string): Promise<unknown> => {
  const key = `{s${String(shardOf(SUBJECT.organisationId))}}:r:${requestId}`;
  return await redisCommand(rig.redis.url, ['HGET', key, 'st']);
};

const held = async (): Promise<string | undefined> => {
  const reply = await callUnary(rig.client, 'validateKey', { keySha256: KEY }, CALL);
  return reply.limits[0]?.held;
};

async function unanswered(): Promise<ReturnType<typeof ask>> {
  const { client } = await rig.another({ REDIS_URL: proxy.url, REDIS_DEADLINE_MS: '2000' });
  const authorize = (request: ReturnType<typeof ask>) =>
    callUnary(client, 'authorize', request, CALL);
  await eventually('it serves', async () => {
    const request = ask();
    const { allow } = await authorize(request);
    await rig.settle({
      ...settled(request.requestId, allow?.holdToken ?? Buffer.alloc(0)),
      cancelled: true,
    });
  });
  proxy.deafen();
  const request = ask();
  await expect(authorize(request)).rejects.toThrow('UNAVAILABLE');
  // Whether the store or the deadline fails first depends on the machine.
  await eventually('the store has taken it', async () =>
    expect(await stateOf(request.requestId)).toBe('HELD'),
  );
  return request;
}

test('is cancelled when the store answers again, and nothing is charged', async () => {
  const { requestId } = await unanswered();
  expect(await held()).toBe('200000');
  proxy.heal();
  await eventually('the hold is cancelled', async () =>
    expect(await stateOf(requestId)).toBe('CANCELLED'),
  );
  expect(await held()).toBe('0');
  expect(rig.catalog.books.records.size).toBe(0);
});

test('belongs to the caller who has asked for it again elsewhere', async () => {
  const request = await unanswered();
  const { allow } = await rig.authorize(request);
  proxy.heal();
  await eventually('the other one knows', () => {
    const cancelled = rig.log.some((line) => line.includes('a repeated request owns it'));
    expect(cancelled).toBe(true);
  });
  expect(await stateOf(request.requestId)).toBe('HELD');
  await rig.settle(settled(request.requestId, allow?.holdToken ?? Buffer.alloc(0)));
  await eventually('it is booked', () => {
    expect(rig.catalog.books.records.get(request.requestId)?.mode).toBe('SETTLED');
  });
});
