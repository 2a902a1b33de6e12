// One answer as each upstream writes it, unary and streamed: a thought, a sentence, two parallel
// calls, and usage.

import type { FormatName } from '../..';
import type { JsonObject } from '../../normalised';

export interface Answer {
  whole: JsonObject;
  stream: string;
}

const frame = (data: unknown, event?: string): string =>
  `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
const named = (event: JsonObject): string => frame(event, String(event['type']));

const KOELN = '{"city":"Köln"}';
const ROMA = '{"city":"Roma"}';
const THOUGHT = 'Both.';
const SENTENCE = 'Let me look.';

function chat(): Answer {
  const call = (id: string, text: string) => ({
    id,
    type: 'function',
    function: { name: 'weather', arguments: text },
  });
  const message = {
    role: 'assistant',
    reasoning_content: THOUGHT,
    content: SENTENCE,
    tool_calls: [call('c1', KOELN), call('c2', ROMA)],
  };
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 40,
    total_tokens: 140,
    prompt_tokens_details: { cached_tokens: 60 },
    completion_tokens_details: { reasoning_tokens: 10 },
  };
  const base = { id: 'a1', created: 1, model: 'up' };
  const chunk = (delta: JsonObject, finish_reason: string | null = null) =>
    frame({
      ...base,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
      usage: null,
    });
  const piece = (index: number, fields: JsonObject) =>
    chunk({ tool_calls: [{ index, ...fields }] });
  const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
  return {
    whole: { ...base, object: 'chat.completion', choices, usage },
    stream: [
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'Bo' }),
      chunk({ reasoning_content: 'th.' }),
      chunk({ content: 'Let me ' }),
      chunk({ content: 'look.' }),
      piece(0, call('c1', '')),
      piece(1, call('c2', '{"city":')),
      piece(0, { function: { arguments: KOELN } }),
      piece(1, { function: { arguments: '"Roma"}' } }),
      chunk({}, 'tool_calls'),
      frame({ ...base, object: 'chat.completion.chunk', choices: [], usage }),
      'data: [DONE]\n\n',
    ].join(''),
  };
}

const RESPONSE = { id: 'a1', object: 'response', created_at: 1, model: 'up' };
const SAID_PART = { type: 'output_text', text: SENTENCE, annotations: [] };
const SUMMARY = { type: 'summary_text', text: THOUGHT };
const RESPONSE_OUTPUT: readonly JsonObject[] = [
  { type: 'reasoning', id: 'r1', summary: [SUMMARY] },
  { type: 'message', id: 'm1', role: 'assistant', status: 'completed', content: [SAID_PART] },
  functionCall('c1', KOELN),
  functionCall('c2', ROMA),
];

function functionCall(call_id: string, text: string): JsonObject {
  return {
    type: 'function_call',
    id: `fc_${call_id}`,
    status: 'completed',
    call_id,
    name: 'weather',
    arguments: text,
  };
}

function responses(): Answer {
  const whole = {
    ...RESPONSE,
    status: 'completed',
    output: RESPONSE_OUTPUT,
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 40,
      output_tokens_details: { reasoning_tokens: 10 },
      total_tokens: 140,
    },
  };
  const events: JsonObject[] = [
    { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } },
    ...responseItems(),
    { type: 'response.completed', response: whole },
  ];
  const stream = events.map((event, at) => named({ ...event, sequence_number: at })).join('');
  return { whole, stream };
}

function responseItems(): JsonObject[] {
  const about = (output_index: number, type: string, fields: JsonObject) => ({
    type: `response.${type}`,
    output_index,
    item_id: RESPONSE_OUTPUT[output_index]?.['id'],
    ...fields,
  });
  const around = (at: number, empty: JsonObject, ...within: JsonObject[]) => [
    about(at, 'output_item.added', { item: { ...RESPONSE_OUTPUT[at], ...empty } }),
    ...within,
    about(at, 'output_item.done', { item: RESPONSE_OUTPUT[at] }),
  ];
  const summary = { summary_index: 0 };
  const place = { content_index: 0 };
  return [
    ...around(
      0,
      { summary: [] },
      about(0, 'reasoning_summary_part.added', { ...summary, part: { ...SUMMARY, text: '' } }),
      about(0, 'reasoning_summary_text.delta', { ...summary, delta: 'Bo' }),
      about(0, 'reasoning_summary_text.delta', { ...summary, delta: 'th.' }),
      about(0, 'reasoning_summary_text.done', { ...summary, text: THOUGHT }),
      about(0, 'reasoning_summary_part.done', { ...summary, part: SUMMARY }),
    ),
    ...around(
      1,
      { content: [] },
      about(1, 'content_part.added', { ...place, part: { ...SAID_PART, text: '' } }),
      about(1, 'output_text.delta', { ...place, delta: 'Let me ' }),
      about(1, 'output_text.delta', { ...place, delta: 'look.' }),
      about(1, 'output_text.done', { ...place, text: SENTENCE }),
      about(1, 'content_part.done', { ...place, part: SAID_PART }),
    ),
    ...[KOELN, ROMA].flatMap((text, index) =>
      around(
        2 + index,
        { arguments: '' },
        about(2 + index, 'function_call_arguments.delta', { delta: text.slice(0, 5) }),
        about(2 + index, 'function_call_arguments.delta', { delta: text.slice(5) }),
        about(2 + index, 'function_call_arguments.done', { arguments: text }),
      ),
    ),
  ];
}

function messages(): Answer {
  const base = { id: 'a1', type: 'message', role: 'assistant', model: 'up' };
  const stop = { stop_reason: 'tool_use', stop_sequence: null };
  const input = { input_tokens: 40, cache_read_input_tokens: 60, cache_creation_input_tokens: 0 };
  const output = { output_tokens: 40, output_tokens_details: { thinking_tokens: 10 } };
  const call = (id: string, city: string) => ({
    type: 'tool_use',
    id,
    name: 'weather',
    input: { city },
  });
  const content: JsonObject[] = [
    { type: 'thinking', thinking: THOUGHT, signature: 'c2VhbA==' },
    { type: 'text', text: SENTENCE },
    call('c1', 'Köln'),
    call('c2', 'Roma'),
  ];
  const block = (index: number, empty: JsonObject, deltas: JsonObject[]) =>
    [
      { type: 'content_block_start', index, content_block: { ...content[index], ...empty } },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ].map(named);
  const json = (...texts: string[]) =>
    texts.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  return {
    whole: { ...base, ...stop, content, usage: { ...input, ...output } },
    stream: [
      named({
        type: 'message_start',
        message: { ...base, content: [], stop_reason: null, usage: { ...input, output_tokens: 1 } },
      }),
      ...block(0, { thinking: '', signature: '' }, [
        { type: 'thinking_delta', thinking: 'Bo' },
        { type: 'thinking_delta', thinking: 'th.' },
        { type: 'signature_delta', signature: 'c2VhbA==' },
      ]),
      ...block(1, { text: '' }, [
        { type: 'text_delta', text: 'Let me ' },
        { type: 'text_delta', text: 'look.' },
      ]),
      ...block(2, { input: {} }, json('', '{"city":', '"Köln"}')),
      ...block(3, { input: {} }, json('{"city":"Ro', 'ma"}')),
      named({ type: 'message_delta', delta: stop, usage: output }),
      named({ type: 'message_stop' }),
    ].join(''),
  };
}

function gemini(): Answer {
  const thought = (text: string) => ({ text, thought: true });
  const call = (id: string, city: string) => ({
    functionCall: { id, name: 'weather', args: { city } },
  });
  const calls = [call('c1', 'Köln'), call('c2', 'Roma')];
  const base = { responseId: 'a1', modelVersion: 'up' };
  const usageMetadata = {
    promptTokenCount: 100,
    cachedContentTokenCount: 60,
    candidatesTokenCount: 30,
    thoughtsTokenCount: 10,
    totalTokenCount: 140,
  };
  const answer = (parts: JsonObject[], more: JsonObject = {}) => ({
    ...base,
    candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
  });
  const end = { finishReason: 'STOP' };
  return {
    whole: { ...answer([thought(THOUGHT), { text: SENTENCE }, ...calls], end), usageMetadata },
    stream: [
      answer([thought('Bo')]),
      answer([thought('th.'), { text: 'Let me ' }]),
      answer([{ text: 'look.' }]),
      { ...answer(calls, end), usageMetadata },
    ]
      .map((event) => frame(event))
      .join(''),
  };
}

export const ANSWERS: Readonly<Record<string, { format: FormatName; answer: Answer }>> = {
  chat: { format: 'openai-chat', answer: chat() },
  responses: { format: 'openai-responses', answer: responses() },
  messages: { format: 'anthropic-messages', answer: messages() },
  gemini: { format: 'gemini-generate', answer: gemini() },
};

/** The content of the answer, in every format. */
export const SAID = {
  thought: THOUGHT,
  text: SENTENCE,
  calls: [
    { id: 'c1', name: 'weather', input: { city: 'Köln' } },
    { id: 'c2', name: 'weather', input: { city: 'Roma' } },
  ],
  stopReason: 'tool_calls',
  tokens: { in: 100, out: 40, reasoning: 10 },
};
