// Vendors that sign their models' thinking: answers of each, unary and streamed, and the place of
// the signed parts in its requests.

import fc from 'fast-check';

import type { FormatName, JsonObject, ReplyContext } from '..';
import type { TargetContext } from '../format';

export const context: ReplyContext = {
  requestId: '01980000-0000-7000-8000-000000000001',
  provider: 'provider_x',
  model: 'm',
  createdAtS: 1_700_000_000,
  includeUsage: true,
};
const word = fc.string({ minLength: 1, maxLength: 12 });
const base64 = fc.base64String({ minLength: 4, maxLength: 40 });
const id = fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/);

export interface Vendor {
  format: FormatName;
  target: TargetContext;
  answer: fc.Arbitrary<JsonObject>;
  stream: (answer: JsonObject) => string;
  /** The part of the upstream's request that must equal the answer. */
  sealed: (value: JsonObject) => unknown;
}

type Block = Record<string, unknown>;

const thinking = fc.oneof(
  { weight: 3, arbitrary: fc.record({ thinking: word, signature: base64 }) },
  { weight: 1, arbitrary: fc.record({ thinking: fc.constant(''), signature: base64 }) },
);
const anthropicAnswer = fc
  .record({
    thinking: fc.array(thinking, { minLength: 1, maxLength: 2 }),
    redacted: fc.option(base64, { nil: undefined }),
    text: fc.option(word, { nil: undefined }),
    calls: fc.uniqueArray(id, { minLength: 1, maxLength: 2 }),
  })
  .map(({ thinking, redacted, text, calls }): JsonObject => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5',
    content: [
      ...thinking.map((block) => ({ type: 'thinking', ...block })),
      ...(redacted === undefined ? [] : [{ type: 'redacted_thinking', data: redacted }]),
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...calls.map((call) => ({ type: 'tool_use', id: call, name: 'f', input: { a: 1 } })),
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 1, output_tokens: 2 },
  }));

const geminiAnswer = fc
  .record({
    thought: fc.option(word, { nil: undefined }),
    text: fc.option(word, { nil: undefined }),
    textSeal: fc.option(base64, { nil: undefined }),
    calls: fc.uniqueArray(id, { minLength: 1, maxLength: 3 }),
    callSeals: fc.array(fc.option(base64, { nil: undefined }), { minLength: 2, maxLength: 2 }),
    firstSeal: base64,
  })
  .map(({ thought, text, textSeal, calls, callSeals, firstSeal }): JsonObject => {
    const seals = [firstSeal, ...callSeals];
    const parts = [
      ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
      ...(text === undefined
        ? []
        : [{ text, ...(textSeal === undefined ? {} : { thoughtSignature: textSeal }) }]),
      ...calls.map((call, at) => ({
        functionCall: { id: call, name: 'f', args: { a: 1 } },
        ...(seals[at] === undefined ? {} : { thoughtSignature: seals[at] }),
      })),
    ];
    return {
      responseId: 'r1',
      modelVersion: 'gemini-3-flash',
      candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 },
    };
  });

const responsesAnswer = fc
  .record({ summary: word, encrypted: base64, calls: fc.uniqueArray(id, { minLength: 1 }) })
  .map(({ summary, encrypted, calls }): JsonObject => ({
    id: 'resp_1',
    model: 'gpt-5.6',
    status: 'completed',
    output: [
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: summary }],
        encrypted_content: encrypted,
      },
      ...calls.map((call_id) => ({
        type: 'function_call',
        call_id,
        name: 'f',
        arguments: '{"a":1}',
      })),
    ],
    usage: { input_tokens: 1, output_tokens: 2 },
  }));

function named(type: string, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function anthropicStream({ content, stop_reason, usage, ...message }: JsonObject): string {
  const blocks = (content as Block[]).map((block, index) => {
    const delta = (fields: JsonObject) => named('content_block_delta', { index, delta: fields });
    const start = (empty: JsonObject) =>
      named('content_block_start', { index, content_block: empty });
    const stop = named('content_block_stop', { index });
    switch (block['type']) {
      case 'thinking': {
        const said = Array.from(String(block['thinking']));
        const pieces = said.map((piece) => delta({ type: 'thinking_delta', thinking: piece }));
        const seal = delta({ type: 'signature_delta', signature: block['signature'] });
        return (
          start({ type: 'thinking', thinking: '', signature: '' }) + pieces.join('') + seal + stop
        );
      }
      case 'text':
        return start({ type: 'text', text: '' }) + delta({ ...block, type: 'text_delta' }) + stop;
      case 'tool_use': {
        const partial_json = JSON.stringify(block['input']);
        return (
          start({ ...block, input: {} }) + delta({ type: 'input_json_delta', partial_json }) + stop
        );
      }
      default:
        return start(block) + stop;
    }
  });
  return [
    named('message_start', { message: { ...message, content: [], usage } }),
    ...blocks,
    named('message_delta', { delta: { stop_reason }, usage }),
    named('message_stop', {}),
  ].join('');
}

function geminiStream(answer: JsonObject): string {
  const { content, finishReason } = last(answer['candidates'], 0);
  const { parts } = content as { parts: JsonObject[] };
  const pieces = parts.map((part, at) => ({
    ...answer,
    candidates: [
      {
        content: { role: 'model', parts: [part] },
        ...(at === parts.length - 1 ? { finishReason } : {}),
      },
    ],
  }));
  return pieces.map((piece) => `data: ${JSON.stringify(piece)}\r\n\r\n`).join('');
}

function responsesStream(response: JsonObject): string {
  return (
    named('response.created', { response: { ...response, status: 'in_progress', output: [] } }) +
    (response['output'] as JsonObject[])
      .map((item, output_index) => named('response.output_item.done', { item, output_index }))
      .join('') +
    named('response.completed', { response })
  );
}

export const last = (list: unknown, at: number) => (list as JsonObject[])[at] ?? {};

export const VENDORS: Readonly<Record<'anthropic' | 'gemini' | 'responses', Vendor>> = {
  anthropic: {
    format: 'anthropic-messages',
    target: { providerType: 'PROVIDER_B', model: 'claude-opus-5', strict: true },
    answer: anthropicAnswer,
    stream: anthropicStream,
    sealed: (value) => value['content'] ?? last(value['messages'], 1)['content'],
  },
  gemini: {
    format: 'gemini-generate',
    target: { providerType: 'PROVIDER_C', model: 'gemini-3-flash', strict: true },
    answer: geminiAnswer,
    stream: geminiStream,
    sealed: (value) => {
      const asked = value['contents'] !== undefined;
      const content = asked ? last(value['contents'], 1) : last(value['candidates'], 0)['content'];
      return (content as JsonObject)['parts'];
    },
  },
  responses: {
    format: 'openai-responses',
    target: { providerType: 'PROVIDER_A', model: 'gpt-5.6', strict: true },
    answer: responsesAnswer,
    stream: responsesStream,
    sealed: (value) =>
      value['output'] ??
      (value['input'] as JsonObject[]).filter(({ type }) =>
        ['reasoning', 'function_call'].includes(String(type)),
      ),
  },
};

export function nextChat(message: JsonObject): JsonObject {
  const calls = message['tool_calls'] as { id: string }[];
  return {
    model: 'm',
    messages: [
      { role: 'user', content: 'Hi' },
      message,
      ...calls.map(({ id: tool_call_id }) => ({ role: 'tool', tool_call_id, content: 'r' })),
    ],
  };
}
