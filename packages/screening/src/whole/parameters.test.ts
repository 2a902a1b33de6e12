import { ruleOf } from '../test-support';
import { samePaths } from './parameter-names';
import { createParameterJudge } from './parameters';

type Check = Record<string, unknown> & { readonly name: string };

function broken(check: Check, document: Record<string, unknown>, generates = true) {
  const given = { kind: 'PARAMETERS', where: ['INPUT'], action: 'BLOCK', parameters: [check] };
  const rule = ruleOf(given);
  if (rule.kind !== 'PARAMETERS') throw new Error('another kind');
  const found = createParameterJudge(rule.parameters)({ document, generates });
  return found && `${found.param}: ${found.must}`;
}

const BOUND = { name: 'max_tokens', maximum: 4_000 };

test.each([
  [{ max_tokens: 4_001 }, 'max_tokens'],
  [{ max_completion_tokens: 4_001 }, 'max_completion_tokens'],
  [{ max_output_tokens: 4_001 }, 'max_output_tokens'],
  [{ generationConfig: { maxOutputTokens: 4_001 } }, 'generationConfig.maxOutputTokens'],
  [{ generation_config: { max_output_tokens: 4_001 } }, 'generation_config.max_output_tokens'],
  [{ generationConfig: { maxOutputTokens: '4001' } }, 'generationConfig.maxOutputTokens'],
  [{ max_tokens: 1, max_completion_tokens: 4_001 }, 'max_completion_tokens'],
])('%j is over a bound of max_tokens', (document, param) => {
  expect(broken(BOUND, document)).toBe(`${param}: must be at most 4000`);
});

test.each([
  {},
  { max_tokens: 4_000 },
  { max_tokens: null },
  { other: { max_tokens: 9_999 } },
  { messages: [{ content: 'max_tokens', max_tokens: 9_999 }] },
])('%j is not', (document) => {
  expect(broken(BOUND, document)).toBeUndefined();
});

test.each([
  [{ name: 'generationConfig.topP', minimum: 0.5 }, { top_p: 0.1 }, 'top_p: must be at least 0.5'],
  [{ name: 'temperature', maximum: 1 }, { temperature: 'hot' }, 'temperature: must be a number'],
  [{ name: 'temperature', maximum: 1 }, { temperature: { a: 1 } }, 'temperature: must be a number'],
  [
    { name: 'logit_bias', presence: 'FORBIDDEN' },
    { logit_bias: {} },
    'logit_bias: must not be sent',
  ],
  [{ name: 'user', presence: 'REQUIRED' }, { user: null }, 'user: must be sent'],
  [{ name: 'tools', maxItems: 1 }, { functions: [1, 2] }, 'functions: must have at most 1 items'],
  [
    { name: 'tools', maxItems: 1 },
    { tools: [{ functionDeclarations: [{}, {}] }] },
    'tools.functionDeclarations: must have at most 1 items',
  ],
  [
    { name: 'tools', maxItems: 1 },
    { tools: [{ functionDeclarations: [{}] }, { function_declarations: [{}] }] },
    'tools: must have at most 1 items',
  ],
  [
    { name: 'logit_bias', maxItems: 1 },
    { logit_bias: { 1: 1, 2: 1 } },
    'logit_bias: must have at most 1 items',
  ],
  [
    { name: 'response_format.type', values: ['json_schema'] },
    { text: { format: { type: 'text' } } },
    'text.format.type: must be one of "json_schema"',
  ],
  [
    { name: 'tools.type', values: ['function'] },
    { tools: [{ type: 'function' }, { type: 'web_search' }] },
    'tools.type: must be one of "function"',
  ],
  [{ name: 'stop', values: ['END'] }, { stop: ['END', 'STOP'] }, 'stop: must be one of "END"'],
  [{ name: 'n', values: [1] }, { n: '2' }, 'n: must be one of 1'],
  [{ name: 'n', values: [1] }, { n: [1, [2]] }, 'n: must be one of 1'],
  [{ name: 'store', values: [false] }, { store: true }, 'store: must be one of false'],
  [
    { name: 'timestamp_granularities', values: ['word'] },
    { 'timestamp_granularities[]': 'segment' },
    'timestamp_granularities: must be one of "word"',
  ],
  [
    { name: 'seed', maximum: 10 },
    {
      seed: (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(
        '12345678901234567890',
      ),
    },
    'seed: must be at most 10',
  ],
])('%j refuses %j', (check, document, expected) => {
  expect(broken(check, document)).toBe(expected);
});

test.each([
  [{ name: 'tools.type', values: ['function'] }, { tools: [{ type: 'function' }] }],
  [{ name: 'n', values: [1] }, { n: '1' }],
  [{ name: 'n', values: [1] }, { n: 1 }],
  [{ name: 'store', values: [false] }, { store: 'false' }],
  [{ name: 'temperature', minimum: 0, maximum: 1 }, { temperature: 1 }],
  [{ name: 'user', presence: 'REQUIRED' }, { metadata: { user_id: 'u' } }],
])('%j allows %j', (check, document) => {
  expect(broken(check, document)).toBeUndefined();
});

test('what is required is required of requests that generate text only', () => {
  expect(broken({ name: 'user', presence: 'REQUIRED' }, {}, false)).toBeUndefined();
});

test('a path in any spelling leads to the same parameters', () => {
  const paths = samePaths('max_tokens').toSorted();
  expect(samePaths('generationConfig.maxOutputTokens').toSorted()).toEqual(paths);
  expect(samePaths('own_field')).toEqual(['own_field']);
});

test.each([
  [{ name: 'max_tokens' }, 'parameters.0.name'],
  [{ name: 'a.b.c.d.e.f', maximum: 1 }, 'parameters.0.name'],
  [{ name: 'a..b', maximum: 1 }, 'parameters.0.name'],
  [{ name: 'model', values: ['m'] }, 'parameters.0.name'],
  [{ name: 'n', minimum: 2, maximum: 1 }, 'parameters.0.maximum'],
  [{ name: 'n', presence: 'FORBIDDEN', maximum: 1 }, 'parameters.0.presence'],
  [{ name: 'n', values: [] }, 'parameters.0.values'],
])('%j is refused', (check, path) => {
  const parse = () => broken(check, {});
  expect(parse).toThrow(
    expect.objectContaining({
      issues: [
        expect.objectContaining({
          path: path.split('.').map((part) => (/^\d$/.test(part) ? Number(part) : part)),
        }),
      ],
    }),
  );
});
