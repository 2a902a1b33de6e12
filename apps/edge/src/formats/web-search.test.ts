// Web searches that a client requests in one format and a provider of another format runs. The tool keeps
// its options, options that the target lacks are reported, and the hold covers the bound that is sent.

import { GatewayError } from '@tollgate/contracts';

import { FORMATS, type FormatName, type JsonObject, type TargetContext } from '.';
import { crossedSearches, searchCrosses } from './web-search';

const TO: Partial<Record<FormatName, TargetContext>> = {
  'anthropic-messages': { providerType: 'PROVIDER_B', model: 'claude-opus-4-6', strict: false },
  'openai-responses': { providerType: 'PROVIDER_A', model: 'gpt-4o', strict: false },
  'gemini-generate': { providerType: 'PROVIDER_C', model: 'gemini-2.5-flash', strict: false },
};

const PLAIN: Partial<Record<FormatName, JsonObject>> = {
  'anthropic-messages': {
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'News?' }],
  },
  'openai-responses': { model: 'm', input: 'News?' },
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'News?' }] },
  'gemini-generate': { contents: [{ role: 'user', parts: [{ text: 'News?' }] }] },
};

function decode(from: FormatName, body: JsonObject) {
  return FORMATS[from].decodeRequest({ ...PLAIN[from], ...body }, { model: 'm' });
}

function encode(from: FormatName, body: JsonObject, to: FormatName, target: object = {}) {
  const context = TO[to];
  if (context === undefined) throw new Error(`no target of ${to}`);
  return FORMATS[to].encodeRequest(decode(from, body), { ...context, ...target });
}

const place = { city: 'Zurich', country: 'CH', timezone: 'Europe/Zurich' };
const near = { type: 'approximate', ...place };
const CLAUDE = { type: 'web_search_20250305', name: 'web_search' };
const OPENAI = { type: 'web_search' };

test.each<[FormatName, JsonObject, FormatName, JsonObject, string[]]>([
  [
    'openai-responses',
    {
      max_tool_calls: 3,
      tools: [
        {
          type: 'web_search',
          filters: { allowed_domains: ['a.test'] },
          user_location: near,
          search_context_size: 'high',
        },
      ],
    },
    'anthropic-messages',
    { tools: [{ ...CLAUDE, max_uses: 3, allowed_domains: ['a.test'], user_location: near }] },
    ['tools[0].search_context_size'],
  ],
  [
    'openai-responses',
    {
      max_tool_calls: 3,
      tools: [{ type: 'web_search_preview', user_location: near, search_context_size: 'medium' }],
    },
    'gemini-generate',
    { tools: [{ googleSearch: {} }] },
    ['max_tool_calls', 'tools[0].user_location'],
  ],
  [
    'openai-responses',
    { tools: [OPENAI], tool_choice: { type: 'web_search' } },
    'anthropic-messages',
    { tools: [CLAUDE], tool_choice: { type: 'tool', name: 'web_search' } },
    [],
  ],
  [
    'openai-responses',
    { tools: [OPENAI], include: ['web_search_call.action.sources'] },
    'anthropic-messages',
    { tools: [CLAUDE] },
    [],
  ],
  [
    'anthropic-messages',
    {
      tools: [
        {
          ...CLAUDE,
          max_uses: 2,
          blocked_domains: ['b.test'],
          user_location: near,
          cache_control: { type: 'ephemeral' },
        },
      ],
    },
    'openai-responses',
    {
      tools: [{ type: 'web_search', user_location: near }],
      max_tool_calls: 2,
      include: ['web_search_call.action.sources'],
    },
    ['tools[0].cache_control', 'tools[0].blocked_domains'],
  ],
  [
    'anthropic-messages',
    {
      tools: [{ ...CLAUDE, allowed_domains: ['a.test'] }],
      tool_choice: { type: 'tool', name: 'web_search' },
    },
    'openai-responses',
    {
      tools: [{ type: 'web_search', filters: { allowed_domains: ['a.test'] } }],
      tool_choice: { type: 'web_search' },
    },
    [],
  ],
  [
    'anthropic-messages',
    { tools: [{ ...CLAUDE, max_uses: 2 }] },
    'gemini-generate',
    { tools: [{ googleSearch: {} }] },
    ['tools[0].max_uses'],
  ],
  [
    'openai-chat',
    {
      web_search_options: {
        user_location: { type: 'approximate', approximate: place },
        search_context_size: 'low',
      },
    },
    'anthropic-messages',
    { tools: [{ ...CLAUDE, user_location: near }] },
    ['web_search_options.search_context_size'],
  ],
  [
    'openai-chat',
    { web_search_options: {} },
    'gemini-generate',
    { tools: [{ googleSearch: {} }] },
    [],
  ],
  [
    'gemini-generate',
    { tools: [{ google_search: { exclude_domains: ['b.test'], timeRangeFilter: {} } }] },
    'anthropic-messages',
    { tools: [{ ...CLAUDE, blocked_domains: ['b.test'] }] },
    ['tools[0].googleSearch.timeRangeFilter'],
  ],
  [
    'gemini-generate',
    { tools: [{ googleSearch: {} }] },
    'openai-responses',
    { tools: [OPENAI] },
    [],
  ],
])('%s %j to %s', (from, asked, to, sent, dropped) => {
  const encoded = encode(from, asked, to);
  expect(encoded.body).toMatchObject(sent);
  expect([...encoded.dropped].sort()).toEqual([...dropped].sort());
  if (dropped.length === 0) return;
  expect(() => encode(from, asked, to, { strict: true })).toThrow(GatewayError);
});

test('with both lists of domains, Anthropic gets the allowed ones and the blocked ones are dropped', () => {
  const filters = { allowed_domains: ['a.test'], blocked_domains: ['b.test'] };
  const asked = { tools: [{ ...OPENAI, filters }] };
  const { body, dropped } = encode('openai-responses', asked, 'anthropic-messages');
  expect(body['tools']).toEqual([{ ...CLAUDE, allowed_domains: ['a.test'] }]);
  expect(dropped).toEqual(['tools[0].filters.blocked_domains']);
});

test('a search without its own bound is sent with the bound that the hold covers', () => {
  const chat = { web_search_options: {} };
  expect(encode('openai-chat', chat, 'anthropic-messages', { maxToolCalls: 5 }).body).toMatchObject(
    { tools: [{ ...CLAUDE, max_uses: 5 }] },
  );
  const messages = { tools: [CLAUDE] };
  expect(
    encode('anthropic-messages', messages, 'openai-responses', { maxToolCalls: 5 }).body,
  ).toMatchObject({ max_tool_calls: 5 });
});

const f = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } };

test.each<[string, FormatName, JsonObject, FormatName, object, string]>([
  [
    'next to functions, which Gemini refuses',
    'openai-responses',
    { tools: [f, OPENAI] },
    'gemini-generate',
    {},
    'tools[1]',
  ],
  [
    'with JSON output, which older models of Gemini refuse',
    'openai-responses',
    { tools: [OPENAI], text: { format: { type: 'json_object' } } },
    'gemini-generate',
    {},
    'tools[0]',
  ],
  [
    'to a model that has no such tool',
    'openai-responses',
    { tools: [OPENAI] },
    'gemini-generate',
    { model: 'gemma-3' },
    'tools[0]',
  ],
  [
    'to a compatible server, which may lack the tool',
    'openai-responses',
    { tools: [OPENAI] },
    'anthropic-messages',
    { providerType: 'CUSTOM' },
    'tools[0]',
  ],
  [
    'with the name of a function',
    'openai-responses',
    { tools: [{ ...f, name: 'web_search' }, OPENAI] },
    'anthropic-messages',
    {},
    'tools[1]',
  ],
  [
    'with the tool choice none',
    'anthropic-messages',
    { tools: [CLAUDE], tool_choice: { type: 'none' } },
    'openai-responses',
    {},
    'tools[0]',
  ],
  [
    'outside of the allowed tools',
    'openai-responses',
    {
      tools: [f, OPENAI],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [{ type: 'function', name: 'f' }],
      },
    },
    'anthropic-messages',
    {},
    'tools[1]',
  ],
])('a search %s is reported as dropped', (_, from, asked, to, target, path) => {
  const { body, dropped } = encode(from, asked, to, target);
  expect(dropped).toContain(path);
  expect(JSON.stringify(body)).not.toMatch(/googleSearch|web_search_20|"type":"web_search"/);
});

test('a search among the allowed tools is sent', () => {
  const may = [{ type: 'function', name: 'f' }, OPENAI];
  const { body, dropped } = encode(
    'openai-responses',
    {
      tools: [f, OPENAI],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: may },
    },
    'anthropic-messages',
  );
  expect(body['tools']).toMatchObject([{ name: 'f' }, CLAUDE]);
  expect(dropped).toEqual([]);
});

test('a second search tool is dropped', () => {
  const { body, dropped } = encode(
    'openai-responses',
    { tools: [OPENAI, OPENAI] },
    'anthropic-messages',
  );
  expect(body['tools']).toEqual([CLAUDE]);
  expect(dropped).toEqual(['tools[1]']);
});

test.each<[FormatName, JsonObject, string[]]>([
  [
    'openai-responses',
    { tools: [OPENAI], max_tool_calls: 3 },
    ['anthropic/PROVIDER_B:3', 'gemini/PROVIDER_C,gemini/PROVIDER_G:0'],
  ],
  [
    'anthropic-messages',
    { tools: [{ ...CLAUDE, max_uses: 4 }] },
    ['openai/PROVIDER_A,openai/PROVIDER_F:4 shared', 'gemini/PROVIDER_C,gemini/PROVIDER_G:0'],
  ],
  [
    'openai-chat',
    { web_search_options: {} },
    ['anthropic/PROVIDER_B:0', 'gemini/PROVIDER_C,gemini/PROVIDER_G:0'],
  ],
  [
    'gemini-generate',
    { tools: [{ googleSearch: {} }] },
    ['anthropic/PROVIDER_B:0', 'openai/PROVIDER_A,openai/PROVIDER_F:0 shared'],
  ],
  ['openai-responses', { tools: [f, OPENAI] }, ['anthropic/PROVIDER_B:0']],
  ['openai-responses', { tools: [f] }, []],
])('%s %j is held for at each upstream that can run it', (from, asked, held) => {
  const tools = crossedSearches(decode(from, asked));
  expect(
    tools.map(({ upstreams, maxCalls, sharesBound, unit }) => {
      expect(unit).toBe('web_search');
      return `${upstreams.join()}:${maxCalls}${sharesBound ? ' shared' : ''}`;
    }),
  ).toEqual(held);
});

test('an upstream gets the search if and only if the hold covers it', () => {
  const samples: [FormatName, JsonObject][] = [
    ['openai-responses', { tools: [OPENAI] }],
    ['openai-responses', { tools: [f, OPENAI] }],
    ['anthropic-messages', { tools: [CLAUDE] }],
    ['openai-chat', { web_search_options: {} }],
    ['gemini-generate', { tools: [{ googleSearch: {} }] }],
  ];
  for (const [from, asked] of samples) {
    const request = decode(from, asked);
    const held = crossedSearches(request).flatMap(({ upstreams }) => upstreams);
    for (const [to, { providerType }] of Object.entries(TO) as [FormatName, TargetContext][]) {
      if (to === from) continue;
      const sent = JSON.stringify(encode(from, asked, to).body['tools'] ?? []);
      const searches = /googleSearch|web_search/.test(sent);
      expect([from, to, searchCrosses(request, to, providerType)]).toEqual([from, to, searches]);
      expect([from, to, held.some((name) => name.endsWith(providerType))]).toEqual([
        from,
        to,
        searches,
      ]);
    }
  }
});
