import { rest, type ScreeningRule } from '@tollgate/contracts';

import { asKind, bodyOf, draftOf, NEW_POLICY, NEW_RULE, ruleBodyOf, toggled } from './draft';

const common = {
  id: 'one',
  where: ['INPUT' as const],
  roles: null,
  action: 'MASK' as const,
  onError: 'PASS' as const,
  sample: 1,
  message: 'Not here.',
};
const NO_CHECK = { presence: null, values: null, minimum: null, maximum: null, maxItems: null };
const RULES: ScreeningRule[] = [
  {
    ...common,
    kind: 'KEYWORDS',
    keywords: ['a b', 'c'.repeat(2)],
    caseSensitive: true,
    wholeWords: false,
    restore: false,
  },
  {
    ...common,
    kind: 'REGEX',
    patterns: [{ name: 'T', pattern: 'T-\\d: x' }],
    ignoreCase: true,
    restore: true,
  },
  { ...common, kind: 'PERSONAL_DATA', types: ['IBAN'], restore: true },
  { ...common, kind: 'SECRETS', restore: true },
  { ...common, kind: 'URLS', mode: 'ALLOW', domains: ['acme.example'], restore: true },
  { ...common, kind: 'SIZE', action: 'BLOCK', maxCharacters: 500 },
  { ...common, kind: 'CANARY', token: ' spaced canary ' },
  {
    ...common,
    kind: 'EXTERNAL',
    action: 'BLOCK',
    service: 'checker',
    timeoutMs: 500,
    wait: 'BESIDE',
    restore: true,
  },
  {
    ...common,
    kind: 'PLUGIN',
    action: 'BLOCK',
    service: 'house-plugin',
    timeoutMs: 500,
    wait: 'BEFORE',
    mayChange: ['temperature', 'seed'],
    mayRouteTo: ['small', 'vendor/large:2'],
    mayTag: ['project', 'cost-centre'],
    restore: true,
  },
  { ...common, kind: 'MODELS', action: 'BLOCK', mode: 'ALLOW', models: ['gpt-4o', 'claude*'] },
  {
    ...common,
    kind: 'PARAMETERS',
    action: 'BLOCK',
    parameters: [
      { ...NO_CHECK, name: 'max_tokens', presence: 'REQUIRED', minimum: 1, maximum: 4_000 },
      { ...NO_CHECK, name: 'tools', maxItems: 5 },
      { ...NO_CHECK, name: 'response_format.type', values: ['json_schema', 'a, b', '1', 1, true] },
      { ...NO_CHECK, name: 'logit_bias', presence: 'FORBIDDEN' },
    ],
  },
  {
    ...common,
    kind: 'JSON_SCHEMA',
    where: ['OUTPUT'],
    action: 'BLOCK',
    schema: { type: 'object', properties: { a: { enum: [1, 'x'] } } },
  },
  { ...common, kind: 'PROMPT_INJECTION' },
  { ...common, kind: 'INVISIBLE_TEXT', action: 'OBSERVE', sample: 0.5 },
];
const ORGANISATION = '019aa000-0000-7000-8000-000000000001';
const TEAM = '019aa000-0000-7000-8000-000000000002';
const SERVER = '019aa000-0000-7000-8000-000000000003';

test('a policy that is edited without a change is sent as it was', () => {
  const policy = {
    identifier: 'house',
    name: 'House',
    status: 'DISABLED' as const,
    attachedTo: [
      { scopeType: 'ORGANISATION' as const, scopeId: ORGANISATION },
      { scopeType: 'TEAM' as const, scopeId: TEAM },
      { scopeType: 'MCP_SERVER' as const, scopeId: SERVER },
    ],
    rules: RULES.map((rule, at) => ({ ...rule, id: `rule-${at}` })),
  };
  const body = bodyOf(draftOf(policy as rest.ScreeningPolicy), ORGANISATION);
  expect(rest.screeningPolicyCreate.parse(body)).toEqual(policy);
});

test('a new policy lacks only what must be chosen', () => {
  const body = bodyOf({ ...NEW_POLICY, identifier: 'house', name: 'House' }, ORGANISATION);
  const { error } = rest.screeningPolicyCreate.safeParse(body);
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['rules.0.onError']);
});

test('a pattern without a name is sent, so that the server asks for one', () => {
  const body = ruleBodyOf({ ...NEW_RULE, kind: 'REGEX', lines: 'NAME: a\n\n b|c ' });
  expect(body).toMatchObject({
    patterns: [
      { name: 'NAME', pattern: 'a' },
      { name: '', pattern: 'b|c' },
    ],
  });
});

test('choices keep the order of all', () => {
  expect(toggled(['a', 'b', 'c'], ['c'], 'a', true)).toEqual(['a', 'c']);
  expect(toggled(['a', 'b', 'c'], ['a', 'c'], 'a', false)).toEqual(['c']);
});

test('a kind that looks in one place only takes that place, and does not mask', () => {
  const rule = { ...NEW_RULE, roles: ['user' as const], action: 'MASK' as const };
  expect(asKind(rule, 'JSON_SCHEMA')).toEqual({
    kind: 'JSON_SCHEMA',
    where: ['OUTPUT'],
    roles: null,
    action: 'BLOCK',
  });
  expect(asKind(rule, 'SECRETS')).toEqual({ kind: 'SECRETS' });
});

test('a schema that is no JSON is sent, so that the server refuses it', () => {
  expect(ruleBodyOf({ ...NEW_RULE, kind: 'JSON_SCHEMA', schema: '{' })).toMatchObject({
    schema: '{',
  });
});
