// How a request bounds its provider's server tools, and how the held bound is sent where the
// request has none.

import { FORMATS, type FormatName, type JsonObject } from '.';
import type { ServerTool } from './server-tools';

const USER = [{ role: 'user', content: 'Hello' }];
const BODIES: Readonly<Partial<Record<FormatName, JsonObject>>> = {
  'anthropic-messages': { model: 'm', max_tokens: 9, messages: USER },
  'openai-responses': { model: 'm', input: 'Hello' },
  'openai-chat': { model: 'm', messages: USER },
  'gemini-generate': { model: 'm', contents: [{ parts: [{ text: 'Hello' }] }] },
  unified: { model: 'm', messages: USER },
};

function read(name: FormatName, body: object) {
  const format = FORMATS[name];
  const request = format.decodeRequest({ ...BODIES[name], ...body }, {});
  return { format, request, tools: format.serverTools(request) };
}

/** `unit@param:bound`, with the tokens that a call may add to the input. */
function summary({ unit, param, maxCalls, sharesBound, inputTokensPerCall }: ServerTool): string {
  return `${unit}@${param}:${maxCalls}${sharesBound ? ' shared' : ''} +${inputTokensPerCall}`;
}

const search = { type: 'web_search_20250305', name: 'web_search' };
const fetch = { type: 'web_fetch_20250910', name: 'web_fetch' };
const code = { type: 'code_execution_20250825', name: 'code_execution' };
const own = { name: 'f', input_schema: {} };
const added = (type: string, tools: object[]) => ({ type, role: 'developer', tools });
const declared = { type: 'function', name: 'f', parameters: {} };

const CASES: [FormatName, string, object, string[]][] = [
  ['anthropic-messages', 'its own', { tools: [own, { type: 'bash_20250124', name: 'bash' }] }, []],
  ['anthropic-messages', 'unbounded', { tools: [own, search] }, ['web_search@tools[1]:0 +8000']],
  [
    'anthropic-messages',
    'bounded',
    {
      tools: [
        { ...search, max_uses: 20 },
        { ...fetch, max_uses: 2, max_content_tokens: 500 },
      ],
    },
    ['web_search@tools[0]:20 +8000', '@tools[1]:2 +500'],
  ],
  [
    'anthropic-messages',
    'invalid bounds',
    {
      tools: [
        { ...search, max_uses: '20' },
        { ...search, max_uses: -1 },
      ],
    },
    ['web_search@tools[0]:0 +8000', 'web_search@tools[1]:0 +8000'],
  ],
  [
    'anthropic-messages',
    'an excessive bound',
    { tools: [{ ...search, max_uses: 9e15 }] },
    ['web_search@tools[0]:1000000 +8000'],
  ],
  [
    'anthropic-messages',
    'code',
    { tools: [code] },
    ['code_execution@tools[0]:1 +0', '@tools[0]:0 +2000'],
  ],
  [
    'anthropic-messages',
    'code beside a search that includes it',
    { tools: [code, { ...search, type: 'web_search_20260209' }] },
    ['@tools[0]:0 +2000', 'web_search@tools[1]:0 +8000'],
  ],
  [
    'anthropic-messages',
    'names of object properties',
    { tools: [{ type: 'constructor', name: 'x' }] },
    ['tool_call@tools[0]:0 +8000'],
  ],
  ['openai-responses', 'its own', { tools: [declared, { type: 'local_shell' }] }, []],
  [
    'openai-responses',
    'one bound for all tools',
    {
      max_tool_calls: 4,
      tools: [
        { type: 'web_search_preview_2025_03_11' },
        { type: 'file_search', vector_store_ids: ['v'] },
      ],
    },
    ['web_search@tools[0]:4 shared +8000', 'file_search@tools[1]:4 shared +16000'],
  ],
  [
    'openai-responses',
    'unbounded',
    { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
    ['code_execution@tools[0]:1 +0', '@tools[0]:0 shared +2000'],
  ],
  [
    'openai-responses',
    'images by size',
    {
      tools: [
        { type: 'image_generation', size: '1024x1024', quality: 'low' },
        { type: 'image_generation', size: 'auto' },
      ],
    },
    ['image_low_1024x1024@tools[0]:0 shared +0', 'image@tools[1]:0 shared +0'],
  ],
  ['openai-responses', 'a stored prompt', { prompt: { id: 'p' } }, ['*@prompt:0 shared +0']],
  [
    'openai-responses',
    'added by items of the conversation, which repeats them',
    {
      max_tool_calls: 4,
      tools: [{ type: 'web_search' }],
      input: [
        { role: 'user', content: 'Hello' },
        added('additional_tools', [declared, { type: 'image_generation' }]),
        added('tool_search_output', [{ type: 'file_search' }, { type: 'oracle' }]),
        added('additional_tools', [{ type: 'image_generation' }, { type: 'file_search' }]),
        added('web_search_call', [{ type: 'code_interpreter' }]),
      ],
    },
    [
      'web_search@tools[0]:4 shared +8000',
      'image@input[1].tools[1]:4 shared +0',
      'file_search@input[2].tools[0]:4 shared +16000',
      'tool_call@input[2].tools[1]:4 shared +8000',
    ],
  ],
  [
    'openai-responses',
    'shells',
    { tools: [{ type: 'shell' }, { type: 'shell', environment: { type: 'local' } }] },
    [],
  ],
  ['openai-chat', 'its own', { tools: [{ type: 'function', function: { name: 'f' } }] }, []],
  ['openai-chat', 'search', { web_search_options: {} }, ['web_search@web_search_options:0 +8000']],
  [
    'openai-chat',
    'off',
    { search_parameters: { mode: 'off' }, plugins: [], web_search_options: null },
    [],
  ],
  [
    'openai-chat',
    'enabled by a flag',
    { web_search_options: true },
    ['web_search@web_search_options:0 +8000'],
  ],
  [
    'openai-chat',
    'a compatible server’s own tool',
    { tools: [{ type: 'openrouter:web_search' }, { type: 'oracle' }] },
    ['web_search@tools[0]:0 +8000', 'tool_call@tools[1]:0 +8000'],
  ],
  [
    'gemini-generate',
    'either spelling',
    {
      tools: [{ google_search: {}, functionDeclarations: [] }, { codeExecution: {} }],
      cached_content: 'c',
    },
    [
      'web_search@tools[0].googleSearch:0 +8000',
      '@tools[1].codeExecution:0 +2000',
      '*@cachedContent:0 +0',
    ],
  ],
  ['gemini-generate', 'switched off', { tools: [{ googleSearch: null }] }, []],
  [
    'unified',
    'none: they are dropped',
    { tools: [{ type: 'web_search' }], web_search_options: {} },
    [],
  ],
];

test.each(CASES)('%s: %s', (name, _, body, expected) => {
  expect(read(name, body).tools.map(summary)).toEqual(expected);
});

test('too many bounds are refused', () => {
  const tools = Array.from({ length: 101 }, () => search);
  expect(() => read('anthropic-messages', { tools })).toThrow(/tools: .* too many/);
  const hosted = Array.from({ length: 100 }, () => ({ type: 'web_search' }));
  const more = { tools: hosted, input: [added('additional_tools', [{ type: 'mcp' }])] };
  expect(read('openai-responses', { tools: hosted }).tools).toHaveLength(100);
  expect(() => read('openai-responses', more)).toThrow(/^input: .* too many/);
  const list = { input: [added('additional_tools', [...hosted, { type: 'mcp' }])] };
  expect(() => read('openai-responses', list)).toThrow(/^input\[0\]\.tools: .* too many/);
});

describe('the held bound is sent', () => {
  const sent = (name: FormatName, body: object, maxToolCalls?: number): JsonObject => {
    const { format, request } = read(name, body);
    const bound = maxToolCalls === undefined ? {} : { maxToolCalls };
    return format.encodeRequest(request, {
      providerType: name === 'anthropic-messages' ? 'PROVIDER_B' : 'PROVIDER_A',
      model: 'up',
      strict: false,
      ...bound,
    }).body;
  };

  test('as max_uses of each search that has none', () => {
    const tools = [own, search, { ...search, max_uses: 2 }, { ...fetch, max_uses: 'x' }, code];
    expect(sent('anthropic-messages', { tools }, 7)['tools']).toEqual([
      own,
      { ...search, max_uses: 7 },
      { ...search, max_uses: 2 },
      { ...fetch, max_uses: 7 },
      code,
    ]);
    expect(sent('anthropic-messages', { tools })['tools']).toEqual(tools);
  });

  test('as max_tool_calls, unless the client has one', () => {
    const tools = [{ type: 'web_search' }];
    expect(sent('openai-responses', { tools }, 7)['max_tool_calls']).toBe(7);
    expect(sent('openai-responses', { tools, max_tool_calls: 3 }, 7)['max_tool_calls']).toBe(3);
    expect(sent('openai-responses', { tools })).not.toHaveProperty('max_tool_calls');
    const input = [added('additional_tools', tools)];
    expect(sent('openai-responses', { input }, 7)['max_tool_calls']).toBe(7);
  });
});
