import { checksOf, linesOfChecks } from './parameter-lines';

const NONE = { presence: null, values: null, minimum: null, maximum: null, maxItems: null };

test('lines are read as checks, those of one parameter as one', () => {
  const lines = [
    'max_tokens <= 4000',
    'max_tokens must be sent',
    'temperature >= 0.5',
    'logit_bias must not be sent',
    'tools has at most 5 items',
    'response_format.type is one of json_schema, json_object',
    'n is one of 1, 2',
  ];
  expect(checksOf(lines)).toEqual([
    { name: 'max_tokens', maximum: 4_000, presence: 'REQUIRED' },
    { name: 'temperature', minimum: 0.5 },
    { name: 'logit_bias', presence: 'FORBIDDEN' },
    { name: 'tools', maxItems: 5 },
    { name: 'response_format.type', values: ['json_schema', 'json_object'] },
    { name: 'n', values: [1, 2] },
  ]);
});

test.each([
  [['a', 'b']],
  [['a, b', 'c']],
  [['1', 1, true, 'true']],
  [[' spaced ']],
  [['"quoted"']],
])('the values %j are written so that they are read again', (values) => {
  const text = linesOfChecks([{ ...NONE, name: 'stop', values }]);
  expect(checksOf(text.split('\n'))).toEqual([{ name: 'stop', values }]);
});

test('a line that cannot be read is sent as a name, which the server refuses', () => {
  expect(checksOf(['max_tokens < 4000'])).toEqual([{ name: 'max_tokens < 4000' }]);
});
