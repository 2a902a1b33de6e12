// Operations without a codec: bytes are relayed unchanged, and their usage is read for the bill.

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
beforeEach(async () => {
  await h.reset();
  h.upstream.script = (res) => answerJson(res, { data: [], usage: { prompt_tokens: 1_000_000 } });
});
afterAll(() => h.stop());

const onVllm = (): void => {
  h.policy.decide = () =>
    allow([candidate({ providerType: 'PROVIDER_D', upstreamFormat: 'vllm', maxOutputTokens: 0 })]);
};

test('an unchanged body is sent byte for byte', async () => {
  h.policy.decide = () => allow([candidate({ upstreamModel: MODEL })]);
  const body = `{ "model":"${MODEL}",  "input":"Hi", "seed":12345678901234567890, "x":1.0 }`;
  expect((await h.post('/v1/embeddings', body)).status).toBe(200);
  expect(h.upstream.received[0]?.raw.toString()).toBe(body);
});

test('only the model is replaced, and the answer is passed on byte for byte', async () => {
  const answer =
    '{"object":"list", "data":[ {"embedding":[1.0,2e-3]} ],"usage":{"total_tokens":3}}';
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    res.end(answer);
  };
  const body = { model: MODEL, input: [[1, 2, 3]], encoding_format: null, unknown: { a: 1 } };
  const response = await h.post('/v1/embeddings', body);
  expect(await response.text()).toBe(answer);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(h.upstream.received[0]).toMatchObject({ path: '/v1/embeddings' });
  expect(h.upstream.received[0]?.body).toEqual({ ...body, model: 'gpt-upstream' });
  expect((await h.settled()).usage).toMatchObject({ input: 3, output: 0 });
});

test('the input is charged by the price, to the nano-USD', async () => {
  const response = await h.post('/v1/embeddings', { model: MODEL, input: 'Hi' });
  expect(response.headers.get('x-tollgate-cost-usd')).toBe('1.00');
  expect(await h.settled()).toMatchObject({
    costNanoUsd: '1000000000',
    usageQuality: 'EXACT',
    usage: { input: 1_000_000 },
  });
});

test('an answer without usage is charged by an estimate, and marked', async () => {
  h.upstream.script = (res) => answerJson(res, { data: [], usage: {} });
  await h.post('/v1/embeddings', { model: MODEL, input: 'Hello there' });
  const settle = await h.settled();
  expect(settle.usageQuality).toBe('ESTIMATED');
  expect(Number(settle.usage?.input)).toBe(h.policy.authorized[0]?.inputTokensEstimate);
});

test('counts of zero count as missing usage', async () => {
  h.upstream.script = (res) =>
    answerJson(res, { data: [], usage: { prompt_tokens: 0, total_tokens: 0 } });
  await h.post('/v1/embeddings', { model: MODEL, input: 'Hello there' });
  expect((await h.settled()).usageQuality).toBe('ESTIMATED');
});

test('the usage of a long answer is found without parsing its numbers', async () => {
  const embedding = Array.from({ length: 20_000 }, (_, n) => n / 7);
  const usage = { prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 2 }, total_tokens: 5 };
  h.upstream.script = (res) => answerJson(res, { data: [{ embedding }], usage });
  await h.post('/v1/embeddings', { model: MODEL, input: 'Hi' });
  expect((await h.settled()).usage).toMatchObject({ input: 3, cacheRead: 2 });
});

test.each(['{"data": [', '[1]', '<html>'])('%s is not an answer: 502', async (text) => {
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(text);
  };
  const response = await h.post('/v1/embeddings', { model: MODEL, input: 'Hi' });
  expect(response.status).toBe(502);
  expect((await errorOf(response)).code).toBe('upstream_error');
});

test('an HTML page as the answer is 502', async () => {
  h.upstream.script = (res) => {
    res.writeHead(200, { 'content-type': 'text/html' });
    res.end('<script>');
  };
  expect((await h.post('/v1/embeddings', { model: MODEL, input: 'Hi' })).status).toBe(502);
});

describe('a provider in the body', () => {
  test.each([
    ['/v1/embeddings', 'provider_b'],
    ['/v1/embeddings', 'vllm'],
    ['/v1/chat/completions', 'anthropic'],
    ['/v1/vllm/embeddings', 'openai'],
    ['/v1/vllm/chat/completions', 'provider_a'],
  ])('%s cannot be switched to %s', async (path, provider) => {
    const body = {
      model: MODEL,
      provider,
      input: 'Hi',
      messages: [{ role: 'user', content: 'x' }],
    };
    const response = await h.post(path, body);
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({ code: 'provider_mismatch', param: 'provider' });
    expect(h.policy.authorized).toHaveLength(0);
  });

  test.each(['provider_a', 'openai', 'azure'])('%s is a pin, not forwarded', async (provider) => {
    await h.post('/v1/embeddings', { model: MODEL, provider, input: 'Hi' });
    expect(h.policy.authorized[0]?.providerPin).toBe(provider);
    expect(h.upstream.received[0]?.body).toEqual({ model: 'gpt-upstream', input: 'Hi' });
  });
});

describe('moderation without a model', () => {
  const judged = { id: 'modr-1', model: 'omni-moderation-latest', results: [{ flagged: false }] };

  test.each([{}, { model: null }])('uses the vendor’s default model (%j)', async (over) => {
    h.upstream.script = (res) => answerJson(res, judged);
    const response = await h.post('/v1/moderations', { input: 'Hi', ...over });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(judged);
    expect(h.policy.authorized[0]?.model).toBe('omni-moderation-latest');
    expect(h.upstream.received[0]?.body).toEqual({ input: 'Hi', model: 'gpt-upstream' });
  });

  test('is 400 naming the field if no such model is registered', async () => {
    const detailsJson = JSON.stringify({ model: 'omni-moderation-latest' });
    h.policy.decide = () => deny('model_not_found', { detailsJson });
    const response = await h.post('/v1/moderations', { input: 'Hi' });
    expect(response.status).toBe(400);
    const error = await errorOf(response);
    expect(error).toMatchObject({ code: 'invalid_request', param: 'model' });
    expect(error.message).toContain('"omni-moderation-latest"');
    const named = await h.post('/v1/moderations', { input: 'Hi', model: 'other' });
    expect((await errorOf(named)).code).toBe('model_not_found');
  });

  test('with an empty model is 400', async () => {
    const response = await h.post('/v1/moderations', { input: 'Hi', model: '' });
    expect(await errorOf(response)).toMatchObject({ code: 'invalid_request', param: 'model' });
  });
});

describe('an invalid field is 400 and named', () => {
  test.each([
    ['/v1/embeddings', { input: 'Hi' }, 'model'],
    ['/v1/embeddings', { model: '', input: 'Hi' }, 'model'],
    ['/v1/embeddings', { model: MODEL }, 'input'],
    ['/v1/embeddings', { model: MODEL, input: [] }, 'input'],
    ['/v1/completions', { model: MODEL, prompt: 7 }, 'prompt'],
    ['/v1/completions', { model: MODEL, prompt: 'x', n: 0 }, 'n'],
    ['/v1/completions', { model: MODEL, prompt: 'x', max_tokens: -1 }, 'max_tokens'],
    ['/v1/completions', { model: MODEL, prompt: Array(1_025).fill('x') }, 'prompt'],
    ['/v1/images/generations', { model: MODEL }, 'prompt'],
    ['/v1/images/generations', { model: MODEL, prompt: 'x', n: 1_000 }, 'n'],
    ['/v1/audio/speech', { model: MODEL, input: '' }, 'input'],
    ['/v1/vllm/tokenize', { model: MODEL }, 'prompt'],
    ['/v1/vllm/tokenize', { model: MODEL, prompt: 'x', messages: [{}] }, 'prompt'],
    ['/v1/vllm/detokenize', { model: MODEL, tokens: ['x'] }, 'tokens[0]'],
    ['/v1/vllm/pooling', { model: MODEL }, 'input'],
    ['/v1/vllm/score', { model: MODEL, text_1: 'x' }, 'text_1'],
    [
      '/v1/vllm/score',
      { model: MODEL, text_1: 'x', text_2: 'y', data_1: 'x', data_2: 'y' },
      'data_1',
    ],
    ['/v1/vllm/rerank', { model: MODEL, query: 'x' }, 'documents'],
    ['/v1/audio/transcriptions', { model: MODEL }, 'content-type'],
  ])('%s %j', async (path, body, param) => {
    const response = await h.post(path, body);
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({ code: 'invalid_request', param });
    expect(h.policy.authorized).toHaveLength(0);
  });
});

describe('routes of compatible servers', () => {
  beforeEach(onVllm);

  test.each([
    ['tokenize', { prompt: 'Hi' }, '/tokenize'],
    ['detokenize', { tokens: [1] }, '/detokenize'],
    ['pooling', { messages: [{ role: 'user', content: 'Hi' }] }, '/pooling'],
    ['classify', { input: ['Hi'] }, '/classify'],
    ['score', { queries: 'Hi', documents: ['x'] }, '/score'],
    ['rerank', { query: 'Hi', documents: ['x'] }, '/rerank'],
    ['embeddings', { input: 'Hi' }, '/v1/embeddings'],
    ['completions', { prompt: 'Hi' }, '/v1/completions'],
  ])('%s is called at the server’s own path', async (name, body, path) => {
    for (const family of ['vllm', 'provider_d']) {
      await h.post(`/v1/${family}/${name}`, { model: MODEL, ...body });
    }
    expect(h.upstream.received.map((one) => one.path)).toEqual([path, path]);
  });

  test('tokenize costs only the price per request', async () => {
    const price = {
      priceId: 'p',
      steps: [{ fromInputTokens: 0, input: '9', output: '9' }],
      perRequestNanoUsd: '5',
    };
    h.policy.decide = () =>
      allow([candidate({ providerType: 'PROVIDER_D', upstreamFormat: 'vllm', price })]);
    h.upstream.script = (res) => answerJson(res, { count: 1, tokens: [1] });
    await h.post('/v1/vllm/tokenize', { model: MODEL, prompt: 'Hi' });
    expect(await h.settled()).toMatchObject({ costNanoUsd: '5', usageQuality: 'EXACT' });
  });

  test('documents are counted in addition to tokens', async () => {
    await h.post('/v1/vllm/rerank', { model: MODEL, query: 'Hi', documents: ['a', 'b', 'c'] });
    expect(h.policy.authorized[0]?.unitsEstimate).toEqual({ document: 3 });
    expect((await h.settled()).units).toEqual({ document: '3' });
  });

  test.each([1_000, 100_000])(
    'the tokens and the model of a ranking are its own, not those of a document it repeats (%i bytes)',
    async (bytes) => {
      const part = { type: 'text', text: 'x'.repeat(bytes) };
      const document = {
        content: [{ ...part, model: 'mine', usage: { prompt_tokens: 1, total_tokens: 1 } }],
      };
      const results = [{ index: 0, document: { multi_modal: document.content } }];
      const usage = { prompt_tokens: 25_001, total_tokens: 25_001 };
      h.upstream.script = (res) =>
        answerJson(res, { id: 'r', model: 'gpt-upstream', usage, results });
      const body = { model: MODEL, query: 'Hi', documents: [document] };
      const response = await h.post('/v1/vllm/rerank', body);
      expect(await response.json()).toEqual({ id: 'r', model: MODEL, usage, results });
      expect(await h.settled()).toMatchObject({
        usage: { input: 25_001 },
        usageQuality: 'EXACT',
        costNanoUsd: '25001000',
      });
    },
  );

  test('one text compared with many is counted once per comparison', async () => {
    const text = 'a longer question to be compared';
    const estimate = async (documents: string[]): Promise<number> => {
      await h.post('/v1/vllm/score', { model: MODEL, queries: text, documents });
      return Number(h.policy.authorized.at(-1)?.inputTokensEstimate);
    };
    const one = await estimate(['x']);
    expect(await estimate(['x', 'x', 'x'])).toBe(one * 3);
  });

  test('binary data passes with the header that describes it', async () => {
    const metadata = JSON.stringify({ usage: { prompt_tokens: 9, total_tokens: 9 } });
    const bytes = Buffer.from([0, 255, 1, 254]);
    h.upstream.script = (res) => {
      res.writeHead(200, { 'content-type': 'application/octet-stream', metadata });
      res.end(bytes);
    };
    const body = { model: MODEL, input: 'Hi', encoding_format: 'bytes' };
    const response = await h.post('/v1/vllm/pooling', body);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('metadata')).toBe(metadata);
    expect(await h.settled()).toMatchObject({ usage: { input: 9 }, usageQuality: 'EXACT' });
  });

  test('binary data without counts is charged by an estimate', async () => {
    h.upstream.script = (res) => {
      res.writeHead(200, { 'content-type': 'application/octet-stream' });
      res.end(Buffer.from([1]));
    };
    await h.post('/v1/vllm/pooling', { model: MODEL, input: 'Hi' });
    expect((await h.settled()).usageQuality).toBe('ESTIMATED');
  });
});
