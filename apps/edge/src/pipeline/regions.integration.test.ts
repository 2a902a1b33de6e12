// What the edge records of the regions that policy has offered.

import { completion, errorAnswer } from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  chat,
  deny,
  errorOf,
  routed,
  startHarness,
  type Harness,
} from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const post = (path = '/v1/chat/completions') => h.post(path, chat());

test('every attempt has the region of its candidate, and the record all of them', async () => {
  const at = (n: number, region: string) =>
    candidate({ upstreamModel: `m${n}`, modelId: `model-${n}`, region });
  h.policy.decide = () =>
    routed([at(1, 'us'), at(2, ''), at(3, 'eu')], { triggers: ['any'], retries: 0 });
  h.upstream.script = (res, { body }) =>
    body['model'] === 'm3' ? completion(res, {}) : errorAnswer(res, 500);
  expect((await post()).status).toBe(200);
  const { attempts, regions } = await h.settled();
  expect(attempts.map(({ region }) => region)).toEqual(['us', '', 'eu']);
  expect(regions).toBe('eu, unknown, us');
});

test('one candidate without a region is recorded as unknown', async () => {
  h.policy.decide = () => allow([candidate()]);
  expect((await post()).status).toBe(200);
  expect((await h.settled()).regions).toBe('unknown');
});

test.each([
  ['/v1/chat/completions', 'region_not_allowed'],
  ['/v1/llm/chat', 'region_not_allowed'],
])('%s: a request outside of its regions is 403, and reaches no upstream', async (path, code) => {
  h.policy.decide = () => deny('region_not_allowed', { message: 'It may use only eu.' });
  const response = await post(path);
  expect(response.status).toBe(403);
  const error = await errorOf(response);
  expect(error).toMatchObject({ code, message: expect.stringContaining('only eu') as unknown });
  expect(h.upstream.received).toEqual([]);
});
