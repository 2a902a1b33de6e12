// Requests that the target cannot take as they are: the substitutes sent, and the answers restored.
import {
  FORMATS,
  restoreResponse,
  type FormatName,
  type JsonObject,
  type ReplyContext,
  type TargetContext,
} from '.';
import { createPassage } from '../operations/passage';

const CONTEXT: ReplyContext = {
  requestId: 'r',
  provider: 'p',
  model: 'chat',
  createdAtS: 1,
  includeUsage: false,
};

const TARGETS = {
  'openai-chat': { providerType: 'PROVIDER_A', model: 'gpt-5' },
  'openai-responses': { providerType: 'PROVIDER_A', model: 'gpt-5' },
  'anthropic-messages': { providerType: 'PROVIDER_B', model: 'claude-opus-4-5' },
  'gemini-generate': { providerType: 'PROVIDER_C', model: 'gemini-3-flash' },
} as const;
type Upstream = keyof typeof TARGETS;

function send(
  client: FormatName,
  upstream: Upstream,
  body: JsonObject,
  target: Partial<TargetContext> = {},
) {
  const request = FORMATS[client].decodeRequest({ model: 'chat', ...body }, {});
  const context = { ...TARGETS[upstream], strict: false, ...target };
  return FORMATS[upstream].encodeRequest(request, context);
}

const ask = { messages: [{ role: 'user', content: 'Hi' }] };
const contents = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
const list = { type: 'array', items: { type: 'string' } };
const wrappedList = {
  type: 'object',
  properties: { value: list },
  required: ['value'],
  additionalProperties: false,
};

function chatForm(schema: JsonObject, fields: JsonObject = {}) {
  const json_schema = { name: 'answer', schema, ...fields };
  return { ...ask, response_format: { type: 'json_schema', json_schema } };
}

describe('an answer that is a list', () => {
  test('the list is wrapped for vendors that accept only objects', () => {
    const asked = chatForm(list, { strict: true });
    expect(send('openai-chat', 'anthropic-messages', asked)).toMatchObject({
      body: { output_config: { format: { schema: wrappedList } } },
      dropped: [],
      changes: { wrapped: true },
    });
    expect(send('unified', 'openai-chat', asked)).toMatchObject({
      body: { response_format: { json_schema: { schema: wrappedList, strict: true } } },
      changes: { wrapped: true },
    });
    const config = { responseMimeType: 'application/json', responseJsonSchema: list };
    const gemini = { ...contents, generationConfig: config };
    for (const upstream of ['openai-chat', 'openai-responses'] as const) {
      const { body, changes } = send('gemini-generate', upstream, gemini);
      expect(JSON.stringify(body)).toContain(JSON.stringify(wrappedList));
      expect(changes).toEqual({ wrapped: true });
    }
  });

  test('the list is requested unchanged where lists are accepted', () => {
    const asked = chatForm(list);
    const gemini = send('openai-chat', 'gemini-generate', asked);
    expect(gemini).toMatchObject({ body: { generationConfig: { responseJsonSchema: list } } });
    expect(gemini.changes).toBeUndefined();
    const vllm = send('unified', 'openai-chat', asked, { providerType: 'PROVIDER_D' });
    expect(vllm).toMatchObject({ body: { response_format: { json_schema: { schema: list } } } });
    expect(vllm.changes).toBeUndefined();
    const custom = send('unified', 'openai-chat', asked, { providerType: 'CUSTOM' });
    expect(custom.changes).toEqual({ wrapped: true });
  });

  const changes = { wrapped: true } as const;

  test('a unary answer returns as a list', () => {
    const answer = FORMATS['anthropic-messages'].decodeResponse({
      type: 'message',
      id: 'm',
      model: 'c',
      role: 'assistant',
      content: [{ type: 'text', text: '{"value": ["a", "b"]}' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    });
    const told = FORMATS['openai-chat'].encodeResponse(restoreResponse(answer, changes), CONTEXT);
    expect(told).toMatchObject({ choices: [{ message: { content: '["a", "b"]' } }] });
  });

  test('a streamed answer returns as a list, also between formats with one stream decoder', () => {
    const chunk = (delta: JsonObject, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const pieces = ['{"va', 'lue": ["a"', ', "b"', ']}'];
    const stream = [...pieces.map((content) => chunk({ content })), chunk({}, 'stop')];
    const options = { choices: 1, runningUsage: false, changes };
    const { 'openai-chat': chat, unified } = FORMATS;
    const passage = createPassage(unified, chat, CONTEXT, options);
    const told = [...stream, 'data: [DONE]\n\n'].flatMap((text) => passage.push(Buffer.from(text)));
    const chunks = Buffer.concat(told)
      .toString()
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice('data: '.length)) as { choices: JsonObject[] });
    const said = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta as JsonObject));
    expect(said.map(({ content }) => content).filter((text) => text)).toEqual([
      '["a"',
      ', "b"',
      ']',
    ]);
    expect(passage.report).toMatchObject({ terminal: true, stopReason: 'stop' });
  });
});

describe('strict schemas', () => {
  const schema = { type: 'object', properties: { a: { type: 'string', minLength: 2 } } };
  const whole = { ...schema, required: ['a'] };
  const held = {
    type: 'object',
    properties: { a: { type: 'string', description: 'Constraints: at least 2 characters.' } },
    required: ['a'],
    additionalProperties: false,
  };

  test('a schema of a client whose format is always strict stays strict, and unsupported keywords are reported', () => {
    const asked = {
      ...ask,
      max_tokens: 9,
      output_config: { format: { type: 'json_schema', schema: whole } },
    };
    expect(send('anthropic-messages', 'openai-chat', asked)).toMatchObject({
      body: { response_format: { json_schema: { schema: held, strict: true } } },
      dropped: ['output_config.format.schema.properties.a.minLength'],
    });
    expect(send('anthropic-messages', 'openai-responses', asked)).toMatchObject({
      body: { text: { format: { schema: held, strict: true } } },
      dropped: ['output_config.format.schema.properties.a.minLength'],
    });
  });

  test('strictness is dropped and reported where a property is optional', () => {
    const config = { responseMimeType: 'application/json', responseJsonSchema: schema };
    const { body, dropped } = send('gemini-generate', 'openai-chat', {
      ...contents,
      generationConfig: config,
    });
    expect(body['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema },
    });
    expect(dropped).toEqual(['generationConfig.responseJsonSchema.strict']);
  });

  test('a function is strict only if the client sets it', () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: schema } }];
    expect(send('openai-chat', 'anthropic-messages', { ...ask, tools })).toMatchObject({
      body: { tools: [{ name: 'f', input_schema: schema }] },
      dropped: [],
    });
  });

  test('strictness is kept on as many functions as the vendor allows', () => {
    const tool = (name: string) => ({ name, parameters: whole, strict: true });
    const tools = Array.from({ length: 21 }, (_, at) => ({
      type: 'function',
      function: tool(`f${at}`),
    }));
    const { body, dropped } = send('openai-chat', 'anthropic-messages', { ...ask, tools });
    const sent = body['tools'] as JsonObject[];
    expect(sent[19]).toEqual({ name: 'f19', strict: true, input_schema: held });
    expect(sent[20]).toEqual({ name: 'f20', input_schema: whole });
    expect(dropped).toContain('tools[20].strict');
    expect(dropped).toContain('tools[0].parameters.properties.a.minLength');
  });
});

describe('names of functions', () => {
  const tools = [
    { functionDeclarations: [{ name: 'files.read', parameters: { type: 'OBJECT' } }] },
  ];
  const turns = {
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'files.read', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'files.read', response: { a: 1 } } }] },
    ],
  };

  test.each(['openai-chat', 'openai-responses', 'anthropic-messages'] as const)(
    'are valid at %s, in earlier turns too',
    (upstream) => {
      const { body, changes } = send('gemini-generate', upstream, { ...turns, tools });
      expect(JSON.stringify(body)).not.toContain('files.read');
      expect(JSON.stringify(body).match(/"name":"files_read"/g)).toHaveLength(2);
      expect(changes).toEqual({ sentNames: new Map([['files_read', 'files.read']]) });
    },
  );

  test('names return as the client wrote them', () => {
    const { changes = {} } = send('gemini-generate', 'openai-chat', { ...turns, tools });
    const call = { id: 'c', type: 'function', function: { name: 'files_read', arguments: '{}' } };
    const answer = FORMATS['openai-chat'].decodeResponse({
      id: 'a',
      model: 'm',
      choices: [{ index: 0, message: { tool_calls: [call] }, finish_reason: 'tool_calls' }],
    });
    const told = FORMATS['gemini-generate'].encodeResponse(
      restoreResponse(answer, changes),
      CONTEXT,
    );
    expect(JSON.stringify(told)).toContain('"name":"files.read"');
  });
});
