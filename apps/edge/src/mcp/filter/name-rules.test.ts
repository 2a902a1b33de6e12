import { allowsName, allowsTemplate, isRestricted, type RuleSets } from './name-rules';

const rules = (allowed: string[], denied: string[] = []): RuleSets => [
  { tools: { allowed, denied }, prompts: null, resources: { allowed, denied } },
];

test.each([
  [['add'], [], 'add', true],
  [['add'], [], 'adder', false],
  [['add'], [], 'ADD', false],
  [['add*'], [], 'adder', true],
  [['add*'], [], 'add', true],
  [['*'], [], '', true],
  [[], [], 'add', false],
  [['*'], ['add'], 'add', false],
  [['*'], ['add*'], 'adder', false],
  [['a*c'], [], 'abc', false],
  [['a*c'], [], 'a*c', true],
])('allowed %j and denied %j: %s is %s', (allowed, denied, name, expected) => {
  expect(allowsName(rules(allowed, denied), 'tools', name)).toBe(expected);
});

test('the rules of server and grant must both allow a name', () => {
  const both = [...rules(['a*', 'b']), ...rules(['*'], ['ab'])];
  expect(['a', 'ab', 'b', 'c'].filter((name) => allowsName(both, 'tools', name))).toEqual([
    'a',
    'b',
  ]);
});

test('what no rule is about is allowed', () => {
  expect(allowsName(rules([]), 'prompts', 'any')).toBe(true);
  expect(isRestricted(rules([]), 'prompts')).toBe(false);
  expect(isRestricted(rules([]), 'tools')).toBe(true);
});

test.each([
  // A part of what it expands to is allowed.
  [['file:///a/*'], [], 'file:///{path}', true],
  [['file:///a/b'], [], 'file:///a/{name}', true],
  [['file:///a/*'], [], 'file:///a/{name}', true],
  [['*'], ['file:///a/b/*'], 'file:///a/{path}', true],
  [['*'], ['file:///a/b'], 'file:///a/{path}', true],
  // Nothing of it is.
  [['file:///b/*'], [], 'file:///a/{name}', false],
  [['file:///b'], [], 'file:///a/{name}', false],
  [['*'], ['file:///*'], 'file:///a/{path}', false],
  [[], [], '{+uri}', false],
  // Without an expression it is a URI.
  [['file:///a'], [], 'file:///a', true],
  [['file:///ab'], [], 'file:///a', false],
])('allowed %j and denied %j: the template %s is %s', (allowed, denied, template, expected) => {
  expect(allowsTemplate(rules(allowed, denied), template)).toBe(expected);
});
