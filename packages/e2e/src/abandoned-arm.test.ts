import type { rest } from '@tollgate/contracts';

import {
  chat,
  checkBooks,
  eventually,
  expectStatus,
  newTenant,
  recordOf,
  startGateway,
  type Gateway,
} from '.';

// An edge that is killed in the middle of an answer: the record that policy books for the hold still has the arm.

let gateway: Gateway;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  gateway = await startGateway({
    edges: 2,
    env: { policy: { LEASE_MS: '5000', LEASE_GRACE_MS: '0', SWEEP_INTERVAL_MS: '100' } },
  });
  stop = gateway.stop;
});
afterAll(() => stop());

const HEADER = 'x-tollgate-experiment';

test('the record of a request whose edge was killed is in the comparison of its arm', async () => {
  const tenant = await newTenant(gateway, { upstreamModel: 'sim-tokens-1000.pace-1000' });
  const arms = [{ name: 'only', modelId: tenant.modelId, share: 100 }];
  const { id } = await tenant.create('experiments', { name: 'trial', model: 'chat', arms });
  const { key } = await tenant.key();
  let finished = 0;
  await eventually('the experiment runs', async () => {
    const { headers } = expectStatus(await chat(gateway.edgeUrl(), key, { max_tokens: 1 }), 200);
    const isAssigned = headers[HEADER] === 'trial/only';
    if (isAssigned) finished += 1;
    return isAssigned;
  });

  const answer = await fetch(`${gateway.edgeUrl(1)}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'chat',
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 100,
      stream: true,
    }),
  });
  expect([answer.status, answer.headers.get(HEADER)]).toEqual([200, 'trial/only']);
  const requestId = answer.headers.get('x-tollgate-request-id') ?? '';
  gateway.edges[1]?.process().signal('SIGKILL');
  await gateway.edges[1]?.process().ended;
  await expect(answer.text()).rejects.toThrow();

  expect(await recordOf(gateway, tenant, requestId)).toMatchObject({
    mode: 'ABANDONED',
    experimentId: id,
    experimentArm: 'only',
  });
  await eventually('all records are compared', async () => {
    const found = await gateway.rest.get(`${tenant.base}/experiments/${id}/comparison`);
    const compared = expectStatus(found, 200).data as rest.ExperimentComparison;
    return compared.arms.find(({ arm }) => arm === 'only')?.requests === finished + 1;
  });
  expect(await checkBooks(gateway)).toMatchObject({ ok: true, breaches: [] });
});
