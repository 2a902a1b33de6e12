// Cache marks in formats that have no such field but whose clients send them: the marks reach the
// vendor that supports them, on the right blocks and no more than it accepts.

import { FORMATS, type JsonObject } from '.';

const SHORT = () => ({ type: 'ephemeral' });
const LONG = () => ({ type: 'ephemeral', ttl: '1h' });

const part = (text: string, cache_control?: JsonObject) => ({
  type: 'text',
  text,
  ...(cache_control ? { cache_control } : {}),
});

const tool = (name: string, marks: JsonObject = {}, inner: JsonObject = {}) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' }, ...inner },
  ...marks,
});

function send(body: JsonObject, format: 'openai-chat' | 'unified' = 'openai-chat') {
  const request = FORMATS[format].decodeRequest({ model: 'm', ...body }, {});
  const target = { providerType: 'PROVIDER_B', model: 'claude-opus-4-6', strict: false } as const;
  return FORMATS['anthropic-messages'].encodeRequest(request, target);
}

const called = [
  { role: 'user', content: 'Go' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
  },
];

describe.each(['openai-chat', 'unified'] as const)('%s', (format) => {
  test('a mark on a part is on its block, with its time to live', () => {
    const { body, dropped } = send(
      {
        messages: [
          { role: 'system', content: [part('Long rules.', LONG())] },
          { role: 'user', content: [part('A book.', SHORT()), part('A question.')] },
        ],
      },
      format,
    );
    expect(dropped).toEqual([]);
    expect(body['system']).toEqual([
      { type: 'text', text: 'Long rules.', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ]);
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'A book.', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'A question.' },
        ],
      },
    ]);
  });

  test('a mark on a message is on its last block', () => {
    const { body, dropped } = send(
      {
        messages: [
          ...called,
          { role: 'tool', tool_call_id: 'c1', content: 'Done.', cache_control: SHORT() },
          { role: 'user', content: [part('One.'), part('Two.')], cache_control: LONG() },
        ],
      },
      format,
    );
    expect(dropped).toEqual([]);
    expect((body['messages'] as JsonObject[]).at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: 'Done.', cache_control: SHORT() },
        { type: 'text', text: 'One.' },
        { type: 'text', text: 'Two.', cache_control: LONG() },
      ],
    });
  });

  test('a mark on a tool, or within its function, is on the tool', () => {
    const { body, dropped } = send(
      {
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [tool('f', { cache_control: LONG() }), tool('g', {}, { cache_control: SHORT() })],
      },
      format,
    );
    expect(dropped).toEqual([]);
    expect(body['tools']).toMatchObject([
      { name: 'f', cache_control: LONG() },
      { name: 'g', cache_control: SHORT() },
    ]);
  });

  test('above the vendor’s limit, the first and the last marks are kept and the others are reported', () => {
    const content = ['a', 'b', 'c', 'd', 'e'].map((text) => part(text, SHORT()));
    const messages = [{ role: 'user', content }];
    const tools = [tool('f', { cache_control: LONG() })];
    const { body, dropped } = send({ messages, tools }, format);
    expect(dropped).toEqual([
      'messages[0].content[0].cache_control',
      'messages[0].content[1].cache_control',
    ]);
    expect(body['tools']).toMatchObject([{ cache_control: LONG() }]);
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
  });

  test('a mark on the whole request counts towards the limit', () => {
    const content = ['a', 'b', 'c', 'd'].map((text) => part(text, SHORT()));
    const messages = [{ role: 'user', content }];
    const { body, dropped } = send({ messages, cache_control: LONG() }, format);
    expect(dropped).toEqual(['messages[0].content[1].cache_control']);
    expect(body['cache_control']).toEqual(LONG());
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
  });

  test('an invalid mark, or one on nothing, is reported as dropped', () => {
    const content = [part('a', { type: 'forever' }), part('', SHORT()), part('b')];
    const { body, dropped } = send({ messages: [{ role: 'user', content }] }, format);
    expect(JSON.stringify(body)).not.toContain('cache_control');
    expect(dropped).toEqual([
      'messages[0].content[0].cache_control',
      'messages[0].content[1].cache_control',
    ]);
  });
});

test('OpenAI, which refuses marks, gets none, and a compatible server gets all', () => {
  const body = {
    model: 'm',
    messages: [{ role: 'user', content: [part('a', SHORT())], cache_control: SHORT() }],
    tools: [tool('f', { cache_control: SHORT() }, { cache_control: SHORT() })],
    cache_control: SHORT(),
  };
  const chat = FORMATS['openai-chat'];
  const send = (providerType: 'PROVIDER_A' | 'CUSTOM') =>
    chat.encodeRequest(chat.decodeRequest(body, {}), { providerType, model: 'm', strict: false });
  const own = send('PROVIDER_A');
  expect(JSON.stringify(own.body)).not.toContain('cache_control');
  expect(own.body['messages']).toEqual([{ role: 'user', content: [part('a')] }]);
  expect(own.dropped.toSorted()).toEqual([
    'cache_control',
    'messages[0].cache_control',
    'messages[0].content[0].cache_control',
    'tools[0].cache_control',
    'tools[0].function.cache_control',
  ]);
  expect(send('CUSTOM')).toEqual({ body, dropped: [] });
});
