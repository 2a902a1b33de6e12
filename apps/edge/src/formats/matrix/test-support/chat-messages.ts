// The parts of messages in the chat format.

import type {
  ChatCompletionContentPart,
  ChatCompletionContentPartImage,
  ChatCompletionContentPartText,
  ChatCompletionCreateParamsBase,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions/completions';

import type { JsonObject } from '../../normalised';
import { elsewhere, raw, row } from './chat';
import { fn, tools } from './chat-tools';
import { declared, honoured, VERBATIM, type KindOf, type Rows } from './matrix';

type Parameters = ChatCompletionCreateParamsBase;

const hi = { type: 'text' as const, text: 'Hi' };
const there = { type: 'text' as const, text: 'there' };
export const plain: ChatCompletionMessageParam = { role: 'user', content: 'Hi' };

/** The part, after a text part. */
const part = (...parts: ChatCompletionContentPart[]): Partial<Parameters> => ({
  messages: [{ role: 'user', content: [hi, there, ...parts] }],
});
const without = part();
export const talk = (...messages: ChatCompletionMessageParam[]): Partial<Parameters> => ({
  messages,
});

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';
const image = (image_url: ChatCompletionContentPartImage.ImageURL): Partial<Parameters> =>
  part({ type: 'image_url', image_url });

export const CHAT_PARTS = {
  text: row(
    part({ type: 'text', text: 'friend' }),
    without,
  )({
    responses: honoured({ '/input/0/content/2': { type: 'input_text', text: 'friend' } }),
    messages: honoured({ '/messages/0/content/2': { type: 'text', text: 'friend' } }),
    gemini: honoured({ '/contents/0/parts/2': { text: 'friend' } }),
  }),
  image_url: [
    row(
      image({ url: PIXEL }),
      without,
    )({
      responses: honoured({
        '/input/0/content/2': {
          type: 'input_image',
          image_url: 'data:image/png;base64,iVBORw0KGgo=',
          detail: 'auto',
        },
      }),
      messages: honoured({
        '/messages/0/content/2': {
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
        },
      }),
      gemini: honoured({
        '/contents/0/parts/2': { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
      }),
    }),
    row(
      image({ url: 'https://example.com/a.png' }),
      without,
    )({
      responses: honoured({
        '/input/0/content/2': {
          type: 'input_image',
          image_url: 'https://example.com/a.png',
          detail: 'auto',
        },
      }),
      messages: honoured({
        '/messages/0/content/2': {
          type: 'image',
          source: { type: 'url', url: 'https://example.com/a.png' },
        },
      }),
      gemini: honoured({
        '/contents/0/parts/2': {
          fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a.png' },
        },
      }),
    }),
    row(
      image({ url: PIXEL, detail: 'high' }),
      without,
    )({
      responses: honoured({
        '/input/0/content/2': {
          type: 'input_image',
          image_url: 'data:image/png;base64,iVBORw0KGgo=',
          detail: 'high',
        },
      }),
      messages: honoured(
        {
          '/messages/0/content/2': {
            type: 'image',
            source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
          },
        },
        'messages[0].image.detail',
      ),
      gemini: honoured({
        '/contents/0/parts/2': { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
        '/generationConfig': { mediaResolution: 'MEDIA_RESOLUTION_HIGH' },
      }),
    }),
  ],
  input_audio: row(
    part({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
    without,
  )({
    responses: declared('messages[0].audio'),
    messages: declared('messages[0].audio'),
    gemini: honoured({
      '/contents/0/parts/2': { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
    }),
  }),
  file: [
    row(
      part({
        type: 'file',
        file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' },
      }),
      without,
    )({
      responses: honoured({
        '/input/0/content/2': {
          type: 'input_file',
          file_data: 'data:application/pdf;base64,JVBE',
          filename: 'a.pdf',
        },
      }),
      messages: honoured({
        '/messages/0/content/2': {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
          title: 'a.pdf',
        },
      }),
      gemini: honoured(
        { '/contents/0/parts/2': { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } } },
        'messages[0].file.filename',
      ),
    }),
    row(
      part({ type: 'file', file: { file_id: 'file_1' } }),
      without,
    )({
      responses: honoured({ '/input/0/content/2': { type: 'input_file', file_id: 'file_1' } }),
      messages: honoured({
        '/messages/0/content/2': { type: 'document', source: { type: 'file', file_id: 'file_1' } },
      }),
      gemini: declared('messages[0].file'),
    }),
  ],
} satisfies Record<KindOf<ChatCompletionContentPart>, Rows>;

export const CHAT_TEXT_FIELDS = {
  type: 'OTHER_ROWS',
  text: 'OTHER_ROWS',
  prompt_cache_breakpoint: row(
    part({ ...hi, prompt_cache_breakpoint: { mode: 'explicit' } }),
    part(hi),
  )(elsewhere(declared('messages[0].content[2].prompt_cache_breakpoint'))),
} satisfies Record<keyof ChatCompletionContentPartText, Rows>;

export const call = {
  id: 'call_1',
  type: 'function' as const,
  function: { name: 'f', arguments: '{"a":1}' },
};

export const CHAT_ROLES = {
  system: [
    row(talk({ role: 'system', content: 'Be brief.' }, plain))({
      responses: honoured({ '/instructions': 'Be brief.' }),
      messages: honoured({ '/system': 'Be brief.' }),
      gemini: honoured({ '/systemInstruction': { parts: [{ text: 'Be brief.' }] } }),
    }),
    row(talk({ role: 'system', name: 'ops', content: 'Be brief.' }, plain))({
      responses: honoured(
        {
          '/input': [
            { type: 'message', role: 'system', content: 'Be brief.' },
            { type: 'message', role: 'user', content: 'Hi' },
          ],
        },
        'messages[0].name',
      ),
      messages: honoured({ '/system': 'Be brief.' }, 'messages[0].name'),
      gemini: honoured(
        { '/systemInstruction': { parts: [{ text: 'Be brief.' }] } },
        'messages[0].name',
      ),
    }),
  ],
  developer: row(talk({ role: 'developer', content: 'Be brief.' }, plain))({
    responses: honoured({
      '/input': [
        { type: 'message', role: 'developer', content: 'Be brief.' },
        { type: 'message', role: 'user', content: 'Hi' },
      ],
    }),
    messages: honoured({ '/system': 'Be brief.' }),
    gemini: honoured({ '/systemInstruction': { parts: [{ text: 'Be brief.' }] } }),
  }),
  user: row(talk({ role: 'user', name: 'Ann', content: 'Hi' }))(
    elsewhere(declared('messages[0].name')),
  ),
  assistant: row(talk(plain, { role: 'assistant', content: 'Hello.' }))({
    responses: honoured({ '/input/1': { type: 'message', role: 'assistant', content: 'Hello.' } }),
    messages: honoured({ '/messages/1': { role: 'assistant', content: 'Hello.' } }),
    gemini: honoured({ '/contents/1': { role: 'model', parts: [{ text: 'Hello.' }] } }),
  }),
  tool: row(
    talk(
      plain,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '2' },
    ),
    { tools },
  )({
    responses: honoured({
      '/input/1': { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":1}' },
      '/input/2': { type: 'function_call_output', call_id: 'call_1', output: '2' },
    }),
    messages: honoured({
      '/messages/1': {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 } }],
      },
      '/messages/2': {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'call_1', content: '2' }],
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
        ],
      },
      '/contents/2': {
        role: 'user',
        parts: [{ functionResponse: { id: 'call_1', name: 'f', response: { output: '2' } } }],
      },
    }),
  }),
  function: row(
    talk(
      plain,
      { role: 'assistant', function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: '2' },
    ),
    { functions: [fn] },
  )({
    responses: honoured({
      '/input/1': { type: 'function_call', call_id: 'call_f', name: 'f', arguments: '{}' },
      '/input/2': { type: 'function_call_output', call_id: 'call_f', output: '2' },
    }),
    messages: honoured({
      '/messages/1': {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_f', name: 'f', input: {} }],
      },
      '/messages/2': {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'call_f', content: '2' }],
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
      '/contents/2': {
        role: 'user',
        parts: [{ functionResponse: { id: 'call_f', name: 'f', response: { output: '2' } } }],
      },
    }),
  }),
} satisfies Record<ChatCompletionMessageParam['role'], Rows>;

const answer = { role: 'assistant', content: 'Yes.' };
const answered = (fields: JsonObject = {}) => ({ messages: [plain, { ...answer, ...fields }] });
const sealed = { type: 'thinking', thinking: 'Hm.', signature: 'sig' };
const hidden = { type: 'redacted_thinking', data: 'xyz' };
const cache_control = { type: 'ephemeral' };
const video = { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } };

/** Fields of compatible servers, and of clients that extend the format. */
export const CHAT_MESSAGES_BEYOND = {
  reasoning_content: raw(
    answered({ reasoning_content: 'Hm.' }),
    answered(),
  )({
    responses: declared('messages[1].thinking'),
    messages: declared('messages[1].thinking'),
    gemini: honoured({ '/contents/1/parts': [{ text: 'Hm.', thought: true }, { text: 'Yes.' }] }),
  }),
  thinking_blocks: [
    raw(
      answered({ thinking_blocks: [sealed] }),
      answered(),
    )({
      chat: declared('messages[1].thinking_blocks[0]'),
      responses: declared('messages[1].thinking'),
      messages: honoured({
        '/messages/1/content': [
          { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
          { type: 'text', text: 'Yes.' },
        ],
      }),
      gemini: honoured(
        { '/contents/1/parts': [{ text: 'Hm.', thought: true }, { text: 'Yes.' }] },
        'messages[1].thinking.signature',
      ),
    }),
    raw(
      answered({ thinking_blocks: [hidden] }),
      answered(),
    )({
      chat: declared('messages[1].thinking_blocks[0]'),
      responses: declared('messages[1].thinking'),
      messages: honoured({
        '/messages/1/content': [
          { type: 'redacted_thinking', data: 'xyz' },
          { type: 'text', text: 'Yes.' },
        ],
      }),
      gemini: declared('messages[1].thinking'),
    }),
  ],
  'fields of a part': raw(
    { messages: [{ role: 'user', content: [hi, { ...there, cache_control }] }] },
    without,
  )({
    ...elsewhere(declared('messages[0].content[1].cache_control')),
    chat: declared('messages[0].content[1].cache_control'),
    server: VERBATIM,
    messages: honoured({ '/messages/0/content/1/cache_control': cache_control }),
  }),
  'fields of a message': raw({ messages: [{ ...plain, unheard_of: 1 }] })(
    elsewhere(declared('messages[0].unheard_of')),
  ),
  'fields of a tool': raw(
    { tools: [{ ...tools[0], cache_control }] },
    { tools },
  )({
    ...elsewhere(declared('tools[0].cache_control')),
    chat: declared('tools[0].cache_control'),
    server: VERBATIM,
    messages: honoured({ '/tools/0/cache_control': cache_control }),
  }),
  'fields of a request': raw({ cache_control })({
    ...elsewhere(declared('cache_control')),
    chat: declared('cache_control'),
    server: VERBATIM,
    messages: honoured({ '/cache_control': cache_control }),
  }),
  'fields of a function': raw(
    { tools: [{ type: 'function', function: { ...fn, unheard_of: 1 } }] },
    { tools },
  )(elsewhere(declared('tools[0].function.unheard_of'))),
  'kinds of tools': raw(
    { tools: [...tools, { type: 'web_search' }] },
    { tools },
  )(elsewhere(declared('tools[1]'))),
  'kinds of forms': raw({ response_format: { type: 'grammar', grammar: 'g' } })(
    elsewhere(declared('response_format')),
  ),
  'kinds of parts': raw(
    { messages: [{ role: 'user', content: [hi, there, video] }] },
    without,
  )(elsewhere(declared('messages[0].video_url'))),
} satisfies Record<string, Rows>;
