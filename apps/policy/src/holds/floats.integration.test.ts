import type { AuthorizeReply__Output, AuthorizeRequest__Output } from '@tollgate/contracts/node';

import { ask, context, limit, model, settled, sha256, SUBJECT } from '../test-support/contexts';
import { eventually, startRig, unaryCalls, type Rig } from '../test-support/rig';
import { openSession } from '../test-support/session';

// Deciding from memory, from sessions to the store and back.

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ FLOATS: 'on' });
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
const tokenOf = ({ allow }: AuthorizeReply__Output): Buffer => allow?.holdToken ?? Buffer.alloc(0);

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
