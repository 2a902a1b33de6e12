// Embeddings requested in one format and served by a provider of another, in both directions.

import { connection, PROVIDER_SECRET } from '../test-support/fake-catalog';
import { answerJson } from '../test-support/fake-upstream';
import {
  allow,
  candidate,
  errorOf,
  MODEL,
  startHarness,
  type Harness,
} from '../test-support/harness';

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
  const root = h.upstream.url.replace('/v1', '');
  h.catalog.connections.set(
    'c:1',
    connection({
      providerId: 'c',
      baseUrl: root,
      providerType: 'PROVIDER_C',
      upstreamFormat: 'gemini',
    }),
  );
});
beforeEach(() => h.reset());
afterAll(() => h.stop());

const GEMINI = { providerId: 'c', providerType: 'PROVIDER_C', upstreamFormat: 'gemini' } as const;

function byGemini(strict = false): void {
  h.policy.decide = () => allow([candidate({ ...GEMINI, maxOutputTokens: 0 })]);
  headers = strict ? { 'x-tollgate-strict': 'true' } : {};
}
let headers: Record<string, string> = {};

const counted = { promptTokenCount: 9, promptTokenDetails: [{ modality: 'TEXT', tokenCount: 9 }] };
const twoVectors = {
  embeddings: [{ values: [0.5, -0.25] }, { values: [1, 2] }],
  usageMetadata: counted,
};
const path = (method: string): string => `/v1beta/models/${MODEL}:${method}`;
const text = (value: string) => ({ parts: [{ text: value }] });

describe('/v1/embeddings of a provider of generated content', () => {
  beforeEach(() => byGemini());
  const ask = (over: object = {}) =>
    h.post('/v1/embeddings', { model: MODEL, input: ['one', 'two'], ...over }, headers);

  test('sends one upstream request for all inputs, and answers in the client’s format', async () => {
    h.upstream.script = (res) => answerJson(res, twoVectors);
    const response = await ask({ dimensions: 2 });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [0.5, -0.25] },
        { object: 'embedding', index: 1, embedding: [1, 2] },
      ],
      model: MODEL,
      usage: { prompt_tokens: 9, total_tokens: 9 },
    });
    const [received] = h.upstream.received;
    expect(received?.path).toBe('/v1beta/models/gpt-upstream:batchEmbedContents');
    expect(received?.headers['x-goog-api-key']).toBe(PROVIDER_SECRET);
    const model = 'models/gpt-upstream';
    expect(received?.body).toEqual({
      requests: [
        { model, content: text('one'), outputDimensionality: 2 },
        { model, content: text('two'), outputDimensionality: 2 },
      ],
    });
    expect(await h.settled()).toMatchObject({
      outcome: 'COMPLETED',
      usageQuality: 'EXACT',
      usage: { input: 9, output: 0 },
      costNanoUsd: '9000',
    });
  });

  test('vectors are base64 if the client asks for it', async () => {
    h.upstream.script = (res) => answerJson(res, { embeddings: [{ values: [0.5, -0.25, 3] }] });
    const response = await ask({ input: 'one', encoding_format: 'base64' });
    const { data } = (await response.json()) as { data: { embedding: string }[] };
    const bytes = Buffer.from(data[0]?.embedding ?? '', 'base64');
    expect([0, 4, 8].map((at) => bytes.readFloatLE(at))).toEqual([0.5, -0.25, 3]);
  });

  test('an answer without usage is reported and charged by an estimate', async () => {
    h.upstream.script = (res) => answerJson(res, { embeddings: twoVectors.embeddings });
    const { usage } = (await (await ask()).json()) as { usage: { prompt_tokens: number } };
    const settle = await h.settled();
    expect(settle.usageQuality).toBe('ESTIMATED');
    expect(usage.prompt_tokens).toBeGreaterThan(0);
    expect(Number(settle.usage?.input)).toBe(usage.prompt_tokens);
  });

  test('the input is held for before the provider is called', async () => {
    h.upstream.script = (res) => answerJson(res, twoVectors);
    await ask({ input: ['one', 'two '.repeat(1_000)] });
    const [asked] = h.policy.authorized;
    expect(asked).toMatchObject({ operation: 'embeddings', route: '/v1/embeddings' });
    expect(Number(asked?.inputTokensEstimate)).toBeGreaterThan(900);
  });

  test('fields without a counterpart are reported, or refused if the client is strict', async () => {
    h.upstream.script = (res) => answerJson(res, twoVectors);
    expect((await ask({ user: 'u-1' })).headers.get('x-tollgate-dropped')).toBe('user');
    byGemini(true);
    const refused = await ask({ user: 'u-1' });
    expect(refused.status).toBe(400);
    expect(await errorOf(refused)).toMatchObject({ code: 'unsupported_parameter', param: 'user' });
  });

  test.each([
    ['token ids', [1, 2, 3], 'input'],
    ['lists of token ids', [[1, 2], [3]], 'input[0]'],
    ['a picture', ['one', { image: 'x' }], 'input[1]'],
    ['more inputs than the limit', Array.from({ length: 101 }, () => 'x'), 'input'],
  ])('%s is not supported: 400 names the field', async (_, input, param) => {
    const response = await ask({ input });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({ code: 'unsupported_parameter', param });
    expect(h.upstream.received).toHaveLength(0);
    expect((await h.settled()).cancelled).toBe(true);
  });

  test.each([
    {},
    { embeddings: [{ values: [1] }] },
    { embeddings: [{ values: [1] }, { values: ['x'] }] },
    { embeddings: [{ values: [1] }, {}] },
  ])('%j is not an answer to two inputs: 502', async (answer) => {
    h.upstream.script = (res) => answerJson(res, answer);
    expect((await ask()).status).toBe(502);
  });

  test('a refusal of the provider has the client’s format', async () => {
    h.upstream.script = (res) => {
      res.writeHead(400, { 'content-type': 'application/json' });
      const error = { code: 400, message: 'content is empty', status: 'INVALID_ARGUMENT' };
      res.end(JSON.stringify({ error }));
    };
    const response = await ask();
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message).toContain('content is empty');
  });
});

describe('…:embedContent and :batchEmbedContents at the same provider', () => {
  beforeEach(() => byGemini());

  test('a single content and its answer are passed on unchanged', async () => {
    const answer = { embedding: { values: [1, 2], shape: [2] }, usageMetadata: counted };
    h.upstream.script = (res) => answerJson(res, answer);
    const body = { content: text('Hi'), taskType: 'RETRIEVAL_QUERY', title: 'x', newer: { a: 1 } };
    const response = await h.post(path('embedContent'), body);
    expect(await response.json()).toEqual(answer);
    expect(h.upstream.received[0]).toMatchObject({
      path: '/v1beta/models/gpt-upstream:embedContent',
      body,
    });
    expect(await h.settled()).toMatchObject({ usage: { input: 9 }, usageQuality: 'EXACT' });
  });

  test.each(['/v1beta', '/v1'])('a batch contains the upstream’s model (%s)', async (prefix) => {
    h.upstream.script = (res) => answerJson(res, twoVectors);
    const content = text('Hi');
    const requests = [{ model: `models/${MODEL}`, content, output_dimensionality: 2 }];
    const response = await h.post(`${prefix}/models/${MODEL}:batchEmbedContents`, { requests });
    expect(await response.json()).toEqual(twoVectors);
    expect(h.upstream.received[0]).toMatchObject({
      path: '/v1beta/models/gpt-upstream:batchEmbedContents',
      body: { requests: [{ model: 'models/gpt-upstream', content, output_dimensionality: 2 }] },
    });
  });
});

describe('…:embedContent and :batchEmbedContents at a provider of the chat format', () => {
  const rows = [
    { object: 'embedding', index: 1, embedding: [1, 2] },
    { object: 'embedding', index: 0, embedding: [0.5, -0.25] },
  ];
  const usage = { prompt_tokens: 4, total_tokens: 4 };

  test.each([
    ['PROVIDER_A', 'openai'],
    ['PROVIDER_F', 'openai'],
    ['CUSTOM', 'openai'],
    ['PROVIDER_D', 'vllm'],
  ])('a batch is served by %s', async (providerType, upstreamFormat) => {
    h.policy.decide = () => allow([candidate({ providerType, upstreamFormat })]);
    h.upstream.script = (res) => answerJson(res, { object: 'list', data: rows, usage });
    const requests = ['one', 'two'].map((value) => ({
      model: `models/${MODEL}`,
      content: text(value),
      outputDimensionality: 2,
      taskType: 'CLUSTERING',
    }));
    const response = await h.post(path('batchEmbedContents'), { requests });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-tollgate-dropped')).toBe('requests[].taskType');
    expect(await response.json()).toEqual({
      embeddings: [{ values: [0.5, -0.25] }, { values: [1, 2] }],
      usageMetadata: {
        promptTokenCount: 4,
        promptTokenDetails: [{ modality: 'TEXT', tokenCount: 4 }],
      },
    });
    expect(h.upstream.received[0]?.path).toContain('/embeddings');
    expect(h.upstream.received[0]?.body).toEqual({
      model: 'gpt-upstream',
      input: ['one', 'two'],
      encoding_format: 'float',
      dimensions: 2,
    });
    expect(await h.settled()).toMatchObject({ usage: { input: 4 }, usageQuality: 'EXACT' });
  });

  test('a single content with several parts is one input', async () => {
    h.upstream.script = (res) => answerJson(res, { data: rows.slice(1), usage });
    const content = { parts: [{ text: 'one' }, { text: 'two' }] };
    const response = await h.post(path('embedContent'), { content, title: 'x' });
    expect(await response.json()).toMatchObject({ embedding: { values: [0.5, -0.25] } });
    expect(response.headers.get('x-tollgate-dropped')).toBe('title');
    expect(h.upstream.received[0]?.body['input']).toEqual(['one\ntwo']);
  });

  test('unrequested base64 vectors are decoded to numbers', async () => {
    const bytes = Buffer.alloc(8);
    bytes.writeFloatLE(0.5, 0);
    bytes.writeFloatLE(-2, 4);
    h.upstream.script = (res) =>
      answerJson(res, { data: [{ embedding: bytes.toString('base64') }] });
    const response = await h.post(path('embedContent'), { content: text('Hi') });
    expect(await response.json()).toMatchObject({ embedding: { values: [0.5, -2] } });
  });

  const other = [{ content: text('x'), outputDimensionality: 2 }, { content: text('y') }];
  test.each([
    [
      'embedContent',
      { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] } },
      'content.parts[0]',
    ],
    ['batchEmbedContents', { requests: other }, 'requests[1].outputDimensionality'],
  ])('%s %j is not supported there: 400 names %s', async (method, body, param) => {
    const response = await h.post(path(method), body);
    expect(response.status).toBe(400);
    expect(JSON.stringify(await response.json())).toContain(param);
    expect(h.upstream.received).toHaveLength(0);
  });

  test.each([
    { data: rows.slice(1) },
    { data: [rows[1], rows[1]] },
    { data: [rows[1], { index: 7, embedding: [1] }] },
  ])('%j is not an answer to two inputs: 502', async (answer) => {
    h.upstream.script = (res) => answerJson(res, answer);
    const requests = [{ content: text('one') }, { content: text('two') }];
    expect((await h.post(path('batchEmbedContents'), { requests })).status).toBe(502);
  });
});

describe('an invalid field is 400 and named', () => {
  test.each([
    ['embedContent', 'content', {}],
    ['embedContent', 'content.parts', { content: { parts: [] } }],
    ['embedContent', 'outputDimensionality', { content: text('x'), outputDimensionality: 0 }],
    ['embedContent', 'model', { model: 'models/other', content: text('x') }],
    ['batchEmbedContents', 'requests', { content: text('x') }],
    ['batchEmbedContents', 'requests', { requests: [] }],
    ['batchEmbedContents', 'requests[0].content', { requests: [{}] }],
    [
      'batchEmbedContents',
      'requests[0].model',
      { requests: [{ model: 'models/other', content: text('x') }] },
    ],
    [
      'batchEmbedContents',
      'requests',
      { requests: Array.from({ length: 101 }, () => ({ content: text('x') })) },
    ],
  ])('%s without a valid %s', async (method, param, body) => {
    const response = await h.post(path(method), body);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message.startsWith(`${param}: `)).toBe(true);
    expect(h.policy.authorized).toHaveLength(0);
  });
});
