// Parameters of a chat request beside its messages, by the vendor's own types.

import type {
  ChatCompletionAudioParam,
  ChatCompletionCreateParamsBase,
  ChatCompletionStreamOptions,
} from 'openai/resources/chat/completions/completions';
import type { Reasoning } from 'openai/resources/shared';

import type { JsonObject } from '../../normalised';
import { ANYWAY, declared, everywhere, honoured, rowOf, type Cell, type Rows } from './matrix';
import { CHOICE, FUNCTION_DECLARED } from './outcomes';

type Parameters = ChatCompletionCreateParamsBase;

/** A chat upstream gets a row's fields unchanged. */
type Elsewhere = 'responses' | 'messages' | 'gemini';
export const row = rowOf<Partial<Parameters>, Elsewhere>();
/** Rows for fields that the vendor's types lack. */
export const raw = rowOf<JsonObject, Elsewhere>();
export const elsewhere = (cell: Cell): Record<Elsewhere, Cell> => ({
  responses: cell,
  messages: cell,
  gemini: cell,
});

const functions = [{ name: 'f', parameters: { type: 'object', properties: {} } }];
const tools = functions.map((fn) => ({ type: 'function' as const, function: fn }));

export const CHAT_PARAMETERS = {
  // The gateway maps the model to each provider's own name.
  model: row({ model: 'other' })(everywhere(ANYWAY)),
  messages: row({ messages: [{ role: 'user', content: 'Bye' }] })({
    responses: honoured({ '/input/0/content': 'Bye' }),
    messages: honoured({ '/messages/0/content': 'Bye' }),
    gemini: honoured({ '/contents/0/parts/0/text': 'Bye' }),
  }),
  temperature: [
    row({ temperature: 0.5 })({
      responses: honoured({ '/temperature': 0.5 }),
      messages: honoured({ '/temperature': 0.5 }),
      gemini: honoured({ '/generationConfig': { temperature: 0.5 } }),
    }),
    row({ temperature: 1.5 })({
      responses: honoured({ '/temperature': 1.5 }),
      messages: declared('temperature'),
      gemini: honoured({ '/generationConfig': { temperature: 1.5 } }),
    }),
  ],
  top_p: row({ top_p: 0.5 })({
    responses: honoured({ '/top_p': 0.5 }),
    messages: honoured({ '/top_p': 0.5 }),
    gemini: honoured({ '/generationConfig': { topP: 0.5 } }),
  }),
  stop: [
    row({ stop: 'END' })({
      responses: declared('stop'),
      messages: honoured({ '/stop_sequences': ['END'] }),
      gemini: honoured({ '/generationConfig': { stopSequences: ['END'] } }),
    }),
    row({ stop: ['END', 'STOP'] })({
      responses: declared('stop'),
      messages: honoured({ '/stop_sequences': ['END', 'STOP'] }),
      gemini: honoured({ '/generationConfig': { stopSequences: ['END', 'STOP'] } }),
    }),
  ],
  presence_penalty: row({ presence_penalty: 0.5 })({
    responses: declared('presence_penalty'),
    messages: declared('presence_penalty'),
    gemini: honoured({ '/generationConfig': { presencePenalty: 0.5 } }),
  }),
  frequency_penalty: row({ frequency_penalty: 0.5 })({
    responses: declared('frequency_penalty'),
    messages: declared('frequency_penalty'),
    gemini: honoured({ '/generationConfig': { frequencyPenalty: 0.5 } }),
  }),
  seed: row({ seed: 7 })({
    responses: declared('seed'),
    messages: declared('seed'),
    gemini: honoured({ '/generationConfig': { seed: 7 } }),
  }),
  logit_bias: row({ logit_bias: { 50256: -100 } })(elsewhere(declared('logit_bias'))),
  logprobs: row({ logprobs: true })({
    responses: honoured({ '/include': ['message.output_text.logprobs'] }),
    messages: declared('logprobs'),
    gemini: honoured({ '/generationConfig': { responseLogprobs: true } }),
  }),
  top_logprobs: row({ logprobs: true, top_logprobs: 2 })({
    responses: honoured({ '/top_logprobs': 2, '/include': ['message.output_text.logprobs'] }),
    messages: declared('logprobs', 'top_logprobs'),
    gemini: honoured({ '/generationConfig': { responseLogprobs: true, logprobs: 2 } }),
  }),
  n: row({ n: 2 })({
    responses: declared('n'),
    messages: declared('n'),
    gemini: honoured({ '/generationConfig': { candidateCount: 2 } }),
  }),
  max_completion_tokens: row({ max_completion_tokens: 50 })({
    responses: honoured({ '/max_output_tokens': 50 }),
    messages: honoured({ '/max_tokens': 50 }),
    gemini: honoured({ '/generationConfig': { maxOutputTokens: 50 } }),
  }),
  max_tokens: row({ max_tokens: 50 })({
    responses: honoured({ '/max_output_tokens': 50 }),
    messages: honoured({ '/max_tokens': 50 }),
    gemini: honoured({ '/generationConfig': { maxOutputTokens: 50 } }),
  }),
  modalities: [
    row({ modalities: ['text'] })(elsewhere(ANYWAY)),
    row({ modalities: ['text', 'audio'] })({
      responses: declared('modalities'),
      messages: declared('modalities'),
      gemini: honoured({ '/generationConfig': { responseModalities: ['TEXT', 'AUDIO'] } }),
    }),
  ],
  audio: row({ audio: { voice: 'Kore', format: 'pcm16' } })({
    responses: declared('audio'),
    messages: declared('audio'),
    gemini: honoured({
      '/generationConfig': {
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      },
    }),
  }),
  metadata: row({ metadata: { trace: 'a-1' } })({
    responses: honoured({ '/metadata': { trace: 'a-1' } }),
    messages: declared('metadata.trace'),
    gemini: honoured({ '/labels': { trace: 'a-1' } }),
  }),
  user: row({ user: 'u1' })({
    responses: honoured({ '/user': 'u1' }),
    messages: honoured({ '/metadata': { user_id: 'u1' } }),
    gemini: declared('user'),
  }),
  safety_identifier: row({ safety_identifier: 's1' })({
    responses: honoured({ '/safety_identifier': 's1' }),
    messages: declared('safety_identifier'),
    gemini: declared('safety_identifier'),
  }),
  prompt_cache_key: row({ prompt_cache_key: 'k' })({
    responses: honoured({ '/prompt_cache_key': 'k' }),
    messages: declared('prompt_cache_key'),
    gemini: declared('prompt_cache_key'),
  }),
  prompt_cache_options: row({ prompt_cache_options: { mode: 'explicit' } })({
    responses: honoured({ '/prompt_cache_options': { mode: 'explicit' } }),
    messages: declared('prompt_cache_options'),
    gemini: declared('prompt_cache_options'),
  }),
  prompt_cache_retention: row({ prompt_cache_retention: '24h' })({
    responses: honoured({ '/prompt_cache_retention': '24h' }),
    messages: declared('prompt_cache_retention'),
    gemini: declared('prompt_cache_retention'),
  }),
  verbosity: row({ verbosity: 'low' })({
    responses: honoured({ '/text': { verbosity: 'low' } }),
    messages: declared('verbosity'),
    gemini: declared('verbosity'),
  }),
  store: [
    row({ store: true })(elsewhere(declared('store'))),
    row({ store: false })(elsewhere(ANYWAY)),
  ],
  moderation: row({ moderation: { model: 'omni-moderation-latest' } })(
    elsewhere(declared('moderation')),
  ),
  prediction: row({ prediction: { type: 'content', content: 'As before.' } })(
    elsewhere(declared('prediction')),
  ),
  web_search_options: row({ web_search_options: { search_context_size: 'low' } })({
    ...elsewhere(declared('web_search_options')),
    messages: honoured(
      { '/tools': [{ type: 'web_search_20250305', name: 'web_search' }] },
      'web_search_options.search_context_size',
    ),
    gemini: honoured(
      { '/tools': [{ googleSearch: {} }] },
      'web_search_options.search_context_size',
    ),
  }),
  stream: [
    row({ stream: true })({
      chat: honoured({ '/stream': true, '/stream_options': { include_usage: true } }),
      server: honoured({ '/stream': true, '/stream_options': { include_usage: true } }),
      responses: honoured({ '/stream': true }),
      messages: honoured({ '/stream': true }),
      gemini: ANYWAY,
    }),
    row({ stream: false })(elsewhere(ANYWAY)),
  ],
  stream_options: 'OTHER_ROWS',
  reasoning_effort: 'OTHER_ROWS',
  service_tier: 'OTHER_ROWS',
  response_format: 'OTHER_ROWS',
  tools: 'OTHER_ROWS',
  parallel_tool_calls: [
    row(
      { parallel_tool_calls: false },
      { tools },
    )({
      responses: honoured({ '/parallel_tool_calls': false }),
      messages: honoured({ '/tool_choice': { type: 'auto', disable_parallel_tool_use: true } }),
      gemini: declared('parallel_tool_calls'),
    }),
    row(
      { parallel_tool_calls: true },
      { tools },
    )({ responses: honoured({ '/parallel_tool_calls': true }), messages: ANYWAY, gemini: ANYWAY }),
  ],
  tool_choice: 'OTHER_ROWS',
  functions: row({ functions })({
    ...FUNCTION_DECLARED,
  }),
  function_call: [
    row(
      { function_call: 'none' },
      { functions },
    )({
      responses: honoured({ '/tool_choice': 'none' }),
      ...CHOICE.none,
    }),
    row(
      { function_call: { name: 'f' } },
      { functions },
    )({
      responses: honoured({ '/tool_choice': { type: 'function', name: 'f' } }),
      ...CHOICE.function,
    }),
  ],
} satisfies Record<keyof Parameters, Rows>;

const effort = (reasoning_effort: NonNullable<Reasoning['effort']>) => ({ reasoning_effort });

export const CHAT_EFFORTS = {
  none: row(effort('none'))({
    responses: honoured({ '/reasoning': { effort: 'none' } }),
    messages: ANYWAY,
    gemini: honoured(
      { '/generationConfig': { thinkingConfig: { thinkingLevel: 'MINIMAL' } } },
      'reasoning_effort',
    ),
  }),
  minimal: row(effort('minimal'))({
    responses: honoured({
      '/reasoning': { effort: 'minimal' },
      '/include': ['reasoning.encrypted_content'],
    }),
    messages: honoured(
      { '/thinking': { type: 'adaptive' }, '/output_config': { effort: 'low' } },
      'reasoning_effort',
    ),
    gemini: honoured({
      '/generationConfig': { thinkingConfig: { thinkingLevel: 'MINIMAL', includeThoughts: true } },
    }),
  }),
  low: row(effort('low'))({
    responses: honoured({
      '/reasoning': { effort: 'low' },
      '/include': ['reasoning.encrypted_content'],
    }),
    messages: honoured({ '/thinking': { type: 'adaptive' }, '/output_config': { effort: 'low' } }),
    gemini: honoured({
      '/generationConfig': { thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true } },
    }),
  }),
  medium: row(effort('medium'))({
    responses: honoured({
      '/reasoning': { effort: 'medium' },
      '/include': ['reasoning.encrypted_content'],
    }),
    messages: honoured({
      '/thinking': { type: 'adaptive' },
      '/output_config': { effort: 'medium' },
    }),
    gemini: honoured({
      '/generationConfig': { thinkingConfig: { thinkingLevel: 'MEDIUM', includeThoughts: true } },
    }),
  }),
  high: row(effort('high'))({
    responses: honoured({
      '/reasoning': { effort: 'high' },
      '/include': ['reasoning.encrypted_content'],
    }),
    messages: honoured({ '/thinking': { type: 'adaptive' }, '/output_config': { effort: 'high' } }),
    gemini: honoured({
      '/generationConfig': { thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true } },
    }),
  }),
  xhigh: row(effort('xhigh'))({
    responses: honoured({
      '/reasoning': { effort: 'xhigh' },
      '/include': ['reasoning.encrypted_content'],
    }),
    messages: honoured(
      { '/thinking': { type: 'adaptive' }, '/output_config': { effort: 'high' } },
      'reasoning_effort',
    ),
    gemini: honoured(
      { '/generationConfig': { thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true } } },
      'reasoning_effort',
    ),
  }),
  max: row(effort('max'))({
    responses: honoured({
      '/reasoning': { effort: 'max' },
      '/include': ['reasoning.encrypted_content'],
    }),
    messages: honoured({ '/thinking': { type: 'adaptive' }, '/output_config': { effort: 'max' } }),
    gemini: honoured(
      { '/generationConfig': { thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true } } },
      'reasoning_effort',
    ),
  }),
} satisfies Record<NonNullable<Reasoning['effort']>, Rows>;

export const CHAT_TIERS = {
  auto: row({ service_tier: 'auto' })({
    responses: honoured({ '/service_tier': 'auto' }),
    messages: honoured({ '/service_tier': 'auto' }),
    gemini: ANYWAY,
  }),
  default: row({ service_tier: 'default' })({
    responses: honoured({ '/service_tier': 'default' }),
    messages: honoured({ '/service_tier': 'standard_only' }),
    gemini: honoured({ '/serviceTier': 'standard' }),
  }),
  flex: row({ service_tier: 'flex' })({
    responses: honoured({ '/service_tier': 'flex' }),
    messages: declared('service_tier'),
    gemini: honoured({ '/serviceTier': 'flex' }),
  }),
  scale: row({ service_tier: 'scale' })({
    responses: honoured({ '/service_tier': 'scale' }),
    messages: declared('service_tier'),
    gemini: declared('service_tier'),
  }),
  priority: row({ service_tier: 'priority' })({
    responses: honoured({ '/service_tier': 'priority' }),
    messages: declared('service_tier'),
    gemini: honoured({ '/serviceTier': 'priority' }),
  }),
  fast: row({ service_tier: 'fast' })({
    responses: honoured({ '/service_tier': 'fast' }),
    messages: declared('service_tier'),
    gemini: declared('service_tier'),
  }),
} satisfies Record<NonNullable<Parameters['service_tier']>, Rows>;

export const CHAT_STREAM_OPTIONS = {
  // The gateway always asks for usage, and passes it on to clients that ask for it.
  include_usage: row(
    { stream_options: { include_usage: true } },
    { stream: true },
  )(everywhere(ANYWAY)),
  include_obfuscation: [
    row(
      { stream_options: { include_obfuscation: true } },
      { stream: true },
    )({
      ...elsewhere(declared('stream_options.include_obfuscation')),
      chat: honoured({ '/stream_options/include_obfuscation': true }),
      server: honoured({ '/stream_options/include_obfuscation': true }),
    }),
    row(
      { stream_options: { include_obfuscation: false } },
      { stream: true },
    )({
      ...elsewhere(ANYWAY),
      chat: honoured({ '/stream_options/include_obfuscation': false }),
      server: honoured({ '/stream_options/include_obfuscation': false }),
    }),
  ],
} satisfies Record<keyof ChatCompletionStreamOptions, Rows>;

const spoken: Partial<Parameters> = { modalities: ['text', 'audio'] };

export const CHAT_AUDIO = {
  voice: row({ audio: { voice: { id: 'voice_1' }, format: 'pcm16' } })({
    responses: declared('audio'),
    messages: declared('audio'),
    gemini: honoured({
      '/generationConfig': {
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'voice_1' } } },
      },
    }),
  }),
  format: row({ ...spoken, audio: { voice: 'Kore', format: 'mp3' } })({
    responses: declared('modalities', 'audio'),
    messages: declared('modalities', 'audio'),
    gemini: honoured(
      {
        '/generationConfig': {
          responseModalities: ['TEXT', 'AUDIO'],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
        },
      },
      'audio.format',
    ),
  }),
} satisfies Record<keyof ChatCompletionAudioParam, Rows>;

/** Fields of compatible servers, and of the gateway. */
export const CHAT_BEYOND = {
  top_k: raw({ top_k: 3 })({
    responses: declared('top_k'),
    messages: honoured({ '/top_k': 3 }),
    gemini: honoured({ '/generationConfig': { topK: 3 } }),
  }),
  // The gateway handles a pin itself.
  provider: raw({ provider: 'openai' })(everywhere(ANYWAY)),
  unheard_of: raw({ unheard_of: 1 })(elsewhere(declared('unheard_of'))),
} satisfies Record<string, Rows>;
