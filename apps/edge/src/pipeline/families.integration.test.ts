// Each client family: its key, its paths and its answers. Each kind of provider: its paths and its
// headers.

import { connection, PROVIDER_SECRET } from '../test-support/fake-catalog';
import {
  answerJson,
  chunk,
  DONE,
  openSse,
  USAGE,
  usageChunk,
  type Received,
} from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  chat,
  KEY,
  MODEL,
  startHarness,
  type Harness,
} from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
  const root = h.upstream.url.replace('/v1', '');
  const at = (providerId: string, baseUrl: string, over: object): void => {
    h.catalog.connections.set(`${providerId}:1`, connection({ providerId, baseUrl, ...over }));
  };
  at('b', root, { providerType: 'PROVIDER_B', upstreamFormat: 'anthropic' });
  at('c', root, { providerType: 'PROVIDER_C', upstreamFormat: 'gemini' });
  at('f', root, { providerType: 'PROVIDER_F', apiVersion: '2026-01-01' });
  at('e', `${root}/gw/v3`, { providerType: 'CUSTOM', upstreamFormat: 'anthropic' });
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const PROVIDERS = {
  b: { providerId: 'b', providerType: 'PROVIDER_B', upstreamFormat: 'anthropic' },
  c: { providerId: 'c', providerType: 'PROVIDER_C', upstreamFormat: 'gemini' },
  e: { providerId: 'e', providerType: 'CUSTOM', upstreamFormat: 'anthropic' },
  f: { providerId: 'f', providerType: 'PROVIDER_F', upstreamFormat: 'openai' },
} as const;

function served(by: keyof typeof PROVIDERS): void {
  h.policy.decide = () => allow([candidate(PROVIDERS[by])]);
}

function first(): Received {
  const [received] = h.upstream.received;
  if (!received) throw new Error('nothing arrived');
  return received;
}

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 2 },
};
const generated = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
  responseId: 'g-1',
};
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];

describe('the request to a provider', () => {
  test('a messages provider', async () => {
    served('b');
    h.upstream.script = (res) => answerJson(res, message);
    const response = await h.post('/v1/chat/completions', chat(), { 'anthropic-beta': 'x-1' });
    expect(response.status).toBe(200);
    const { path, headers } = first();
    expect(path).toBe('/v1/messages');
    expect(headers).toMatchObject({
      'x-api-key': PROVIDER_SECRET,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'x-1',
    });
    expect(headers.authorization).toBeUndefined();
    // The recorded stop reason is the upstream's own word, for unary answers as for streams.
    expect(await h.settled()).toMatchObject({
      usage: { input: 3, output: 2 },
      stopReason: 'end_turn',
    });
  });

  test('a custom provider of the messages format', async () => {
    served('e');
    h.upstream.script = (res) => answerJson(res, message);
    await h.post('/v1/llm/chat', chat());
    expect(first().path).toBe('/gw/v3/messages');
    expect(first().headers['x-api-key']).toBe(PROVIDER_SECRET);
  });

  test.each([
    [false, '/v1beta/models/gpt-upstream:generateContent'],
    [true, '/v1beta/models/gpt-upstream:streamGenerateContent?alt=sse'],
  ])('a Gemini provider, with a stream: %s', async (stream, path) => {
    served('c');
    h.upstream.script = (res) => {
      if (!stream) return answerJson(res, generated);
      openSse(res);
      res.end(`data: ${JSON.stringify(generated)}\n\n`);
    };
    const response = await h.post('/v1/chat/completions', chat({ stream }));
    expect(await response.text()).toContain('Hello');
    expect(first().path).toBe(path);
    expect(first().headers['x-goog-api-key']).toBe(PROVIDER_SECRET);
    expect(await h.settled()).toMatchObject({ usage: { input: 3, output: 2 }, stopReason: 'STOP' });
  });

  test('the cloud-hosted variant has its own path and headers', async () => {
    served('f');
    h.upstream.script = (res) => answerJson(res, { data: [], usage: { prompt_tokens: 1 } });
    await h.post('/v1/embeddings', { model: MODEL, input: 'Hi' });
    expect(first().path).toBe('/openai/deployments/gpt-upstream/embeddings?api-version=2026-01-01');
    expect(first().headers['api-key']).toBe(PROVIDER_SECRET);
  });

  test('the cloud-hosted variant has responses in its interface without API versions', async () => {
    served('f');
    h.upstream.script = (res) => answerJson(res, { id: 'resp_1', status: 'completed', output: [] });
    await h.post('/v1/responses', { model: MODEL, input: 'Hi' });
    expect(first().path).toBe('/openai/v1/responses');
    expect(first().body).toMatchObject({ model: 'gpt-upstream', input: 'Hi' });
    expect(first().headers['api-key']).toBe(PROVIDER_SECRET);
  });

  test('a provider without the Responses API gets responses translated to chat', async () => {
    h.policy.decide = () => allow([candidate({ providerType: 'CUSTOM' })]);
    const response = await h.post('/v1/responses', { model: MODEL, input: 'Hi' });
    expect(first().path).toContain('/chat/completions');
    expect(await response.json()).toMatchObject({ object: 'response', status: 'completed' });
  });

  test('running counts are requested where supported, and hidden from the client', async () => {
    h.policy.decide = () => allow([candidate({ upstreamFormat: 'vllm' })]);
    h.upstream.script = (res) => {
      openSse(res);
      const choices = [{ index: 0, delta: { content: 'a' }, finish_reason: null }];
      res.write(chunk({ choices, usage: USAGE }));
      res.end(usageChunk() + DONE);
    };
    const asked = { include_usage: true, continuous_usage_stats: true };
    const counts = async (over: object): Promise<number> => {
      const response = await h.post('/v1/chat/completions', chat({ stream: true, ...over }));
      return (await response.text()).match(/prompt_tokens/g)?.length ?? 0;
    };
    expect(await counts({})).toBe(0);
    expect(await counts({ stream_options: { include_usage: true } })).toBe(1);
    expect(await counts({ stream_options: asked })).toBe(2);
    for (const { body } of h.upstream.received) expect(body['stream_options']).toEqual(asked);
  });
});

describe('responses', () => {
  const answer = {
    id: 'resp_2',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output: [],
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  };

  test('name the response that they continue, and their own', async () => {
    h.upstream.script = (res) => answerJson(res, answer);
    const body = { model: MODEL, input: 'Hi', previous_response_id: 'resp_1' };
    expect((await h.post('/v1/responses', body)).status).toBe(200);
    expect(h.policy.authorized[0]?.previousResponseId).toBe('resp_1');
    expect(first()).toMatchObject({ path: '/v1/responses' });
    expect(first().body['previous_response_id']).toBe('resp_1');
    expect(await h.settled()).toMatchObject({ responseId: 'resp_2', usage: { input: 3 } });
  });

  test('that continue a response cannot be served by a provider that stores none', async () => {
    served('b');
    const body = { model: MODEL, input: 'Hi', previous_response_id: 'resp_1' };
    const response = await h.post('/v1/responses', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'unsupported_parameter', param: 'previous_response_id' },
    });
    expect((await h.settled()).cancelled).toBe(true);
  });
});

describe('the key', () => {
  const ask = (path: string, headers: Record<string, string>, body: object) =>
    fetch(h.edge.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const generate = '/v1beta/models/m:generateContent';

  test.each([
    ['/v1/messages', { 'x-api-key': KEY }],
    ['/v1/messages', { authorization: `Bearer ${KEY}` }],
    [generate, { authorization: `Bearer ${KEY}` }],
    [generate, { 'x-goog-api-key': KEY }],
    [generate, { 'x-provider-c-api-key': KEY }],
    [generate, { 'x-provider_c-api-key': KEY }],
    [generate, { 'x-gemini-api-key': KEY }],
    [generate, { 'x-google-api-key': KEY }],
    [`${generate}?key=${KEY}`, {}],
  ])('of %s may be in %j', async (path, headers: Record<string, string>) => {
    const body = { ...chat({ max_tokens: 5 }), contents };
    const { messages, contents: parts, ...rest } = body;
    const asked = path === '/v1/messages' ? { ...rest, messages } : { contents: parts };
    const response = await ask(path, headers, asked);
    expect(response.status).toBe(200);
    expect(JSON.stringify(h.upstream.received)).not.toContain(KEY);
    await h.settled();
    expect(h.log.join('')).not.toContain(KEY);
  });

  test('in the query is never logged, whatever the outcome', async () => {
    h.policy.failing.add('authorize');
    const paths = [generate, '/v1beta/models/%E0:generateContent', '/v1beta/nothing'];
    for (const path of paths) await ask(`${path}?key=${KEY}`, {}, { contents });
    expect(h.log.join('')).not.toContain(KEY);
  });

  test('is not read from a place of another family', async () => {
    const response = await ask('/v1/chat/completions', { 'x-api-key': KEY }, chat());
    expect(response.status).toBe(401);
    expect((await ask(`/v1/messages?key=${KEY}`, {}, chat())).status).toBe(401);
  });
});

describe('a model in the path', () => {
  test.each(['org/model', 'org/model:tag', 'a:b', 'publishers/x/models/y'])(
    '%s is read with unencoded slashes and colons',
    async (name) => {
      for (const prefix of ['/v1beta', '/v1']) {
        const path = `${prefix}/models/${name}:generateContent`;
        expect((await h.post(path, { contents })).status).toBe(200);
      }
      expect(h.policy.authorized.map(({ model }) => model)).toEqual([name, name]);
    },
  );

  test('streams an array if events are not requested', async () => {
    served('c');
    h.upstream.script = (res) => {
      openSse(res);
      res.end(`data: ${JSON.stringify(generated)}\n\n`);
    };
    const path = `/v1beta/models/${MODEL}:streamGenerateContent`;
    const array = await h.post(path, { contents });
    expect(array.headers.get('content-type')).toContain('application/json');
    expect(await array.json()).toMatchObject([{ candidates: generated.candidates }]);
    const events = await h.post(`${path}?alt=sse`, { contents });
    expect(events.headers.get('content-type')).toContain('text/event-stream');
    expect(await events.text()).toMatch(/^data: \{.*\n\n$/s);
    expect(h.policy.authorized.map(({ stream }) => stream)).toEqual([true, true]);
  });
});

describe('counting tokens', () => {
  const asked = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] };
  const count = () => h.post('/v1/messages/count_tokens', asked);

  test('is free at a provider that counts', async () => {
    served('b');
    h.upstream.script = (res) => answerJson(res, { input_tokens: 42 });
    expect(await (await count()).json()).toEqual({ input_tokens: 42 });
    expect(first().path).toBe('/v1/messages/count_tokens');
    expect(first().body).toEqual({ ...asked, model: 'gpt-upstream' });
    expect(await h.settled()).toMatchObject({ cancelled: false, costNanoUsd: '0' });
  });

  test('is translated for a provider that counts in another format', async () => {
    served('c');
    h.upstream.script = (res) => answerJson(res, { totalTokens: 41 });
    expect(await (await count()).json()).toEqual({ input_tokens: 41 });
    expect(first().path).toBe('/v1beta/models/gpt-upstream:countTokens');
    served('b');
    h.upstream.script = (res) => answerJson(res, { input_tokens: 40 });
    const response = await h.post(`/v1beta/models/${MODEL}:countTokens`, { contents });
    expect(await response.json()).toMatchObject({ totalTokens: 40 });
  });

  test('is estimated if the provider cannot count, and booked too', async () => {
    const { input_tokens: tokens } = (await (await count()).json()) as { input_tokens: number };
    expect(tokens).toBe(h.policy.authorized[0]?.inputTokensEstimate);
    expect(h.upstream.received).toHaveLength(0);
    expect(await h.settled()).toMatchObject({
      cancelled: false,
      outcome: 'COMPLETED',
      costNanoUsd: '0',
      httpStatus: 200,
    });
  });
});
