// Parameters of a generateContent request beside its contents, by the vendor's own types. The
// vendor's library has one `config`; the wire format spreads it over several fields.

import type {
  GenerateContentConfig,
  GenerationConfig,
  SpeechConfig,
  ThinkingConfig,
  VoiceConfig,
} from '@google/genai';

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

/**
 * An upstream of the client's format gets a row's fields unchanged; a compatible chat server gets
 * the same as the chat vendor.
 */
type Elsewhere = 'chat' | 'responses' | 'messages';
export const row = rowOf<JsonObject, Elsewhere>();
export const elsewhere = (cell: Cell): Record<Elsewhere, Cell> => ({
  chat: cell,
  responses: cell,
  messages: cell,
});

export const GEMINI_REQUEST = {
  systemInstruction: row({ systemInstruction: { parts: [{ text: 'Be brief.' }] } })({
    chat: honoured({
      '/messages': [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    }),
    responses: honoured({ '/instructions': 'Be brief.' }),
    messages: honoured({ '/system': 'Be brief.' }),
  }),
  safetySettings: row({
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  })(elsewhere(declared('safetySettings'))),
  labels: row({ labels: { trace: 'a-1' } })({
    chat: honoured({ '/metadata': { trace: 'a-1' } }),
    responses: honoured({ '/metadata': { trace: 'a-1' } }),
    messages: declared('labels.trace'),
  }),
  cachedContent: row({ cachedContent: 'cachedContents/1' })(elsewhere(refused('cachedContent'))),
  serviceTier: [
    row({ serviceTier: 'standard' })({
      chat: honoured({ '/service_tier': 'default' }),
      responses: honoured({ '/service_tier': 'default' }),
      messages: honoured({ '/service_tier': 'standard_only' }),
    }),
    row({ serviceTier: 'flex' })({
      chat: honoured({ '/service_tier': 'flex' }),
      responses: honoured({ '/service_tier': 'flex' }),
      messages: declared('serviceTier'),
    }),
    row({ serviceTier: 'priority' })({
      chat: honoured({ '/service_tier': 'priority' }),
      responses: honoured({ '/service_tier': 'priority' }),
      messages: declared('serviceTier'),
    }),
    row({ serviceTier: 'unspecified' })(elsewhere(honoured({ '/service_tier': 'auto' }))),
  ],
  modelArmorConfig: row({ modelArmorConfig: { promptTemplateName: 't' } })(
    elsewhere(declared('modelArmorConfig')),
  ),
  store: [
    row({ store: true })(elsewhere(declared('store'))),
    row({ store: false })(elsewhere(declared('store'))),
  ],
  continuationToken: row({ continuationToken: 't' })(elsewhere(declared('continuationToken'))),
  automaticContinuation: row({ automaticContinuation: true })(
    elsewhere(declared('automaticContinuation')),
  ),
  generationOutputConfig: row({ generationOutputConfig: {} })(
    elsewhere(declared('generationOutputConfig')),
  ),
  tools: 'OTHER_ROWS',
  toolConfig: 'OTHER_ROWS',
  httpOptions: 'CLIENT_ONLY',
  abortSignal: 'CLIENT_ONLY',
  automaticFunctionCalling: 'CLIENT_ONLY',
} satisfies Record<
  Exclude<keyof GenerateContentConfig, keyof GenerationConfig | 'imageConfig'>,
  Rows
>;

const config = (generationConfig: JsonObject, required?: JsonObject) =>
  row({ generationConfig }, required && { generationConfig: required });
const schema = { type: 'object', properties: { a: { type: 'string' } } };
const json = { responseMimeType: 'application/json' };

/**
 * Other vendors get the same schema, whichever field holds it. OpenAI does not enforce a schema
 * with optional properties.
 */
const schemed = (field: string) => ({
  chat: honoured(
    { '/response_format': { type: 'json_schema', json_schema: { name: 'answer', schema } } },
    `generationConfig.${field}.strict`,
  ),
  server: honoured({
    '/response_format': { type: 'json_schema', json_schema: { name: 'answer', schema } },
  }),
  responses: honoured(
    { '/text': { format: { type: 'json_schema', name: 'answer', schema } } },
    `generationConfig.${field}.strict`,
  ),
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
});

export const GEMINI_CONFIG = {
  temperature: config({ temperature: 0.5 })(elsewhere(honoured({ '/temperature': 0.5 }))),
  topP: config({ topP: 0.5 })(elsewhere(honoured({ '/top_p': 0.5 }))),
  topK: config({ topK: 3 })({
    chat: declared('generationConfig.topK'),
    server: honoured({ '/top_k': 3 }),
    responses: declared('generationConfig.topK'),
    messages: honoured({ '/top_k': 3 }),
  }),
  candidateCount: config({ candidateCount: 2 })({
    chat: honoured({ '/n': 2 }),
    responses: declared('generationConfig.candidateCount'),
    messages: declared('generationConfig.candidateCount'),
  }),
  maxOutputTokens: config({ maxOutputTokens: 50 })({
    chat: honoured({ '/max_completion_tokens': 50 }),
    server: honoured({ '/max_tokens': 50 }),
    responses: honoured({ '/max_output_tokens': 50 }),
    messages: honoured({ '/max_tokens': 50 }),
  }),
  stopSequences: config({ stopSequences: ['END'] })({
    chat: honoured({ '/stop': ['END'] }),
    responses: declared('generationConfig.stopSequences'),
    messages: honoured({ '/stop_sequences': ['END'] }),
  }),
  presencePenalty: config({ presencePenalty: 0.5 })({
    chat: honoured({ '/presence_penalty': 0.5 }),
    responses: declared('generationConfig.presencePenalty'),
    messages: declared('generationConfig.presencePenalty'),
  }),
  frequencyPenalty: config({ frequencyPenalty: 0.5 })({
    chat: honoured({ '/frequency_penalty': 0.5 }),
    responses: declared('generationConfig.frequencyPenalty'),
    messages: declared('generationConfig.frequencyPenalty'),
  }),
  seed: config({ seed: 7 })({
    chat: honoured({ '/seed': 7 }),
    responses: declared('generationConfig.seed'),
    messages: declared('generationConfig.seed'),
  }),
  responseLogprobs: [
    config({ responseLogprobs: true })({
      chat: honoured({ '/logprobs': true }),
      responses: honoured({ '/include': ['message.output_text.logprobs'] }),
      messages: declared('generationConfig.responseLogprobs'),
    }),
    config({ responseLogprobs: false })({
      chat: honoured({ '/logprobs': false }),
      responses: ANYWAY,
      messages: ANYWAY,
    }),
  ],
  logprobs: config({ responseLogprobs: true, logprobs: 2 })({
    chat: honoured({ '/logprobs': true, '/top_logprobs': 2 }),
    responses: honoured({ '/top_logprobs': 2, '/include': ['message.output_text.logprobs'] }),
    messages: declared('generationConfig.responseLogprobs', 'generationConfig.logprobs'),
  }),
  responseMimeType: [
    config({ responseMimeType: 'text/plain' })({
      chat: honoured({ '/response_format': { type: 'text' } }),
      responses: honoured({ '/text': { format: { type: 'text' } } }),
      messages: ANYWAY,
    }),
    config(json)({
      chat: honoured({
        '/response_format': { type: 'json_object' },
        '/messages': [
          { role: 'system', content: JSON_ASKED },
          { role: 'user', content: 'Hi' },
        ],
      }),
      server: honoured({ '/response_format': { type: 'json_object' } }),
      responses: FORM.json_object.responses,
      messages: FORM.json_object.messages,
    }),
    config({ responseMimeType: 'text/x.enum' })(
      elsewhere(declared('generationConfig.responseMimeType')),
    ),
  ],
  responseSchema: [
    config({ ...json, responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } } })(
      schemed('responseSchema'),
    ),
    config({ responseSchema: { type: 'OBJECT' } })(
      elsewhere(declared('generationConfig.responseSchema')),
    ),
  ],
  responseJsonSchema: [
    config({ ...json, responseJsonSchema: schema })(schemed('responseJsonSchema')),
    config({ responseJsonSchema: schema })(
      elsewhere(declared('generationConfig.responseJsonSchema')),
    ),
  ],
  responseFormat: config({ responseFormat: [{ text: {} }] })(
    elsewhere(declared('generationConfig.responseFormat')),
  ),
  responseModalities: [
    config({ responseModalities: ['TEXT'] })({
      chat: honoured({ '/modalities': ['text'] }),
      responses: ANYWAY,
      messages: ANYWAY,
    }),
    config({ responseModalities: ['TEXT', 'AUDIO'] })({
      chat: honoured({ '/modalities': ['text', 'audio'] }),
      responses: declared('generationConfig.responseModalities'),
      messages: declared('generationConfig.responseModalities'),
    }),
    config({ responseModalities: ['TEXT', 'IMAGE'] })({
      chat: honoured({ '/modalities': ['text', 'image'] }),
      responses: declared('generationConfig.responseModalities'),
      messages: declared('generationConfig.responseModalities'),
    }),
  ],
  mediaResolution: config({ mediaResolution: 'MEDIA_RESOLUTION_LOW' })(
    elsewhere(declared('generationConfig.mediaResolution')),
  ),
  audioTimestamp: config({ audioTimestamp: true })(
    elsewhere(declared('generationConfig.audioTimestamp')),
  ),
  audioTranscriptionConfig: config({ audioTranscriptionConfig: {} })(
    elsewhere(declared('generationConfig.audioTranscriptionConfig')),
  ),
  enableAffectiveDialog: config({ enableAffectiveDialog: true })(
    elsewhere(declared('generationConfig.enableAffectiveDialog')),
  ),
  enableEnhancedCivicAnswers: config({ enableEnhancedCivicAnswers: true })(
    elsewhere(declared('generationConfig.enableEnhancedCivicAnswers')),
  ),
  modelSelectionConfig: config({ modelSelectionConfig: {} })(
    elsewhere(declared('generationConfig.modelSelectionConfig')),
  ),
  routingConfig: config({ routingConfig: {} })(
    elsewhere(declared('generationConfig.routingConfig')),
  ),
  translationConfig: config({ translationConfig: {} })(
    elsewhere(declared('generationConfig.translationConfig')),
  ),
  imageConfig: config({ imageConfig: { aspectRatio: '1:1' } })(
    elsewhere(declared('generationConfig.imageConfig')),
  ),
  speechConfig: 'OTHER_ROWS',
  thinkingConfig: 'OTHER_ROWS',
} satisfies Record<keyof GenerationConfig | 'imageConfig', Rows>;

const thinking = (thinkingConfig: JsonObject) => config({ thinkingConfig });

export const GEMINI_THINKING = {
  includeThoughts: [
    thinking({ includeThoughts: true })(elsewhere(ANYWAY)),
    thinking({ includeThoughts: false })(
      elsewhere(declared('generationConfig.thinkingConfig.includeThoughts')),
    ),
  ],
  thinkingBudget: [
    thinking({ thinkingBudget: 2_000 })({
      chat: declared('generationConfig.thinkingConfig.thinkingBudget'),
      server: honoured(
        { '/reasoning_effort': 'low' },
        'generationConfig.thinkingConfig.thinkingBudget',
      ),
      responses: declared('generationConfig.thinkingConfig.thinkingBudget'),
      messages: honoured({ '/thinking': { type: 'enabled', budget_tokens: 2000 } }),
    }),
    thinking({ thinkingBudget: 0 })({
      chat: ANYWAY,
      server: honoured({ '/chat_template_kwargs': { enable_thinking: false } }),
      responses: ANYWAY,
      messages: ANYWAY,
    }),
    thinking({ thinkingBudget: -1 })({
      chat: declared('generationConfig.thinkingConfig.thinkingBudget'),
      server: honoured({ '/reasoning_effort': 'medium' }),
      responses: declared('generationConfig.thinkingConfig.thinkingBudget'),
      messages: honoured({ '/thinking': { type: 'adaptive' } }),
    }),
  ],
  thinkingLevel: [
    thinking({ thinkingLevel: 'LOW' })({
      chat: honoured({ '/reasoning_effort': 'low' }),
      responses: honoured({
        '/reasoning': { effort: 'low' },
        '/include': ['reasoning.encrypted_content'],
      }),
      messages: honoured({
        '/thinking': { type: 'adaptive' },
        '/output_config': { effort: 'low' },
      }),
    }),
    thinking({ thinkingLevel: 'HIGH' })({
      chat: honoured({ '/reasoning_effort': 'high' }),
      responses: honoured({
        '/reasoning': { effort: 'high' },
        '/include': ['reasoning.encrypted_content'],
      }),
      messages: honoured({
        '/thinking': { type: 'adaptive' },
        '/output_config': { effort: 'high' },
      }),
    }),
    thinking({ thinkingLevel: 'MINIMAL' })({
      chat: honoured({ '/reasoning_effort': 'minimal' }),
      server: honoured(
        { '/reasoning_effort': 'low' },
        'generationConfig.thinkingConfig.thinkingLevel',
      ),
      responses: honoured({
        '/reasoning': { effort: 'minimal' },
        '/include': ['reasoning.encrypted_content'],
      }),
      messages: honoured(
        { '/thinking': { type: 'adaptive' }, '/output_config': { effort: 'low' } },
        'generationConfig.thinkingConfig.thinkingLevel',
      ),
    }),
    thinking({ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' })(elsewhere(ANYWAY)),
  ],
} satisfies Record<keyof ThinkingConfig, Rows>;

const speech = (speechConfig: JsonObject) => config({ speechConfig });

export const GEMINI_SPEECH = {
  voiceConfig: 'OTHER_ROWS',
  languageCode: speech({ languageCode: 'de-DE' })(
    elsewhere(declared('generationConfig.speechConfig.languageCode')),
  ),
  multiSpeakerVoiceConfig: speech({ multiSpeakerVoiceConfig: {} })(
    elsewhere(declared('generationConfig.speechConfig.multiSpeakerVoiceConfig')),
  ),
} satisfies Record<keyof SpeechConfig, Rows>;

export const GEMINI_VOICE = {
  prebuiltVoiceConfig: speech({ voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } })({
    chat: honoured({ '/audio': { voice: 'Kore', format: 'pcm16' } }),
    responses: declared('generationConfig.speechConfig'),
    messages: declared('generationConfig.speechConfig'),
  }),
  replicatedVoiceConfig: speech({ voiceConfig: { replicatedVoiceConfig: {} } })(
    elsewhere(declared('generationConfig.speechConfig.voiceConfig.replicatedVoiceConfig')),
  ),
  voice: speech({ voiceConfig: { voice: 'Kore' } })(
    elsewhere(declared('generationConfig.speechConfig.voiceConfig.voice')),
  ),
} satisfies Record<keyof VoiceConfig, Rows>;

/** The older spelling of the same fields, and fields that the types lack. */
export const GEMINI_BEYOND = {
  model: row({ model: 'models/other' })({
    ...elsewhere(ANYWAY),
    gemini: honoured({ '/model': 'models/gemini-3-flash' }),
  }),
  provider: row({ provider: 'gemini' })(everywhere(ANYWAY)),
  system_instruction: row({ system_instruction: { parts: [{ text: 'Be brief.' }] } })({
    chat: honoured({
      '/messages': [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    }),
    responses: honoured({ '/instructions': 'Be brief.' }),
    messages: honoured({ '/system': 'Be brief.' }),
  }),
  'generation_config.top_k': row({ generation_config: { top_k: 3 } })({
    chat: declared('generationConfig.topK'),
    server: honoured({ '/top_k': 3 }),
    responses: declared('generationConfig.topK'),
    messages: honoured({ '/top_k': 3 }),
  }),
  'generation_config.image_config': row({ generation_config: { image_config: {} } })(
    elsewhere(declared('generationConfig.imageConfig')),
  ),
  safety_settings: row({ safety_settings: [] })(elsewhere(declared('safety_settings'))),
  unheard_of: row({ unheard_of: 1 })(elsewhere(declared('unheard_of'))),
} satisfies Record<string, Rows>;
