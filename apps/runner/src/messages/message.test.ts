import { readMessage } from './message';

test.each([
  ['no JSON', 'hello'],
  ['a batch', '[]'],
  ['another version', '{"jsonrpc":"1.0","id":1,"method":"a"}'],
  ['an id of null', '{"jsonrpc":"2.0","id":null,"method":"a"}'],
  ['a method and a result', '{"jsonrpc":"2.0","id":1,"method":"a","result":{}}'],
  ['neither', '{"jsonrpc":"2.0","id":1}'],
  ['a response without an id', '{"jsonrpc":"2.0","result":{}}'],
])('%s is no message', (_, text) => {
  expect(readMessage(text)).toBeUndefined();
});

test('the kinds of messages are told apart', () => {
  const kind = (rest: object) => readMessage(JSON.stringify({ jsonrpc: '2.0', ...rest }))?.kind;
  expect(kind({ id: '1', method: 'a' })).toBe('request');
  expect(kind({ method: 'a' })).toBe('notification');
  expect(kind({ id: 1, result: {} })).toBe('response');
  expect(kind({ id: null, error: { code: -32_700, message: 'no' } })).toBe('response');
});

test.each(['1', '-1', '1.5', '12345678901234567890', '"12345678901234567890"', '"a\\"b"'])(
  'the id %s keeps its text',
  (id) => {
    const text = `{"jsonrpc":"2.0","method":"a","params":{"_meta":{"progressToken":${id}}},"id":${id}}`;
    expect(readMessage(text)).toMatchObject({ id, progressToken: id });
  },
);
