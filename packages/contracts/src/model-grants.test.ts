import { givesModel, matchesPattern, type ModelGrant } from './model-grants';

const model = { name: 'gpt-4o-mini', providerId: 'p-1' };

test.each<[ModelGrant, boolean]>([
  [{ kind: 'ALL' }, true],
  [{ kind: 'PROVIDER', providerId: 'p-1' }, true],
  [{ kind: 'PROVIDER', providerId: 'p-2' }, false],
  [{ kind: 'PATTERN', pattern: 'gpt-*' }, true],
  [{ kind: 'PATTERN', pattern: 'claude-*' }, false],
])('%j gives a model: %s', (grant, given) => {
  expect(givesModel(grant, model)).toBe(given);
});

test.each([
  ['gpt-4o-mini', true],
  ['gpt-4o', false],
  ['gpt-*', true],
  ['*-mini', true],
  ['*', true],
  ['**', true],
  ['gpt*mini', true],
  ['*4o*', true],
  ['g*-*-m*i', true],
  ['gpt-4o-mini*', true],
  ['*mini-mini', false],
  ['gpt-4o-mini*mini', false],
  ['GPT-*', false],
  ['gpt.4o.mini', false],
  ['gpt-4o-min_', false],
  ['gpt-4o-%', false],
  ['mini', false],
  ['', false],
])('the pattern %j matches gpt-4o-mini: %s', (pattern, matches) => {
  expect(matchesPattern(pattern, 'gpt-4o-mini')).toBe(matches);
});

test('parts may not overlap, neither each other nor the end', () => {
  expect(matchesPattern('*ab*ab', 'xab')).toBe(false);
  expect(matchesPattern('a*a', 'a')).toBe(false);
  expect(matchesPattern('*aa*aa*', 'aaa')).toBe(false);
  expect(matchesPattern('*aa*aa*', 'aaaa')).toBe(true);
});
