import type { AuthorizeReply__Output, PolicyClient } from '@tollgate/contracts/node';
import { callUnary } from '@tollgate/kit';

import { limit, settled } from '../test-support/contexts';
import { eventually, startRig, type Rig } from '../test-support/rig';
import { candidateModel } from './test-support/policies';
import { leftOut, routedKeys, tried } from './test-support/routed-keys';

// A request that takes the probe of an open breaker and does not make it gives it back: here a
// probe would outlast every test.

let rig: Rig;
let other: PolicyClient;
beforeAll(async () => {
  rig = await startRig({
    UPSTREAM_BREAKER_FAILURES: '3',
    UPSTREAM_BREAKER_OPEN_MS: '100',
    UPSTREAM_BREAKER_FORGET_MS: '3600000',
    UPSTREAM_PROBE_MS: '3600000',
  });
  other = (await rig.another()).client;
});
afterAll(async () => {
  await rig.stop();
});

const { key, report } = routedKeys(() => rig, 'probed');
const failure = { outcome: 'HTTP_503' };
const models = [candidateModel(0), candidateModel(1)];

const probed = ({ allow }: AuthorizeReply__Output) =>
  allow?.candidates.filter(({ probe }) => probe).map(({ modelId }) => modelId);

type Changes = Parameters<typeof key>[2];

/** A key whose preferred candidate is probed by the next request. */
async function withOpenBreaker(changes: Changes = {}) {
  const { organisationId, request, authorize } = key(models, {}, changes);
  await report(organisationId, 'm0', [failure, failure, failure]);
  const due = async () => {
    const one = request();
    const reply = await rig.authorize(one);
    expect(probed(reply)).toEqual(['m0']);
    return { requestId: one.requestId, holdToken: reply.allow?.holdToken ?? Buffer.alloc(0), one };
  };
  const first = await eventually('the breaker lets one probe', due);
  const another = await authorize();
  expect([tried(another), leftOut(another)]).toEqual([['m1'], { m0: 'breaker_probing' }]);
  return { organisationId, authorize, first, due };
}

const attempt = (modelId: string) => ({
  modelId,
  providerId: modelId.replace('m', 'p'),
  connectionVersion: 1,
  outcome: 'OK',
  startedAtMs: 1,
  latencyMs: 1,
  firstTokenMs: 0,
  httpStatus: 200,
  usage: null,
  costNanoUsd: '0',
  upstreamRequestId: '',
  upstreamModel: 'up',
  message: '',
  region: '',
  uncachedCostNanoUsd: '',
  serviceTier: '',
  priceId: '',
  hedge: false,
});

test('a request that is cancelled gives its probe back, at whichever policy', async () => {
  const { first, due } = await withOpenBreaker();
  await callUnary(
    other,
    'settle',
    { requestId: first.requestId, holdToken: first.holdToken, cancelled: true },
    { deadlineMs: 15_000 },
  );
  await eventually('another may probe', due);
});

test('one that was answered without it gives it back, one that made it reports', async () => {
  const { organisationId, authorize, first, due } = await withOpenBreaker();
  const answered = { modelId: 'm1', providerId: 'p1' };
  const { requestId, holdToken } = first;
  await rig.settle(settled(requestId, holdToken, { ...answered, attempts: [attempt('m1')] }));
  const second = await eventually('another may probe', due);
  const both = [attempt('m0'), attempt('m1')];
  await rig.settle(settled(second.requestId, second.holdToken, { ...answered, attempts: both }));
  expect(leftOut(await authorize())).toEqual({ m0: 'breaker_probing' });
  await report(organisationId, 'm0', [{ outcome: 'OK', probe: true }]);
  await eventually('the breaker is closed', async () => {
    const reply = await authorize();
    expect([tried(reply), probed(reply)]).toEqual([['m0', 'm1'], []]);
  });
});

test('one whose limits leave the candidate out does not keep it from others', async () => {
  const limits = [limit({ limitId: 'of-m0', scopeType: 'MODEL', scopeId: 'm0', limit: '700000' })];
  const { organisationId, authorize } = key(models, {}, { limits });
  await report(organisationId, 'm0', [failure, failure, failure]);
  await eventually('the probe is for who can make it', async () => {
    const large = await authorize({ maxOutputTokens: 500 });
    expect([tried(large), leftOut(large)]).toEqual([['m1'], { m0: 'limit_reached' }]);
    expect(probed(await authorize())).toEqual(['m0']);
  });
});

test('who asks again for the same request has the same probe', async () => {
  const { first } = await withOpenBreaker();
  const again = await callUnary(other, 'authorize', first.one, { deadlineMs: 15_000 });
  expect([tried(again), probed(again)]).toEqual([['m0', 'm1'], ['m0']]);
});
