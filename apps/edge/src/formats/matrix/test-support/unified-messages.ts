// The parts of messages in the gateway's own format.

import type { JsonObject } from '../../normalised';
import { declared, everywhere, honoured, type Rows } from './matrix';
import { row, tools } from './unified';

const user = { role: 'user', content: 'Hi' };
const blocks = (...content_blocks: JsonObject[]) => ({
  messages: [{ role: 'user', content: 'Hi', content_blocks }],
});
const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';
const answered = (fields: JsonObject = {}) => ({
  messages: [user, { role: 'assistant', content: 'Yes.', ...fields }],
});
const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };

const heard = {
  chat: honoured({
    '/messages/0/content': [
      { type: 'text', text: 'Hi' },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    ],
  }),
  responses: declared('messages[0].audio'),
  messages: declared('messages[0].audio'),
  gemini: honoured({
    '/contents/0/parts/1': { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
  }),
};

export const UNIFIED_BLOCKS = {
  text: row(blocks({ type: 'text', text: 'there' }))({
    chat: honoured({
      '/messages/0/content': [
        { type: 'text', text: 'Hi' },
        { type: 'text', text: 'there' },
      ],
    }),
    responses: honoured({
      '/input/0/content': [
        { type: 'input_text', text: 'Hi' },
        { type: 'input_text', text: 'there' },
      ],
    }),
    messages: honoured({
      '/messages/0/content': [
        { type: 'text', text: 'Hi' },
        { type: 'text', text: 'there' },
      ],
    }),
    gemini: honoured({ '/contents/0/parts/1': { text: 'there' } }),
  }),
  image_url: row(blocks({ type: 'image_url', image_url: { url: PIXEL } }))({
    chat: honoured({
      '/messages/0/content': [
        { type: 'text', text: 'Hi' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      ],
    }),
    responses: honoured({
      '/input/0/content': [
        { type: 'input_text', text: 'Hi' },
        { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' },
      ],
    }),
    messages: honoured({
      '/messages/0/content': [
        { type: 'text', text: 'Hi' },
        {
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
        },
      ],
    }),
    gemini: honoured({
      '/contents/0/parts/1': { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
    }),
  }),
  audio: row(blocks({ type: 'audio', audio: { data: 'AAAA', format: 'wav' } }))(heard),
  input_audio: row(blocks({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }))(
    heard,
  ),
  file: row(
    blocks({
      type: 'file',
      file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' },
    }),
  )({
    chat: honoured({
      '/messages/0/content': [
        { type: 'text', text: 'Hi' },
        {
          type: 'file',
          file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' },
        },
      ],
    }),
    responses: honoured({
      '/input/0/content': [
        { type: 'input_text', text: 'Hi' },
        { type: 'input_file', file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' },
      ],
    }),
    messages: honoured({
      '/messages/0/content': [
        { type: 'text', text: 'Hi' },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
          title: 'a.pdf',
        },
      ],
    }),
    gemini: honoured(
      { '/contents/0/parts/1': { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } } },
      'messages[0].file.filename',
    ),
  }),
  refusal: row(
    answered({ content_blocks: [{ type: 'refusal', refusal: 'No.' }] }),
    answered(),
  )({
    chat: honoured({
      '/messages/1/content': [
        { type: 'text', text: 'Yes.' },
        { type: 'refusal', refusal: 'No.' },
      ],
    }),
    responses: honoured({
      '/input/1/content': [
        { type: 'output_text', text: 'Yes.', annotations: [] },
        { type: 'refusal', refusal: 'No.' },
      ],
    }),
    messages: honoured({
      '/messages/1/content': [
        { type: 'text', text: 'Yes.' },
        { type: 'text', text: 'No.' },
      ],
    }),
    gemini: honoured({ '/contents/1/parts/1': { text: 'No.' } }),
  }),
  thinking: row(
    answered({ content_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] }),
    answered(),
  )({
    chat: declared('messages[1].thinking'),
    server: honoured({ '/messages/1/reasoning_content': 'Hm.' }, 'messages[1].thinking.signature'),
    responses: declared('messages[1].thinking'),
    messages: honoured({
      '/messages/1/content': [
        { type: 'text', text: 'Yes.' },
        { type: 'thinking', thinking: 'Hm.', signature: 's' },
      ],
    }),
    gemini: honoured(
      { '/contents/1/parts/1': { text: 'Hm.', thought: true } },
      'messages[1].thinking.signature',
    ),
  }),
  redacted_thinking: row(
    answered({ content_blocks: [{ type: 'redacted_thinking', data: 'x' }] }),
    answered(),
  )({
    chat: declared('messages[1].thinking'),
    responses: declared('messages[1].thinking'),
    messages: honoured({
      '/messages/1/content': [
        { type: 'text', text: 'Yes.' },
        { type: 'redacted_thinking', data: 'x' },
      ],
    }),
    gemini: declared('messages[1].thinking'),
  }),
  'fields of a block': row(
    blocks({ type: 'text', text: 'there', unheard_of: 1 }),
    blocks({ type: 'text', text: 'there' }),
  )(everywhere(declared('messages[0].content_blocks[0].unheard_of'))),
} satisfies Record<string, Rows>;

export const UNIFIED_MESSAGE = {
  role: [
    row({ messages: [{ role: 'system', content: 'Be brief.' }, user] })({
      chat: honoured({
        '/messages': [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      }),
      responses: honoured({ '/instructions': 'Be brief.' }),
      messages: honoured({ '/system': 'Be brief.' }),
      gemini: honoured({ '/systemInstruction': { parts: [{ text: 'Be brief.' }] } }),
    }),
    row({ messages: [{ role: 'developer', content: 'Be brief.' }, user] })({
      chat: honoured({
        '/messages': [
          { role: 'developer', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      }),
      server: honoured({
        '/messages': [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      }),
      responses: honoured({
        '/input': [
          { type: 'message', role: 'developer', content: 'Be brief.' },
          { type: 'message', role: 'user', content: 'Hi' },
        ],
      }),
      messages: honoured({ '/system': 'Be brief.' }),
      gemini: honoured({ '/systemInstruction': { parts: [{ text: 'Be brief.' }] } }),
    }),
    row(answered())({
      chat: honoured({ '/messages/1': { role: 'assistant', content: 'Yes.' } }),
      responses: honoured({ '/input/1': { type: 'message', role: 'assistant', content: 'Yes.' } }),
      messages: honoured({ '/messages/1': { role: 'assistant', content: 'Yes.' } }),
      gemini: honoured({ '/contents/1': { role: 'model', parts: [{ text: 'Yes.' }] } }),
    }),
  ],
  name: row({ messages: [{ ...user, name: 'Ann' }] })({
    chat: honoured({ '/messages/0/name': 'Ann' }),
    responses: declared('messages[0].name'),
    messages: declared('messages[0].name'),
    gemini: declared('messages[0].name'),
  }),
  tool_calls: row(
    { ...answered({ tool_calls: [call] }), tools },
    { ...answered(), tools },
  )({
    chat: honoured({
      '/messages/1/tool_calls': [
        { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
      ],
    }),
    responses: honoured({
      '/input/2': { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
    }),
    messages: honoured({
      '/messages/1/content': [
        { type: 'text', text: 'Yes.' },
        { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } },
      ],
    }),
    gemini: honoured({
      '/contents/1/parts/1': {
        functionCall: { id: 'c1', name: 'f', args: { a: 1 } },
        thoughtSignature: 'skip_thought_signature_validator',
      },
    }),
  }),
  tool_call_id: row(
    {
      messages: [
        ...answered({ tool_calls: [call] }).messages,
        { role: 'tool', tool_call_id: 'c1', content: '2' },
      ],
      tools,
    },
    { ...answered({ tool_calls: [call] }), tools },
  )({
    chat: honoured({ '/messages/2': { role: 'tool', tool_call_id: 'c1', content: '2' } }),
    responses: honoured({
      '/input/3': { type: 'function_call_output', call_id: 'c1', output: '2' },
    }),
    messages: honoured({
      '/messages/2': {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'c1', content: '2' }],
      },
    }),
    gemini: honoured({
      '/contents/2': {
        role: 'user',
        parts: [{ functionResponse: { id: 'c1', name: 'f', response: { output: '2' } } }],
      },
    }),
  }),
  unheard_of: row({ messages: [{ ...user, unheard_of: 1 }] })(
    everywhere(declared('messages[0].unheard_of')),
  ),
} satisfies Record<string, Rows>;
