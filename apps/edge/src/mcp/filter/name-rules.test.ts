import { allowsTemplate, type RuleSets } from './name-rules';

const rules = (allowed: string[], denied: string[] = []): RuleSets => [
  { tools: { allowed, denied }, prompts: null, resources: { allowed, denied } },
];

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
