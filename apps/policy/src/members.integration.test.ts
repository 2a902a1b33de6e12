import { createClient } from 'redis';

import { MEMBERS_KEY } from './store/keys';
import { ask, context, limit, model, settled, sha256, SUBJECT } from './test-support/contexts';
import { eventually, startRig, type Rig } from './test-support/rig';

// A policy of a release before floats claims shards under a bare UUID, and knows nothing of what others lend.

const OLDER = '6f2c9d1e-5a0b-4a57-9f4e-0d8a4c1b7e55';

let rig: Rig;
const redis = () => createClient({ url: rig.redis.url });
let client: ReturnType<typeof redis>;
beforeAll(async () => {
  rig = await startRig({ FLOATS: 'on' });
  client = redis();
  await client.connect();
});
afterAll(async () => {
  client.destroy();
  await rig.stop();
});

function ownKey() {
  const keySha256 = sha256('a key beside an older policy');
  const rows = [limit({ limitId: 'older/limit', scopeId: SUBJECT.organisationId })];
  rig.catalog.putKey(
    keySha256,
    context({ subject: SUBJECT, models: [model({ modelId: 'older/model' })], limits: rows }),
  );
  return keySha256;
}

/** Whether one more request was decided from memory. It is settled at once. */
async function isFromMemory(keySha256: Buffer): Promise<boolean> {
  const request = ask({ keySha256 });
  const { allow } = await rig.authorize(request);
  if (allow === undefined || allow === null) throw new Error('it was refused');
  await rig.settle(settled(request.requestId, Buffer.from(allow.holdToken)));
  return allow.floatId !== '';
}

async function eventuallyFromMemory(keySha256: Buffer, expected: boolean): Promise<void> {
  await eventually(`decided from memory: ${String(expected)}`, async () => {
    expect(await isFromMemory(keySha256)).toBe(expected);
  });
}

test('nothing is lent while an older policy runs, and what runs becomes ordinary holds', async () => {
  const keySha256 = ownKey();
  await eventuallyFromMemory(keySha256, true);
  const running = ask({ keySha256 });
  const { allow } = await rig.authorize(running);
  expect(allow?.floatId).not.toBe('');

  await client.zAdd(MEMBERS_KEY, { score: Date.now() + 60_000, value: OLDER });
  await eventually('the older policy is seen', async () => {
    expect(await rig.metric('tollgate_floats_older_policies')).toMatch(/ 1$/);
  });
  for (let i = 0; i < 20; i += 1) expect(await isFromMemory(keySha256)).toBe(false);
  expect(await rig.metric('tollgate_floats_exact_total')).toContain('reason="members"');
  await eventually('the float goes back', async () => {
    expect(await client.keys('*:floats')).toEqual([]);
  });
  const { requestId } = running;
  const holdToken = Buffer.from(allow?.holdToken ?? '');
  const step = await rig.extend({ requestId, holdToken });
  expect(step).toMatchObject({ granted: true, floatId: '' });
  const end = await rig.settle(settled(requestId, Buffer.from(step.holdToken)));
  expect(end.duplicate).toBe(false);

  await client.zRem(MEMBERS_KEY, OLDER);
  await eventuallyFromMemory(keySha256, true);
});
