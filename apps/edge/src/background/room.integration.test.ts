// Only so many responses run in the background at a time, also when many are asked for at once.

import type { ServerResponse } from 'node:http';

import { answerJson, errorAnswer } from '../test-support/fake-upstream';
import { errorOf, MODEL, startHarness, until, type Harness } from '../test-support/harness';

const MOST = 2;

let h: Harness;
beforeAll(async () => {
  h = await startHarness({ BACKGROUND_POLL_MS: 10 }, { backgroundMost: MOST });
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const create = () => h.post('/v1/responses', { model: MODEL, input: 'Hi', background: true });
const response = (status: string) => ({
  id: 'resp_1',
  object: 'response',
  status,
  background: true,
  output: [],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
});

test('requests that wait for their answer have a place already, and give it back', async () => {
  const silent: ServerResponse[] = [];
  h.upstream.script = (res, { method }) => {
    if (method !== 'POST') answerJson(res, response('completed'));
    else if (silent.push(res) > MOST) answerJson(res, response('queued'));
  };
  const accepted = [create(), create()];
  await until(() => silent.length === MOST, 'both at the upstream');
  const refused = await create();
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect((await errorOf(refused)).code).toBe('overloaded');
  expect(silent).toHaveLength(MOST);
  for (const res of silent) answerJson(res, response('queued'));
  for (const answer of await Promise.all(accepted)) expect(answer.status).toBe(200);
  await until(() => h.policy.settled.length === MOST + 1, 'all settles');

  h.upstream.script = (res) => errorAnswer(res, 400);
  for (let at = 0; at <= MOST; at += 1) expect((await create()).status).toBe(400);
  h.upstream.script = (res, { method }) =>
    answerJson(res, response(method === 'POST' ? 'queued' : 'completed'));
  expect((await create()).status).toBe(200);
});
