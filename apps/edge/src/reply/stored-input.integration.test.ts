// What a provider has stored is read again, and billed, with every follow-up. An answer without
// reported usage is charged for it as well, whichever way it ends.

import { answerJson, openSse } from '../test-support/fake-upstream';
import { allow, KEY, MODEL, startHarness, until, type Harness } from '../test-support/harness';

const STORED = 20_000;
/** At a dollar per million tokens. */
const STORED_NANO_USD = STORED * 1_000;

let h: Harness;
beforeAll(async () => {
  h = await startHarness({ BACKGROUND_POLL_MS: 10 });
});
beforeEach(async () => {
  await h.reset();
  h.policy.decide = () => ({ allow: { ...allow().allow, readTokens: STORED } });
});
afterAll(() => h.stop());

const named = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const text = named('response.output_text.delta', {
  output_index: 0,
  content_index: 0,
  delta: 'Hello',
});
const begun =
  named('response.created', { response: { id: 'r', status: 'in_progress', output: [] } }) +
  named('response.output_item.added', {
    output_index: 0,
    item: { id: 'i', type: 'message', role: 'assistant', content: [] },
  }) +
  text;
const answer = (over: object = {}) => ({
  id: 'resp_2',
  object: 'response',
  status: 'completed',
  output: [
    { id: 'i', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
  ],
  ...over,
});

const followUp = (over: object = {}, init: RequestInit = {}) =>
  fetch(`${h.edge.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, input: 'Go on', previous_response_id: 'resp_1', ...over }),
    ...init,
  });

/** The settle charges the stored tokens once, beside a few of its own. */
async function expectCharged() {
  const settle = await h.settled();
  const input = Number(settle.usage?.input);
  expect(input).toBeGreaterThan(STORED);
  expect(input).toBeLessThan(STORED + 50);
  expect(Number(settle.costNanoUsd)).toBeGreaterThan(STORED_NANO_USD);
  expect(settle).toMatchObject({ usageQuality: 'ESTIMATED', readTokens: STORED });
  // What the request itself adds stays without it.
  expect(settle.addedTokens).toBeLessThan(50);
}

test('a stream that its client leaves', async () => {
  h.upstream.script = (res) => {
    openSse(res);
    res.write(begun);
  };
  const leaving = new AbortController();
  const stream = await followUp({ stream: true }, { signal: leaving.signal });
  await stream.body?.getReader().read();
  leaving.abort();
  await expectCharged();
});

test('a request that its client leaves before there is an answer', async () => {
  h.upstream.script = () => undefined;
  const leaving = new AbortController();
  const asked = followUp({}, { signal: leaving.signal }).catch(() => undefined);
  await until(() => h.upstream.received.length === 1, 'the request');
  leaving.abort();
  await asked;
  await expectCharged();
});

test('a stream without usage', async () => {
  h.upstream.script = (res) => {
    openSse(res);
    res.end(begun + named('response.completed', { response: answer() }));
  };
  await (await followUp({ stream: true })).text();
  await expectCharged();
});

test('an answer without usage', async () => {
  h.upstream.script = (res) => answerJson(res, answer());
  await (await followUp()).text();
  await expectCharged();
});

test('a background response that is cancelled', async () => {
  h.upstream.script = (res, { method }) =>
    answerJson(res, answer({ status: method === 'POST' ? 'queued' : 'cancelled' }));
  await (await followUp({ background: true })).text();
  await expectCharged();
});

test('an answer with usage is charged for that alone', async () => {
  const usage = { input_tokens: 1_000, output_tokens: 5, total_tokens: 1_005 };
  h.upstream.script = (res) => answerJson(res, answer({ usage }));
  await (await followUp()).text();
  expect(await h.settled()).toMatchObject({ usage: { input: 1_000 }, usageQuality: 'EXACT' });
});

test('what a turn adds to its conversation is told before it is sent, and named again at its end', async () => {
  h.policy.decide = () => ({ allow: { ...allow().allow, addedTokens: 7 } });
  h.upstream.script = (res) => answerJson(res, answer());
  const conversation = 'conv_1';
  await (await followUp({ conversation, previous_response_id: undefined })).text();
  const { assumedTokens, conversationId } = await h.settled();
  expect({ assumedTokens, conversationId }).toEqual({
    assumedTokens: 7,
    conversationId: conversation,
  });
  const [asked] = h.policy.authorized;
  expect(asked).toMatchObject({ conversationId: conversation });
  expect(asked?.addedTokens).toBe(asked?.inputTokensEstimate);
});

test('a request of no conversation adds nothing', async () => {
  h.upstream.script = (res) => answerJson(res, answer());
  await (await followUp()).text();
  expect(await h.settled()).toMatchObject({ assumedTokens: 0 });
  expect(h.policy.authorized[0]?.addedTokens).toBe(0);
});
