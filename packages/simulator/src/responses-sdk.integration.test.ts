// The vendor's own SDK uses the simulator's responses, unary and streamed.
import OpenAI, { AzureOpenAI } from 'openai';
import type { ResponseInputItem, ResponseStreamEvent } from 'openai/resources/responses/responses';

import type { Bill } from './bill';
import { startSimulator, type Simulator } from './simulator';
import { countTokens } from './tokens';

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = clientFor('key');
});
afterAll(() => simulator.stop());
beforeEach(() => fetch(`${simulator.url}/_sim/bill`, { method: 'DELETE' }));

function clientFor(apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey, maxRetries: 0 });
}

const asking = { model: 'sim', input: 'Hello there' };
const tools = [
  {
    type: 'function' as const,
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    strict: false,
  },
  { type: 'function' as const, name: 'get_time', parameters: { type: 'object' }, strict: false },
];

async function events(request: object): Promise<ResponseStreamEvent[]> {
  const all = [];
  const stream = await client.responses.create({ ...asking, ...request, stream: true });
  for await (const event of stream) all.push(event);
  return all;
}

function typesOf(all: ResponseStreamEvent[]): string[] {
  return all.map(({ type }) => type).filter((type, at, list) => type !== list[at - 1]);
}

async function bill(): Promise<Bill> {
  return (await (await fetch(`${simulator.url}/_sim/bill`)).json()) as Bill;
}

test('an answer has text, a status and usage', async () => {
  const answer = await client.responses.create(asking);
  expect(answer).toMatchObject({
    object: 'response',
    status: 'completed',
    output_text: 'You said: Hello there',
    error: null,
    incomplete_details: null,
    usage: { input_tokens: 9, output_tokens: 6, total_tokens: 15 },
  });
  expect((await bill()).requests).toMatchObject([
    { id: answer.id, operation: 'responses', usage: { input: 9, output: 6 } },
  ]);
});

test('a stream has every event, numbered, and adds up to the unary answer', async () => {
  const all = await events({});
  expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, at) => at));
  expect(typesOf(all)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
  const answer = await client.responses.stream(asking).finalResponse();
  expect(answer.output_text).toBe('You said: Hello there');
  expect(answer.usage).toMatchObject({ input_tokens: 9, output_tokens: 6 });
});

test.each([false, true])('parallel functions are called and answered (stream: %s)', async (s) => {
  const input = 'get_weather and get_time please';
  const first = s
    ? await client.responses.stream({ model: 'sim', input, tools }).finalResponse()
    : await client.responses.create({ model: 'sim', input, tools });
  expect(first.output).toMatchObject([
    { type: 'function_call', name: 'get_weather', arguments: JSON.stringify({ city: input }) },
    { type: 'function_call', name: 'get_time', arguments: '{}' },
  ]);
  const outputs = first.output.flatMap((item): ResponseInputItem[] =>
    item.type === 'function_call'
      ? [{ type: 'function_call_output', call_id: item.call_id, output: 'rain' }]
      : [],
  );
  const previous_response_id = first.id;
  const second = await client.responses.create({
    model: 'sim',
    input: outputs,
    previous_response_id,
  });
  expect(second.output_text).toBe('The tool said: rain rain');
  expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? 0);
  const unasked = client.responses.create({ model: 'sim', input: outputs });
  await expect(unasked).rejects.toThrow(/No tool call found/);
  const unanswered = client.responses.create({ ...asking, previous_response_id });
  await expect(unanswered).rejects.toThrow(/No tool output found/);
});

test('streamed arguments and inputs of custom tools have their events', async () => {
  const custom = { type: 'custom' as const, name: 'note' };
  const all = await events({ input: 'get_time, note', tools: [...tools, custom] });
  expect(typesOf(all).filter((type) => type.includes('call'))).toEqual([
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.custom_tool_call_input.delta',
    'response.custom_tool_call_input.done',
  ]);
});

test.each([
  ['none', []],
  ['required', ['get_weather']],
  [{ type: 'function' as const, name: 'get_time' }, ['get_time']],
  [
    {
      type: 'allowed_tools' as const,
      mode: 'required' as const,
      tools: [{ type: 'function', name: 'get_time' }],
    },
    ['get_time'],
  ],
] as const)('tool_choice %j calls %j', async (tool_choice, names) => {
  const { output } = await client.responses.create({ ...asking, tools, tool_choice } as never);
  const called = output.flatMap((item) => (item.type === 'function_call' ? [item.name] : []));
  expect(called).toEqual(names);
});

test('a conversation is stored for its own key, unless store is false', async () => {
  const { id, usage } = await client.responses.create(asking);
  const next = { ...asking, input: 'More', previous_response_id: id };
  const second = await client.responses.create(next);
  expect(second).toMatchObject({ previous_response_id: id, output_text: 'You said: More' });
  const more = 3 + countTokens('You said: Hello there') + (3 + 1);
  expect(second.usage?.input_tokens).toBe((usage?.input_tokens ?? 0) + more);

  const refusal = {
    status: 400,
    code: 'previous_response_not_found',
    param: 'previous_response_id',
  };
  await expect(clientFor('other').responses.create(next)).rejects.toMatchObject(refusal);
  const unknown = client.responses.create({ ...next, previous_response_id: 'resp_made_up' });
  await expect(unknown).rejects.toMatchObject(refusal);
  const passing = await client.responses.create({ ...asking, store: false });
  const after = client.responses.create({ ...next, previous_response_id: passing.id });
  await expect(after).rejects.toMatchObject(refusal);
});

test('reasoning is summarised, encrypted for its key, and counted', async () => {
  const request = {
    ...asking,
    reasoning: { effort: 'low' as const, summary: 'auto' as const },
    include: ['reasoning.encrypted_content' as const],
    store: false,
  };
  expect(typesOf(await events(request)).slice(2, 8)).toEqual([
    'response.output_item.added',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.done',
    'response.reasoning_summary_part.done',
    'response.output_item.done',
  ]);
  const { output, usage } = await client.responses.stream(request).finalResponse();
  expect(output[0]).toMatchObject({ type: 'reasoning', summary: [{ text: 'hmm hmm hmm ' }] });
  expect(usage).toMatchObject({
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 3 },
  });

  const input = [...output, { role: 'user', content: 'More' }] as ResponseInputItem[];
  expect((await client.responses.create({ ...request, input })).status).toBe('completed');
  const refusal = { status: 400, code: 'invalid_encrypted_content' };
  await expect(clientFor('other').responses.create({ ...request, input })).rejects.toMatchObject(
    refusal,
  );
  const forged = [{ ...output[0], encrypted_content: 'bWFkZSB1cA==' }, ...input.slice(1)];
  const asked = client.responses.create({ ...request, input: forged as ResponseInputItem[] });
  await expect(asked).rejects.toMatchObject(refusal);
});

test('hidden reasoning still counts, and vLLM sends it in full', async () => {
  const hidden = await client.responses.create({ ...asking, reasoning: { effort: 'low' } });
  expect(hidden.output[0]).toMatchObject({ type: 'reasoning', summary: [] });
  expect(hidden.usage?.output_tokens_details.reasoning_tokens).toBe(3);
  const open = await events({ model: 'sim-vllm.reasoning-2' });
  expect(typesOf(open)).toContain('response.reasoning_text.delta');
});

test('statuses: incomplete at the bound, filtered, and failed', async () => {
  const cut = await client.responses.create({ ...asking, max_output_tokens: 2 });
  expect(cut).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [{ status: 'incomplete' }],
  });
  expect((await events({ max_output_tokens: 2 })).at(-1)?.type).toBe('response.incomplete');
  const filtered = await client.responses.create({ ...asking, model: 'sim-finish-content_filter' });
  expect(filtered.incomplete_details).toEqual({ reason: 'content_filter' });
  const failed = await client.responses.create({ ...asking, model: 'sim-failed' });
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
  expect((await events({ model: 'sim-failed' })).at(-1)?.type).toBe('response.failed');
});

test('an error event is flat and numbered', async () => {
  const stream = await client.responses.create({
    ...asking,
    model: 'sim-error-after-2',
    stream: true,
  });
  const seen: ResponseStreamEvent[] = [];
  const reading = (async () => {
    for await (const event of stream) seen.push(event);
  })();
  // Versions of the SDK either raise it or return it.
  await reading.catch(() => undefined);
  expect(seen.filter(({ type }) => type === 'response.output_text.delta')).toHaveLength(2);
  expect(seen.map(({ type }) => type)).not.toContain('response.completed');
});

test('refusals, citations and searches have their parts and events', async () => {
  const refused = await client.responses.stream({ ...asking, model: 'sim-refuse' }).finalResponse();
  expect(refused.output).toMatchObject([
    { content: [{ type: 'refusal', refusal: 'I cannot help with that.' }] },
  ]);
  const request = { ...asking, tools: [{ type: 'web_search' as const }] };
  const found = await client.responses.stream(request).finalResponse();
  expect(found.output).toMatchObject([
    { type: 'web_search_call', status: 'completed' },
    { content: [{ annotations: [{ type: 'url_citation', url: 'https://example.com/source' }] }] },
  ]);
  expect(typesOf(await events(request))).toContain('response.output_text.annotation.added');
  expect((await bill()).total.webSearches).toBe(2);
});

test('a schema is answered with a value that fits it', async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  const format = { type: 'json_schema' as const, name: 'n', schema };
  const { output_text } = await client.responses.create({ ...asking, text: { format } });
  expect(output_text).toBe('{"n":42}');
});

test('images, audio and files count by the documented rule', async () => {
  const content = [
    { type: 'input_image', image_url: 'data:', detail: 'low' },
    { type: 'input_image', image_url: 'data:', detail: 'auto' },
    { type: 'input_audio', input_audio: { data: 'x'.repeat(250), format: 'wav' } },
    { type: 'input_file', file_data: 'x'.repeat(40), filename: 'a.pdf' },
    { type: 'input_text', text: 'What?' },
  ];
  const input = [{ role: 'user', content }] as ResponseInputItem[];
  await client.responses.create({ model: 'sim', input, instructions: 'Be brief' });
  expect((await bill()).requests[0]?.usage).toMatchObject({
    input: 3 + (3 + 2) + (3 + 85 + 765 + 10 + 2),
    audioInput: 3,
  });
});

test('the cloud-hosted variant serves them without a deployment in the path', async () => {
  const azure = new AzureOpenAI({
    endpoint: simulator.url,
    apiKey: 'azure-key',
    apiVersion: '2025-03-01-preview',
    maxRetries: 0,
  });
  expect((await azure.responses.create(asking)).output_text).toBe('You said: Hello there');
  expect((await bill()).apiKeys).toHaveProperty('azure-key');
});
