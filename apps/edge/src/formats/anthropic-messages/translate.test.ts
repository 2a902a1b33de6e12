// Whole exchanges between this format and the chat format, in both directions, as the gateway does
// them.
import { anthropicMessages } from '.';
import { createTranslation } from '../../operations/passage';
import type { Format, ReplyContext, TargetContext } from '../format';
import { present } from '../json';
import type { JsonObject } from '../normalised';
import { openaiChat } from '../openai-chat';
import { writeEvent } from './events';

const context: ReplyContext = {
  requestId: 'r1',
  provider: 'provider_b',
  model: 'asked',
  createdAtS: 5,
  includeUsage: true,
};

function send(from: Format, to: Format, body: JsonObject, target: Partial<TargetContext> = {}) {
  const providerType = to === openaiChat ? 'PROVIDER_A' : 'PROVIDER_B';
  const whole: TargetContext = { providerType, model: 'claude-opus-5', strict: false, ...target };
  return to.encodeRequest(from.decodeRequest(body, {}), whole);
}

function reply(from: Format, to: Format, body: JsonObject): JsonObject {
  return JSON.parse(
    JSON.stringify(to.encodeResponse(from.decodeResponse(body), context)),
  ) as JsonObject;
}

function pass(from: Format, to: Format, text: string) {
  const passage = createTranslation(to, from, context);
  const parts = [...passage.push(Buffer.from(text)), ...passage.finish()];
  const data = Buffer.concat(parts)
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as JsonObject);
  return { data, report: passage.report };
}

const weather = { type: 'object', properties: { city: { type: 'string' } } };

describe('a chat client of a messages upstream', () => {
  test('the request keeps every field that the formats share', () => {
    const { body, dropped } = send(openaiChat, anthropicMessages, {
      model: 'chat',
      messages: [
        { role: 'system', content: 'Be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            {
              type: 'file',
              file: { file_data: 'data:application/pdf;base64,AA', filename: 'a.pdf' },
            },
          ],
        },
        { role: 'assistant', content: null, refusal: 'I will not.' },
        { role: 'user', content: 'Please' },
      ],
      tools: [
        { type: 'function', function: { name: 'weather', parameters: weather, strict: true } },
      ],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      parallel_tool_calls: false,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'n', schema: { type: 'object', additionalProperties: false } },
      },
      stop: 'END',
      temperature: 1,
      max_completion_tokens: 100,
      user: 'u',
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(dropped).toEqual([]);
    expect(body).toEqual({
      model: 'claude-opus-5',
      max_tokens: 100,
      system: 'Be brief',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'AA' },
              title: 'a.pdf',
            },
          ],
        },
        { role: 'assistant', content: 'I will not.' },
        { role: 'user', content: 'Please' },
      ],
      tools: [
        {
          name: 'weather',
          strict: true,
          input_schema: { ...weather, additionalProperties: false },
        },
      ],
      tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
      output_config: {
        format: { type: 'json_schema', schema: { type: 'object', additionalProperties: false } },
      },
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
      stream: true,
    });
  });

  test('thinking returns with its seal, byte for byte', () => {
    const content = [
      { type: 'thinking', thinking: 'Where? "é" 🦊', signature: 'c2VhbA==' },
      { type: 'redacted_thinking', data: 'eHg=' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Köln' } },
    ];
    const said = reply(anthropicMessages, openaiChat, {
      id: 'msg_1',
      model: 'claude',
      content,
      stop_reason: 'tool_use',
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 20,
        cache_creation_input_tokens: 5,
        output_tokens: 8,
        output_tokens_details: { thinking_tokens: 3 },
      },
    });
    expect(said).toMatchObject({
      usage: {
        // The chat format's input total includes cached input.
        prompt_tokens: 35,
        completion_tokens: 8,
        prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
      choices: [{ finish_reason: 'tool_calls' }],
    });
    const [choice] = said['choices'] as { message: JsonObject }[];
    const { body, dropped } = send(openaiChat, anthropicMessages, {
      model: 'chat',
      reasoning_effort: 'high',
      messages: [
        { role: 'user', content: 'Weather?' },
        present(choice?.message ?? {}),
        { role: 'tool', tool_call_id: 'toolu_1', content: 'Rain' },
      ],
      tools: [{ type: 'function', function: { name: 'weather', parameters: weather } }],
    });
    expect(dropped).toEqual([]);
    expect(body).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
      messages: [
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Rain' }],
        },
      ],
    });
  });

  test('the client reads a stream with parallel calls', () => {
    const event = (type: string, fields: JsonObject) => writeEvent(type, fields);
    const tool = (index: number, id: string, parts: string[]) =>
      event('content_block_start', {
        index,
        content_block: { type: 'tool_use', id, name: 'weather', input: {} },
      }) +
      parts
        .map((partial_json) =>
          event('content_block_delta', {
            index,
            delta: { type: 'input_json_delta', partial_json },
          }),
        )
        .join('') +
      event('content_block_stop', { index });
    const { data, report } = pass(
      anthropicMessages,
      openaiChat,
      event('message_start', {
        message: { id: 'msg_1', model: 'claude', usage: { input_tokens: 4 } },
      }) +
        tool(0, 'a', ['', '{"city"', ':"Köln"}']) +
        tool(1, 'b', []) +
        event('message_delta', {
          delta: { stop_reason: 'tool_use' },
          usage: { output_tokens: 6 },
        }) +
        event('message_stop', {}),
    );
    const deltas = data.flatMap(({ choices }) => choices as { delta: JsonObject }[]);
    const calls = deltas.flatMap(({ delta }) => (delta['tool_calls'] ?? []) as JsonObject[]);
    const text = (index: number): string =>
      calls
        .filter((call) => call['index'] === index)
        .map((call) => (call['function'] as JsonObject)['arguments'])
        .join('');
    expect([text(0), text(1)]).toEqual(['{"city":"Köln"}', '{}']);
    expect(data.at(-1)).toMatchObject({ usage: { prompt_tokens: 4, completion_tokens: 6 } });
    expect(data.at(-2)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
    expect(report).toMatchObject({ terminal: true, rawStopReason: 'tool_use' });
  });

  test('fields without a counterpart are reported, or refused if the client is strict', () => {
    const body = {
      model: 'chat',
      messages: [
        {
          role: 'user',
          content: [{ type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } }],
        },
        { role: 'user', name: 'ann', content: 'Hi' },
      ],
      response_format: { type: 'json_object' },
      seed: 1,
      store: true,
      prediction: { type: 'content', content: 'x' },
    };
    expect(send(openaiChat, anthropicMessages, body).dropped.sort()).toEqual([
      'messages[0].audio',
      'messages[1].name',
      'prediction',
      'seed',
      'store',
    ]);
    expect(() => send(openaiChat, anthropicMessages, body, { strict: true })).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter' }) as Error,
    );
  });
});

describe('a messages client of a chat upstream', () => {
  const conversation = {
    model: 'chat',
    max_tokens: 50,
    system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_use', id: 't1', name: 'weather', input: { city: 'Köln' } },
          { type: 'tool_use', id: 't2', name: 'weather', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: 'Rain' },
          { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'text', text: 'Sun' }] },
          { type: 'text', text: 'So?' },
        ],
      },
    ],
    tools: [{ name: 'weather', description: 'd', input_schema: weather }],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    output_config: { effort: 'low', format: { type: 'json_schema', schema: weather } },
    thinking: { type: 'adaptive' },
    stop_sequences: ['END'],
    top_k: 3,
    metadata: { user_id: 'u' },
  };

  test('the request keeps every field that the formats share, and reports the others', () => {
    const { body, dropped } = send(anthropicMessages, openaiChat, conversation);
    expect(body).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: 'Let me see.',
          tool_calls: [
            {
              id: 't1',
              type: 'function',
              function: { name: 'weather', arguments: '{"city":"Köln"}' },
            },
            { id: 't2', type: 'function', function: { name: 'weather', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 't1', content: 'Rain' },
        { role: 'tool', tool_call_id: 't2', content: 'Sun' },
        { role: 'user', content: 'So?' },
      ],
      tools: [{ type: 'function', function: { name: 'weather', parameters: weather } }],
      tool_choice: 'required',
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { schema: weather } },
      reasoning_effort: 'low',
      stop: ['END'],
      max_completion_tokens: 50,
      user: 'u',
    });
    expect(dropped.sort()).toEqual([
      // The property is optional, and the vendor's strict mode requires every property.
      'output_config.format.strict',
      'system[0].cache_control',
      'top_k',
    ]);
  });

  test('the client reads an answer', () => {
    const said = reply(openaiChat, anthropicMessages, {
      id: 'chatcmpl-1',
      model: 'gpt',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'See',
            reasoning_content: 'Hm',
            annotations: [
              { type: 'url_citation', url_citation: { url: 'https://x.test', title: 'X' } },
            ],
            tool_calls: [
              {
                id: 'c',
                type: 'function',
                function: { name: 'weather', arguments: '{"city":"A"}' },
              },
            ],
          },
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 9,
        prompt_tokens_details: { cached_tokens: 60 },
      },
    });
    expect(said).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'Hm', signature: '' },
        { type: 'text', text: 'See', citations: [{ url: 'https://x.test', title: 'X' }] },
        { type: 'tool_use', id: 'c', name: 'weather', input: { city: 'A' } },
      ],
      stop_reason: 'tool_use',
      // The messages format counts cached input separately.
      usage: { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 9 },
    });
  });

  test('the client reads a stream, with usage at its end', () => {
    const chunk = (delta: JsonObject, finish: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c1', model: 'gpt', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const usage = { prompt_tokens: 4, completion_tokens: 2 };
    const { data } = pass(
      openaiChat,
      anthropicMessages,
      chunk({ role: 'assistant', content: '' }) +
        chunk({ content: 'Hi' }) +
        chunk({}, 'length') +
        `data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
    );
    expect(data.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(data.at(-2)).toMatchObject({
      delta: { stop_reason: 'max_tokens' },
      usage: { input_tokens: 4, output_tokens: 2 },
    });
  });

  test('an interrupted stream ends with the relay’s error', () => {
    const { data, report } = pass(
      openaiChat,
      anthropicMessages,
      'data: {"id":"c","choices":[]}\n\n',
    );
    expect(data.map(({ type }) => type)).toEqual(['message_start']);
    expect(report).toMatchObject({ terminal: false, fault: 'EARLY_END' });
  });
});
