// The tools of a responses request, and the tool choice.

import type {
  CustomTool,
  FunctionTool,
  ResponseCreateParamsBase,
  Tool,
} from 'openai/resources/responses/responses';

import { declared, honoured, type KindOf, type Rows } from './matrix';
import { CHOICE, SEARCH_ADDED } from './outcomes';
import { elsewhere, raw, row, tools } from './responses';

/** A tool that only this vendor has. */
const hosted = (type: string) =>
  raw({ tools: [...tools, { type }] }, { tools })(elsewhere(declared('tools[1]')));

/** A web search, which other vendors have too. */
const search = (type: string) =>
  raw(
    { tools: [...tools, { type }] },
    { tools },
  )({
    ...elsewhere(declared('tools[1]')),
    messages: SEARCH_ADDED.messages,
  });

export const RESPONSES_TOOLS = {
  function: row({ tools })({
    chat: honoured({
      '/tools': [
        {
          type: 'function',
          function: { name: 'f', parameters: { type: 'object', properties: {} }, strict: false },
        },
      ],
    }),
    messages: honoured({
      '/tools': [{ name: 'f', strict: false, input_schema: { type: 'object', properties: {} } }],
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
  custom: row(
    { tools: [...tools, { type: 'custom', name: 'c' }] },
    { tools },
  )({
    chat: honoured({ '/tools/1': { type: 'custom', custom: { name: 'c' } } }),
    messages: declared('tools[1]'),
    gemini: declared('tools[1]'),
  }),
  apply_patch: hosted('apply_patch'),
  code_interpreter: hosted('code_interpreter'),
  computer: hosted('computer'),
  computer_use_preview: hosted('computer_use_preview'),
  file_search: hosted('file_search'),
  image_generation: hosted('image_generation'),
  local_shell: hosted('local_shell'),
  mcp: hosted('mcp'),
  namespace: hosted('namespace'),
  programmatic_tool_calling: hosted('programmatic_tool_calling'),
  shell: hosted('shell'),
  tool_search: hosted('tool_search'),
  web_search: search('web_search'),
  web_search_2025_08_26: search('web_search_2025_08_26'),
  web_search_preview: search('web_search_preview'),
  web_search_preview_2025_03_11: search('web_search_preview_2025_03_11'),
} satisfies Record<Tool['type'], Rows>;

const declare = (fields: Partial<FunctionTool>) =>
  row(
    { tools: [{ type: 'function', name: 'f', parameters: null, strict: false, ...fields }] },
    { tools: [{ type: 'function', name: 'f', parameters: null, strict: false }] },
  );

export const RESPONSES_FUNCTION = {
  type: 'OTHER_ROWS',
  name: declare({ name: 'g' })({
    chat: honoured({ '/tools/0/function/name': 'g' }),
    messages: honoured({ '/tools/0/name': 'g' }),
    gemini: honoured({ '/tools/0/functionDeclarations/0/name': 'g' }),
  }),
  description: declare({ description: 'Does it.' })({
    chat: honoured({ '/tools/0/function/description': 'Does it.' }),
    messages: honoured({ '/tools/0/description': 'Does it.' }),
    gemini: honoured({ '/tools/0/functionDeclarations/0/description': 'Does it.' }),
  }),
  parameters: declare({ parameters: { type: 'object', properties: {} } })({
    chat: honoured({ '/tools/0/function/parameters': { type: 'object', properties: {} } }),
    messages: honoured({ '/tools/0/input_schema/properties': {} }),
    gemini: honoured({
      '/tools/0/functionDeclarations/0/parametersJsonSchema': { type: 'object', properties: {} },
    }),
  }),
  strict: declare({ strict: true })({
    chat: honoured({ '/tools/0/function/strict': true }),
    messages: honoured({ '/tools/0/strict': true }),
    gemini: honoured({ '/toolConfig': { functionCallingConfig: { mode: 'VALIDATED' } } }),
  }),
  allowed_callers: declare({ allowed_callers: ['direct'] })(
    elsewhere(declared('tools[0].allowed_callers')),
  ),
  async: declare({ async: true })(elsewhere(declared('tools[0].async'))),
  defer_loading: declare({ defer_loading: true })(elsewhere(declared('tools[0].defer_loading'))),
  output_schema: declare({ output_schema: { type: 'object' } })(
    elsewhere(declared('tools[0].output_schema')),
  ),
} satisfies Record<keyof FunctionTool, Rows>;

const free = (fields: Partial<CustomTool>) =>
  row({ tools: [...tools, { type: 'custom', name: 'c', ...fields }] }, { tools });

export const RESPONSES_CUSTOM = {
  type: 'OTHER_ROWS',
  name: free({ name: 'd' })({
    chat: honoured({ '/tools/1': { type: 'custom', custom: { name: 'd' } } }),
    messages: declared('tools[1]'),
    gemini: declared('tools[1]'),
  }),
  description: free({ description: 'Free.' })({
    chat: honoured({ '/tools/1': { type: 'custom', custom: { name: 'c', description: 'Free.' } } }),
    messages: declared('tools[1]'),
    gemini: declared('tools[1]'),
  }),
  format: free({ format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } })({
    chat: honoured({
      '/tools/1': {
        type: 'custom',
        custom: {
          name: 'c',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
        },
      },
    }),
    messages: declared('tools[1]'),
    gemini: declared('tools[1]'),
  }),
  allowed_callers: free({ allowed_callers: ['direct'] })({
    chat: honoured(
      { '/tools/1': { type: 'custom', custom: { name: 'c' } } },
      'tools[1].allowed_callers',
    ),
    messages: declared('tools[1].allowed_callers', 'tools[1]'),
    gemini: declared('tools[1].allowed_callers', 'tools[1]'),
  }),
  async: free({ async: true })({
    chat: honoured({ '/tools/1': { type: 'custom', custom: { name: 'c' } } }, 'tools[1].async'),
    messages: declared('tools[1].async', 'tools[1]'),
    gemini: declared('tools[1].async', 'tools[1]'),
  }),
  defer_loading: free({ defer_loading: true })({
    chat: honoured(
      { '/tools/1': { type: 'custom', custom: { name: 'c' } } },
      'tools[1].defer_loading',
    ),
    messages: declared('tools[1].defer_loading', 'tools[1]'),
    gemini: declared('tools[1].defer_loading', 'tools[1]'),
  }),
} satisfies Record<keyof CustomTool, Rows>;

type ToolChoice = NonNullable<ResponseCreateParamsBase['tool_choice']>;
const chosen = (type: string) =>
  raw({ tool_choice: { type } }, { tools })(elsewhere(declared('tool_choice')));

export const RESPONSES_TOOL_CHOICES = {
  none: row(
    { tool_choice: 'none' },
    { tools },
  )({
    chat: honoured({ '/tool_choice': 'none' }),
    ...CHOICE.none,
  }),
  auto: row(
    { tool_choice: 'auto' },
    { tools },
  )({
    chat: honoured({ '/tool_choice': 'auto' }),
    ...CHOICE.auto,
  }),
  required: row(
    { tool_choice: 'required' },
    { tools },
  )({
    chat: honoured({ '/tool_choice': 'required' }),
    ...CHOICE.required,
  }),
  function: row(
    { tool_choice: { type: 'function', name: 'f' } },
    { tools },
  )({
    chat: honoured({ '/tool_choice': { type: 'function', function: { name: 'f' } } }),
    ...CHOICE.function,
  }),
  custom: row(
    {
      tools: [...tools, { type: 'custom', name: 'c' }],
      tool_choice: { type: 'custom', name: 'c' },
    },
    { tools },
  )({
    chat: honoured({
      '/tools/1': { type: 'custom', custom: { name: 'c' } },
      '/tool_choice': { type: 'custom', custom: { name: 'c' } },
    }),
    messages: declared('tools[1]', 'tool_choice'),
    gemini: declared('tools[1]', 'tool_choice'),
  }),
  allowed_tools: [
    row(
      {
        tool_choice: {
          type: 'allowed_tools',
          mode: 'auto',
          tools: [{ type: 'function', name: 'f' }],
        },
      },
      { tools },
    )({
      chat: honoured({
        '/tool_choice': {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
        },
      }),
      messages: honoured({ '/tool_choice': { type: 'auto' } }),
      gemini: honoured({
        '/toolConfig': {
          functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
        },
      }),
    }),
    row(
      {
        tool_choice: {
          type: 'allowed_tools',
          mode: 'auto',
          tools: [
            { type: 'function', name: 'f' },
            { type: 'mcp', server_label: 's' },
          ],
        },
      },
      { tools },
    )({
      chat: honoured(
        {
          '/tool_choice': {
            type: 'allowed_tools',
            allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
          },
        },
        'tool_choice.tools[1]',
      ),
      messages: honoured({ '/tool_choice': { type: 'auto' } }, 'tool_choice.tools[1]'),
      gemini: honoured(
        {
          '/toolConfig': {
            functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
          },
        },
        'tool_choice.tools[1]',
      ),
    }),
  ],
  apply_patch: chosen('apply_patch'),
  code_interpreter: chosen('code_interpreter'),
  computer: chosen('computer'),
  computer_use: chosen('computer_use'),
  computer_use_preview: chosen('computer_use_preview'),
  file_search: chosen('file_search'),
  image_generation: chosen('image_generation'),
  mcp: chosen('mcp'),
  programmatic_tool_calling: chosen('programmatic_tool_calling'),
  shell: chosen('shell'),
  web_search_preview: chosen('web_search_preview'),
  web_search_preview_2025_03_11: chosen('web_search_preview_2025_03_11'),
} satisfies Record<Extract<ToolChoice, string> | KindOf<ToolChoice>, Rows>;

/** Fields of compatible servers. */
