// The answer names the model that the client requested, whichever candidate answered.

import type { Candidate } from '@tollgate/contracts/node';
import { startSimulator, type Simulator } from '@tollgate/simulator';

import { connection } from '../test-support/fake-catalog';
import { allow, candidate, startHarness, type Harness } from '../test-support/harness';

let simulator: Simulator;
let h: Harness;
beforeAll(async () => {
  simulator = await startSimulator();
  h = await startHarness();
  for (const { over, root } of Object.values(UPSTREAMS)) {
    const { upstreamFormat = '', providerType = '' } = over;
    const material = { baseUrl: simulator.url + root, upstreamFormat, providerType };
    const providerId = `sim-${upstreamFormat}`;
    h.catalog.connections.set(`${providerId}:1`, connection({ providerId, ...material }));
  }
});
beforeEach(() => h.reset());
afterAll(async () => {
  await h.stop();
  await simulator.stop();
});

const ASKED = 'my-name';
const UPSTREAM_NAME = 'sim-upstream';

const UPSTREAMS: Record<string, { over: Candidate; root: string }> = {
  openai: { over: { upstreamFormat: 'openai', providerType: 'PROVIDER_A' }, root: '/v1' },
  anthropic: { over: { upstreamFormat: 'anthropic', providerType: 'PROVIDER_B' }, root: '' },
  gemini: { over: { upstreamFormat: 'gemini', providerType: 'PROVIDER_C' }, root: '' },
  vllm: { over: { upstreamFormat: 'vllm', providerType: 'PROVIDER_D' }, root: '' },
};

function answerFrom(name: string, tellUpstreamModel = false): void {
  const found = UPSTREAMS[name];
  if (!found) throw new Error(`no upstream ${name}`);
  const providerId = `sim-${found.over.upstreamFormat}`;
  // Another candidate than the requested one may serve.
  const over = { modelName: 'another', upstreamModel: UPSTREAM_NAME, providerId };
  const reply = allow([candidate({ ...found.over, ...over })]);
  h.policy.decide = () => ({ allow: { ...reply.allow, tellUpstreamModel } });
}

const messages = [{ role: 'user', content: 'Hi' }];
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
const CHATS: Record<
  string,
  { path: string; body: object; stream: { path?: string; body?: object } }
> = {
  chat: { path: '/v1/chat/completions', body: { messages }, stream: { body: { stream: true } } },
  unified: { path: '/v1/llm/chat', body: { messages }, stream: { body: { stream: true } } },
  responses: { path: '/v1/responses', body: { input: 'Hi' }, stream: { body: { stream: true } } },
  messages: {
    path: '/v1/messages',
    body: { messages, max_tokens: 50 },
    stream: { body: { stream: true } },
  },
  gemini: {
    path: `/v1beta/models/${ASKED}:generateContent`,
    body: { contents },
    stream: { path: `/v1beta/models/${ASKED}:streamGenerateContent?alt=sse` },
  },
};
const CASES = Object.keys(CHATS).flatMap((client) =>
  Object.keys(UPSTREAMS).map((upstream) => [client, upstream] as const),
);

function namesIn(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/"model(?:Version)?":\s*"([^"]*)"/g)].map(([, name]) => String(name)),
  );
}

test.each(CASES)('a %s client of %s reads the requested name', async (client, upstream) => {
  const asked = CHATS[client];
  if (!asked) throw new Error(client);
  const requests = [
    { path: asked.path, body: asked.body },
    { path: asked.stream.path ?? asked.path, body: { ...asked.body, ...asked.stream.body } },
  ];
  for (const { path, body } of requests) {
    answerFrom(upstream);
    const response = await h.post(path, { model: ASKED, ...body });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, expect.any(String)]);
    expect(namesIn(text)).toEqual(new Set([ASKED]));
    expect(text).not.toContain(UPSTREAM_NAME);
    expect(response.headers.get('x-tollgate-upstream-model')).toBeNull();
  }
});

const RELAYED: [path: string, upstream: string, body: object][] = [
  ['/v1/embeddings', 'openai', { input: 'Hi' }],
  ['/v1/completions', 'openai', { prompt: 'Hi' }],
  ['/v1/completions', 'openai', { prompt: 'Hi', stream: true }],
  ['/v1/moderations', 'openai', { input: 'Hi' }],
  ['/v1/vllm/chat/completions', 'vllm', { messages, stream: true }],
  ['/v1/vllm/completions', 'vllm', { prompt: 'Hi' }],
  ['/v1/vllm/embeddings', 'vllm', { input: 'Hi' }],
  ['/v1/vllm/pooling', 'vllm', { input: 'Hi' }],
  ['/v1/vllm/classify', 'vllm', { input: 'Hi' }],
  ['/v1/vllm/score', 'vllm', { text_1: 'a', text_2: 'b' }],
  ['/v1/vllm/rerank', 'vllm', { query: 'a', documents: ['b'] }],
];

test.each(RELAYED)('%s of %s has the requested name', async (path, upstream, body) => {
  answerFrom(upstream);
  const response = await h.post(path, { model: ASKED, ...body });
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  expect(namesIn(text)).toEqual(new Set([ASKED]));
});

test.each([{}, { stream: true }])(
  "the provider's name is shown if the organisation allows it, and recorded in any case: %j",
  async (over) => {
    answerFrom('anthropic', true);
    const response = await h.post('/v1/chat/completions', { model: ASKED, messages, ...over });
    await response.text();
    expect(response.headers.get('x-tollgate-upstream-model')).toBe(UPSTREAM_NAME);
    const { attempts } = await h.settled();
    expect(attempts).toMatchObject([{ upstreamModel: UPSTREAM_NAME }]);
  },
);

test('the provider’s dated name is recorded', async () => {
  h.upstream.script = (res) => {
    const choices = [
      { index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' },
    ];
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ id: 'c', model: 'gpt-4o-2024-08-06', choices }));
  };
  const response = await h.post('/v1/chat/completions', { model: ASKED, messages });
  expect(await response.json()).toMatchObject({ model: ASKED });
  expect((await h.settled()).attempts).toMatchObject([{ upstreamModel: 'gpt-4o-2024-08-06' }]);
});
