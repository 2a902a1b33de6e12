// The order of a conversation's parts after translation to another format.
import type { ProviderType } from '@tollgate/contracts';

import { FORMATS, type FormatName, type JsonObject } from '.';

const TARGETS = {
  'openai-chat': ['PROVIDER_A', 'gpt-5'],
  'openai-responses': ['PROVIDER_A', 'gpt-5'],
  'anthropic-messages': ['PROVIDER_B', 'claude-opus-4-6'],
  'gemini-generate': ['PROVIDER_C', 'gemini-2.5-pro'],
} as const satisfies Partial<Record<FormatName, readonly [ProviderType, string]>>;
type Upstream = keyof typeof TARGETS;

function send(
  client: FormatName,
  upstream: Upstream,
  messages: JsonObject[],
  { strict = false, model }: { strict?: boolean; model?: string } = {},
) {
  const body = { model: 'chat', max_tokens: 9, messages };
  const request = FORMATS[client].decodeRequest(body, {});
  const [providerType, usual] = TARGETS[upstream];
  const target = { providerType, model: model ?? usual, strict };
  const encoded = FORMATS[upstream].encodeRequest(request, target);
  const { system, systemInstruction, messages: said, contents } = encoded.body;
  return { prompt: system ?? systemInstruction, said: said ?? contents, dropped: encoded.dropped };
}

function say(role: string, content: unknown): JsonObject {
  return { role, content };
}

const MARKED = '<system-message>\nNow in French\n</system-message>';
const instructed = [
  say('system', 'Be brief'),
  say('user', 'Hi'),
  say('assistant', 'Hello'),
  say('developer', 'Now in French'),
  say('user', 'Bye'),
];

describe('system text among the turns', () => {
  test('stays in place where the vendor allows it', () => {
    const { said, dropped } = send('unified', 'openai-chat', instructed);
    expect(said).toEqual(instructed);
    expect(dropped).toEqual([]);
  });

  test('is marked in place and reported where the vendor does not allow it', () => {
    expect(send('openai-chat', 'anthropic-messages', instructed)).toEqual({
      prompt: 'Be brief',
      said: [
        say('user', 'Hi'),
        say('assistant', 'Hello'),
        say('user', [
          { type: 'text', text: MARKED },
          { type: 'text', text: 'Bye' },
        ]),
      ],
      dropped: ['messages[3].role'],
    });
    expect(send('openai-chat', 'gemini-generate', instructed)).toEqual({
      prompt: { parts: [{ text: 'Be brief' }] },
      said: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ text: 'Hello' }] },
        { role: 'user', parts: [{ text: MARKED }] },
        { role: 'user', parts: [{ text: 'Bye' }] },
      ],
      dropped: ['messages[3].role'],
    });
    expect(() => send('openai-chat', 'gemini-generate', instructed, { strict: true })).toThrow(
      expect.objectContaining({ param: 'messages[3].role' }) as Error,
    );
  });

  const before = [say('user', 'Hi'), say('system', 'A'), say('developer', 'B')];

  test.each([
    ['claude-opus-4-8', true],
    ['claude-opus-5-5-20261001', true],
    ['claude-sonnet-5-5', true],
    ['claude-opus-4-7', false],
    ['claude-sonnet-5', false],
    ['claude-sonnet-5-20260930', false],
    ['claude-haiku-4-5', false],
    ['glm-5', false],
  ])('stays before the model’s turn at %s: %j', (model, stays) => {
    for (const after of [[], [say('assistant', 'Ok'), say('user', 'Bye')]]) {
      const sent = send('openai-chat', 'anthropic-messages', [...before, ...after], { model });
      const system = [
        { type: 'text', text: 'A' },
        { type: 'text', text: 'B' },
      ];
      if (stays) expect(sent.said).toContainEqual(say('system', system));
      expect(sent.dropped).toEqual(stays ? [] : ['messages[1].role', 'messages[2].role']);
    }
  });

  test('is marked before a user turn, whatever the model allows', () => {
    const { dropped } = send('openai-chat', 'anthropic-messages', [...before, say('user', 'Bye')], {
      model: 'claude-opus-5',
    });
    expect(dropped).toEqual(['messages[1].role', 'messages[2].role']);
  });

  test('is not placed between a call and its result', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const called = [
      say('user', 'Hi'),
      { role: 'assistant', content: null, tool_calls: [call] },
      say('system', 'Now in French'),
      { role: 'tool', tool_call_id: 'c', content: 'done' },
    ];
    const opus = { model: 'claude-opus-5' };
    expect(send('openai-chat', 'anthropic-messages', called, opus).said).toEqual([
      say('user', 'Hi'),
      say('assistant', [{ type: 'tool_use', id: 'c', name: 'f', input: {} }]),
      say('user', [
        { type: 'tool_result', tool_use_id: 'c', content: 'done' },
        { type: 'text', text: MARKED },
      ]),
    ]);
    const { said } = send('openai-chat', 'gemini-generate', called);
    expect((said as JsonObject[]).slice(2)).toEqual([
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'c', name: 'f', response: { output: 'done' } } }],
      },
      { role: 'user', parts: [{ text: MARKED }] },
    ]);
  });
});

describe('empty texts', () => {
  const silent = [
    say('user', [
      { type: 'text', text: ' ' },
      { type: 'text', text: 'Hi' },
    ]),
    say('assistant', ''),
    say('user', ''),
    say('assistant', 'Well, \n'),
  ];

  test('are left out where they are refused, and turns stay separate', () => {
    expect(send('openai-chat', 'anthropic-messages', silent).said).toEqual([
      say('user', 'Hi'),
      say('user', '(no content)'),
      say('assistant', 'Well,'),
    ]);
    expect(send('openai-chat', 'anthropic-messages', [say('user', '')]).said).toEqual([
      say('user', '(no content)'),
    ]);
    const ended = send('openai-chat', 'gemini-generate', [...silent, say('user', '')]).said;
    expect((ended as JsonObject[]).at(-1)).toEqual({
      role: 'user',
      parts: [{ text: '(no content)' }],
    });
  });

  test('are kept where they are accepted', () => {
    const { said } = send('unified', 'openai-chat', silent);
    expect(said).toContainEqual(say('user', ''));
  });
});

describe('images in tool results', () => {
  const image = (data: string) => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data },
  });
  const result = (id: string, content: unknown) => ({
    type: 'tool_result',
    tool_use_id: id,
    content,
  });
  const shown = [
    say('user', 'Look'),
    say('assistant', [
      { type: 'tool_use', id: 'a', name: 'look', input: {} },
      { type: 'tool_use', id: 'b', name: 'peek', input: {} },
    ]),
    say('user', [
      result('a', [{ type: 'text', text: 'a cat' }, image('AAAA')]),
      result('b', [image('BBBB')]),
      { type: 'text', text: 'Which?' },
    ]),
  ];

  test('follow all results of the turn where those can only be text', () => {
    const { said, dropped } = send('anthropic-messages', 'openai-chat', shown);
    const url = (data: string) => ({
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${data}` },
    });
    expect((said as JsonObject[]).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'a cat' },
      { role: 'tool', tool_call_id: 'b', content: '(attached to the next user message)' },
      say('user', [
        { type: 'text', text: 'Attached to the result of the tool call (look, a):' },
        url('AAAA'),
        { type: 'text', text: 'Attached to the result of the tool call (peek, b):' },
        url('BBBB'),
      ]),
      say('user', 'Which?'),
    ]);
    expect(dropped).toEqual([]);
  });

  test('follow all function results of their turn', () => {
    const { said } = send('anthropic-messages', 'gemini-generate', shown);
    const inline = (data: string) => ({ inlineData: { mimeType: 'image/png', data } });
    expect((said as JsonObject[])[2]).toEqual({
      role: 'user',
      parts: [
        { functionResponse: { id: 'a', name: 'look', response: { output: 'a cat' } } },
        { functionResponse: { id: 'b', name: 'peek', response: { output: '' } } },
        { text: 'Attached to the result of the tool call (look, a):' },
        inline('AAAA'),
        { text: 'Attached to the result of the tool call (peek, b):' },
        inline('BBBB'),
        { text: 'Which?' },
      ],
    });
  });

  test('of a chat client stay in the results where the vendor allows it', () => {
    const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } };
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const chat = [
      say('user', 'Look'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: [picture] },
    ];
    expect((send('openai-chat', 'anthropic-messages', chat).said as JsonObject[])[2]).toEqual(
      say('user', [result('a', [image('AAAA')])]),
    );
    const responses = FORMATS['openai-responses'].encodeRequest(
      FORMATS['openai-chat'].decodeRequest({ model: 'chat', messages: chat }, {}),
      { providerType: 'PROVIDER_A', model: 'gpt-5', strict: false },
    );
    expect(JSON.stringify(responses.body['input'])).toContain('"type":"input_image"');
  });
});
