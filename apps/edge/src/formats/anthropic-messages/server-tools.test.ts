import type { BetaToolUnion } from '@anthropic-ai/sdk/resources/beta/messages/messages';

import type { KindOf } from '../matrix/test-support/matrix';
import type { JsonObject } from '../normalised';
import { decodeRequest, encodeRequest } from './request';
import { serverToolsOf } from './server-tools';

const search = { type: 'web_search_20250305', name: 'web_search' };
const user = { role: 'user', content: 'Hi' };
const decode = (fields: object) =>
  decodeRequest({ model: 'm', max_tokens: 10, messages: [user], ...fields });
const held = (fields: object) =>
  serverToolsOf(decode(fields)).map(({ unit, param, maxCalls }) => `${unit}@${param}:${maxCalls}`);
const sent = (fields: object, maxToolCalls?: number): JsonObject =>
  encodeRequest(decode(fields), {
    providerType: 'PROVIDER_B',
    model: 'up',
    strict: false,
    ...(maxToolCalls === undefined ? {} : { maxToolCalls }),
  }).body;
const addition = (definition: object) => ({
  type: 'tool_addition',
  tool: { type: 'tool_definition', definition },
});
const adding = (...definitions: object[]) => ({
  messages: [user, { role: 'system', content: definitions.map(addition) }],
});
const compacted = (...definitions: object[]) => {
  const block = { type: 'compaction', content: 'So far', tool_changes: definitions.map(addition) };
  return { messages: [{ role: 'assistant', content: [block] }, user] };
};

type Runner = 'client' | 'provider' | 'refused';

/** A new release of the vendor's types does not compile until each of its tools is stated here. */
const KINDS: Readonly<Record<KindOf<BetaToolUnion>, Runner>> = {
  custom: 'client',
  advisor_20260301: 'refused',
  bash_20241022: 'client',
  bash_20250124: 'client',
  browser_toolset_20260801: 'client',
  code_execution_20250522: 'provider',
  code_execution_20250825: 'provider',
  code_execution_20260120: 'provider',
  code_execution_20260521: 'provider',
  computer_20241022: 'client',
  computer_20250124: 'client',
  computer_20251124: 'client',
  computer_toolset_20260801: 'client',
  mcp_toolset: 'provider',
  memory_20250818: 'client',
  text_editor_20241022: 'client',
  text_editor_20250124: 'client',
  text_editor_20250429: 'client',
  text_editor_20250728: 'client',
  // The provider runs it for nothing: what it finds are tools of the request.
  tool_search_tool_bm25: 'client',
  tool_search_tool_bm25_20251119: 'client',
  tool_search_tool_regex: 'client',
  tool_search_tool_regex_20251119: 'client',
  web_fetch_20250910: 'provider',
  web_fetch_20260209: 'provider',
  web_fetch_20260309: 'provider',
  web_fetch_20260318: 'provider',
  web_search_20250305: 'provider',
  web_search_20260209: 'provider',
  web_search_20260318: 'provider',
};

test.each(Object.entries(KINDS))('%s is a known tool of the %s', (type, runner) => {
  const tool = type === 'custom' ? { name: 'f', input_schema: {} } : { name: 'f', type };
  const units = held({ tools: [tool] });
  expect(units.length > 0).toBe(runner === 'provider');
  expect(units.join()).not.toContain('tool_call@');
});

describe('tools that a conversation adds', () => {
  test('are held with their own bounds, and those that it repeats once', () => {
    const code = { type: 'code_execution_20250825', name: 'code_execution' };
    const { messages } = adding({ ...search, max_uses: 3 }, code);
    expect(held({ messages: [...messages, ...messages] })).toEqual([
      'web_search@messages[1].content[0].tool.definition:3',
      'code_execution@messages[1].content[1].tool.definition:1',
      '@messages[1].content[1].tool.definition:0',
    ]);
    expect(held({ tools: [search], ...compacted({ type: 'oracle_20300101', name: 'o' }) })).toEqual(
      [
        'web_search@tools[0]:0',
        'tool_call@messages[0].content[0].tool_changes[0].tool.definition:0',
      ],
    );
  });

  test('of different names are different tools', () => {
    const toolset = (name: string) => ({ type: 'mcp_toolset', mcp_server_name: name });
    expect(held(adding(toolset('a'), toolset('b'), toolset('a')))).toHaveLength(2);
  });

  test('get the held bound, unless they have their own', () => {
    const added = adding(search, { ...search, max_uses: 2 });
    const bound = { ...search, max_uses: 7 };
    expect(sent(added, 7)['messages']).toEqual(adding(bound, { ...search, max_uses: 2 }).messages);
    expect(sent(compacted(search), 7)['messages']).toEqual(compacted(bound).messages);
    expect(sent(added)['messages']).toEqual(added.messages);
  });

  test('are refused if they are too many', () => {
    const many = Array.from({ length: 101 }, (_, at) => ({ ...search, max_uses: at + 1 }));
    expect(() => held(adding(...many))).toThrow(/^messages: .* too many/);
  });

  test('are noticed even if the client runs them', () => {
    expect(decode({}).addsTools).toBeUndefined();
    const own = { name: 'f', input_schema: { type: 'object' } };
    expect(decode(adding(own)).addsTools).toBe(true);
    expect(decode(compacted(own)).addsTools).toBe(true);
    expect(decode(compacted()).addsTools).toBeUndefined();
  });
});

describe('a compaction of the context', () => {
  const read = (fields: object) => serverToolsOf(decode(fields));

  test.each([
    ['context_management.edits[1]', ['clear_thinking_20251015', 'compact_20260112']],
    ['context_management.edits[0]', ['compact_20260112']],
  ])('at %s is held as one more reading of the input', (param, types) => {
    const context_management = { edits: types.map((type) => ({ type })) };
    expect(read({ context_management, tools: [search] })[1]).toEqual({
      unit: '',
      param,
      maxCalls: 1,
      sharesBound: false,
      inputTokensPerCall: 8_000,
      readsInput: true,
    });
  });

  test('alone is held too; other edits of the context read nothing', () => {
    expect(read({ compaction: { type: 'summarize' } })).toMatchObject([{ param: 'compaction' }]);
    const edits = [{ type: 'clear_tool_uses_20250919' }, null, 'compact_20260112'];
    expect(read({ compaction: null, context_management: { edits } })).toEqual([]);
  });
});

describe('a tool that runs another model', () => {
  const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'claude-dearest' };

  test.each([
    ['tools[1].model', { tools: [search, advisor] }],
    ['messages[1].content[0].tool.definition.model', adding(advisor)],
    ['messages[0].content[0].tool_changes[0].tool.definition.model', compacted(advisor)],
    ['tools[0].model', { tools: [{ ...search, model: 'claude-dearest' }] }],
  ])('is refused by its path: %s', (param, fields) => {
    expect(() => sent(fields)).toThrow(
      expect.objectContaining({
        code: 'unsupported_parameter',
        param,
        message: `${param}: tools that run another model are not served. Send the request without this tool.`,
      }),
    );
  });

  test('is none that the client runs', () => {
    const tools = [{ name: 'f', input_schema: { type: 'object' }, model: 'x' }];
    expect(sent({ tools })['tools']).toEqual(tools);
  });
});
