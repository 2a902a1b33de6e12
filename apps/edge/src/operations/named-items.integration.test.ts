// Stored items that an input names by their ids, and the ids by which an answer's items are named.

import { answerJson, openSse } from '../test-support/fake-upstream';
import { deny, errorOf, MODEL, startHarness, type Harness } from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness({ BACKGROUND_POLL_MS: 10 });
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const said = [{ type: 'output_text', text: 'Hi' }];
const output = [
  { id: 'rs_1', type: 'reasoning', summary: [] },
  { id: 'msg_1', type: 'message', role: 'assistant', content: said },
];
const response = (over: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output,
  usage,
  ...over,
});
const named = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const ask = { model: MODEL, input: 'Hi' };
const input = [
  { role: 'user', content: 'Hi' },
  { type: 'item_reference', id: 'msg_1' },
  { id: 'fc_1' },
  { type: 'reasoning', id: 'rs_1', summary: [] },
];
const asked = { itemIds: ['msg_1', 'fc_1'], replayedItemIds: ['rs_1'] };

test.each([
  ['/v1/responses', response()],
  ['/v1/responses/compact', response({ object: 'response.compaction' })],
  ['/v1/responses/input_tokens', { object: 'response.input_tokens', input_tokens: 5 }],
])('%s asks policy whose the items are that its input names', async (path, answer) => {
  h.upstream.script = (res) => answerJson(res, answer);
  const answered = await h.post(path, { ...ask, input });
  expect(answered.status).toBe(200);
  expect(h.policy.authorized).toMatchObject([asked]);
  expect(h.upstream.received[0]?.body).toMatchObject({ input });
});

test('items that are added to a conversation are asked about as well', async () => {
  h.upstream.script = (res) => answerJson(res, { object: 'list', data: [] });
  await h.post('/v1/conversations/conv_1/items', { items: input.slice(3) });
  expect(h.policy.authorized).toMatchObject([{ itemIds: [], replayedItemIds: ['rs_1'] }]);
});

test('one that the key may not use is 404, and asks no upstream', async () => {
  const message = "Item with id 'msg_1' not found.";
  h.policy.decide = () =>
    deny('stored_object_not_found', { message, detailsJson: '{"param":"input"}' });
  const refused = await h.post('/v1/responses', { ...ask, input });
  expect(refused.status).toBe(404);
  expect(await errorOf(refused)).toMatchObject({ message, param: 'input' });
  expect(h.upstream.received).toHaveLength(0);
});

test('a plain request names nothing', async () => {
  h.upstream.script = (res) => answerJson(res, response());
  await h.post('/v1/responses', ask);
  expect(h.policy.authorized).toMatchObject([{ itemIds: [], replayedItemIds: [] }]);
});

describe('the settle names the output items', () => {
  const ids = { responseId: 'resp_1', itemIds: ['rs_1', 'msg_1'] };

  test('of a whole answer, up to 64', async () => {
    h.upstream.script = (res) => answerJson(res, response());
    await (await h.post('/v1/responses', ask)).text();
    expect(await h.settled()).toMatchObject(ids);
    await h.reset();
    const many = Array.from({ length: 70 }, (_, n) => ({ ...output[1], id: `msg_${n}` }));
    h.upstream.script = (res) => answerJson(res, response({ output: many }));
    await (await h.post('/v1/responses', ask)).text();
    const { itemIds } = await h.settled();
    expect(itemIds).toEqual(many.slice(0, 64).map(({ id }) => id));
  });

  test('of a stream', async () => {
    h.upstream.script = (res) => {
      openSse(res);
      res.write(named('response.created', { response: response({ output: [] }) }));
      for (const [at, item] of output.entries()) {
        res.write(named('response.output_item.added', { output_index: at, item }));
      }
      res.end(named('response.completed', { response: response() }));
    };
    await (await h.post('/v1/responses', { ...ask, stream: true })).text();
    expect(await h.settled()).toMatchObject(ids);
  });

  test('of a background response', async () => {
    h.upstream.script = (res, { method }) =>
      answerJson(res, method === 'POST' ? response({ status: 'queued', output: [] }) : response());
    await (await h.post('/v1/responses', { ...ask, background: true })).text();
    expect(await h.settled()).toMatchObject(ids);
  });
});
