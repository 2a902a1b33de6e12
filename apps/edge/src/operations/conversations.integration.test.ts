// Conversations stored at a provider: created, read, changed, deleted, and continued by responses.
// Only the responses cost anything.

import { answerJson } from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  deny,
  errorOf,
  MODEL,
  startHarness,
  type Harness,
} from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const conversation = { id: 'conv_1', object: 'conversation', created_at: 1, metadata: {} };
const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] };

const send = (method: string, path: string, body: object = {}) => h.send(path, body, {}, method);

const sent = () => h.upstream.received.map(({ method, path }) => `${method} ${path}`);

test('creating one is free, and policy keeps its id', async () => {
  h.upstream.script = (res) => answerJson(res, conversation);
  const body = `{"items":[],  "metadata":{"model":"mine","n":"1"}}`;
  const answer = await h.post('/v1/conversations', body);
  expect(await answer.json()).toEqual(conversation);
  expect(sent()).toEqual(['POST /v1/conversations']);
  // Relayed byte for byte.
  expect(h.upstream.received[0]?.raw.toString()).toBe(body);
  expect(h.policy.authorized).toMatchObject([
    { operation: 'conversation_create', model: '', storedId: '', inputTokensEstimate: 0 },
  ]);
  expect(await h.settled()).toMatchObject({
    cancelled: false,
    outcome: 'COMPLETED',
    costNanoUsd: '0',
    usage: { input: 0, output: 0 },
    responseId: 'conv_1',
  });
});

test('x-tollgate-model selects the provider that stores it, and is not forwarded', async () => {
  h.upstream.script = (res) => answerJson(res, conversation);
  await h.post('/v1/conversations', {}, { 'x-tollgate-model': ` ${MODEL} ` });
  expect(h.policy.authorized).toMatchObject([{ model: MODEL }]);
  expect(h.upstream.received[0]?.headers['x-tollgate-model']).toBeUndefined();
  const long = await h.post('/v1/conversations', {}, { 'x-tollgate-model': 'm'.repeat(600) });
  expect(await errorOf(long)).toMatchObject({
    code: 'invalid_request',
    param: 'x-tollgate-model',
  });
});

test('a refusal of policy names the header to send', async () => {
  h.policy.decide = () =>
    deny('invalid_request', {
      message: 'x-tollgate-model: name one',
      detailsJson: JSON.stringify({ param: 'x-tollgate-model' }),
    });
  const refused = await h.post('/v1/conversations', {});
  expect(refused.status).toBe(400);
  expect(await errorOf(refused)).toMatchObject({ param: 'x-tollgate-model' });
  expect(h.upstream.received).toHaveLength(0);
});

test('an answer without an id is a 502', async () => {
  h.upstream.script = (res) => answerJson(res, { object: 'conversation' });
  const answer = await h.post('/v1/conversations', {});
  expect(answer.status).toBe(502);
  expect((await h.settled()).responseId).toBe('');
});

test.each([
  ['GET', '/v1/conversations/conv_1', undefined],
  ['POST', '/v1/conversations/conv_1', { metadata: { topic: 'x' } }],
  ['DELETE', '/v1/conversations/conv_1', undefined],
  ['GET', '/v1/conversations/conv_1/items?after=msg_1&limit=2&order=asc', undefined],
  ['POST', '/v1/conversations/conv_1/items?include%5B%5D=a', { items: [item] }],
  ['GET', '/v1/conversations/conv_1/items/msg_1', undefined],
  ['DELETE', '/v1/conversations/conv_1/items/msg_1', undefined],
])('%s %s goes to the same path, and its answer comes back', async (method, path, body) => {
  const told = { ...conversation, items: [item], model_note: 'as it came' };
  h.upstream.script = (res) => answerJson(res, told);
  const answer = await send(method, path, body);
  expect(await answer.json()).toEqual(told);
  expect(sent()).toEqual([`${method} ${path}`]);
  const [received] = h.upstream.received;
  expect(received?.raw.toString()).toBe(body ? JSON.stringify(body) : '');
  expect(received?.headers['content-type']).toBe(body && 'application/json');
  expect(h.policy.authorized).toMatchObject([{ model: '', storedId: 'conv_1' }]);
  expect(await h.settled()).toMatchObject({ costNanoUsd: '0', responseId: 'conv_1' });
});

test.each([
  ['GET', '/v1/conversations/conv%2F..%2Fmodels', {}, 'conversation_id'],
  ['GET', `/v1/conversations/conv_1/items/${'x'.repeat(257)}`, {}, 'item_id'],
  ['POST', '/v1/conversations/c%C3%A9', { metadata: {} }, 'conversation_id'],
  ['GET', `/v1/conversations/conv_1/items?after=${'x'.repeat(5_000)}`, {}, 'query'],
])(
  '%s %.40s is 400 naming the place, before policy is asked',
  async (method, path, body, param) => {
    const refused = await send(method, path, body);
    expect(refused.status).toBe(400);
    expect(await errorOf(refused)).toMatchObject({ code: 'invalid_request', param });
    expect(h.policy.authorized).toHaveLength(0);
  },
);

test.each([
  ['/v1/conversations', [item, { type: 'item_reference', id: 'msg_1' }], 'items[1]'],
  ['/v1/conversations/conv_1/items', [{ id: 'msg_1' }], 'items[0]'],
])('%s refuses a reference to an item, whose owner is unknown', async (path, items, param) => {
  const refused = await h.post(path, { items });
  expect(refused.status).toBe(400);
  expect(await errorOf(refused)).toMatchObject({ code: 'unsupported_parameter', param });
  expect(h.policy.authorized).toHaveLength(0);
});

test.each(['/v1/conversations', '/v1/conversations/conv_1', '/v1/conversations/conv_1/items'])(
  'a body for %s is JSON of a limited depth',
  async (path) => {
    const deep = `{"items":${'['.repeat(300)}${']'.repeat(300)}}`;
    for (const body of ['', 'no', '[]', deep]) {
      const refused = await h.post(path, body);
      expect(refused.status).toBe(400);
      expect((await errorOf(refused)).code).toBe('invalid_request');
    }
    expect(h.policy.authorized).toHaveLength(0);
  },
);

test('an unknown one is 404 in the vendor’s format, without an upstream call', async () => {
  const message = "Conversation with id 'conv_1' not found.";
  h.policy.decide = () => deny('stored_object_not_found', { message });
  const turn = { model: MODEL, input: 'Hi', conversation: 'conv_1' };
  for (const refused of [
    await send('GET', '/v1/conversations/conv_1'),
    await send('DELETE', '/v1/conversations/conv_1/items/msg_1'),
    await h.post('/v1/responses', turn),
  ]) {
    expect(refused.status).toBe(404);
    expect(await errorOf(refused)).toMatchObject({ message, code: 'stored_object_not_found' });
  }
  expect(h.upstream.received).toHaveLength(0);
});

describe('a turn', () => {
  test.each(['responses', 'responses/input_tokens', 'responses/compact'])(
    'of /v1/%s tells policy its conversation, as text or as an object',
    async (path) => {
      h.policy.decide = () => deny('stored_object_not_found');
      for (const named of ['conv_1', { id: 'conv_1' }, null, undefined]) {
        await h.post(`/v1/${path}`, { model: MODEL, input: 'Hi', conversation: named });
      }
      const told = h.policy.authorized.map(({ conversationId }) => conversationId);
      expect(told).toEqual(['conv_1', 'conv_1', '', '']);
    },
  );

  test.each([1, {}, { id: 7 }, 'conv/../x', 'x'.repeat(257), ''])(
    'that names %j is 400',
    async (named) => {
      for (const path of ['responses', 'responses/input_tokens']) {
        const asked = { model: MODEL, input: 'Hi', conversation: named };
        const refused = await h.post(`/v1/${path}`, asked);
        expect(refused.status).toBe(400);
        expect(await errorOf(refused)).toMatchObject({
          code: 'invalid_request',
          param: 'conversation',
        });
      }
      expect(h.policy.authorized).toHaveLength(0);
    },
  );
});

test('the cloud-hosted variant has them in its interface without API versions', async () => {
  h.policy.decide = () => allow([candidate({ providerType: 'PROVIDER_F' })]);
  h.upstream.script = (res) => answerJson(res, conversation);
  await h.post('/v1/conversations', {});
  await send('GET', '/v1/conversations/conv_1/items?api-version=2024-10-21');
  expect(sent()).toEqual([
    'POST /v1/openai/v1/conversations',
    'GET /v1/openai/v1/conversations/conv_1/items',
  ]);
});

test('a custom provider that declares the Responses API serves its stored conversations', async () => {
  const custom = { providerType: 'CUSTOM' };
  h.upstream.script = (res) => answerJson(res, conversation);
  for (const nativeResponses of [true, false]) {
    h.policy.decide = () => allow([candidate({ ...custom, nativeResponses })]);
    const answers = [
      await h.post('/v1/conversations', {}),
      await send('GET', '/v1/responses/resp_1'),
      await send('DELETE', '/v1/conversations/conv_1'),
    ];
    expect(answers.map(({ status }) => status)).toEqual(
      Array.from({ length: 3 }, () => (nativeResponses ? 200 : 400)),
    );
  }
  expect(sent()).toEqual([
    'POST /v1/conversations',
    'GET /v1/responses/resp_1',
    'DELETE /v1/conversations/conv_1',
  ]);
  h.upstream.received.length = 0;
  h.policy.decide = () => allow([candidate({ ...custom, nativeResponses: true })]);
  await h.post('/v1/responses', { model: MODEL, input: 'Hi', conversation: 'conv_1' });
  expect(sent()).toEqual(['POST /v1/responses']);
  expect(h.upstream.received[0]?.body).toMatchObject({ conversation: 'conv_1' });
});
