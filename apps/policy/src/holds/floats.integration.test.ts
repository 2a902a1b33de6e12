import type { AuthorizeReply__Output, AuthorizeRequest__Output } from '@tollgate/contracts/node';

import { ask, context, limit, model, settled, sha256, SUBJECT } from '../test-support/contexts';
import { eventually, startRig, unaryCalls, type Rig } from '../test-support/rig';
import { openSession } from '../test-support/session';

// Deciding from memory, from sessions to the store and back.

describe.each(['false', 'true'])('with REDIS_CLUSTER=%s', (REDIS_CLUSTER) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ FLOATS: 'on', REDIS_CLUSTER });
  });
  afterAll(async () => {
    await rig.stop();
  });

  // Every case has its own organisation, so that no limit counts another case's usage.
  let cases = 0;
  function key(limits: Parameters<typeof limit>[0][] = [{}]) {
    cases += 1;
    const own = (id: string): string => `${id}/${String(cases)}`;
    const keySha256 = sha256(`float case ${String(cases)}`);
    const subject = { ...SUBJECT, organisationId: own('org'), apiKeyId: own('key') };
    const rows = limits.map((row, i) =>
      limit({ limitId: own(`limit${String(i)}`), scopeId: subject.organisationId, ...row }),
    );
    const models = [model({ modelId: own('model') })];
    rig.catalog.putKey(keySha256, context({ subject, models, limits: rows }));
    return { keySha256, modelId: own('model') };
  }

  type Asker = Pick<Rig, 'authorize' | 'settle'>;

  const floatOf = ({ allow }: AuthorizeReply__Output): string => allow?.floatId ?? '';
  const tokenOf = ({ allow }: AuthorizeReply__Output): Buffer =>
    allow?.holdToken ?? Buffer.alloc(0);

  /** Asks, and settles at once, until a request is decided from memory. That one goes on. */
  async function warm(
    { keySha256 }: { keySha256: Buffer },
    by: Asker = rig,
  ): Promise<{ request: AuthorizeRequest__Output; reply: AuthorizeReply__Output }> {
    return await eventually('a request is decided from memory', async () => {
      const request = ask({ keySha256 });
      const reply = await by.authorize(request);
      if (floatOf(reply) !== '') return { request, reply };
      await by.settle(settled(request.requestId, tokenOf(reply)));
      throw new Error(JSON.stringify(reply.denial));
    });
  }

  const recordOf = (requestId: string) =>
    eventually('the request is booked', () => {
      const record = rig.catalog.books.records.get(requestId);
      if (record === undefined) throw new Error('not yet');
      return record;
    });

  test('a request is decided from memory, and its settle is booked once', async () => {
    const own = key();
    const { request, reply } = await warm(own);
    expect(reply.allow?.limits).toMatchObject([{ limit: '1000000000' }]);
    const settle = settled(request.requestId, tokenOf(reply), { modelId: own.modelId });
    const first = await rig.settle(settle);
    expect(first.duplicate).toBe(false);
    const again = await rig.settle(settle);
    expect([again.duplicate, again.seq]).toEqual([true, first.seq]);
    expect(await recordOf(request.requestId)).toMatchObject({ mode: 'SETTLED' });
  });

  test('an edge that does not adopt holds of floats, and unary calls, are decided exactly', async () => {
    const own = key();
    await warm(own);
    const older = openSession(rig.client, { adoptsFloats: false });
    const request = ask(own);
    expect(floatOf(await older.authorize(request))).toBe('');
    expect(floatOf(await unaryCalls(rig.client).authorize(ask(own)))).toBe('');
    expect(floatOf(await rig.authorize(ask({ ...own, resent: true })))).toBe('');
    older.end();
  });

  test('a hold of a float is extended from memory over its own session only', async () => {
    const own = key();
    const session = openSession(rig.client);
    const { request, reply } = await warm(own, session);
    const { requestId } = request;
    const same = await session.extend({ requestId, holdToken: tokenOf(reply) });
    expect(same).toMatchObject({ granted: true, floatId: floatOf(reply) });
    const holdToken = Buffer.from(same.holdToken);
    const other = await rig.extend({ requestId, holdToken });
    expect(other).toMatchObject({ granted: true, floatId: '' });
    await session.settle(settled(requestId, Buffer.from(other.holdToken)));
    expect(await recordOf(requestId)).toMatchObject({ mode: 'SETTLED' });
    session.end();
  });

  test('a hold of a float is extended and settled by another policy, and charged once', async () => {
    const own = key();
    const { request, reply } = await warm(own);
    const { client } = await rig.another();
    const other = unaryCalls(client);
    const { requestId } = request;
    const adopted = await other.extend({ requestId, holdToken: tokenOf(reply), adopt: true });
    expect(adopted).toMatchObject({ granted: true, floatId: '' });
    const holdToken = Buffer.from(adopted.holdToken);
    const settle = settled(requestId, holdToken, { modelId: own.modelId });
    expect((await other.settle(settle)).duplicate).toBe(false);
    expect((await rig.settle(settle)).duplicate).toBe(true);
    expect(await recordOf(requestId)).toMatchObject({ mode: 'SETTLED' });
  });

  test('what a session was told is an ordinary hold when it ends', async () => {
    const own = key();
    const session = openSession(rig.client);
    const { request, reply } = await warm(own, session);
    session.break();
    const holdToken = tokenOf(reply);
    const { requestId } = request;
    const { client } = await rig.another();
    await eventually('the hold is in the store', async () => {
      const again = await unaryCalls(client).authorize({ ...request, resent: true });
      expect(again.allow?.floatId).toBe('');
    });
    const done = await unaryCalls(client).settle(settled(requestId, holdToken));
    expect(done.duplicate).toBe(false);
  });
});
