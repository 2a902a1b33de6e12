// The vendor's own SDK reads the simulator's answers, so they are valid in its format.
import { FunctionCallingConfigMode, GoogleGenAI, type Content, type Part } from '@google/genai';

import type { Bill } from './bill';
import { startSimulator, type Simulator } from './simulator';

let simulator: Simulator;
let client: GoogleGenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = clientFor('key');
});
afterAll(() => simulator.stop());
beforeEach(() => fetch(`${simulator.url}/_sim/bill`, { method: 'DELETE' }));

/** The SDK's default fetch needs a global that the test runner does not expose. */
const plainFetch: typeof fetch = (input, init) => {
  const { dispatcher: _, ...rest }: RequestInit & { dispatcher?: unknown } = init ?? {};
  return fetch(input, rest);
};

function clientFor(apiKey: string, apiVersion = 'v1beta'): GoogleGenAI {
  const httpOptions = { baseUrl: simulator.url, apiVersion, fetch: plainFetch };
  return new GoogleGenAI({ apiKey, httpOptions });
}

const asking = { model: 'sim', contents: 'Hello there' };
const functionDeclarations = [
  {
    name: 'get_weather',
    parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
  },
  { name: 'get_time' },
];

async function bill(): Promise<Bill> {
  return (await (await fetch(`${simulator.url}/_sim/bill`)).json()) as Bill;
}

async function streamed(request: Parameters<GoogleGenAI['models']['generateContentStream']>[0]) {
  const chunks = [];
  for await (const chunk of await client.models.generateContentStream(request)) chunks.push(chunk);
  const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  return { chunks, parts, last: chunks.at(-1) };
}

test.each(['v1beta', 'v1'])(
  'an answer has text, a finish reason and usage (%s)',
  async (version) => {
    const answer = await clientFor('key', version).models.generateContent(asking);
    expect(answer.text).toBe('You said: Hello there');
    expect(answer.candidates?.[0]).toMatchObject({ finishReason: 'STOP', index: 0 });
    expect(answer.usageMetadata).toMatchObject({
      promptTokenCount: 9,
      candidatesTokenCount: 6,
      totalTokenCount: 15,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 9 }],
    });
    expect((await bill()).requests).toMatchObject([
      { id: answer.responseId, operation: 'generate', usage: { input: 9, output: 6 } },
    ]);
  },
);

test('a stream adds up to the unary answer, with usage in every chunk', async () => {
  const { chunks, last, parts } = await streamed(asking);
  expect(parts.map(({ text }) => text).join('')).toBe('You said: Hello there');
  expect(last?.candidates?.[0]?.finishReason).toBe('STOP');
  expect(chunks.map(({ usageMetadata }) => usageMetadata?.candidatesTokenCount)).toEqual([
    1, 2, 3, 4, 5, 6, 6,
  ]);
});

test('without alt=sse a stream and a refusal are JSON arrays', async () => {
  const ask = async (model: string) => {
    const path = `/v1beta/models/${model}:streamGenerateContent`;
    const answer = await fetch(`${simulator.url}${path}?key=key`, {
      method: 'POST',
      body: JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] }),
    });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    return (await answer.json()) as unknown[];
  };
  expect(await ask('sim')).toHaveLength(4);
  expect(await ask('sim-status-429')).toMatchObject([
    { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } },
  ]);
  expect((await ask('sim-error-after-2')).at(-1)).toMatchObject({ error: { code: 503 } });
});

test.each([false, true])(
  'parallel functions are called, signed once, and answered (%s)',
  async (s) => {
    const config = { tools: [{ functionDeclarations }] };
    const question: Content = { role: 'user', parts: [{ text: 'get_weather and get_time' }] };
    const request = { model: 'sim', contents: [question], config };
    const parts = s
      ? (await streamed(request)).parts
      : ((await client.models.generateContent(request)).candidates?.[0]?.content?.parts ?? []);
    const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
    expect(calls.map(({ functionCall }) => functionCall)).toMatchObject([
      { name: 'get_weather', args: { city: 'get_weather and get_time' } },
      { name: 'get_time', args: {} },
    ]);
    expect(calls.map(({ thoughtSignature }) => thoughtSignature !== undefined)).toEqual([
      true,
      false,
    ]);

    const replay = (model: Part[], name = 'sim') =>
      client.models.generateContent({
        model: name,
        config,
        contents: [
          question,
          { role: 'model', parts: model },
          {
            role: 'user',
            parts: ['get_weather', 'get_time'].map((tool) => ({
              functionResponse: { name: tool, response: { output: 'fine' } },
            })),
          },
        ],
      });
    expect((await replay(calls)).text).toBe('The tool said: fine fine');
    const bare = calls.map(({ functionCall }): Part => ({ functionCall: functionCall ?? {} }));
    const [first = {}, second = {}] = bare;
    await expect(replay(bare)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('missing a thought_signature') as string,
    });
    await expect(replay([{ ...first, thoughtSignature: 'bWFkZSB1cA==' }, second])).rejects.toThrow(
      'Corrupted thought signature',
    );
    const standIn = { ...first, thoughtSignature: 'skip_thought_signature_validator' };
    expect((await replay([standIn, second])).text).toBe('The tool said: fine fine');
    expect((await replay(bare, 'sim-unsigned')).text).toBe('The tool said: fine fine');
    await expect(replay([standIn])).rejects.toThrow(/number of function response parts/);
  },
);

test.each([
  [FunctionCallingConfigMode.NONE, undefined, []],
  [FunctionCallingConfigMode.ANY, undefined, ['get_weather']],
  [FunctionCallingConfigMode.ANY, ['get_time'], ['get_time']],
])('mode %s of %j calls %j', async (mode, allowedFunctionNames, names) => {
  const allowed = allowedFunctionNames === undefined ? {} : { allowedFunctionNames };
  const { functionCalls } = await client.models.generateContent({
    ...asking,
    config: {
      tools: [{ functionDeclarations }],
      toolConfig: { functionCallingConfig: { mode, ...allowed } },
    },
  });
  expect((functionCalls ?? []).map(({ name }) => name)).toEqual(names);
});

test('thinking is sent on request, counted separately, and signed', async () => {
  const config = { thinkingConfig: { includeThoughts: true, thinkingBudget: 100 } };
  const answer = await client.models.generateContent({ ...asking, config });
  expect(answer.candidates?.[0]?.content?.parts).toMatchObject([
    { text: 'hmm hmm hmm ', thought: true },
    { text: 'You said: Hello there', thoughtSignature: expect.any(String) as string },
  ]);
  expect(answer.usageMetadata).toMatchObject({
    candidatesTokenCount: 6,
    thoughtsTokenCount: 3,
    totalTokenCount: 18,
  });
  const { last, parts } = await streamed({ ...asking, config });
  expect(parts.filter(({ thought }) => thought)).toHaveLength(3);
  expect(parts.filter(({ thoughtSignature }) => thoughtSignature)).toHaveLength(1);
  expect(last?.usageMetadata?.thoughtsTokenCount).toBe(3);
  const silent = await streamed({ ...asking, config: { thinkingConfig: { thinkingBudget: 100 } } });
  expect(silent.parts.filter(({ thought }) => thought)).toEqual([]);
  expect(silent.last?.usageMetadata?.thoughtsTokenCount).toBe(3);
});

test('a schema of either dialect is answered with a value that fits it', async () => {
  const responseMimeType = 'application/json';
  const schemas = [
    { responseJsonSchema: { type: 'object', properties: { n: { type: 'integer' } } } },
    { responseSchema: { type: 'OBJECT', properties: { n: { type: 'INTEGER' } } } as never },
  ];
  for (const schema of schemas) {
    const config = { responseMimeType, ...schema };
    const { text } = await client.models.generateContent({ ...asking, config });
    expect(text).toBe('{"n":42}');
  }
});

test('finish reasons: the bound, a refusal, any other, or a blocked prompt', async () => {
  const finish = async (model: string, config = {}) =>
    (await client.models.generateContent({ ...asking, model, config })).candidates?.[0]
      ?.finishReason;
  expect(await finish('sim', { maxOutputTokens: 2 })).toBe('MAX_TOKENS');
  expect(await finish('sim', { stopSequences: ['said'] })).toBe('STOP');
  expect(await finish('sim-refuse')).toBe('SAFETY');
  expect(await finish('sim-finish-recitation')).toBe('RECITATION');
  const blocked = await client.models.generateContent({ ...asking, model: 'sim-block' });
  expect(blocked.promptFeedback?.blockReason).toBe('PROHIBITED_CONTENT');
  expect(blocked.candidates).toBeUndefined();
  const { last } = await streamed({ ...asking, model: 'sim-block' });
  expect(last?.promptFeedback?.blockReason).toBe('PROHIBITED_CONTENT');
});

test('an answer has grounding and citations', async () => {
  const config = { tools: [{ googleSearch: {} }] };
  const { candidates } = await client.models.generateContent({ ...asking, config });
  expect(candidates?.[0]?.groundingMetadata).toMatchObject({
    webSearchQueries: ['Hello there'],
    groundingChunks: [{ web: { uri: 'https://example.com/source' } }],
    groundingSupports: [{ segment: { startIndex: 0, endIndex: 21 } }],
  });
  const { last } = await streamed({ ...asking, model: 'sim-cite' });
  expect(last?.candidates?.[0]?.citationMetadata?.citations).toMatchObject([
    { startIndex: 0, endIndex: 21, uri: 'https://example.com/source' },
  ]);
});

test('several candidates, cached tokens and audio tokens are all counted', async () => {
  const { candidates, usageMetadata } = await client.models.generateContent({
    model: 'sim-cached-5',
    contents: [
      { role: 'user', parts: [{ inlineData: { mimeType: 'audio/wav', data: 'x'.repeat(250) } }] },
    ],
    config: { candidateCount: 2 },
  });
  expect(candidates).toHaveLength(2);
  expect(usageMetadata).toMatchObject({
    promptTokenCount: 6 + 3,
    cachedContentTokenCount: 5,
    candidatesTokenCount: 2 * 3,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 6 },
      { modality: 'AUDIO', tokenCount: 3 },
    ],
  });
});

test('images and files count by the documented rule, and tokens can be counted beforehand', async () => {
  const data = 'x'.repeat(40);
  const parts = [
    { inlineData: { mimeType: 'image/png', data } },
    { inlineData: { mimeType: 'application/pdf', data } },
    { text: 'What?' },
  ];
  const contents = [{ role: 'user', parts }];
  const { totalTokens } = await client.models.countTokens({ model: 'sim', contents });
  expect(totalTokens).toBe(3 + 3 + 765 + 10 + 2);
  const { usageMetadata } = await client.models.generateContent({
    model: 'sim',
    contents,
    config: { systemInstruction: 'Be brief' },
  });
  expect(usageMetadata?.promptTokenCount).toBe((totalTokens ?? 0) + 3 + 2);
});

test('each content of a batch gets a vector', async () => {
  const contents = ['Hello there', 'Hello there', 'Something else'];
  const config = { outputDimensionality: 4, taskType: 'CLUSTERING' };
  const { embeddings, usageMetadata } = await client.models.embedContent({
    model: 'sim',
    contents,
    config,
  });
  const [one, again, other] = (embeddings ?? []).map(({ values }) => values);
  expect(embeddings).toHaveLength(3);
  expect(one).toHaveLength(4);
  expect(again).toEqual(one);
  expect(other).not.toEqual(one);
  expect(usageMetadata).toMatchObject({ promptTokenCount: 10 });
  expect((await bill()).requests).toMatchObject([
    { operation: 'embeddings', model: 'sim', usage: { input: 10, output: 0 } },
  ]);
});

test('a single content gets one vector, and usage can be omitted', async () => {
  const ask = async (model: string) => {
    const answer = await fetch(`${simulator.url}/v1beta/models/${model}:embedContent?key=key`, {
      method: 'POST',
      body: JSON.stringify({ content: { parts: [{ text: 'Hi' }] } }),
    });
    return (await answer.json()) as Record<string, unknown>;
  };
  expect(await ask('sim')).toMatchObject({
    embedding: { values: expect.arrayContaining([expect.any(Number)]) as number[] },
    usageMetadata: { promptTokenCount: expect.any(Number) as number },
  });
  expect(await ask('sim-no-usage')).not.toHaveProperty('usageMetadata');
});

const embedded = { parts: [{ text: 'Hi' }] };
test.each([
  ['embedContent', {}, 'content is not specified'],
  ['embedContent', { content: { parts: [{ text: '' }] } }, 'contains an empty Part'],
  ['batchEmbedContents', {}, 'requests is not specified'],
  ['batchEmbedContents', { requests: [{ content: embedded }] }, 'requests[0].model: model is not'],
  [
    'batchEmbedContents',
    { requests: [{ model: 'sim', content: embedded }] },
    'unexpected model name format',
  ],
  [
    'batchEmbedContents',
    { requests: [{ model: 'models/other', content: embedded }] },
    'must match the model',
  ],
])('%s refuses %j', async (method, body, message) => {
  const answer = await fetch(`${simulator.url}/v1beta/models/sim:${method}?key=key`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    error: { status: 'INVALID_ARGUMENT', message: expect.stringContaining(message) as string },
  });
});

test('a batch has at most a hundred contents', async () => {
  const contents = Array.from({ length: 101 }, (_, at) => `text ${at}`);
  const asked = client.models.embedContent({ model: 'sim', contents });
  await expect(asked).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('at most 100 requests can be in one batch') as string,
  });
});

test('models are listed in the vendor’s format', async () => {
  const names = [];
  for await (const model of await client.models.list()) names.push(model.name);
  expect(names).toContain('models/sim');
  expect(await client.models.get({ model: 'sim-x' })).toMatchObject({ name: 'models/sim-x' });
});

test.each([400, 403, 404, 429, 500, 503])('status %i raises its own error', async (status) => {
  const asked = client.models.generateContent({ ...asking, model: `sim-status-${status}` });
  await expect(asked).rejects.toMatchObject({ name: 'ApiError', status });
});

test('a wrong key is a 400, as at the vendor', async () => {
  const asked = clientFor('bad').models.generateContent(asking);
  await expect(asked).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('API_KEY_INVALID') as string,
  });
});

test('an error inside a stream raises', async () => {
  await expect(streamed({ ...asking, model: 'sim-error-after-2' })).rejects.toMatchObject({
    status: 503,
  });
});
