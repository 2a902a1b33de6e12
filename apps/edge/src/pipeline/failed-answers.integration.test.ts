// Answers that say that they failed, such as a call that the provider could not read: an agent must not take one
// for the end of its work.

import type { Candidate } from '@tollgate/contracts/node';
import { startSimulator, type Simulator } from '@tollgate/simulator';

import { CORPUS_CLIENTS } from '../test-support/corpus';
import { connection } from '../test-support/fake-catalog';
import { allow, candidate, routed, startHarness, type Harness } from '../test-support/harness';

const { anthropic, chat, gemini, responses, unified } = CORPUS_CLIENTS;
const GEMINI: Candidate = { upstreamFormat: 'gemini', providerType: 'PROVIDER_C' };
const UPSTREAMS: Readonly<Record<string, Candidate>> = {
  gemini: { ...GEMINI, providerId: 'gemini' },
  vllm: { upstreamFormat: 'vllm', providerType: 'PROVIDER_D', providerId: 'vllm' },
  second: { ...GEMINI, providerId: 'gemini' },
};
const FAILURES: Readonly<Record<string, string>> = {
  gemini: 'finish-MALFORMED_FUNCTION_CALL',
  vllm: 'finish-abort',
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
