// vLLM's own routes, and its variants of OpenAI's; there is no SDK for them.
import type { Bill } from './bill';
import { startSimulator, type Simulator } from './simulator';
import { bytesOf, vectorFor } from './vectors';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());
beforeEach(() => fetch(`${simulator.url}/_sim/bill`, { method: 'DELETE' }));

function post(path: string, body: object): Promise<Response> {
  return fetch(`${simulator.url}${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim', ...body }),
  });
}

async function ask<T = unknown>(path: string, body: object): Promise<T> {
  return (await (await post(path, body)).json()) as T;
}

async function bill(): Promise<Bill> {
  return (await (await fetch(`${simulator.url}/_sim/bill`)).json()) as Bill;
}

test('the tokens of a prompt decode to the prompt', async () => {
  const prompt = 'Grüße an alle 🦊';
  const { tokens, ...rest } = await ask<{ tokens: number[] }>('/tokenize', {
    prompt,
    add_special_tokens: false,
    return_token_strs: true,
  });
  expect(rest).toEqual({
    count: 4,
    max_model_len: 131_072,
    token_strs: ['Grüß', 'e an', ' all', 'e 🦊'],
  });
  expect(await ask('/detokenize', { tokens })).toEqual({ prompt });
  expect(await ask('/tokenize', { prompt })).toMatchObject({ count: 5, token_strs: null });
});

test('a chat has as many tokens as it is billed', async () => {
  const request = {
    messages: [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: [{ type: 'text', text: 'Hello there' }] },
    ],
    tools: [{ type: 'function', function: { name: 'f' } }],
  };
  const { count } = await ask<{ count: number }>('/tokenize', request);
  expect(await ask('/v1/chat/completions', request)).toMatchObject({
    usage: { prompt_tokens: count },
  });
  expect(await ask('/tokenize', { ...request, add_generation_prompt: false })).toMatchObject({
    count: count - 3,
  });
});

test('pooling answers numbers, base64 or raw bytes', async () => {
  const input = ['one', 'three'];
  const vectors = input.map((text) => vectorFor(text, 4));
  const request = { input, dimensions: 4 };
  expect(await ask('/pooling', request)).toMatchObject({
    object: 'list',
    data: vectors.map((data, index) => ({ index, object: 'pooling', data })),
    usage: { prompt_tokens: 3, total_tokens: 3 },
  });
  expect(await ask('/pooling', { ...request, encoding_format: 'base64' })).toMatchObject({
    data: vectors.map((vector) => ({ data: bytesOf(vector).toString('base64') })),
  });
  const raw = await post('/pooling', {
    ...request,
    encoding_format: 'bytes',
    embed_dtype: 'float16',
    endianness: 'big',
  });
  expect(raw.headers.get('content-type')).toBe('application/octet-stream');
  expect(Buffer.from(await raw.arrayBuffer())).toEqual(
    Buffer.concat(vectors.map((vector) => bytesOf(vector, 'float16', 'big'))),
  );
  expect(JSON.parse(raw.headers.get('metadata') ?? '')).toMatchObject({
    data: [
      { start: 0, end: 8, shape: [4], embed_dtype: 'float16' },
      { start: 8, end: 16 },
    ],
    usage: { prompt_tokens: 3 },
  });
  const bare = await post('/pooling', { ...request, encoding_format: 'bytes_only' });
  expect(bare.headers.get('metadata')).toBeNull();
  expect((await bill()).total).toMatchObject({ requests: 4, input: 12, output: 0 });
});

test('pooling by token returns a vector for each', async () => {
  const { data } = await ask<{ data: { data: number[][] }[] }>('/pooling', {
    input: 'eight ch',
    task: 'token_embed',
  });
  expect(data[0]?.data).toHaveLength(2);
  expect(data[0]?.data[0]).toHaveLength(8);
});

test('half precision values match known ones', () => {
  expect(bytesOf([1, -2, 0.5], 'float16', 'big').toString('hex')).toBe('3c00c0003800');
  expect(bytesOf([1, -2], 'bfloat16', 'big').toString('hex')).toBe('3f80c000');
});

test('classification returns a label and its probabilities', async () => {
  const { data, usage } = await ask<{ data: { probs: number[] }[]; usage: object }>('/classify', {
    input: ['one', 'two'],
  });
  expect(data).toHaveLength(2);
  expect(data[0]).toMatchObject({ index: 0, num_classes: 2, label: expect.any(String) as string });
  expect(data[0]?.probs.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1);
  expect(usage).toMatchObject({ prompt_tokens: 2 });
});

test.each([
  ['/score', { queries: 'red fox', documents: ['a red fox', 'a dog'] }],
  ['/v1/score', { queries: 'red fox', items: ['a red fox', 'a dog'] }],
  ['/score', { data_1: 'red fox', data_2: ['a red fox', 'a dog'] }],
  ['/score', { text_1: ['red fox', 'red fox'], text_2: ['a red fox', 'a dog'] }],
])('%s scores pairs of %j', async (path, request) => {
  expect(await ask(path, request)).toMatchObject({
    object: 'list',
    data: [
      { index: 0, object: 'score', score: 1 },
      { index: 1, object: 'score', score: 0 },
    ],
    usage: { prompt_tokens: 2 + 3 + 2 + 2 },
  });
});

test.each(['/rerank', '/v1/rerank', '/v2/rerank'])('%s sorts documents', async (path) => {
  const request = { query: 'red fox', documents: ['a dog', 'a fox', 'a red fox'] };
  const { results, usage } = await ask<{ results: object[]; usage: object }>(path, request);
  expect(results).toEqual([
    { index: 2, document: { text: 'a red fox', multi_modal: null }, relevance_score: 1 },
    { index: 1, document: { text: 'a fox', multi_modal: null }, relevance_score: 0.5 },
    { index: 0, document: { text: 'a dog', multi_modal: null }, relevance_score: 0 },
  ]);
  expect(usage).toEqual({ prompt_tokens: 13, total_tokens: 13 });
  expect(await ask(path, { ...request, top_n: 1 })).toMatchObject({ results: [{ index: 2 }] });
  expect((await bill()).requests[0]).toMatchObject({ operation: 'rerank', usage: { input: 13 } });
});

test('running usage is in every chunk of chat and completions, and thinking in its own field', async () => {
  const stream_options = { include_usage: true, continuous_usage_stats: true };
  const request = { model: 'sim-reasoning-2', stream: true, stream_options };
  for (const [path, body, total] of [
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }] }, 5],
    ['/v1/completions', { prompt: 'x' }, 5],
  ] as const) {
    const text = await (await post(path, { ...request, ...body })).text();
    const counts = [...text.matchAll(/"completion_tokens":(\d+)/g)].map(([, count]) =>
      Number(count),
    );
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(new Set(counts).size).toBeGreaterThan(2);
    expect(counts.at(-1)).toBe(total);
    expect(text.includes('"reasoning_content":"hmm "')).toBe(path === '/v1/chat/completions');
  }
});

test('error codes are integers, on its own routes and with the directive', async () => {
  const unasked = await post('/tokenize', {});
  expect(unasked.status).toBe(400);
  expect(await unasked.json()).toMatchObject({ error: { type: 'BadRequestError', code: 400 } });
  const request = { model: 'sim-vllm.status-503', messages: [{ role: 'user', content: 'x' }] };
  expect(await ask('/v1/chat/completions', request)).toMatchObject({
    error: { type: 'ServiceUnavailableError', code: 503 },
  });
});

test.each([
  ['/v1/embeddings', { input: 'x', encoding_format: null }, 'encoding_format'],
  ['/pooling', { input: 'x', encoding_format: null }, 'encoding_format'],
  ['/pooling', {}, 'input'],
  ['/classify', { input: [] }, 'input'],
  ['/score', { queries: 'x' }, 'queries'],
  ['/rerank', { query: 'x' }, 'documents'],
  ['/detokenize', { tokens: ['x'] }, 'tokens'],
])('%s refuses %j', async (path, body, param) => {
  const answer = await post(path, body);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { param } });
});

test('a streamed transcription is written as chat is', async () => {
  const form = new FormData();
  form.set('model', 'sim-vllm');
  form.set('stream', 'true');
  form.set('stream_include_usage', 'true');
  form.set('file', new Blob(['x'.repeat(16_000)]), 'a.mp3');
  const answer = await fetch(`${simulator.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: 'Bearer key' },
    body: form,
  });
  const text = await answer.text();
  expect(text).toContain('"object":"transcription.chunk"');
  expect(text).toContain('"prompt_tokens":10,"completion_tokens":3');
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
});

test('models are listed for GET and POST', async () => {
  expect(await ask('/v1/models', {})).toMatchObject({ data: [{ id: 'sim' }, {}, {}] });
});
