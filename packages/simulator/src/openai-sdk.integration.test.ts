// The vendor's own SDK reads the simulator's answers, so they are valid in its format.
import OpenAI, {
  APIError,
  AzureOpenAI,
  BadRequestError,
  InternalServerError,
  RateLimitError,
} from 'openai';

import { startSimulator, type Simulator } from './simulator';
import { countTokens } from './tokens';

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'key', maxRetries: 0 });
});
afterAll(() => simulator.stop());

const messages = [{ role: 'user' as const, content: 'Hello there' }];
const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
  { type: 'function' as const, function: { name: 'get_time', parameters: { type: 'object' } } },
];

test('a unary answer has text, usage and a finish reason', async () => {
  const answer = await client.chat.completions.create({ model: 'sim', messages, n: 2 });
  expect(answer.choices.map(({ message }) => message.content)).toEqual([
    'You said: Hello there',
    'You said: Hello there',
  ]);
  expect(answer.choices[0]?.finish_reason).toBe('stop');
  expect(answer.usage).toMatchObject({
    prompt_tokens: 3 + 3 + 3,
    completion_tokens: 2 * countTokens('You said: Hello there'),
  });
});

test('a stream adds up to the unary answer, with usage on request', async () => {
  const stream = client.chat.completions.stream({
    model: 'sim',
    messages,
    stream_options: { include_usage: true },
  });
  const answer = await stream.finalChatCompletion();
  expect(answer.choices[0]?.message.content).toBe('You said: Hello there');
  expect(answer.usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 6 });
});

test('a stream without a request for usage has none', async () => {
  const stream = await client.chat.completions.create({ model: 'sim', messages, stream: true });
  for await (const chunk of stream) {
    expect(chunk.choices).toHaveLength(1);
    expect(chunk.usage).toBeUndefined();
  }
});

test('parallel tool calls are streamed', async () => {
  const stream = client.chat.completions.stream({
    model: 'sim',
    messages: [{ role: 'user', content: 'get_weather and get_time please' }],
    tools,
  });
  const { choices } = await stream.finalChatCompletion();
  expect(choices[0]?.finish_reason).toBe('tool_calls');
  expect(
    choices[0]?.message.tool_calls?.map((call) => call.type === 'function' && call.function),
  ).toMatchObject([
    { name: 'get_weather', arguments: '{"city":"get_weather and get_time please"}' },
    { name: 'get_time', arguments: '{}' },
  ]);
});

test('token classes are included in their totals', async () => {
  const { usage } = await client.chat.completions.create({
    model: 'sim-input-100.cached-60.cache-write-10.reasoning-5',
    messages,
  });
  expect(usage).toMatchObject({
    prompt_tokens: 100,
    completion_tokens: 11,
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 5 },
  });
});

test('images, audio and files count by the documented rule', async () => {
  const content = [
    { type: 'image_url' as const, image_url: { url: 'data:', detail: 'low' as const } },
    { type: 'image_url' as const, image_url: { url: 'data:' } },
    {
      type: 'input_audio' as const,
      input_audio: { data: 'x'.repeat(250), format: 'wav' as const },
    },
    { type: 'file' as const, file: { file_data: 'x'.repeat(40) } },
    { type: 'text' as const, text: 'What?' },
  ];
  const { usage } = await client.chat.completions.create({
    model: 'sim',
    messages: [{ role: 'user', content }],
  });
  const text = 3 + 3 + 85 + 765 + 10 + 2;
  expect(usage).toMatchObject({
    prompt_tokens: text + 3,
    prompt_tokens_details: { audio_tokens: 3 },
  });
});

test.each([false, true])('citations, thinking and finish reasons (stream: %s)', async (s) => {
  const ask = async (model: string, fields: object = {}) => {
    const request = { model, messages, ...fields };
    const { choices } = s
      ? await client.chat.completions.stream(request).finalChatCompletion()
      : await client.chat.completions.create(request);
    return choices[0];
  };
  const cited = await ask('sim-cite');
  expect(cited?.message.annotations).toMatchObject([{ url_citation: { end_index: 21 } }]);
  expect((await ask('sim', { reasoning_effort: 'low' }))?.message).toMatchObject({
    // The SDK accumulates only known fields.
    reasoning_content: expect.stringContaining('hmm ') as string,
  });
  expect((await ask('sim-refuse'))?.message.refusal).toBe('I cannot help with that.');
  expect((await ask('sim', { stop: ['there'] }))?.finish_reason).toBe('stop');
  expect((await ask('sim-finish-function_call'))?.finish_reason).toBe('function_call');
});

test.each([
  [400, BadRequestError],
  [429, RateLimitError],
  [503, InternalServerError],
])('status %i raises its own error class', async (status, kind) => {
  const asked = client.chat.completions.create({ model: `sim-status-${status}`, messages });
  await expect(asked).rejects.toBeInstanceOf(kind);
});

test('an error event inside a stream raises', async () => {
  const model = 'sim-error-after-2';
  const stream = await client.chat.completions.create({ model, messages, stream: true });
  let text = '';
  const reading = (async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  })();
  await expect(reading).rejects.toBeInstanceOf(APIError);
  expect(text).toBe('You said');
});

test('a broken connection raises after the received tokens', async () => {
  const model = 'sim-cut-after-2';
  const stream = await client.chat.completions.create({ model, messages, stream: true });
  let text = '';
  const reading = (async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  })();
  await expect(reading).rejects.toThrow();
  expect(text).toBe('You said');
});

test('a wrong key is 401', async () => {
  const stranger = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'bad', maxRetries: 0 });
  const asked = stranger.chat.completions.create({ model: 'sim', messages });
  await expect(asked).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
});

test('the cloud-hosted variant has its own path and header', async () => {
  const azure = new AzureOpenAI({
    endpoint: simulator.url,
    apiKey: 'azure-key',
    apiVersion: '2024-10-21',
    maxRetries: 0,
  });
  const answer = await azure.chat.completions.create({ model: 'sim-mini', messages });
  expect(answer.model).toBe('sim-mini');
  expect(answer.choices[0]?.message.content).toBe('You said: Hello there');
});

test('models are listed, and any name can be looked up', async () => {
  const { data } = await client.models.list();
  expect(data.map(({ id }) => id)).toContain('sim');
  expect(await client.models.retrieve('sim-pace-5')).toMatchObject({ id: 'sim-pace-5' });
});
