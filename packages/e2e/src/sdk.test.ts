import OpenAI from 'openai';

import { chat, eventually, newTenant, sharedGateway, type SharedGateway, type Tenant } from '.';

// The vendor's own SDK with only its base URL changed.

let gateway: SharedGateway;
let tenant: Tenant;
let client: OpenAI;

const messages = [{ role: 'user' as const, content: 'Say something' }];
const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'weather',
      description: 'The weather of a city',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      },
    },
  },
];

beforeAll(async () => {
  gateway = await sharedGateway();
  tenant = await newTenant(gateway);
  const { key } = await tenant.key();
  client = new OpenAI({ baseURL: `${gateway.edgeUrl()}/v1`, apiKey: key });
});

test('a unary answer has text and usage', async () => {
  const answer = await client.chat.completions.create({ model: 'chat', messages });
  expect(answer.choices[0]?.message.content).toEqual(expect.stringMatching(/\S/));
  expect(answer.choices[0]?.finish_reason).toBe('stop');
  expect(answer.usage?.completion_tokens).toBeGreaterThan(0);
});

test('a stream has the same text, and usage only on request', async () => {
  const unary = await client.chat.completions.create({ model: 'chat', messages });
  const collect = async (withUsage: boolean): Promise<{ text: string; usages: unknown[] }> => {
    const stream = await client.chat.completions.create({
      model: 'chat',
      messages,
      stream: true,
      ...(withUsage ? { stream_options: { include_usage: true } } : {}),
    });
    let text = '';
    const usages: unknown[] = [];
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      if (chunk.usage !== undefined && chunk.usage !== null) usages.push(chunk.usage);
      if (!withUsage) expect(chunk.choices.length).toBeGreaterThan(0);
    }
    return { text, usages };
  };
  const silent = await collect(false);
  expect(silent).toEqual({ text: unary.choices[0]?.message.content, usages: [] });
  const told = await collect(true);
  expect(told.text).toBe(silent.text);
  expect(told.usages).toHaveLength(1);
  expect(told.usages[0]).toMatchObject({ prompt_tokens: unary.usage?.prompt_tokens });
});

test('tool calls are complete, unary and streamed, and their results are accepted', async () => {
  const request = { model: 'chat', messages, tools, tool_choice: 'required' as const };
  const unary = await client.chat.completions.create(request);
  const call = unary.choices[0]?.message.tool_calls?.[0];
  if (call?.type !== 'function') throw new Error('no function call');
  expect(call.function.name).toBe('weather');
  expect(JSON.parse(call.function.arguments)).toEqual(expect.any(Object));
  expect(unary.choices[0]?.finish_reason).toBe('tool_calls');

  const streamed = await client.chat.completions.stream(request).finalChatCompletion();
  const again = streamed.choices[0]?.message.tool_calls?.[0];
  if (again?.type !== 'function') throw new Error('no function call');
  expect(again.function).toMatchObject(call.function);

  const message = unary.choices[0]?.message;
  if (message === undefined) throw new Error('no message');
  const after = await client.chat.completions.create({
    model: 'chat',
    messages: [
      ...messages,
      message,
      { role: 'tool', tool_call_id: call.id, content: '{"celsius":21}' },
    ],
    tools,
  });
  expect(after.choices[0]?.message.content).toEqual(expect.stringMatching(/\S/));
});

test('the list of models has the key’s models', async () => {
  await tenant.model('not-granted', 'sim');
  const names: string[] = [];
  for await (const model of client.models.list()) names.push(model.id);
  expect(names).toEqual(['chat']);
  expect((await client.models.retrieve('chat')).id).toBe('chat');
  await expect(client.models.retrieve('not-granted')).rejects.toMatchObject({
    status: 404,
    code: 'model_not_found',
  });
});

test('typed errors: class, status, code and request id', async () => {
  const wrong = new OpenAI({ baseURL: `${gateway.edgeUrl()}/v1`, apiKey: 'tg_wrong' });
  const call = (from: OpenAI, model: string): Promise<unknown> =>
    from.chat.completions.create({ model, messages });
  await expect(call(wrong, 'chat')).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  await expect(call(client, 'unheard-of')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  // A new model is unknown until the key's plan is reread.
  const denied = await eventually('the new model is known', async () => {
    const error = await call(client, 'not-granted').catch((thrown: unknown) => thrown);
    return error instanceof OpenAI.NotFoundError ? undefined : error;
  });
  expect(denied).toBeInstanceOf(OpenAI.PermissionDeniedError);
  await expect(call(client, 'unheard-of')).rejects.toMatchObject({
    code: 'model_not_found',
    type: expect.any(String),
    requestID: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

test('an error within a stream is raised, not taken for its end', async () => {
  await tenant.model('cut', 'sim-cut-after-2');
  const ids = [tenant.modelId, await tenant.model('cut-2', 'sim-cut-after-2')];
  const { key } = await tenant.key({ modelIds: ids });
  const own = new OpenAI({ baseURL: `${gateway.edgeUrl()}/v1`, apiKey: key, maxRetries: 0 });
  const stream = await own.chat.completions.create({ model: 'cut-2', messages, stream: true });
  const read = async (): Promise<string> => {
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    return text;
  };
  await expect(read()).rejects.toMatchObject({ code: 'upstream_error' });
  await eventually('the record says PARTIAL', async () => {
    const answer = await gateway.rest.get(`${tenant.base}/usage/records`);
    const { data } = answer.data as { data: { outcome: string }[] };
    return data.some(({ outcome }) => outcome === 'PARTIAL');
  });
});

test('the gateway-native chat returns the normalised answer, and streams chunks', async () => {
  const { key } = await tenant.key();
  const post = (body: object): Promise<Response> =>
    fetch(`${gateway.edgeUrl()}/v1/llm/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'chat', messages, ...body }),
    });
  const unary = await post({ provider: 'provider_a' });
  expect(await unary.json()).toMatchObject({
    provider: 'provider_a',
    model: 'chat',
    content: expect.stringMatching(/\S/),
    stop_reason: expect.any(String),
    input_tokens: expect.any(Number),
    output_tokens: expect.any(Number),
  });
  const text = await (await post({ stream: true, include_usage: true })).text();
  const lines = text.split('\n').filter((line) => line.startsWith('data: '));
  expect(lines.at(-1)).toBe('data: [DONE]');
  expect(JSON.parse(lines[0]?.slice(6) ?? '')).toMatchObject({ object: 'chat.completion.chunk' });
  expect(text).toContain('"usage":{');
});

test('every answer has its cost and the remaining limits', async () => {
  const { key, id } = await tenant.key();
  await tenant.create('budgets', {
    scope: { type: 'API_KEY', id },
    period: 'DAILY',
    limitUsd: '1.00',
    mode: 'HARD',
  });
  const answer = await chat(gateway.edgeUrl(), key);
  expect(answer.headers).toMatchObject({
    'x-tollgate-model': 'chat',
    'x-tollgate-provider': 'provider_a',
    'x-tollgate-cost-usd': expect.stringMatching(/^0\.\d+$/),
    'x-tollgate-budget-remaining-usd': expect.stringMatching(/^0\.999\d+$/),
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});
