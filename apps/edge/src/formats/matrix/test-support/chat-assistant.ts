// The parts of assistant messages that a chat client replays.

import type { ChatCompletionAssistantMessageParam } from 'openai/resources/chat/completions/completions';

import { elsewhere, row } from './chat';
import { call, plain, talk } from './chat-messages';
import { fn, tools } from './chat-tools';
import { declared, honoured, type Rows } from './matrix';

const turn = (message: Omit<ChatCompletionAssistantMessageParam, 'role'>) =>
  talk(plain, { role: 'assistant', ...message });

export const CHAT_ASSISTANT = {
  role: 'OTHER_ROWS',
  content: row(
    turn({
      content: [
        { type: 'text', text: 'Yes.' },
        { type: 'refusal', refusal: 'No.' },
      ],
    }),
  )({
    responses: honoured({
      '/input/1': {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'Yes.', annotations: [] },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
    }),
    messages: honoured({
      '/messages/1': {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Yes.' },
          { type: 'text', text: 'No.' },
        ],
      },
    }),
    gemini: honoured({
      '/contents/1': { role: 'model', parts: [{ text: 'Yes.' }, { text: 'No.' }] },
    }),
  }),
  name: row(turn({ content: 'Yes.', name: 'Bo' }))({
    responses: honoured(
      { '/input/1': { type: 'message', role: 'assistant', content: 'Yes.' } },
      'messages[1].name',
    ),
    messages: honoured(
      { '/messages/1': { role: 'assistant', content: 'Yes.' } },
      'messages[1].name',
    ),
    gemini: honoured(
      { '/contents/1': { role: 'model', parts: [{ text: 'Yes.' }] } },
      'messages[1].name',
    ),
  }),
  refusal: row(turn({ content: null, refusal: 'No.' }))({
    responses: honoured({
      '/input/1': {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'refusal', refusal: 'No.' }],
      },
    }),
    messages: honoured({ '/messages/1': { role: 'assistant', content: 'No.' } }),
    gemini: honoured({ '/contents/1': { role: 'model', parts: [{ text: 'No.' }] } }),
  }),
  audio: row(turn({ audio: { id: 'audio_1' } }))(elsewhere(declared('messages[1].audio'))),
  tool_calls: [
    row(turn({ tool_calls: [call, { ...call, id: 'call_2' }] }), { tools })({
      responses: honoured({
        '/input/1': { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":1}' },
        '/input/2': { type: 'function_call', call_id: 'call_2', name: 'f', arguments: '{"a":1}' },
      }),
      messages: honoured({
        '/messages/1': {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 } },
            { type: 'tool_use', id: 'call_2', name: 'f', input: { a: 1 } },
          ],
        },
      }),
      gemini: honoured({
        '/contents/1': {
          role: 'model',
          parts: [
            {
              functionCall: { id: 'call_1', name: 'f', args: { a: 1 } },
              thoughtSignature: 'skip_thought_signature_validator',
            },
            { functionCall: { id: 'call_2', name: 'f', args: { a: 1 } } },
          ],
        },
      }),
    }),
    row(
      turn({ tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'c', input: 'x' } }] }),
    )({
      responses: honoured({
        '/input/1': { type: 'custom_tool_call', call_id: 'call_1', name: 'c', input: 'x' },
      }),
      messages: honoured({
        '/messages/1': {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'call_1', name: 'c', input: { input: 'x' } }],
        },
        '/tools': [{ name: 'c', input_schema: { type: 'object' } }],
        '/tool_choice': { type: 'none' },
      }),
      gemini: honoured({
        '/contents/1': {
          role: 'model',
          parts: [
            {
              functionCall: { id: 'call_1', name: 'c', args: { input: 'x' } },
              thoughtSignature: 'skip_thought_signature_validator',
            },
          ],
        },
      }),
    }),
  ],
  function_call: row(turn({ function_call: { name: 'f', arguments: '{}' } }), { functions: [fn] })({
    responses: honoured({
      '/input/1': { type: 'function_call', call_id: 'call_f', name: 'f', arguments: '{}' },
    }),
    messages: honoured({
      '/messages/1': {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_f', name: 'f', input: {} }],
      },
    }),
    gemini: honoured({
      '/contents/1': {
        role: 'model',
        parts: [
          {
            functionCall: { id: 'call_f', name: 'f', args: {} },
            thoughtSignature: 'skip_thought_signature_validator',
          },
        ],
      },
    }),
  }),
} satisfies Record<keyof ChatCompletionAssistantMessageParam, Rows>;
