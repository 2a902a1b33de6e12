// The vendor's own SDK reads the simulator's answers, so they are valid in its format.
import Anthropic, { APIError, AuthenticationError, BadRequestError } from '@anthropic-ai/sdk';

import type { Bill } from './bill';
import { startSimulator, type Simulator } from './simulator';
import { countTokens } from './tokens';

let simulator: Simulator;
let client: Anthropic;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new Anthropic({ baseURL: simulator.url, apiKey: 'key', maxRetries: 0 });
});
afterAll(() => simulator.stop());
beforeEach(() => fetch(`${simulator.url}/_sim/bill`, { method: 'DELETE' }));

const say = (content: string) => [{ role: 'user' as const, content }];
const asking = { model: 'sim', max_tokens: 2000, messages: say('Hello there') };
const tools = [
  {
    name: 'get_weather',
    input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } },
  },
  { name: 'get_time', input_schema: { type: 'object' as const } },
];
const thinking = { type: 'enabled' as const, budget_tokens: 1024 };

async function bill(): Promise<Bill> {
  return (await (await fetch(`${simulator.url}/_sim/bill`)).json()) as Bill;
}

test.each([false, true])('an answer has text, a stop reason and usage (stream: %s)', async (s) => {
  const answer = s
    ? await client.messages.stream(asking).finalMessage()
    : await client.messages.create(asking);
  expect(answer).toMatchObject({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'You said: Hello there' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 9, output_tokens: 6, cache_read_input_tokens: 0 },
  });
  expect((await bill()).requests).toMatchObject([
    { id: answer.id, operation: 'messages', stream: s, usage: { input: 9, output: 6 } },
  ]);
});

test('events have the documented order, with a ping among them', async () => {
  const stream = await fetch(`${simulator.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ ...asking, messages: say('x'), stream: true }),
  });
  const text = await stream.text();
  expect([...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual([
    'message_start',
    'content_block_start',
    'ping',
    'content_block_delta',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
});

test.each([false, true])('parallel tools are called and answered (stream: %s)', async (s) => {
  const request = { ...asking, tools, messages: say('get_weather and get_time please') };
  const first = s
    ? await client.messages.stream(request).finalMessage()
    : await client.messages.create(request);
  expect(first.stop_reason).toBe('tool_use');
  expect(first.content).toMatchObject([
    { type: 'tool_use', name: 'get_weather', input: { city: 'get_weather and get_time please' } },
    { type: 'tool_use', name: 'get_time', input: {} },
  ]);
  const results = first.content.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'rain' }]
      : [],
  );
  const messages = [
    ...request.messages,
    { role: 'assistant' as const, content: first.content },
    { role: 'user' as const, content: results },
  ];
  const second = await client.messages.create({ ...request, messages });
  expect(second.content).toMatchObject([{ text: 'The tool said: rain rain' }]);
  await expect(
    client.messages.create({
      ...request,
      messages: [messages[0] ?? messages, messages[2]].flat() as never,
    }),
  ).rejects.toThrow(/tool_use_id/);
});

test.each([
  [{ type: 'none' as const }, []],
  [{ type: 'any' as const }, ['get_weather']],
  [{ type: 'tool' as const, name: 'get_time' }, ['get_time']],
  [{ type: 'auto' as const, disable_parallel_tool_use: true }, ['get_weather']],
])('tool_choice %j calls %j', async (tool_choice, names) => {
  const text = tool_choice.type === 'any' ? 'please' : 'get_weather and get_time';
  const { content } = await client.messages.create({
    ...asking,
    tools,
    tool_choice,
    messages: say(text),
  });
  expect(content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))).toEqual(
    names,
  );
});

test('thinking is signed, and only accepted back unchanged', async () => {
  const request = { ...asking, tools, thinking, messages: say('get_time') };
  const unary = await client.messages.create(request);
  const { content, usage } = await client.messages.stream(request).finalMessage();
  const [thought, call] = content;
  expect(thought).toMatchObject({ type: 'thinking', thinking: 'hmm hmm hmm ' });
  expect(thought).toEqual(unary.content[0]);
  expect(usage).toMatchObject({ output_tokens: 4, output_tokens_details: { thinking_tokens: 3 } });
  if (thought?.type !== 'thinking' || call?.type !== 'tool_use') throw new Error('no thought');

  const answerWith = (blocks: Anthropic.ContentBlockParam[]) =>
    client.messages.create({
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: blocks },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'now' }] },
      ],
    });
  expect((await answerWith([thought, call])).content.at(-1)).toMatchObject({
    text: 'The tool said: now',
  });
  const refused = [
    [[{ ...thought, signature: 'made up' }, call], /messages.1.content.0: Invalid `signature`/],
    [[{ ...thought, thinking: 'hm' }, call], /Invalid `signature`/],
    [[{ type: 'redacted_thinking' as const, data: 'bWFkZSB1cA==' }, call], /Invalid `data`/],
    [[call], /must start with a thinking block/],
  ] as const;
  for (const [blocks, message] of refused) {
    const asked = answerWith([...blocks]);
    await expect(asked).rejects.toBeInstanceOf(BadRequestError);
    await expect(asked).rejects.toThrow(message);
  }
});

test.each([
  [{ thinking: { ...thinking, budget_tokens: 100 } }, /budget_tokens/],
  [{ thinking, max_tokens: 1024 }, /max_tokens/],
  [{ thinking, temperature: 0.5 }, /temperature/],
  [{ thinking, tools, tool_choice: { type: 'any' as const } }, /forces tool use/],
  [{ temperature: 1.5 }, /less than or equal to 1/],
  [{ messages: say('') }, /non-empty/],
  [{ messages: [] }, /at least one message/],
])('%j is refused', async (fields, message) => {
  await expect(client.messages.create({ ...asking, ...fields })).rejects.toThrow(message);
});

test('thinking can be redacted or omitted, and is accepted back', async () => {
  const request = { ...asking, thinking };
  const redacted = await client.messages.stream({ ...request, model: 'sim-redact' }).finalMessage();
  expect(redacted.content).toMatchObject([{ type: 'redacted_thinking' }, { type: 'text' }]);
  const omitted = await client.messages
    .stream({ ...request, thinking: { ...thinking, display: 'omitted' } })
    .finalMessage();
  expect(omitted.content).toMatchObject([{ type: 'thinking', thinking: '' }, { type: 'text' }]);
  for (const { content } of [redacted, omitted]) {
    const messages = [...asking.messages, { role: 'assistant' as const, content }, ...say('more')];
    expect((await client.messages.create({ ...request, messages })).stop_reason).toBe('end_turn');
  }
});

test.each([false, true])('documents are cited (stream: %s)', async (s) => {
  const source = {
    type: 'text' as const,
    media_type: 'text/plain' as const,
    data: 'The sky is blue.',
  };
  const content = [
    { type: 'document' as const, source, title: 'Sky', citations: { enabled: true } },
    { type: 'text' as const, text: 'Why?' },
  ];
  const request = { ...asking, messages: [{ role: 'user' as const, content }] };
  const answer = s
    ? await client.messages.stream(request).finalMessage()
    : await client.messages.create(request);
  expect(answer.content).toMatchObject([
    {
      text: 'You said: Why?',
      citations: [
        {
          type: 'char_location',
          cited_text: 'The sky is blue.',
          document_index: 0,
          document_title: 'Sky',
          start_char_index: 0,
          end_char_index: 16,
        },
      ],
    },
  ]);
  expect(answer.usage.input_tokens).toBe(3 + 3 + 4 + 1);
});

test('the vendor runs web searches, and bills them', async () => {
  const request = {
    ...asking,
    tools: [{ type: 'web_search_20250305' as const, name: 'web_search' as const }],
  };
  const answer = await client.messages.stream(request).finalMessage();
  expect(answer.content.map(({ type }) => type)).toEqual([
    'server_tool_use',
    'web_search_tool_result',
    'text',
  ]);
  expect(answer.usage.server_tool_use).toMatchObject({ web_search_requests: 1 });
  expect((await bill()).total.webSearches).toBe(1);
});

const compact = { edits: [{ type: 'compact_20260112' as const }] };

test.each([
  ['below the trigger', { model: 'sim-input-149999', context_management: compact }, undefined],
  ['at the trigger', { model: 'sim-input-150000', context_management: compact }, 'before'],
  [
    'at a trigger of its own',
    {
      context_management: {
        edits: [{ ...compact.edits[0], trigger: { type: 'input_tokens', value: 5 } }],
      },
    },
    'before',
  ],
  ['alone', { compaction: { type: 'summarize' } }, 'alone'],
] as const)('a context is compacted beside the told usage: %s', async (_, fields, place) => {
  const asked = { ...asking, ...(fields as object) };
  for (const answer of [
    await client.beta.messages.create(asked),
    await client.beta.messages.stream(asked).finalMessage(),
  ]) {
    const { content, stop_reason, usage } = answer;
    expect(content.map(({ type }) => type)).toEqual(
      { none: ['text'], before: ['compaction', 'text'], alone: ['compaction'] }[place ?? 'none'],
    );
    expect(stop_reason).toBe(place === 'alone' ? 'compaction' : 'end_turn');
    expect(usage.output_tokens).toBe(place === 'alone' ? 0 : 6);
    const iterations = usage.iterations ?? [];
    expect(iterations.map(({ type }) => type)).toEqual(
      { none: [], before: ['compaction', 'message'], alone: ['compaction'] }[place ?? 'none'],
    );
    const [compaction] = iterations;
    const billed = (await bill()).requests.at(-1)?.usage;
    expect(billed?.input).toBe(usage.input_tokens + (compaction?.input_tokens ?? 0));
    expect(billed?.output).toBe(usage.output_tokens + (compaction?.output_tokens ?? 0));
  }
});

test('a prefix is written to the cache, then read, per key', async () => {
  const text = 'x'.repeat(400);
  const request = {
    ...asking,
    system: [
      { type: 'text' as const, text, cache_control: { type: 'ephemeral' as const } },
      {
        type: 'text' as const,
        text,
        cache_control: { type: 'ephemeral' as const, ttl: '1h' as const },
      },
    ],
  };
  const { usage: first } = await client.messages.create(request);
  expect(first).toMatchObject({
    input_tokens: 3 + 3,
    cache_creation_input_tokens: 206,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 106, ephemeral_1h_input_tokens: 100 },
  });
  const { usage: second } = await client.messages.stream(request).finalMessage();
  expect(second).toMatchObject({ input_tokens: 6, cache_read_input_tokens: 206 });
  const other = new Anthropic({ baseURL: simulator.url, apiKey: 'other' });
  expect((await other.messages.create(request)).usage.cache_read_input_tokens).toBe(0);
  expect((await bill()).total).toMatchObject({
    cacheWrite: 212,
    cacheWrite1h: 200,
    cacheRead: 206,
  });
});

test('stop reasons: a sequence, the bound, a refusal, and any other', async () => {
  const stop = await client.messages.create({ ...asking, stop_sequences: ['there'] });
  expect(stop).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'there' });
  const cut = await client.messages.stream({ ...asking, max_tokens: 2 }).finalMessage();
  expect(cut).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 2 } });
  const refused = await client.messages.create({ ...asking, model: 'sim-refuse' });
  expect(refused).toMatchObject({ stop_reason: 'refusal', stop_details: { type: 'refusal' } });
  const paused = await client.messages.create({ ...asking, model: 'sim-finish-pause_turn' });
  expect(paused.stop_reason).toBe('pause_turn');
});

test('a schema is answered with a value that fits it', async () => {
  const schema = { type: 'object', properties: { name: { type: 'string' } } };
  const output_config = { format: { type: 'json_schema' as const, schema } };
  const answer = await client.messages.create({ ...asking, output_config });
  expect(answer.content).toMatchObject([{ text: '{"name":"Hello there"}' }]);
});

test('images and documents count by the documented rule, and tokens can be counted beforehand', async () => {
  const data = 'x'.repeat(40);
  const content = [
    {
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png' as const, data },
    },
    {
      type: 'document' as const,
      source: { type: 'base64' as const, media_type: 'application/pdf' as const, data },
    },
    { type: 'text' as const, text: 'What?' },
  ];
  const request = {
    model: 'sim',
    tools,
    system: 'Be brief',
    messages: [{ role: 'user' as const, content }],
  };
  const toolTokens = tools.reduce((sum, tool) => sum + countTokens(JSON.stringify(tool)), 0);
  const expected = 3 + toolTokens + (3 + 2) + (3 + 765 + 10 + 2);
  expect(await client.messages.countTokens(request)).toEqual({ input_tokens: expected });
  const { usage } = await client.messages.create({ ...request, max_tokens: 10 });
  expect(usage.input_tokens).toBe(expected);
});

test('models are listed in the vendor’s format', async () => {
  const { data } = await client.models.list();
  expect(data[0]).toMatchObject({ type: 'model', id: 'sim', display_name: 'sim' });
  expect(await client.models.retrieve('sim-x')).toMatchObject({ id: 'sim-x' });
});

test.each([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [529, 'overloaded_error'],
])('status %i is a %s', async (status, type) => {
  const asked = client.messages.create({ ...asking, model: `sim-status-${status}` });
  await expect(asked).rejects.toMatchObject({ status, type });
});

test('a wrong key, a missing bound and a missing version are refused', async () => {
  const stranger = new Anthropic({ baseURL: simulator.url, apiKey: 'bad', maxRetries: 0 });
  await expect(stranger.messages.create(asking)).rejects.toBeInstanceOf(AuthenticationError);
  const unbound = client.messages.create({ model: 'sim', messages: say('x') } as never);
  await expect(unbound).rejects.toThrow(/max_tokens: Field required/);
  const answer = await fetch(`${simulator.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'key' },
    body: JSON.stringify(asking),
  });
  expect(await answer.json()).toMatchObject({
    type: 'error',
    error: { type: 'invalid_request_error', message: 'anthropic-version: header is required' },
  });
});

test('an error event inside a stream raises as overloaded', async () => {
  const stream = client.messages.stream({ ...asking, model: 'sim-error-after-2' });
  let text = '';
  stream.on('text', (piece) => (text += piece));
  const ended = stream.finalMessage();
  await expect(ended).rejects.toBeInstanceOf(APIError);
  await expect(ended).rejects.toMatchObject({ type: 'overloaded_error' });
  expect(text).toBe('You said');
});
