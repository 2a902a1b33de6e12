import fc from 'fast-check';

import { createRestorer } from './answer-changes';
import type { ContentBlock, NormalisedRequest } from './normalised';
import { NAME_RULES, withValidNames, type NameRule } from './tool-names';

const VALID: Readonly<Record<keyof typeof NAME_RULES, RegExp>> = {
  openai: /^[a-zA-Z0-9_-]{1,64}$/,
  anthropic: /^[a-zA-Z0-9_-]{1,128}$/,
  gemini: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
};
const rules = Object.keys(NAME_RULES) as (keyof typeof NAME_RULES)[];

const EMPTY: NormalisedRequest = {
  format: 'unified',
  model: 'chat',
  messages: [],
  tools: [],
  sampling: {},
  n: 1,
  stream: false,
  includeUsage: false,
  extras: {},
  raw: {},
};

function call(name: string): ContentBlock {
  return { type: 'tool_call', id: 'c', kind: 'function', name, arguments: '{}' };
}

function requestOf(declared: string[], called: string[] = []): NormalisedRequest {
  return {
    ...EMPTY,
    tools: declared.map((name) => ({ kind: 'function', name })),
    messages: [{ role: 'assistant', content: called.map(call) }],
  };
}

function named(declared: string[], rule: NameRule, called: string[] = []) {
  const { request, sentNames } = withValidNames(requestOf(declared, called), rule);
  return { sent: request.tools.map(({ name }) => name), request, sentNames };
}

const anyName = fc.oneof(
  fc.string({ minLength: 1, maxLength: 150, unit: 'binary' }),
  fc.stringMatching(/^[a-c./: _-]{1,6}$/),
  fc.stringMatching(/^[a-z]{60,140}$/),
);

test.each(rules)('every name is valid at %s, unique, and restored in the answer', (vendor) => {
  fc.assert(
    fc.property(fc.uniqueArray(anyName, { maxLength: 12 }), (names) => {
      const { sent, sentNames } = named(names, NAME_RULES[vendor]);
      for (const name of sent) expect(name).toMatch(VALID[vendor]);
      expect(new Set(sent).size).toBe(names.length);
      const restorer = createRestorer({ sentNames });
      const came = sent.flatMap((name) =>
        restorer.restore({
          type: 'tool_start',
          choice: 0,
          tool: 0,
          kind: 'function',
          id: '',
          name,
        }),
      );
      expect(came.map((event) => event.type === 'tool_start' && event.name)).toEqual(names);
    }),
  );
});

test('a name does not depend on the order of the tools', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyName, { maxLength: 8 }), (names) => {
      const forth = named(names, NAME_RULES.openai).sent;
      const back = named([...names].reverse(), NAME_RULES.openai).sent;
      expect([...back].reverse()).toEqual(forth);
    }),
  );
});

test('valid names leave the request unchanged', () => {
  const request = requestOf(['get_weather', 'a-b']);
  expect(withValidNames(request, NAME_RULES.openai)).toEqual({ request, sentNames: new Map() });
  expect(withValidNames(request, NAME_RULES.openai).request).toBe(request);
});

test('a name stays readable, and names that would collide stay distinct', () => {
  expect(named(['files.read', 'a b'], NAME_RULES.openai).sent).toEqual(['files_read', 'a_b']);
  expect(named(['files.read'], NAME_RULES.gemini).sent).toEqual(['files.read']);
  expect(named(['1st'], NAME_RULES.gemini).sent).toEqual(['_1st']);
  const { sent } = named(['a.b', 'a_b', 'a:b'], NAME_RULES.openai);
  expect(sent).toEqual([
    expect.stringMatching(/^a_b_[0-9a-f]{8}$/),
    'a_b',
    expect.stringMatching(/^a_b_[0-9a-f]{8}$/),
  ]);
});

test('earlier calls and the tool choice have the same names', () => {
  const { request } = withValidNames(
    {
      ...requestOf(['files.read'], ['files.read', 'gone.tool']),
      toolChoice: { mode: 'tool', tool: { kind: 'function', name: 'files.read' } },
    },
    NAME_RULES.anthropic,
  );
  expect(request.toolChoice).toEqual({
    mode: 'tool',
    tool: { kind: 'function', name: 'files_read' },
  });
  expect(request.messages[0]?.content).toEqual([call('files_read'), call('gone_tool')]);
});
