import { grantsDraftOf } from './grants-draft';
import { isUseless } from './useless-key';

const MODELS = [
  { id: 'a', name: 'gpt-large', providerId: 'vendor' },
  { id: 'b', name: 'in-house', providerId: 'own' },
];
const ALL = { data: MODELS, nextCursor: null };
const draft = (over: Partial<Parameters<typeof isUseless>[0]> = {}) => ({
  modelIds: [],
  grants: grantsDraftOf([]),
  mcpServerIds: [],
  ...over,
});
const granted = (...grants: Parameters<typeof grantsDraftOf>[0]) =>
  draft({ grants: grantsDraftOf(grants) });

test.each([
  ['without any grant', draft(), true],
  ['with a model', draft({ modelIds: ['a'] }), false],
  ['with a model that is gone', draft({ modelIds: ['c'] }), true],
  ['with all models', granted({ kind: 'ALL' }), false],
  ['with a provider that has a model', granted({ kind: 'PROVIDER', providerId: 'own' }), false],
  ['with a provider that has none', granted({ kind: 'PROVIDER', providerId: 'x' }), true],
  ['with a pattern that matches', granted({ kind: 'PATTERN', pattern: 'gpt-*' }), false],
  ['with a pattern that matches nothing', granted({ kind: 'PATTERN', pattern: 'gtp-*' }), true],
  ['with an MCP server alone', draft({ mcpServerIds: ['s'] }), false],
])('a key %s', (_title, key, useless) => {
  expect(isUseless(key, ALL)).toBe(useless);
});

test('all models of an organisation without any give nothing', () => {
  expect(isUseless(granted({ kind: 'ALL' }), { data: [], nextCursor: null })).toBe(true);
});

test('while not all models are known, a grant may match one of the others', () => {
  const pattern = granted({ kind: 'PATTERN', pattern: 'other-*' });
  expect(isUseless(pattern, { data: MODELS, nextCursor: 'more' })).toBe(false);
  expect(isUseless(pattern, undefined)).toBe(false);
  expect(isUseless(draft(), undefined)).toBe(true);
});
