// Whole exchanges between this format and others, in both directions, as the gateway does them.
import { openaiResponses } from '.';
import { createTranslation } from '../../operations/passage';
import { anthropicMessages } from '../anthropic-messages';
import type { Format, ReplyContext, TargetContext } from '../format';
import { geminiGenerate } from '../gemini-generate';
import type { JsonObject } from '../normalised';
import { openaiChat } from '../openai-chat';
import { read } from './test-support/samples';

const context: ReplyContext = {
  requestId: 'r1',
  provider: 'provider_b',
  model: 'asked',
  createdAtS: 5,
  includeUsage: true,
};

function send(from: Format, to: Format, body: JsonObject, target: Partial<TargetContext> = {}) {
  const whole: TargetContext = {
    providerType: 'PROVIDER_A',
    model: 'up',
    strict: false,
    ...target,
  };
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
  return { text: Buffer.concat(parts).toString(), report: passage.report };
}

const weather = { type: 'object', properties: { city: { type: 'string' } } };
const claude = { providerType: 'PROVIDER_B', model: 'claude-opus-5' } as const;

describe('a responses client of a chat upstream', () => {
  test('the request keeps every field that the formats share, and reports the others', () => {
    const { body, dropped } = send(openaiResponses, openaiChat, {
      model: 'chat',
      instructions: 'Be brief',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Look.' }] },
        { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Köln"}' },
        { type: 'function_call', call_id: 'c2', name: 'weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'Rain' },
        { type: 'function_call_output', call_id: 'c2', output: 'Sun' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'So?' },
            { type: 'input_image', image_url: 'https://x.test/a.png', detail: 'low' },
          ],
        },
      ],
      tools: [{ type: 'function', name: 'weather', parameters: weather, strict: true }],
      tool_choice: 'required',
      parallel_tool_calls: true,
      text: { format: { type: 'json_schema', name: 'a', schema: weather }, verbosity: 'low' },
      reasoning: { effort: 'low' },
      max_output_tokens: 50,
      user: 'u',
      store: true,
    });
    const call = (id: string, text: string) => ({
      id,
      type: 'function',
      function: { name: 'weather', arguments: text },
    });
    expect(body).toEqual({
      model: 'up',
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: 'Look.',
          tool_calls: [call('c1', '{"city":"Köln"}'), call('c2', '{}')],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'Rain' },
        { role: 'tool', tool_call_id: 'c2', content: 'Sun' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'So?' },
            { type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } },
          ],
        },
      ],
      tools: [
        { type: 'function', function: { name: 'weather', parameters: weather, strict: true } },
      ],
      tool_choice: 'required',
      parallel_tool_calls: true,
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: weather } },
      reasoning_effort: 'low',
      max_completion_tokens: 50,
      user: 'u',
      verbosity: 'low',
    });
    expect(dropped).toEqual(['store']);
  });

  test('the client reads an answer', () => {
    const said = reply(openaiChat, openaiResponses, {
      id: 'chatcmpl-1',
      model: 'gpt',
      created: 7,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'See',
            reasoning_content: 'Hm',
            annotations: [
              {
                type: 'url_citation',
                url_citation: { url: 'https://x.test', title: 'X', start_index: 0, end_index: 3 },
              },
            ],
            tool_calls: [
              { id: 'c', type: 'function', function: { name: 'weather', arguments: '{}' } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 9,
        prompt_tokens_details: { cached_tokens: 60 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
    });
    expect(said).toMatchObject({
      id: 'chatcmpl-1',
      object: 'response',
      created_at: 7,
      status: 'completed',
      output: [
        { type: 'reasoning', summary: [{ text: 'Hm' }] },
        {
          type: 'message',
          content: [{ type: 'output_text', text: 'See', annotations: [{ url: 'https://x.test' }] }],
        },
        { type: 'function_call', call_id: 'c', name: 'weather', arguments: '{}' },
      ],
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 60 },
        output_tokens: 9,
        output_tokens_details: { reasoning_tokens: 4 },
      },
    });
  });

  test('the client reads a stream of parallel calls', () => {
    const chunk = (delta: JsonObject, finish: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c1', model: 'gpt', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const call = (index: number, text: string, id?: string) => ({
      tool_calls: [
        { index, ...(id ? { id } : {}), function: { name: id && 'f', arguments: text } },
      ],
    });
    const { text, report } = pass(
      openaiChat,
      openaiResponses,
      chunk({ role: 'assistant', content: '' }) +
        chunk({ content: 'Hi' }) +
        chunk(call(0, '{"a"', 'x')) +
        chunk(call(1, '{}', 'y')) +
        chunk(call(0, ':1}')) +
        chunk({}, 'tool_calls') +
        'data: {"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":2}}\n\ndata: [DONE]\n\n',
    );
    const events = read(text);
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      sequence_number: events.length - 1,
      response: {
        output: [
          { type: 'message', content: [{ text: 'Hi' }] },
          { type: 'function_call', call_id: 'x', arguments: '{"a":1}' },
          { type: 'function_call', call_id: 'y', arguments: '{}' },
        ],
        usage: { input_tokens: 4, output_tokens: 2 },
      },
    });
    expect(text).not.toContain('[DONE]');
    expect(report).toMatchObject({ terminal: true, responseId: 'c1' });
  });

  test('an interrupted stream ends with the relay’s error', () => {
    const { text, report } = pass(openaiChat, openaiResponses, 'data: {"id":"c","choices":[]}\n\n');
    expect(read(text).map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
    ]);
    expect(report).toMatchObject({ terminal: false, fault: 'EARLY_END' });
  });
});

describe('a responses client of upstreams that seal their reasoning', () => {
  test('thinking returns to its vendor unchanged', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'EqQB+/==' },
      { type: 'redacted_thinking', data: 'EmwK' },
      { type: 'tool_use', id: 't1', name: 'weather', input: { city: 'Köln' } },
    ];
    const { output } = reply(anthropicMessages, openaiResponses, {
      id: 'msg_1',
      model: 'claude',
      content,
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 2 },
    });
    const result = { type: 'function_call_output', call_id: 't1', output: 'Rain' };
    const question = { role: 'user', content: 'Weather?' };
    const replay = { model: 'm', input: [question, ...(output as JsonObject[]), result] };
    const { body, dropped } = send(openaiResponses, anthropicMessages, replay, claude);
    expect(body['messages']).toMatchObject([
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'Rain' }] },
    ]);
    expect(dropped).toEqual([]);

    // Another vendor would refuse the whole conversation.
    const { body: elsewhere, dropped: kept } = send(openaiResponses, openaiResponses, replay);
    expect((elsewhere['input'] as JsonObject[]).map(({ type }) => type)).toEqual([
      undefined,
      'function_call',
      'function_call_output',
    ]);
    expect(kept).toEqual(['input[1]', 'input[2]']);
  });

  test('thinking without text is sealed too', () => {
    const content = [
      { type: 'thinking', thinking: '', signature: 'EqQB' },
      { type: 'text', text: 'Yes.' },
    ];
    const { output } = reply(anthropicMessages, openaiResponses, {
      id: 'm',
      content,
      stop_reason: 'end_turn',
    });
    const input = [...(output as JsonObject[]), { role: 'user', content: 'Sure?' }];
    const { body } = send(openaiResponses, anthropicMessages, { model: 'm', input }, claude);
    expect(body['messages']).toMatchObject([{ role: 'assistant', content }, { role: 'user' }]);
  });
});

describe.each([
  ['anthropic-messages', anthropicMessages],
  ['gemini-generate', geminiGenerate],
  ['openai-chat', openaiChat],
] as const)('a client of %s of a responses upstream', (_, client) => {
  const answer = {
    id: 'resp_1',
    model: 'gpt-5.6',
    status: 'completed',
    output: [
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        encrypted_content: 'gAAAAABoX_-=',
      },
      { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Köln"}' },
    ],
    usage: { input_tokens: 9, output_tokens: 5 },
  };

  /** The client's next request, with the answer in it unchanged. */
  function replayed(): JsonObject {
    const said = reply(openaiResponses, client, answer);
    const result = (role: string, block: JsonObject) => ({ role, content: [block] });
    if (client === anthropicMessages) {
      const { role, content } = said;
      const block = { type: 'tool_result', tool_use_id: 'c1', content: 'Rain' };
      const messages = [{ role: 'user', content: 'Hi' }, { role, content }, result('user', block)];
      return { model: 'm', max_tokens: 50, messages };
    }
    if (client === geminiGenerate) {
      const [candidate] = said['candidates'] as { content: JsonObject }[];
      const response = { name: 'weather', id: 'c1', response: { output: 'Rain' } };
      const asked = { role: 'user', parts: [{ text: 'Hi' }] };
      const parts = [{ functionResponse: response }];
      return { contents: [asked, candidate?.content, { role: 'user', parts }] };
    }
    const [choice] = said['choices'] as { message: JsonObject }[];
    const tool = { role: 'tool', tool_call_id: 'c1', content: 'Rain' };
    return { model: 'm', messages: [{ role: 'user', content: 'Hi' }, choice?.message, tool] };
  }

  test('returns sealed reasoning unchanged', () => {
    const request = client.decodeRequest(replayed(), { model: 'm', stream: false });
    const { body } = openaiResponses.encodeRequest(request, {
      providerType: 'PROVIDER_A',
      model: 'gpt-5.6',
      strict: false,
    });
    const input = body['input'] as JsonObject[];
    expect(input.find(({ type }) => type === 'reasoning')).toMatchObject({
      id: 'rs_1',
      encrypted_content: 'gAAAAABoX_-=',
    });
    expect(input.at(-2)).toMatchObject({ type: 'function_call', name: 'weather' });
    expect(input.at(-1)).toMatchObject({ type: 'function_call_output' });
    expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
  });

  test('reads a stream', () => {
    const encoder = openaiResponses.createStreamEncoder(context);
    const upstream = (
      [
        { type: 'start', id: 'resp_1', model: 'gpt' },
        { type: 'thinking', choice: 0, text: 'Hm.' },
        { type: 'text', choice: 0, text: 'Grüße 🦊' },
        { type: 'tool_start', choice: 0, tool: 0, kind: 'function', id: 'c', name: 'f' },
        { type: 'tool_delta', choice: 0, tool: 0, arguments: '{"a":1}' },
        { type: 'stop', choice: 0, reason: 'tool_calls', rawReason: '' },
        { type: 'end' },
      ] as const
    )
      .map((event) => encoder.encode(event))
      .join('');
    const { text, report } = pass(openaiResponses, client, upstream);
    for (const said of ['Hm.', 'Grüße 🦊', '"f"']) expect(text).toContain(said);
    expect(report).toMatchObject({ terminal: true, stopReason: 'tool_calls' });
  });
});
