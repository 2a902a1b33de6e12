import { EXAMPLE_TOOLS, toolsIn } from './tools';

const one = (over: object = {}) => ({ type: 'function', function: { name: 'f', ...over } });
const said = (value: unknown): string => {
  const read = toolsIn(JSON.stringify(value));
  return 'problem' in read ? read.problem : 'fine';
};

test('nothing is no tools, the example is one', () => {
  expect(toolsIn(' \n')).toEqual({ tools: [] });
  expect(toolsIn(EXAMPLE_TOOLS)).toMatchObject({ tools: [{ function: { name: 'weather' } }] });
});

test('a schema keeps what is not checked', () => {
  const parameters = { type: 'object', additionalProperties: false };
  expect(toolsIn(JSON.stringify([one({ parameters })]))).toEqual({ tools: [one({ parameters })] });
});

test.each([
  ['not a list', { a: 1 }, 'Enter a list of tools: […].'],
  ['a wrong type', [{ ...one(), type: 'f' }], '[0].type: Must be “function”.'],
  ['a name with a space', [one({ name: 'a b' })], '[0].function.name: Letters, digits, _ and -'],
  ['a name twice', [one(), one()], '[1].function.name: “f” is used twice.'],
  [
    'a schema that is no object',
    [one({ parameters: { type: 'string' } })],
    '[0].function.parameters.type: Must be “object”.',
  ],
  [
    'a required property that is not there',
    [one({ parameters: { type: 'object', required: ['x'] } })],
    '[0].function.parameters.required[0]: “x” is not among the properties.',
  ],
])('%s is said where it is', (_, value, words) => {
  expect(said(value)).toContain(words);
});

test('what is not JSON says so', () => {
  expect(toolsIn('[{')).toEqual({ problem: expect.stringMatching(/^Not JSON: /) });
});
