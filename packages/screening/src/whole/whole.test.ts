import { compileSchemas, createProgram, createScreening, tryRules } from '..';
import { ruleOf, screeningOf } from '../test-support';

const models = (given: object) => ({ kind: 'MODELS', where: ['INPUT'], action: 'BLOCK', ...given });

describe('models', () => {
  const judged = (rules: object[], named: string, candidates: string[]) => {
    const screening = screeningOf(...rules.map(models));
    const open = screening.whole.models({ named, candidates });
    return screening.blocked() ? 'blocked' : candidates.filter((_, at) => open[at]).join();
  };

  test.each([
    [[{ mode: 'DENY', models: ['gpt-4o'] }], 'gpt-4o', ['gpt-4o'], 'blocked'],
    [[{ mode: 'DENY', models: ['gpt-4o'] }], 'gpt-4o-mini', ['gpt-4o-mini'], 'gpt-4o-mini'],
    [[{ mode: 'DENY', models: ['gpt-*'] }], 'gpt-4o-mini', ['gpt-4o-mini'], 'blocked'],
    [[{ mode: 'DENY', models: ['gpt-4o'] }], '019a-the-id', ['gpt-4o'], 'blocked'],
    [[{ mode: 'DENY', models: ['gpt-4o'] }], 'auto', ['gpt-4o', 'claude'], 'claude'],
    [[{ mode: 'DENY', models: ['auto'] }], 'auto', ['gpt-4o', 'claude'], 'blocked'],
    [[{ mode: 'ALLOW', models: ['claude*'] }], 'auto', ['gpt-4o', 'claude'], 'claude'],
    [[{ mode: 'ALLOW', models: ['auto'] }], 'auto', ['gpt-4o'], 'blocked'],
    [[{ mode: 'ALLOW', models: ['m'] }], '', ['m'], 'm'],
    [
      [
        { mode: 'DENY', models: ['a'] },
        { mode: 'DENY', models: ['b'] },
      ],
      'auto',
      ['a', 'b'],
      'blocked',
    ],
    [[{ mode: 'DENY', models: ['a'], action: 'OBSERVE' }], 'a', ['a'], 'a'],
    [[{ mode: 'DENY', models: ['a'], action: 'OBSERVE' }], 'auto', ['a', 'b'], 'a,b'],
  ])('%j lets %s reach %j: %s', (rules, named, candidates, expected) => {
    expect(judged(rules, named, candidates)).toBe(expected);
  });

  test('the evidence says how many were left out', () => {
    const screening = screeningOf(models({ mode: 'DENY', models: ['a'] }));
    screening.whole.models({ named: 'auto', candidates: ['a', 'b'] });
    expect(screening.evidence()).toBe('house/rule-1;v=3;in=input;action=block;changed=1');
  });
});

describe('answers', () => {
  const schema = { type: 'object', required: ['a'] };
  const verdictOf = async (choices: unknown, over: object = {}) => {
    const rule = ruleOf({
      kind: 'JSON_SCHEMA',
      where: ['OUTPUT'],
      action: 'BLOCK',
      schema,
      ...over,
    });
    const named = [{ policy: 'house', version: 3, rule }];
    const program = createProgram(named, { schemas: await compileSchemas(named) });
    const screening = createScreening({ program, random: () => 0.5 });
    screening.whole.answer(choices as never);
    const { breach, cause } = screening.blocked() ?? {};
    return { blocked: breach?.words ?? cause, evidence: screening.evidence() };
  };
  const said = (text: string, over: object = {}) => ({ text, calls: false, cut: false, ...over });

  test.each([
    [[said('{"a":1}')], undefined],
    [[said('{"a":1}'), said('{}')], 'it does not match the schema'],
    [[said('Hi')], 'it is not JSON'],
    [[said('{"a":1}', { cut: true })], 'it was cut off at its output limit'],
    [[said('Let me see.', { calls: true })], undefined],
    [[], 'it has no text'],
    [undefined, 'UNREADABLE'],
  ])('%j: %s', async (choices, blocked) => {
    expect((await verdictOf(choices)).blocked).toBe(blocked);
  });

  test('what is not decided passes if the rule says so, and is recorded', async () => {
    expect(await verdictOf(undefined, { onError: 'PASS' })).toEqual({
      blocked: undefined,
      evidence: 'house/one;v=3;in=output;action=block;failed=1',
    });
  });

  test('a program is not made without its schemas', () => {
    const rule = ruleOf({ kind: 'JSON_SCHEMA', where: ['OUTPUT'], action: 'BLOCK', schema });
    expect(() => createProgram([{ policy: 'house', version: 1, rule }])).toThrow('not compiled');
  });
});

test('token ids are no failure of rules that read no texts', () => {
  const screening = screeningOf(models({ mode: 'DENY', models: ['a'] }));
  screening.unreadable('INPUT');
  expect(screening.blocked()).toBeUndefined();
  expect(screening.program.places.has('INPUT')).toBe(false);
});

test('rules are tried on a request, and on an answer', async () => {
  const rules = [
    ruleOf({
      id: 'm',
      kind: 'MODELS',
      where: ['INPUT'],
      action: 'OBSERVE',
      mode: 'DENY',
      models: ['a'],
    }),
    ruleOf({
      id: 'p',
      kind: 'PARAMETERS',
      where: ['INPUT'],
      action: 'BLOCK',
      parameters: [{ name: 'n', maximum: 1 }],
    }),
    ruleOf({
      id: 'j',
      kind: 'JSON_SCHEMA',
      where: ['OUTPUT'],
      action: 'BLOCK',
      schema: { type: 'object' },
    }),
  ];
  const asked = await tryRules(rules, 'INPUT', '{"model":"a","n":2}');
  expect(asked).toMatchObject({
    blockedBy: 'p',
    breaches: [
      { ruleId: 'p', reason: 'n must be at most 1' },
      { ruleId: 'm', reason: 'model is not allowed' },
    ],
    notAsked: [],
  });
  expect(await tryRules(rules, 'INPUT', 'Hi')).toMatchObject({
    blockedBy: null,
    notAsked: ['m', 'p'],
  });
  expect(await tryRules(rules, 'OUTPUT', '[]')).toMatchObject({
    blockedBy: 'j',
    breaches: [{ ruleId: 'j', reason: 'it does not match the schema' }],
  });
});

test.each([
  [models({ mode: 'DENY', models: ['a'], where: ['INPUT', 'MCP_REQUEST'] }), 'where'],
  [models({ mode: 'DENY', models: ['a'], action: 'MASK' }), 'action'],
  [models({ mode: 'DENY', models: ['a'], roles: ['user'] }), 'roles'],
  [models({ mode: 'DENY', models: ['a*b'] }), 'models'],
  [models({ mode: 'DENY', models: ['*'] }), 'models'],
  [{ kind: 'JSON_SCHEMA', where: ['MCP_RESULT'], action: 'BLOCK', schema: {} }, 'where'],
  [{ kind: 'JSON_SCHEMA', where: ['OUTPUT'], action: 'BLOCK', schema: [] }, 'schema'],
  [
    {
      kind: 'JSON_SCHEMA',
      where: ['OUTPUT'],
      action: 'BLOCK',
      schema: { title: 'a'.repeat(40_000) },
    },
    'schema',
  ],
  [
    {
      kind: 'PARAMETERS',
      where: ['TOOL_RESULTS'],
      action: 'BLOCK',
      parameters: [{ name: 'n', maximum: 1 }],
    },
    'where',
  ],
])('%j is refused', (given, field) => {
  expect(() => ruleOf(given as never)).toThrow(
    expect.objectContaining({
      issues: [expect.objectContaining({ path: expect.arrayContaining([field]) })],
    }),
  );
});
