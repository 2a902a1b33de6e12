// Parameters of the gateway's own format beside its messages: every field of its schema, and fields
// of other formats that it ignores.

import type { JsonObject } from '../../normalised';
import type { unifiedRequest } from '../../unified/wire';
import { ANYWAY, declared, everywhere, honoured, rowOf, type Rows } from './matrix';
import { CHOICE, FORM, FUNCTION_DECLARED, JSON_ASKED } from './outcomes';

export const row = rowOf<JsonObject, 'chat' | 'responses' | 'messages' | 'gemini'>();

const fn = { name: 'f', parameters: { type: 'object', properties: {} } };
export const tools = [{ type: 'function', function: fn }];
const schema = { type: 'object', properties: { a: { type: 'string' } } };

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
      ...FORM.text,
    }),
    row({ response_format: { type: 'json_object' } })({
      chat: honoured({
        '/response_format': { type: 'json_object' },
        '/messages': [
          { role: 'system', content: JSON_ASKED },
          { role: 'user', content: 'Hi' },
        ],
      }),
      server: honoured({ '/response_format': { type: 'json_object' } }),
      ...FORM.json_object,
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
      ...FORM.json_schema,
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
      ...FUNCTION_DECLARED,
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
      ...CHOICE.function,
    }),
    row(
      { tool_choice: 'required' },
      { tools },
    )({
      chat: honoured({ '/tool_choice': 'required' }),
      responses: honoured({ '/tool_choice': 'required' }),
      ...CHOICE.required,
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
  reasoning_effort: row({ reasoning_effort: 'low' })({
    chat: honoured({ '/reasoning_effort': 'low' }),
    responses: honoured({
      '/reasoning': { effort: 'low' },
      '/include': ['reasoning.encrypted_content'],
    }),
    messages: honoured({ '/thinking': { type: 'adaptive' }, '/output_config': { effort: 'low' } }),
    gemini: honoured({
      '/generationConfig': { thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true } },
    }),
  }),
  thinking: row({ thinking: { type: 'enabled', budget_tokens: 2_000 } })({
    chat: declared('thinking'),
    server: honoured({ '/reasoning_effort': 'low' }, 'thinking'),
    responses: declared('thinking'),
    messages: honoured({ '/thinking': { type: 'enabled', budget_tokens: 2_000 } }),
    gemini: honoured({
      '/generationConfig': { thinkingConfig: { thinkingBudget: 2_000, includeThoughts: true } },
    }),
  }),
} satisfies Record<keyof typeof unifiedRequest.shape, Rows>;

export const UNIFIED_BEYOND = {
  cache_control: row({ cache_control: { type: 'ephemeral', ttl: '1h' } })({
    ...everywhere(declared('cache_control')),
    messages: honoured({ '/cache_control': { type: 'ephemeral', ttl: '1h' } }),
  }),
  prompt_cache_key: row({ prompt_cache_key: 'k' })({
    ...everywhere(declared('prompt_cache_key')),
    chat: honoured({ '/prompt_cache_key': 'k' }),
    responses: honoured({ '/prompt_cache_key': 'k' }),
  }),
  prompt_cache_retention: row({ prompt_cache_retention: '24h' })({
    ...everywhere(declared('prompt_cache_retention')),
    chat: honoured({ '/prompt_cache_retention': '24h' }),
    responses: honoured({ '/prompt_cache_retention': '24h' }),
  }),
  n: row({ n: 2 })(everywhere(declared('n'))),
  user: row({ user: 'u1' })(everywhere(declared('user'))),
  parallel_tool_calls: row(
    { parallel_tool_calls: false },
    { tools },
  )(everywhere(declared('parallel_tool_calls'))),
  unheard_of: row({ unheard_of: 1 })(everywhere(declared('unheard_of'))),
} satisfies Record<string, Rows>;
