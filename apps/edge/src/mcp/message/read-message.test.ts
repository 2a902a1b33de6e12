import { readMessage } from './read-message';

function read(text: string) {
  return readMessage(JSON.parse(text) as Record<string, unknown>, Buffer.from(text));
}

const message = (over: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...over });

test.each([
  ['tools/call', { name: 'sum', arguments: {} }, 'sum'],
  ['prompts/get', { name: 'greeting' }, 'greeting'],
  ['resources/read', { uri: 'file:///a' }, 'file:///a'],
  ['resources/subscribe', { uri: 'file:///a' }, 'file:///a'],
  ['resources/unsubscribe', {}, ''],
  ['tools/list', { name: 'not a name here' }, ''],
  ['__proto__', {}, ''],
])('%s names what it is about', (method, params, name) => {
  expect(read(message({ method, params }))).toEqual({
    kind: 'request',
    id: 1,
    method,
    name,
    params,
  });
});

test('a message without an id is a notification, one without a method a response', () => {
  expect(read('{"jsonrpc":"2.0","method":"notifications/initialized"}')).toEqual({
    kind: 'notification',
    method: 'notifications/initialized',
    params: {},
  });
  expect(read('{"jsonrpc":"2.0","id":3,"result":{}}')).toEqual({ kind: 'response' });
  expect(read('{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":""}}')).toEqual({
    kind: 'response',
  });
});

test.each([
  ['jsonrpc', { jsonrpc: '1.0', method: 'ping' }],
  ['method', {}],
  ['method', { method: '' }],
  ['method', { method: 5 }],
  ['method', { method: 'x'.repeat(129) }],
  ['params', { method: 'ping', params: [] }],
  ['id', { method: 'ping', id: null }],
  ['id', { method: 'ping', id: 1.5 }],
  ['id', { method: 'ping', id: 'x'.repeat(1_025) }],
  ['params.name', { method: 'tools/call' }],
  ['params.name', { method: 'tools/call', params: { name: '' } }],
  ['params.name', { method: 'tools/call', params: { name: 'x'.repeat(2_049) } }],
  ['params.uri', { method: 'resources/read', params: { uri: 7 } }],
  ['params.uri', { method: 'resources/subscribe', params: { uri: 7 } }],
])('a refusal names the field %s: %j', (param, over) => {
  expect(() => read(message(over))).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      param,
      message: expect.stringContaining(param),
    }),
  );
});

test.each(['tools/call', 'resources/read', 'ping', 'notifications', 'Notifications/initialized'])(
  '%s without an id is refused: a server might run it',
  (method) => {
    const params = { name: 'sum', uri: 'file:///a' };
    expect(() => read(message({ id: undefined, method, params }))).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        param: 'id',
        message: expect.stringMatching(/^id: is required/),
      }),
    );
  },
);

const CALL = '"jsonrpc":"2.0","id":1,"method":"tools/call"';
const COMPLETE = '"jsonrpc":"2.0","id":1,"method":"completion/complete"';
const LISTEN = '"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"';

test.each([
  ['method', `{${CALL},"params":{"name":"a"},"method":"tools/list"}`],
  ['params', `{${CALL},"params":{"name":"a"},"params":{"name":"b"}}`],
  ['params.name', `{${CALL},"params":{"name":"a","name":"b"}}`],
  ['params.name', `{${CALL},"params":{"name":"a","n\\u0061me":"b"}}`],
  // Parsers that ignore case take either.
  ['Method', `{${CALL},"params":{"name":"a"},"Method":"tools/list"}`],
  ['params.NAME', `{${CALL},"params":{"name":"a","NAME":"b"}}`],
  ['param\u017f', `{${CALL},"params":{"name":"a"},"param\u017f":{"name":"b"}}`],
  ['params.Ref', `{${COMPLETE},"params":{"ref":{"name":"a"},"Ref":{"name":"b"}}}`],
  ['params.ref', `{${COMPLETE},"params":{"ref":{"name":"a"},"ref":{"name":"b"}}}`],
  ['params.ref.Name', `{${COMPLETE},"params":{"ref":{"name":"a","Name":"b"}}}`],
  ['params.ref.uri', `{${COMPLETE},"params":{"ref":{"uri":"a:a","\\u0075ri":"a:b"}}}`],
  ['params.ref.URI', `{${COMPLETE},"params":{"ref":{"URI":"a:b"}}}`],
  ['params.ref.Type', `{${COMPLETE},"params":{"ref":{"Type":"ref/prompt","name":"a"}}}`],
  ['params.Notifications', `{${LISTEN},"params":{"Notifications":{}}}`],
  [
    'params.notifications.resourcesubscriptions',
    `{${LISTEN},"params":{"notifications":{"resourcesubscriptions":["a:b"]}}}`,
  ],
  [
    'params.notifications.resourceSubscriptions',
    `{${LISTEN},"params":{"notifications":{"resourceSubscriptions":[],"resourceSubscriptions":["a:b"]}}}`,
  ],
])('a field that two parsers may read differently is refused: %s', (param, text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'invalid_request', param }));
});

test('other fields of a reference may have any names', () => {
  const text = `{${COMPLETE},"params":{"ref":{"name":"a","title":1,"Title":2},"argument":{"Name":3}}}`;
  expect(read(text)).toMatchObject({ kind: 'request', method: 'completion/complete' });
});

test('arguments of a tool may have any names', () => {
  const text = `{${CALL},"params":{"name":"a","arguments":{"Name":1,"name":2,"Method":3}}}`;
  expect(read(text)).toMatchObject({ kind: 'request', name: 'a' });
});
