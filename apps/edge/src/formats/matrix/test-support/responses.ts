// Parameters of a responses request beside its input, by the vendor's own types.

import type {
  FunctionTool,
  ResponseCreateParamsBase,
  ResponseIncludable,
  ResponseTextConfig,
} from 'openai/resources/responses/responses';
import type { Reasoning } from 'openai/resources/shared';

import type { JsonObject } from '../../normalised';
import {
  ANYWAY,
  declared,
  everywhere,
  honoured,
  refused,
  rowOf,
  type Cell,
  type Rows,
} from './matrix';
import { FORM, JSON_ASKED } from './outcomes';

type Parameters = ResponseCreateParamsBase;

/**
 * An upstream of the client's format gets a row's fields unchanged; a compatible chat server gets
 * the same as the chat vendor.
 */
type Elsewhere = 'chat' | 'messages' | 'gemini';
export const row = rowOf<Partial<Parameters>, Elsewhere>();
export const raw = rowOf<JsonObject, Elsewhere>();
export const elsewhere = (cell: Cell): Record<Elsewhere, Cell> => ({
  chat: cell,
  messages: cell,
  gemini: cell,
});

export const tools: FunctionTool[] = [
  { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false },
];

export const RESPONSES_PARAMETERS = {
  model: row({ model: 'other' })(everywhere(ANYWAY)),
  input: row({ input: 'Bye' })({
    chat: honoured({ '/messages/0/content': 'Bye' }),
    messages: honoured({ '/messages/0/content': 'Bye' }),
    gemini: honoured({ '/contents/0/parts/0/text': 'Bye' }),
  }),
  instructions: row({ instructions: 'Be brief.' })({
    chat: honoured({
      '/messages': [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    }),
    messages: honoured({ '/system': 'Be brief.' }),
    gemini: honoured({ '/systemInstruction': { parts: [{ text: 'Be brief.' }] } }),
  }),
  temperature: row({ temperature: 0.5 })({
    chat: honoured({ '/temperature': 0.5 }),
    messages: honoured({ '/temperature': 0.5 }),
    gemini: honoured({ '/generationConfig': { temperature: 0.5 } }),
  }),
  top_p: row({ top_p: 0.5 })({
    chat: honoured({ '/top_p': 0.5 }),
    messages: honoured({ '/top_p': 0.5 }),
    gemini: honoured({ '/generationConfig': { topP: 0.5 } }),
  }),
  top_logprobs: row({ top_logprobs: 2 })({
    chat: honoured({ '/logprobs': true, '/top_logprobs': 2 }),
    messages: declared('top_logprobs'),
    gemini: honoured({ '/generationConfig': { responseLogprobs: true, logprobs: 2 } }),
  }),
  max_output_tokens: row({ max_output_tokens: 50 })({
    chat: honoured({ '/max_completion_tokens': 50 }),
    server: honoured({ '/max_tokens': 50 }),
    messages: honoured({ '/max_tokens': 50 }),
    gemini: honoured({ '/generationConfig': { maxOutputTokens: 50 } }),
  }),
  max_tool_calls: row({ max_tool_calls: 3 })(elsewhere(declared('max_tool_calls'))),
  metadata: row({ metadata: { trace: 'a-1' } })({
    chat: honoured({ '/metadata': { trace: 'a-1' } }),
    messages: declared('metadata.trace'),
    gemini: honoured({ '/labels': { trace: 'a-1' } }),
  }),
  user: row({ user: 'u1' })({
    chat: honoured({ '/user': 'u1' }),
    messages: honoured({ '/metadata': { user_id: 'u1' } }),
    gemini: declared('user'),
  }),
  safety_identifier: [
    row({ safety_identifier: 's1' })({
      chat: honoured({ '/user': 's1' }),
      messages: honoured({ '/metadata': { user_id: 's1' } }),
      gemini: declared('safety_identifier'),
    }),
    row({ user: 'u1', safety_identifier: 's1' })({
      chat: honoured({ '/user': 'u1', '/safety_identifier': 's1' }),
      server: honoured({ '/user': 'u1' }, 'safety_identifier'),
      messages: honoured({ '/metadata': { user_id: 'u1' } }, 'safety_identifier'),
      gemini: declared('safety_identifier', 'user'),
    }),
  ],
  prompt_cache_key: row({ prompt_cache_key: 'k' })({
    ...elsewhere(declared('prompt_cache_key')),
    chat: honoured({ '/prompt_cache_key': 'k' }),
    server: declared('prompt_cache_key'),
  }),
  prompt_cache_options: row({ prompt_cache_options: { mode: 'explicit' } })(
    elsewhere(declared('prompt_cache_options')),
  ),
  prompt_cache_retention: row({ prompt_cache_retention: '24h' })({
    ...elsewhere(declared('prompt_cache_retention')),
    chat: honoured({ '/prompt_cache_retention': '24h' }),
    server: declared('prompt_cache_retention'),
  }),
  store: [
    row({ store: true })(elsewhere(declared('store'))),
    row({ store: false })(elsewhere(ANYWAY)),
  ],
  background: row({ background: true })({
    ...elsewhere(refused('background')),
    // The hold stays open until the provider ends the response.
    responses: honoured({ '/background': true }),
  }),
  truncation: [
    row({ truncation: 'auto' })(elsewhere(declared('truncation'))),
    row({ truncation: 'disabled' })(elsewhere(ANYWAY)),
  ],
  moderation: row({ moderation: { model: 'omni-moderation-latest' } })(
    elsewhere(declared('moderation')),
  ),
  access_programs: row({ access_programs: { cyber: 'standard' } })(
    elsewhere(declared('access_programs')),
  ),
  context_management: row({ context_management: [{ type: 'compaction' }] })(
    elsewhere(declared('context_management')),
  ),
  image: row({ image: { context_compression: 'auto' } })(elsewhere(declared('image'))),
  previous_response_id: row({ previous_response_id: 'resp_1' })(
    elsewhere(refused('previous_response_id')),
  ),
  conversation: row({ conversation: 'conv_1' })(elsewhere(refused('conversation'))),
  prompt: row({ prompt: { id: 'pmpt_1' } })(elsewhere(refused('prompt'))),
  stream: [
    row({ stream: true })({
      chat: honoured({ '/stream': true, '/stream_options': { include_usage: true } }),
      messages: honoured({ '/stream': true }),
      gemini: ANYWAY,
    }),
    row({ stream: false })(elsewhere(ANYWAY)),
  ],
  stream_options: row(
    { stream_options: { include_obfuscation: true } },
    { stream: true },
  )(elsewhere(declared('stream_options.include_obfuscation'))),
  parallel_tool_calls: [
    row(
      { parallel_tool_calls: false },
      { tools },
    )({
      chat: honoured({ '/parallel_tool_calls': false }),
      messages: honoured({ '/tool_choice': { type: 'auto', disable_parallel_tool_use: true } }),
      gemini: declared('parallel_tool_calls'),
    }),
    row(
      { parallel_tool_calls: true },
      { tools },
    )({ chat: honoured({ '/parallel_tool_calls': true }), messages: ANYWAY, gemini: ANYWAY }),
    row({ parallel_tool_calls: false })(elsewhere(ANYWAY)),
  ],
  include: 'OTHER_ROWS',
  reasoning: 'OTHER_ROWS',
  service_tier: 'OTHER_ROWS',
  text: 'OTHER_ROWS',
  tools: 'OTHER_ROWS',
  tool_choice: 'OTHER_ROWS',
} satisfies Record<keyof Parameters, Rows>;

const included = (name: ResponseIncludable) => row({ include: [name] });
/** Results of the vendor's own tools, on request. */
const found = (name: ResponseIncludable) => included(name)(elsewhere(declared('include[0]')));

export const RESPONSES_INCLUDE = {
  'file_search_call.results': found('file_search_call.results'),
  'web_search_call.results': found('web_search_call.results'),
  'web_search_call.action.sources': found('web_search_call.action.sources'),
  'message.input_image.image_url': found('message.input_image.image_url'),
  'computer_call_output.output.image_url': found('computer_call_output.output.image_url'),
  'code_interpreter_call.outputs': found('code_interpreter_call.outputs'),
  // A translated answer always includes it.
  'reasoning.encrypted_content': included('reasoning.encrypted_content')(elsewhere(ANYWAY)),
  'message.output_text.logprobs': included('message.output_text.logprobs')({
    chat: honoured({ '/logprobs': true }),
    messages: declared('include'),
    gemini: honoured({ '/generationConfig': { responseLogprobs: true } }),
  }),
} satisfies Record<ResponseIncludable, Rows>;

export const RESPONSES_REASONING = {
  effort: [
    row({ reasoning: { effort: 'none' } })({
      chat: honoured({ '/reasoning_effort': 'none' }),
      server: honoured({ '/chat_template_kwargs': { enable_thinking: false } }),
      messages: ANYWAY,
      gemini: honoured(
        { '/generationConfig': { thinkingConfig: { thinkingLevel: 'MINIMAL' } } },
        'reasoning.effort',
      ),
    }),
    row({ reasoning: { effort: 'low' } })({
      chat: honoured({ '/reasoning_effort': 'low' }),
      messages: honoured({
        '/thinking': { type: 'adaptive' },
        '/output_config': { effort: 'low' },
      }),
      gemini: honoured({
        '/generationConfig': { thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true } },
      }),
    }),
    row({ reasoning: { effort: 'xhigh' } })({
      chat: honoured({ '/reasoning_effort': 'xhigh' }),
      server: honoured({ '/reasoning_effort': 'high' }, 'reasoning.effort'),
      messages: honoured(
        { '/thinking': { type: 'adaptive' }, '/output_config': { effort: 'high' } },
        'reasoning.effort',
      ),
      gemini: honoured(
        {
          '/generationConfig': { thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true } },
        },
        'reasoning.effort',
      ),
    }),
  ],
  summary: row({ reasoning: { summary: 'auto' } })(elsewhere(declared('reasoning.summary'))),
  generate_summary: row({ reasoning: { generate_summary: 'auto' } })(
    elsewhere(declared('reasoning.generate_summary')),
  ),
  context: row({ reasoning: { context: 'all_turns' } })(elsewhere(declared('reasoning.context'))),
  mode: row({ reasoning: { mode: 'pro' } })(elsewhere(declared('reasoning.mode'))),
} satisfies Record<keyof Reasoning, Rows>;

const tier = (service_tier: NonNullable<Parameters['service_tier']>) => row({ service_tier });

export const RESPONSES_TIERS = {
  auto: tier('auto')({
    chat: honoured({ '/service_tier': 'auto' }),
    messages: honoured({ '/service_tier': 'auto' }),
    gemini: ANYWAY,
  }),
  default: tier('default')({
    chat: honoured({ '/service_tier': 'default' }),
    messages: honoured({ '/service_tier': 'standard_only' }),
    gemini: honoured({ '/serviceTier': 'standard' }),
  }),
  flex: tier('flex')({
    chat: honoured({ '/service_tier': 'flex' }),
    messages: declared('service_tier'),
    gemini: honoured({ '/serviceTier': 'flex' }),
  }),
  scale: tier('scale')({
    chat: honoured({ '/service_tier': 'scale' }),
    messages: declared('service_tier'),
    gemini: declared('service_tier'),
  }),
  priority: tier('priority')({
    chat: honoured({ '/service_tier': 'priority' }),
    messages: declared('service_tier'),
    gemini: honoured({ '/serviceTier': 'priority' }),
  }),
  fast: tier('fast')({
    chat: honoured({ '/service_tier': 'fast' }),
    messages: declared('service_tier'),
    gemini: declared('service_tier'),
  }),
  ultrafast: tier('ultrafast')({
    chat: honoured({ '/service_tier': 'ultrafast' }),
    messages: declared('service_tier'),
    gemini: declared('service_tier'),
  }),
} satisfies Record<NonNullable<Parameters['service_tier']>, Rows>;

export const RESPONSES_TEXT = {
  format: 'OTHER_ROWS',
  verbosity: row({ text: { verbosity: 'low' } })({
    ...elsewhere(declared('text.verbosity')),
    chat: honoured({ '/verbosity': 'low' }),
    server: declared('text.verbosity'),
  }),
} satisfies Record<keyof ResponseTextConfig, Rows>;

type Form = NonNullable<ResponseTextConfig['format']>;
const schema = { type: 'object', properties: { a: { type: 'string' } } };
const answer = { type: 'json_schema' as const, name: 'a', schema };

export const RESPONSES_FORMS = {
  text: row({ text: { format: { type: 'text' } } })({
    chat: honoured({ '/response_format': { type: 'text' } }),
    messages: ANYWAY,
    gemini: honoured({ '/generationConfig': { responseMimeType: 'text/plain' } }),
  }),
  json_object: row({ text: { format: { type: 'json_object' } } })({
    chat: honoured({
      '/response_format': { type: 'json_object' },
      '/messages': [
        { role: 'system', content: JSON_ASKED },
        { role: 'user', content: 'Hi' },
      ],
    }),
    server: honoured({ '/response_format': { type: 'json_object' } }),
    messages: FORM.json_object.messages,
    gemini: honoured({ '/generationConfig': { responseMimeType: 'application/json' } }),
  }),
  json_schema: [
    row({ text: { format: answer } })({
      chat: honoured({
        '/response_format': {
          type: 'json_schema',
          json_schema: {
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
    row(
      { text: { format: { ...answer, strict: true } } },
      { text: { format: answer } },
    )({
      chat: honoured({ '/response_format/json_schema/strict': true }),
      messages: ANYWAY,
      gemini: ANYWAY,
    }),
    row(
      { text: { format: { ...answer, description: 'D' } } },
      { text: { format: answer } },
    )({
      chat: honoured({ '/response_format/json_schema/description': 'D' }),
      messages: declared('text.format.description'),
      gemini: honoured({ '/generationConfig/responseJsonSchema/description': 'D' }),
    }),
  ],
} satisfies Record<Form['type'], Rows>;

/** Fields of compatible servers. */
export const RESPONSES_BEYOND = {
  provider: raw({ provider: 'openai' })(everywhere(ANYWAY)),
  top_k: raw({ top_k: 3 })({
    chat: declared('top_k'),
    server: honoured({ '/top_k': 3 }),
    messages: honoured({ '/top_k': 3 }),
    gemini: honoured({ '/generationConfig': { topK: 3 } }),
  }),
  stop: raw({ stop: ['END'] })({
    chat: honoured({ '/stop': ['END'] }),
    messages: honoured({ '/stop_sequences': ['END'] }),
    gemini: honoured({ '/generationConfig': { stopSequences: ['END'] } }),
  }),
  seed: raw({ seed: 7 })({
    chat: honoured({ '/seed': 7 }),
    messages: declared('seed'),
    gemini: honoured({ '/generationConfig': { seed: 7 } }),
  }),
  presence_penalty: raw({ presence_penalty: 0.5 })({
    chat: honoured({ '/presence_penalty': 0.5 }),
    messages: declared('presence_penalty'),
    gemini: honoured({ '/generationConfig': { presencePenalty: 0.5 } }),
  }),
  frequency_penalty: raw({ frequency_penalty: 0.5 })({
    chat: honoured({ '/frequency_penalty': 0.5 }),
    messages: declared('frequency_penalty'),
    gemini: honoured({ '/generationConfig': { frequencyPenalty: 0.5 } }),
  }),
  logit_bias: raw({ logit_bias: { 50256: -100 } })({
    chat: honoured({ '/logit_bias': { '50256': -100 } }),
    messages: declared('logit_bias'),
    gemini: declared('logit_bias'),
  }),
  unheard_of: raw({ unheard_of: 1 })(elsewhere(declared('unheard_of'))),
} satisfies Record<string, Rows>;
