// What can be asked in the gateway's own format: every field that its schema reads, and the ones that
// only the gateway sets.

import type { JsonObject } from '../../normalised';
import type { unifiedRequest } from '../../unified/wire';
import { ANYWAY, declared, everywhere, honoured, rowOf, type Rows } from './matrix';

const row = rowOf<JsonObject, 'chat' | 'responses' | 'messages' | 'gemini'>();

const fn = { name: 'f', parameters: { type: 'object', properties: {} } };
const tools = [{ type: 'function', function: fn }];
const schema = { type: 'object', properties: { a: { type: 'string' } } };
const user = { role: 'user', content: 'Hi' };
const blocks = (...content_blocks: JsonObject[]) => ({
  messages: [{ role: 'user', content: 'Hi', content_blocks }],
});

export const UNIFIED_PARAMETERS = {
  model: row({ model: 'other' })(everywhere(ANYWAY)),
  provider: row({ provider: 'provider_a' })(everywhere(ANYWAY)),
  messages: row({ messages: [{ role: 'user', content: 'Bye' }] })({
    chat: honoured({ '/messages/0/content': 'Bye' }),
    responses: honoured({ '/input/0/content': 'Bye' }),
    messages: honoured({ '/messages/0/content': 'Bye' }),
    gemini: honoured({ '/contents/0/parts/0/text': 'Bye' }),
  }),
  temperature: row({ temperature: 0.5 })({
    chat: honoured({ '/temperature': 0.5 }),
    responses: honoured({ '/temperature': 0.5 }),
    messages: honoured({ '/temperature': 0.5 }),
    gemini: honoured({ '/generationConfig': { temperature: 0.5 } }),
  }),
  top_p: row({ top_p: 0.5 })({
    chat: honoured({ '/top_p': 0.5 }),
    responses: honoured({ '/top_p': 0.5 }),
    messages: honoured({ '/top_p': 0.5 }),
    gemini: honoured({ '/generationConfig': { topP: 0.5 } }),
  }),
  top_k: row({ top_k: 3 })({
    chat: declared('top_k'),
    server: honoured({ '/top_k': 3 }),
    responses: declared('top_k'),
    messages: honoured({ '/top_k': 3 }),
    gemini: honoured({ '/generationConfig': { topK: 3 } }),
  }),
  max_tokens: row({ max_tokens: 50 })({
    chat: honoured({ '/max_completion_tokens': 50 }),
    server: honoured({ '/max_tokens': 50 }),
    responses: honoured({ '/max_output_tokens': 50 }),
    messages: honoured({ '/max_tokens': 50 }),
    gemini: honoured({ '/generationConfig': { maxOutputTokens: 50 } }),
  }),
  stop: [
    row({ stop: 'END' })({
      chat: honoured({ '/stop': ['END'] }),
      responses: declared('stop'),
      messages: honoured({ '/stop_sequences': ['END'] }),
      gemini: honoured({ '/generationConfig': { stopSequences: ['END'] } }),
    }),
    row({ stop: ['END'] })({
      chat: honoured({ '/stop': ['END'] }),
      responses: declared('stop'),
      messages: honoured({ '/stop_sequences': ['END'] }),
      gemini: honoured({ '/generationConfig': { stopSequences: ['END'] } }),
    }),
  ],
  presence_penalty: row({ presence_penalty: 0.5 })({
    chat: honoured({ '/presence_penalty': 0.5 }),
    responses: declared('presence_penalty'),
    messages: declared('presence_penalty'),
    gemini: honoured({ '/generationConfig': { presencePenalty: 0.5 } }),
  }),
  frequency_penalty: row({ frequency_penalty: 0.5 })({
    chat: honoured({ '/frequency_penalty': 0.5 }),
    responses: declared('frequency_penalty'),
    messages: declared('frequency_penalty'),
    gemini: honoured({ '/generationConfig': { frequencyPenalty: 0.5 } }),
  }),
  seed: row({ seed: 7 })({
    chat: honoured({ '/seed': 7 }),
    responses: declared('seed'),
    messages: declared('seed'),
    gemini: honoured({ '/generationConfig': { seed: 7 } }),
  }),
  metadata: row({ metadata: { trace: 'a-1', depth: 2 } })({
    chat: honoured({ '/metadata': { trace: 'a-1' } }, 'metadata.depth'),
    server: honoured({ '/metadata': { trace: 'a-1', depth: 2 } }),
    responses: honoured({ '/metadata': { trace: 'a-1' } }, 'metadata.depth'),
    messages: declared('metadata.trace', 'metadata.depth'),
    gemini: honoured({ '/labels': { trace: 'a-1' } }, 'metadata.depth'),
  }),
  response_format: [
    row({ response_format: { type: 'text' } })({
      chat: honoured({ '/response_format': { type: 'text' } }),
      responses: honoured({ '/text': { format: { type: 'text' } } }),
      messages: ANYWAY,
      gemini: honoured({ '/generationConfig': { responseMimeType: 'text/plain' } }),
    }),
    row({ response_format: { type: 'json_object' } })({
      chat: honoured({ '/response_format': { type: 'json_object' } }),
      responses: honoured({ '/text': { format: { type: 'json_object' } } }),
      messages: declared('response_format'),
      gemini: honoured({ '/generationConfig': { responseMimeType: 'application/json' } }),
    }),
    row({ response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } })({
      chat: honoured({
        '/response_format': {
          type: 'json_schema',
          json_schema: {
            name: 'a',
            schema: { type: 'object', properties: { a: { type: 'string' } } },
          },
        },
      }),
      responses: honoured({
        '/text': {
          format: {
            type: 'json_schema',
            name: 'a',
            schema: { type: 'object', properties: { a: { type: 'string' } } },
          },
        },
      }),
      messages: honoured({
        '/output_config': {
          format: {
            type: 'json_schema',
            schema: {
              type: 'object',
              properties: { a: { type: 'string' } },
              additionalProperties: false,
            },
          },
        },
      }),
      gemini: honoured({
        '/generationConfig': {
          responseMimeType: 'application/json',
          responseJsonSchema: { type: 'object', properties: { a: { type: 'string' } } },
        },
      }),
    }),
    row({ response_format: { type: 'grammar' } })(everywhere(declared('response_format'))),
  ],
  tools: [
    row({ tools })({
      chat: honoured({
        '/tools': [
          {
            type: 'function',
            function: { name: 'f', parameters: { type: 'object', properties: {} } },
          },
        ],
      }),
      responses: honoured({
        '/tools': [
          {
            type: 'function',
            name: 'f',
            parameters: { type: 'object', properties: {} },
            strict: false,
          },
        ],
      }),
      messages: honoured({
        '/tools': [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
      }),
      gemini: honoured({
        '/tools': [
          {
            functionDeclarations: [
              { name: 'f', parametersJsonSchema: { type: 'object', properties: {} } },
            ],
          },
        ],
      }),
    }),
    row({ tools: [...tools, { type: 'web_search' }] }, { tools })(everywhere(declared('tools[1]'))),
  ],
  tool_choice: [
    row(
      { tool_choice: { type: 'function', function: { name: 'f' } } },
      { tools },
    )({
      chat: honoured({ '/tool_choice': { type: 'function', function: { name: 'f' } } }),
      responses: honoured({ '/tool_choice': { type: 'function', name: 'f' } }),
      messages: honoured({ '/tool_choice': { type: 'tool', name: 'f' } }),
      gemini: honoured({
        '/toolConfig': { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      }),
    }),
    row(
      { tool_choice: 'required' },
      { tools },
    )({
      chat: honoured({ '/tool_choice': 'required' }),
      responses: honoured({ '/tool_choice': 'required' }),
      messages: honoured({ '/tool_choice': { type: 'any' } }),
      gemini: honoured({ '/toolConfig': { functionCallingConfig: { mode: 'ANY' } } }),
    }),
  ],
  stream: [
    row({ stream: true })({
      chat: honoured({ '/stream': true, '/stream_options': { include_usage: true } }),
      responses: honoured({ '/stream': true }),
      messages: honoured({ '/stream': true }),
      gemini: ANYWAY,
    }),
    row({ stream: false })(everywhere(ANYWAY)),
  ],
  include_usage: row({ include_usage: true }, { stream: true })(everywhere(ANYWAY)),
} satisfies Record<keyof typeof unifiedRequest.shape, Rows>;

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';
const answered = (fields: JsonObject = {}) => ({
  messages: [user, { role: 'assistant', content: 'Yes.', ...fields }],
});
const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };

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
  audio: row(blocks({ type: 'audio', audio: { data: 'AAAA', format: 'wav' } }))({
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
  }),
  input_audio: row(blocks({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }))({
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
  }),
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
    gemini: honoured({
      '/contents/0/parts/1': { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
    }),
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

export const UNIFIED_BEYOND = {
  n: row({ n: 2 })(everywhere(declared('n'))),
  user: row({ user: 'u1' })(everywhere(declared('user'))),
  reasoning_effort: row({ reasoning_effort: 'low' })(everywhere(declared('reasoning_effort'))),
  parallel_tool_calls: row(
    { parallel_tool_calls: false },
    { tools },
  )(everywhere(declared('parallel_tool_calls'))),
  unheard_of: row({ unheard_of: 1 })(everywhere(declared('unheard_of'))),
} satisfies Record<string, Rows>;
