import fc from 'fast-check';

import {
  allAllow,
  allowsName,
  namedBy,
  restricts,
  type McpRules,
  type NameRules,
} from './mcp-rules';

const rules = (allowed: string[], denied: string[] = []): NameRules => ({ allowed, denied });

test.each([
  [rules(['search']), 'search', true],
  [rules(['search']), 'search2', false],
  [rules(['get_*']), 'get_user', true],
  [rules(['get_*']), 'get', false],
  [rules(['*']), '', true],
  [rules([]), 'search', false],
  [rules(['*'], ['delete_*']), 'delete_user', false],
  [rules(['*'], ['delete_*']), 'get_user', true],
  [rules(['a*b']), 'axb', false],
])('%j and %j: %s', (own, name, allowed) => {
  expect(allowsName(own, name)).toBe(allowed);
});

test('every rule set must allow a name, and an absent kind allows everything', () => {
  const server: McpRules = { tools: rules(['get_*']) };
  const grant: McpRules = { tools: rules(['*'], ['get_secret']), prompts: null };
  expect(allAllow([server, grant], 'tools', 'get_user')).toBe(true);
  expect(allAllow([server, grant], 'tools', 'get_secret')).toBe(false);
  expect(allAllow([server, grant], 'tools', 'set_user')).toBe(false);
  expect(allAllow([server, grant], 'prompts', 'anything')).toBe(true);
  expect(restricts([server, grant], 'tools')).toBe(true);
  expect(restricts([server, grant], 'prompts')).toBe(false);
});

test('methods name tools, prompts or resources', () => {
  expect(namedBy('tools/call')).toBe('tools');
  expect(namedBy('resources/subscribe')).toBe('resources');
  expect(namedBy('tools/list')).toBeUndefined();
  expect(namedBy('toString')).toBeUndefined();
});

const name = fc.string({ maxLength: 8 });
const nameRules = fc.record({ allowed: fc.array(name), denied: fc.array(name) });

test('a further rule set never allows more', () => {
  fc.assert(
    fc.property(fc.array(nameRules), nameRules, name, (sets, further, tool) => {
      const before = sets.map((tools): McpRules => ({ tools }));
      const after = [...before, { tools: further }];
      if (allAllow(after, 'tools', tool)) expect(allAllow(before, 'tools', tool)).toBe(true);
    }),
  );
});

test('what is denied is refused, whatever is allowed', () => {
  fc.assert(
    fc.property(nameRules, name, (own, tool) => {
      expect(allowsName({ ...own, denied: [...own.denied, tool] }, tool)).toBe(false);
    }),
  );
});
