// Answers that say that they failed, such as a call that the provider could not read: an agent must not take one
// for the end of its work.

import type { Candidate } from '@tollgate/contracts/node';
import { startSimulator, type Simulator } from '@tollgate/simulator';

import { CORPUS_CLIENTS } from '../test-support/corpus';
import { connection } from '../test-support/fake-catalog';
import { answerJson } from '../test-support/fake-upstream';
import { allow, candidate, routed, startHarness, type Harness } from '../test-support/harness';

const { anthropic, chat, gemini, responses, unified } = CORPUS_CLIENTS;
const GEMINI: Candidate = { upstreamFormat: 'gemini', providerType: 'PROVIDER_C' };
const UPSTREAMS: Readonly<Record<string, Candidate>> = {
  gemini: { ...GEMINI, providerId: 'gemini' },
  vllm: { upstreamFormat: 'vllm', providerType: 'PROVIDER_D', providerId: 'vllm' },
  second: { ...GEMINI, providerId: 'gemini' },
  responses: { upstreamFormat: 'openai', providerId: 'responses' },
};
const FAILURES: Readonly<Record<string, string>> = {
  gemini: 'finish-MALFORMED_FUNCTION_CALL',
  vllm: 'finish-abort',
  responses: 'failed',
};

let simulator: Simulator;
let h: Harness;
beforeAll(async () => {
  simulator = await startSimulator();
  h = await startHarness();
  for (const { providerId = '', upstreamFormat = '', providerType } of Object.values(UPSTREAMS)) {
    const baseUrl = simulator.url + (upstreamFormat === 'gemini' ? '/v1beta' : '/v1');
    const material = { providerId, upstreamFormat, baseUrl, ...(providerType && { providerType }) };
    h.catalog.connections.set(`${providerId}:1`, connection(material));
  }
});
afterAll(async () => {
  await h.stop();
  await simulator.stop();
});
beforeEach(() => h.reset());

const failing = (name: string, tokens: number): Candidate => {
  const upstreamModel = `sim.input-9.${FAILURES[name]}.tokens-${tokens}`;
  return candidate({ ...UPSTREAMS[name], modelId: `failing-${name}`, upstreamModel });
};

/** Clients whose streams are translated. */
const TRANSLATED = { gemini: [anthropic, chat, responses, unified], vllm: [anthropic, gemini] };
const CASES = Object.entries(TRANSLATED).flatMap(([upstream, clients]) =>
  clients.flatMap((client) =>
    [0, 3].map((tokens) => [client.name, upstream, tokens, client] as const),
  ),
);

test.each(CASES)('%s from %s after %i tokens: a stream ends with an error', async (...row) => {
  const [, upstream, tokens, client] = row;
  h.policy.decide = () => allow([failing(upstream, tokens)]);
  const answer = await h.post(client.path('m', true), client.body('m', true));
  const body = await answer.text();
  const whole = answer.status === 502;
  const { complete, error, text } = whole ? client.unary(JSON.parse(body)) : client.stream(body);
  // One format has a word for it, beside the output.
  if (client === unified && tokens > 0) expect(error).toBeUndefined();
  else if (client === gemini && tokens > 0) expect({ complete, error }).toEqual({ complete: true });
  else expect({ complete, failed: error !== undefined }).toEqual({ complete: false, failed: true });
  expect(text === '').toBe(tokens === 0);
  const { usage, usageQuality } = await h.settled();
  expect({ usage, usageQuality }).toMatchObject({
    usage: { input: 9, output: tokens },
    usageQuality: 'EXACT',
  });
});

test.each(CASES)('%s from %s after %i tokens: an answer is an error', async (...row) => {
  const [, upstream, tokens, client] = row;
  h.policy.decide = () => allow([failing(upstream, tokens)]);
  const answer = await h.post(client.path('m', false), client.body('m', false));
  const told = tokens > 0 && client !== chat && client !== anthropic;
  expect(answer.status).toBe(told ? 200 : 502);
  const text = await answer.text();
  if (!told) {
    expect(text).toContain('could not complete its answer');
    expect(answer.headers.get('x-tollgate-error-code')).toBe('upstream_error');
  } else if (client === responses) expect(text).toContain('"status":"failed"');
  const { usage, usageQuality, outcome } = await h.settled();
  expect({ usage, usageQuality, outcome }).toMatchObject({
    usage: { input: 9, output: tokens },
    usageQuality: 'EXACT',
    outcome: told ? 'COMPLETED' : 'FAILED',
  });
});

test.each([false, true])('the next candidate answers; streamed: %s', async (stream) => {
  const second = candidate({ ...UPSTREAMS['second'], modelId: 'second', upstreamModel: 'sim' });
  h.policy.decide = () => routed([failing('gemini', 0), second]);
  const answer = await h.post(chat.path('m', stream), chat.body('m', stream));
  const text = await answer.text();
  const understood = stream ? chat.stream(text) : chat.unary(JSON.parse(text));
  expect(understood).toMatchObject({ text: 'You said: Hi', complete: true });
  const { attempts } = await h.settled();
  expect(attempts).toMatchObject([
    { outcome: 'UPSTREAM_ERROR', httpStatus: 200, usage: { input: 9 } },
    { outcome: 'OK' },
  ]);
});

test('a client of the same format gets the answer as it is', async () => {
  h.policy.decide = () => allow([failing('gemini', 0)]);
  const answer = await h.post(gemini.path('m', false), gemini.body('m', false));
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('"finishReason":"MALFORMED_FUNCTION_CALL"');
});

test.each([false, true])('a response that failed is charged; streamed: %s', async (stream) => {
  h.policy.decide = () => allow([failing('responses', 3)]);
  const answer = await h.post(responses.path('m', stream), responses.body('m', stream));
  expect(await answer.text()).toContain('The provider failed');
  const usage = { input: 9, output: 3 };
  expect(await h.settled()).toMatchObject({
    usage,
    costNanoUsd: '15000',
    outcome: stream ? 'PARTIAL' : 'FAILED',
  });
});

const CHAT_USAGE = { prompt_tokens: 9, completion_tokens: 3 };
const RESPONSES_USAGE = { input_tokens: 9, output_tokens: 3 };
const ERROR = { message: 'The server failed.', code: 500 };
const FLEX = { service_tier: 'flex' };
const CANCELLED = { id: 'r', object: 'response', status: 'cancelled', output: [] };

/** At one and two dollars per million tokens, flex at half the price. */
const REFUSED = [
  ['responses, cancelled', responses, { ...CANCELLED, usage: RESPONSES_USAGE }, '15000'],
  ['responses, in flex', responses, { ...CANCELLED, usage: RESPONSES_USAGE, ...FLEX }, '7500'],
  ['chat, without choices', chat, { choices: [], usage: CHAT_USAGE }, '15000'],
  ['chat, with an error', chat, { error: ERROR, usage: CHAT_USAGE }, '15000'],
  ['chat, in flex', chat, { error: ERROR, usage: CHAT_USAGE, ...FLEX }, '7500'],
  ['unified, from chat', unified, { choices: [], usage: CHAT_USAGE }, '15000'],
] as const;

test.each(REFUSED)('%s: an answer that is refused costs what it reports', async (...row) => {
  const [, client, body, costNanoUsd] = row;
  const { price } = candidate();
  h.policy.decide = () => allow([candidate({ price: { ...price, tierPercent: { flex: '50' } } })]);
  h.upstream.script = (res) => answerJson(res, body);
  const answer = await h.post(client.path('m', false), client.body('m', false));
  expect(answer.status).toBe(502);
  const settled = await h.settled();
  expect(settled).toMatchObject({ usage: { input: 9, output: 3 }, usageQuality: 'EXACT' });
  expect(settled).toMatchObject({ costNanoUsd, outcome: 'FAILED' });
  expect(settled.attempts).toMatchObject([{ outcome: 'INVALID_RESPONSE', costNanoUsd }]);
});

test.each([
  ['no usage', {}],
  ['usage that cannot be', { usage: { prompt_tokens: 9e9, completion_tokens: 3 } }],
])('a refused answer with %s has an unknown cost', async (_what, over) => {
  h.upstream.script = (res) => answerJson(res, { choices: [], ...over });
  expect((await h.post(chat.path('m', false), chat.body('m', false))).status).toBe(502);
  expect(await h.settled()).toMatchObject({ usageQuality: 'UNKNOWN', costNanoUsd: '0' });
});

test('an answer that failed is charged for its searches, also without usable counts', async () => {
  const { price } = candidate();
  const perUnitNanoUsd = { web_search: '700' };
  const upstream = { ...GEMINI, price: { ...price, perUnitNanoUsd } };
  h.catalog.connections.set(
    'scripted:1',
    connection({ ...GEMINI, providerId: 'scripted', baseUrl: h.upstream.url }),
  );
  h.policy.decide = () => allow([candidate({ ...upstream, providerId: 'scripted' })]);
  h.upstream.script = (res) =>
    answerJson(res, {
      candidates: [
        {
          finishReason: 'MALFORMED_FUNCTION_CALL',
          groundingMetadata: { webSearchQueries: ['a', 'b'] },
        },
      ],
      usageMetadata: { promptTokenCount: 9e9, candidatesTokenCount: 3 },
    });
  expect((await h.post(chat.path('m', false), chat.body('m', false))).status).toBe(502);
  expect(await h.settled()).toMatchObject({
    units: { web_search: '2' },
    usageQuality: 'UNKNOWN',
    costNanoUsd: '1400',
  });
});
