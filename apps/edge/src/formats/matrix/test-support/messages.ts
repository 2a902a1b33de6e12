// Parameters of a messages request beside its messages, by the vendor's own types.

import type {
  MessageCreateParamsBase,
  OutputConfig,
  ThinkingConfigParam,
  Tool,
  ToolChoice,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages/messages';

import type { JsonObject } from '../../normalised';
import {
  ANYWAY,
  declared,
  everywhere,
  honoured,
  refused,
  rowOf,
  type Cell,
  type KindOf,
  type Rows,
} from './matrix';
import { SEARCH_ADDED } from './outcomes';

type Parameters = MessageCreateParamsBase;

/**
 * An upstream of the client's format gets a row's fields unchanged; a compatible chat server gets
 * the same as the chat vendor.
 */
type Elsewhere = 'chat' | 'responses' | 'gemini';
export const row = rowOf<Partial<Parameters>, Elsewhere>();
export const raw = rowOf<JsonObject, Elsewhere>();
export const elsewhere = (cell: Cell): Record<Elsewhere, Cell> => ({
  chat: cell,
  responses: cell,
  gemini: cell,
});

export const f: Tool = { name: 'f', input_schema: { type: 'object', properties: {} } };
const tools = [f];

export const MESSAGES_PARAMETERS = {
  model: row({ model: 'other' })(everywhere(ANYWAY)),
  messages: row({ messages: [{ role: 'user', content: 'Bye' }] })({
    chat: honoured({ '/messages/0/content': 'Bye' }),
    responses: honoured({ '/input/0/content': 'Bye' }),
    gemini: honoured({ '/contents/0/parts/0/text': 'Bye' }),
  }),
  max_tokens: [
    row({ max_tokens: 50 })({
      chat: honoured({ '/max_completion_tokens': 50 }),
      server: honoured({ '/max_tokens': 50 }),
      responses: honoured({ '/max_output_tokens': 50 }),
      gemini: honoured({ '/generationConfig/maxOutputTokens': 50 }),
    }),
    row({ max_tokens: 0 })({
      chat: honoured({ '/max_completion_tokens': 1 }, 'max_tokens'),
      server: honoured({ '/max_tokens': 1 }, 'max_tokens'),
      responses: honoured({ '/max_output_tokens': 1 }, 'max_tokens'),
      gemini: honoured({ '/generationConfig/maxOutputTokens': 1 }, 'max_tokens'),
    }),
  ],
  system: [
    row({ system: 'Be brief.' })({
      chat: honoured({
        '/messages': [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      }),
      responses: honoured({ '/instructions': 'Be brief.' }),
      gemini: honoured({ '/systemInstruction': { parts: [{ text: 'Be brief.' }] } }),
    }),
    row({
      system: [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'Be kind.' },
      ],
    })({
      chat: honoured({
        '/messages': [
          {
            role: 'system',
            content: [
              { type: 'text', text: 'Be brief.' },
              { type: 'text', text: 'Be kind.' },
            ],
          },
          { role: 'user', content: 'Hi' },
        ],
      }),
      responses: honoured({
        '/input': [
          {
            type: 'message',
            role: 'system',
            content: [
              { type: 'input_text', text: 'Be brief.' },
              { type: 'input_text', text: 'Be kind.' },
            ],
          },
          { type: 'message', role: 'user', content: 'Hi' },
        ],
      }),
      gemini: honoured({
        '/systemInstruction': { parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] },
      }),
    }),
    row(
      { system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }] },
      { system: [{ type: 'text', text: 'Be brief.' }] },
    )(elsewhere(declared('system[0].cache_control'))),
  ],
  stop_sequences: row({ stop_sequences: ['END'] })({
    chat: honoured({ '/stop': ['END'] }),
    responses: declared('stop_sequences'),
    gemini: honoured({ '/generationConfig/stopSequences': ['END'] }),
  }),
  metadata: row({ metadata: { user_id: 'u1' } })({
    chat: honoured({ '/user': 'u1' }),
    responses: honoured({ '/user': 'u1' }),
    gemini: declared('metadata.user_id'),
  }),
  stream: [
    row({ stream: true })({
      chat: honoured({ '/stream': true, '/stream_options': { include_usage: true } }),
      responses: honoured({ '/stream': true }),
      gemini: ANYWAY,
    }),
    row({ stream: false })(elsewhere(ANYWAY)),
  ],
  cache_control: row({ cache_control: { type: 'ephemeral' } })(
    elsewhere(declared('cache_control')),
  ),
  container: row({ container: 'c1' })(elsewhere(declared('container'))),
  diagnostics: raw({ diagnostics: {} })(elsewhere(declared('diagnostics'))),
  inference_geo: row({ inference_geo: 'us' })(elsewhere(declared('inference_geo'))),
  speed: row({ speed: 'fast' })(elsewhere(declared('speed'))),
  // The library sends both as headers, which stay here too.
  user_profile_id: row({ user_profile_id: 'p1' })({
    ...elsewhere(declared('user_profile_id')),
    messages: refused('user_profile_id'),
  }),
  workspace_id: row({ workspace_id: 'w1' })({
    ...elsewhere(declared('workspace_id')),
    messages: refused('workspace_id'),
  }),
  service_tier: 'OTHER_ROWS',
  output_config: 'OTHER_ROWS',
  thinking: 'OTHER_ROWS',
  tool_choice: 'OTHER_ROWS',
  tools: 'OTHER_ROWS',
} satisfies Record<keyof Parameters, Rows>;

export const MESSAGES_TIERS = {
  auto: row({ service_tier: 'auto' })({
    chat: honoured({ '/service_tier': 'auto' }),
    responses: honoured({ '/service_tier': 'auto' }),
    gemini: ANYWAY,
  }),
  standard_only: row({ service_tier: 'standard_only' })({
    chat: honoured({ '/service_tier': 'default' }),
    responses: honoured({ '/service_tier': 'default' }),
    gemini: honoured({ '/serviceTier': 'standard' }),
  }),
} satisfies Record<NonNullable<Parameters['service_tier']>, Rows>;

const effort = (effort: NonNullable<OutputConfig['effort']>) => row({ output_config: { effort } });
const schema = { type: 'object', properties: { a: { type: 'string' } } };

export const MESSAGES_OUTPUT = {
  effort: [
    effort('low')({
      chat: honoured({ '/reasoning_effort': 'low' }),
      responses: honoured({
        '/reasoning': { effort: 'low' },
        '/include': ['reasoning.encrypted_content'],
      }),
      gemini: honoured({
        '/generationConfig/thinkingConfig': { thinkingLevel: 'LOW', includeThoughts: true },
      }),
    }),
    effort('high')({
      chat: honoured({ '/reasoning_effort': 'high' }),
      responses: honoured({
        '/reasoning': { effort: 'high' },
        '/include': ['reasoning.encrypted_content'],
      }),
      gemini: honoured({
        '/generationConfig/thinkingConfig': { thinkingLevel: 'HIGH', includeThoughts: true },
      }),
    }),
    effort('max')({
      chat: honoured({ '/reasoning_effort': 'max' }),
      server: honoured({ '/reasoning_effort': 'high' }, 'output_config.effort'),
      responses: honoured({
        '/reasoning': { effort: 'max' },
        '/include': ['reasoning.encrypted_content'],
      }),
      gemini: honoured(
        { '/generationConfig/thinkingConfig': { thinkingLevel: 'HIGH', includeThoughts: true } },
        'output_config.effort',
      ),
    }),
  ],
  format: row({ output_config: { format: { type: 'json_schema', schema } } })({
    // OpenAI does not enforce a schema with optional properties.
    chat: honoured(
      { '/response_format': { type: 'json_schema', json_schema: { name: 'answer', schema } } },
      'output_config.format.strict',
    ),
    server: honoured({
      '/response_format': { type: 'json_schema', json_schema: { name: 'answer', schema } },
    }),
    responses: honoured(
      { '/text': { format: { type: 'json_schema', name: 'answer', schema } } },
      'output_config.format.strict',
    ),
    gemini: honoured({
      '/generationConfig/responseMimeType': 'application/json',
      '/generationConfig/responseJsonSchema': {
        type: 'object',
        properties: { a: { type: 'string' } },
      },
    }),
  }),
} satisfies Record<keyof OutputConfig, Rows>;

const THINKING_OFF = { '/chat_template_kwargs': { enable_thinking: false } };
const MODEL_DECIDES = { thinkingBudget: -1, includeThoughts: true };

export const MESSAGES_THINKING = {
  enabled: [
    row({ thinking: { type: 'enabled', budget_tokens: 2_000 } })({
      chat: declared('thinking'),
      server: honoured({ '/reasoning_effort': 'low' }, 'thinking'),
      responses: declared('thinking'),
      gemini: honoured({
        '/generationConfig/thinkingConfig': { thinkingBudget: 2000, includeThoughts: true },
      }),
    }),
    row({ thinking: { type: 'enabled', budget_tokens: 2_000, display: 'omitted' } })({
      chat: declared('thinking.display', 'thinking'),
      server: honoured({ '/reasoning_effort': 'low' }, 'thinking.display', 'thinking'),
      responses: declared('thinking', 'thinking.display'),
      gemini: honoured(
        { '/generationConfig/thinkingConfig': { thinkingBudget: 2_000, includeThoughts: true } },
        'thinking.display',
      ),
    }),
  ],
  disabled: row({ thinking: { type: 'disabled' } })({
    chat: ANYWAY,
    server: honoured(THINKING_OFF),
    responses: ANYWAY,
    gemini: honoured(
      { '/generationConfig/thinkingConfig': { thinkingLevel: 'MINIMAL' } },
      'thinking',
    ),
  }),
  adaptive: [
    row({ thinking: { type: 'adaptive' } })({
      chat: declared('thinking'),
      server: honoured({ '/reasoning_effort': 'medium' }),
      responses: declared('thinking'),
      gemini: honoured({ '/generationConfig/thinkingConfig': MODEL_DECIDES }),
    }),
    row({ thinking: { type: 'adaptive', display: 'omitted' } })({
      chat: declared('thinking.display', 'thinking'),
      server: honoured({ '/reasoning_effort': 'medium' }, 'thinking.display'),
      responses: declared('thinking', 'thinking.display'),
      gemini: honoured({ '/generationConfig/thinkingConfig': MODEL_DECIDES }, 'thinking.display'),
    }),
  ],
  between_tools: row({ thinking: { type: 'between_tools' } })(elsewhere(declared('thinking'))),
} satisfies Record<ThinkingConfigParam['type'], Rows>;

/** A tool that only this vendor has. */
const hosted = (type: string) =>
  raw({ tools: [f, { type, name: 'x' }] }, { tools })(elsewhere(declared('tools[1]')));

/** A web search, which other vendors run too. */
const search = (type: string) =>
  raw(
    { tools: [f, { type, name: 'x' }] },
    { tools },
  )({
    ...elsewhere(declared('tools[1]')),
    responses: SEARCH_ADDED.responses,
  });

export const MESSAGES_TOOLS = {
  custom: row({ tools: [{ ...f, type: 'custom' }] })({
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
  bash_20250124: hosted('bash_20250124'),
  browser_toolset_20260801: hosted('browser_toolset_20260801'),
  code_execution_20250522: hosted('code_execution_20250522'),
  code_execution_20250825: hosted('code_execution_20250825'),
  code_execution_20260120: hosted('code_execution_20260120'),
  code_execution_20260521: hosted('code_execution_20260521'),
  computer_toolset_20260801: hosted('computer_toolset_20260801'),
  memory_20250818: hosted('memory_20250818'),
  text_editor_20250124: hosted('text_editor_20250124'),
  text_editor_20250429: hosted('text_editor_20250429'),
  text_editor_20250728: hosted('text_editor_20250728'),
  tool_search_tool_bm25: hosted('tool_search_tool_bm25'),
  tool_search_tool_bm25_20251119: hosted('tool_search_tool_bm25_20251119'),
  tool_search_tool_regex: hosted('tool_search_tool_regex'),
  tool_search_tool_regex_20251119: hosted('tool_search_tool_regex_20251119'),
  web_fetch_20250910: hosted('web_fetch_20250910'),
  web_fetch_20260209: hosted('web_fetch_20260209'),
  web_fetch_20260309: hosted('web_fetch_20260309'),
  web_fetch_20260318: hosted('web_fetch_20260318'),
  web_search_20250305: search('web_search_20250305'),
  web_search_20260209: search('web_search_20260209'),
  web_search_20260318: search('web_search_20260318'),
} satisfies Record<KindOf<ToolUnion>, Rows>;

const declare = (fields: Partial<Tool>) => row({ tools: [{ ...f, ...fields }] }, { tools });

export const MESSAGES_TOOL = {
  type: row({ tools: [{ ...f, type: 'custom' }] }, { tools })(elsewhere(ANYWAY)),
  name: declare({ name: 'g' })({
    chat: honoured({ '/tools/0/function/name': 'g' }),
    responses: honoured({ '/tools/0/name': 'g' }),
    gemini: honoured({ '/tools/0/functionDeclarations/0/name': 'g' }),
  }),
  description: declare({ description: 'Does it.' })({
    chat: honoured({ '/tools/0/function/description': 'Does it.' }),
    responses: honoured({ '/tools/0/description': 'Does it.' }),
    gemini: honoured({ '/tools/0/functionDeclarations/0/description': 'Does it.' }),
  }),
  input_schema: declare({
    input_schema: { type: 'object', properties: { a: { type: 'string' } } },
  })({
    chat: honoured({ '/tools/0/function/parameters/properties/a': { type: 'string' } }),
    responses: honoured({ '/tools/0/parameters/properties/a': { type: 'string' } }),
    gemini: honoured({
      '/tools/0/functionDeclarations/0/parametersJsonSchema/properties/a': { type: 'string' },
    }),
  }),
  strict: declare({ strict: true })({
    chat: honoured({
      '/tools/0/function/strict': true,
      '/tools/0/function/parameters/additionalProperties': false,
    }),
    server: honoured({ '/tools/0/function/strict': true }),
    responses: honoured({
      '/tools/0/strict': true,
      '/tools/0/parameters/additionalProperties': false,
    }),
    gemini: honoured({ '/toolConfig': { functionCallingConfig: { mode: 'VALIDATED' } } }),
  }),
  allowed_callers: declare({ allowed_callers: ['direct'] })(
    elsewhere(declared('tools[0].allowed_callers')),
  ),
  cache_control: declare({ cache_control: { type: 'ephemeral' } })(
    elsewhere(declared('tools[0].cache_control')),
  ),
  defer_loading: declare({ defer_loading: true })(elsewhere(declared('tools[0].defer_loading'))),
  eager_input_streaming: declare({ eager_input_streaming: true })(
    elsewhere(declared('tools[0].eager_input_streaming')),
  ),
  input_examples: declare({ input_examples: [{ a: 'x' }] })(
    elsewhere(declared('tools[0].input_examples')),
  ),
} satisfies Record<keyof Tool, Rows>;

const choose = (tool_choice: ToolChoice) => row({ tool_choice }, { tools });

export const MESSAGES_TOOL_CHOICES = {
  auto: [
    choose({ type: 'auto' })({
      chat: honoured({ '/tool_choice': 'auto' }),
      responses: honoured({ '/tool_choice': 'auto' }),
      gemini: honoured({ '/toolConfig': { functionCallingConfig: { mode: 'AUTO' } } }),
    }),
    choose({ type: 'auto', disable_parallel_tool_use: true })({
      chat: honoured({ '/tool_choice': 'auto', '/parallel_tool_calls': false }),
      responses: honoured({ '/tool_choice': 'auto', '/parallel_tool_calls': false }),
      gemini: honoured(
        { '/toolConfig': { functionCallingConfig: { mode: 'AUTO' } } },
        'tool_choice.disable_parallel_tool_use',
      ),
    }),
    choose({ type: 'auto', disable_parallel_tool_use: false })({
      chat: honoured({ '/tool_choice': 'auto' }),
      responses: honoured({ '/tool_choice': 'auto' }),
      gemini: honoured({ '/toolConfig': { functionCallingConfig: { mode: 'AUTO' } } }),
    }),
  ],
  any: [
    choose({ type: 'any' })({
      chat: honoured({ '/tool_choice': 'required' }),
      responses: honoured({ '/tool_choice': 'required' }),
      gemini: honoured({ '/toolConfig': { functionCallingConfig: { mode: 'ANY' } } }),
    }),
    choose({ type: 'any', disable_parallel_tool_use: true })({
      chat: honoured({ '/tool_choice': 'required', '/parallel_tool_calls': false }),
      responses: honoured({ '/tool_choice': 'required', '/parallel_tool_calls': false }),
      gemini: honoured(
        { '/toolConfig': { functionCallingConfig: { mode: 'ANY' } } },
        'tool_choice.disable_parallel_tool_use',
      ),
    }),
  ],
  tool: choose({ type: 'tool', name: 'f' })({
    chat: honoured({ '/tool_choice': { type: 'function', function: { name: 'f' } } }),
    responses: honoured({ '/tool_choice': { type: 'function', name: 'f' } }),
    gemini: honoured({
      '/toolConfig': { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    }),
  }),
  none: choose({ type: 'none' })({
    chat: honoured({ '/tool_choice': 'none' }),
    responses: honoured({ '/tool_choice': 'none' }),
    gemini: honoured({ '/toolConfig': { functionCallingConfig: { mode: 'NONE' } } }),
  }),
} satisfies Record<ToolChoice['type'], Rows>;

/** Fields of older models, and of the gateway. */
export const MESSAGES_BEYOND = {
  provider: raw({ provider: 'anthropic' })(everywhere(ANYWAY)),
  temperature: raw({ temperature: 0.5 })({
    chat: honoured({ '/temperature': 0.5 }),
    responses: honoured({ '/temperature': 0.5 }),
    gemini: honoured({ '/generationConfig/temperature': 0.5 }),
  }),
  top_p: raw({ top_p: 0.5 })({
    chat: honoured({ '/top_p': 0.5 }),
    responses: honoured({ '/top_p': 0.5 }),
    gemini: honoured({ '/generationConfig/topP': 0.5 }),
  }),
  top_k: raw({ top_k: 3 })({
    chat: declared('top_k'),
    server: honoured({ '/top_k': 3 }),
    responses: declared('top_k'),
    gemini: honoured({ '/generationConfig/topK': 3 }),
  }),
  'metadata.trace': raw({ metadata: { trace: 'a-1' } })(elsewhere(declared('metadata.trace'))),
  'output_config.unheard_of': raw({ output_config: { unheard_of: 1 } })(
    elsewhere(declared('output_config.unheard_of')),
  ),
  'kinds of forms': raw({ output_config: { format: { type: 'grammar' } } })(
    elsewhere(declared('output_config.format')),
  ),
  unheard_of: raw({ unheard_of: 1 })(elsewhere(declared('unheard_of'))),
} satisfies Record<string, Rows>;
