// Background responses whose clients look at them before the edge that made them does.

import { answerJson } from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  KEY,
  MODEL,
  startHarness,
  until,
  type Harness,
} from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  // It does not look in the time of a test.
  h = await startHarness({ BACKGROUND_POLL_MS: 600_000 });
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const USAGE = { input_tokens: 1_000, output_tokens: 500, total_tokens: 1_500 };
/** At one dollar and two dollars per million tokens. */
const COST = '2000000';

const response = (status: string, over: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  status,
  background: true,
  output: [],
  usage: null,
  ...over,
});

const create = () =>
  fetch(`${h.edge.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, input: 'Hi', background: true }),
  });

test('one that ends before its client is settled as if the edge itself had found its end', async () => {
  h.upstream.script = (res) => answerJson(res, response('queued'));
  await (await create()).text();
  const [made] = h.policy.authorized;
  const requestId = made?.requestId ?? '';
  const pending = { requestId, modelId: 'model-1', inputTokensEstimate: 10 };
  h.policy.decide = () => ({ allow: { ...allow().allow, pending } });
  h.upstream.script = (res) => answerJson(res, response('completed', { usage: USAGE }));
  await (await h.send('/v1/responses/resp_1', {}, {}, 'GET')).text();
  await until(() => h.policy.settled.length === 2, 'both settles');
  const settle = h.policy.settled.find((one) => one.requestId === requestId);
  expect(settle).toMatchObject({
    outcome: 'COMPLETED',
    costNanoUsd: COST,
    attempts: [{ modelId: 'model-1', costNanoUsd: COST }],
  });
  expect(h.policy.heldNow()).toBe(0);
});

test('policy learns what earlier attempts cost, in case another edge settles it', async () => {
  h.policy.decide = () =>
    allow([candidate(), candidate({ modelId: 'model-2', upstreamModel: 'up-2' })]);
  h.upstream.script = (res, { body }) => {
    const failed = { error: { code: 'server_error', message: 'It failed.' }, usage: USAGE };
    answerJson(res, body['model'] === 'up-2' ? response('queued') : response('failed', failed));
  };
  const answer = await create();
  expect(await answer.json()).toMatchObject({ status: 'queued' });
  expect(h.policy.extended.at(-1)).toMatchObject({
    modelId: 'model-2',
    responseId: 'resp_1',
    earlierNanoUsd: COST,
  });
  h.policy.holds.clear();
});
