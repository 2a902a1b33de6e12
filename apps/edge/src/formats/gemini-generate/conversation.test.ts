// Conversation contents, as clients write them and as the vendor receives them.
import { geminiGenerate as format } from '.';
import { createDropList } from '../drop-list';
import type { ContentBlock, JsonObject, NormalisedMessage } from '../normalised';
import { openaiChat } from '../openai-chat';
import { generationOf } from './dialects';
import { encodeConversation } from './encode-contents';

const decode = (contents: unknown[]) =>
  format.decodeRequest({ contents }, { model: 'chat' }).messages.map(({ content }) => content);

function encode(messages: NormalisedMessage[], model = 'gemini-3-flash') {
  const drops = createDropList(false);
  const conversation = encodeConversation(messages, generationOf(model), drops);
  return { ...conversation, dropped: drops.finish() };
}

const user: NormalisedMessage = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const call = (id: string, name = 'look'): ContentBlock => ({
  type: 'tool_call',
  id,
  kind: 'function',
  name,
  arguments: '{"at":1}',
});
const result = (toolCallId: string, text: string): NormalisedMessage => ({
  role: 'tool',
  content: [{ type: 'tool_result', toolCallId, content: [{ type: 'text', text }] }],
});
const model = (...content: ContentBlock[]): NormalisedMessage => ({ role: 'assistant', content });
const partsOf = (messages: NormalisedMessage[], at: number, name?: string) =>
  (encode(messages, name).contents[at] as { parts: JsonObject[] }).parts;

describe('results of functions', () => {
  test('results of parallel calls stand together, under the called function’s name', () => {
    const { contents } = encode([
      user,
      model(call('c1'), call('c2', 'now')),
      result('c1', 'a cat'),
      result('c2', '{"hour":7}'),
      user,
    ]);
    expect(contents[2]).toEqual({
      role: 'user',
      parts: [
        { functionResponse: { id: 'c1', name: 'look', response: { output: 'a cat' } } },
        { functionResponse: { id: 'c2', name: 'now', response: { hour: 7 } } },
      ],
    });
    expect(contents[3]).toEqual({ role: 'user', parts: [{ text: 'Hi' }] });
  });

  test.each([
    ['a cat', false],
    ['{"output":"x"}', false],
    ['{"a":{"b":[1]}}', false],
    ['{"n":12345678901234567890}', false],
    ['{broken', false],
    ['', false],
    ['[1,2]', false],
    ['no such place', true],
  ])('the result %s survives encoding and decoding', (text, isError) => {
    const failed = isError ? { isError } : {};
    const block: ContentBlock = {
      type: 'tool_result',
      toolCallId: 'c1',
      content: [{ type: 'text', text }],
      ...failed,
    };
    const { contents } = encode([user, model(call('c1')), { role: 'tool', content: [block] }]);
    expect(decode(contents)[2]).toEqual([block]);
  });

  test('results without ids belong to the first unanswered call of their name', () => {
    const calls = ['look', 'now', 'look'].map((name) => ({ functionCall: { name, args: {} } }));
    const answers = ['look', 'look', 'now'].map((name) => ({
      functionResponse: { name, response: { output: name } },
    }));
    const [asked, answered] = decode([
      { role: 'model', parts: calls },
      { role: 'user', parts: answers },
    ]);
    const ids = (asked ?? []).map((block) => block.type === 'tool_call' && block.id);
    expect(new Set(ids).size).toBe(3);
    expect(
      (answered ?? []).map((block) => block.type === 'tool_result' && block.toolCallId),
    ).toEqual([ids[0], ids[2], ids[1]]);
  });

  test('images are inside the result for newer models, and in a separate part for older ones', () => {
    const picture: ContentBlock = { type: 'image', url: 'data:image/png;base64,AAAA' };
    const content: ContentBlock[] = [{ type: 'text', text: 'see' }, picture];
    const messages: NormalisedMessage[] = [
      user,
      model(call('c1')),
      { role: 'tool', content: [{ type: 'tool_result', toolCallId: 'c1', content }] },
    ];
    const inline = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
    const response = { id: 'c1', name: 'look', response: { output: 'see' } };
    expect(partsOf(messages, 2)).toEqual([{ functionResponse: { ...response, parts: [inline] } }]);
    expect(partsOf(messages, 2, 'gemini-2.5-pro')).toEqual([
      { functionResponse: response },
      { text: 'Attached to the result of the tool call (look, c1):' },
      inline,
    ]);
    expect(decode(encode(messages).contents)[2]).toEqual(messages[2]?.content);
  });

  test('arguments that are not an object are wrapped in one', () => {
    const broken: ContentBlock = {
      type: 'tool_call',
      id: 'c',
      kind: 'function',
      name: 'f',
      arguments: '{"a',
    };
    const free: ContentBlock = {
      type: 'tool_call',
      id: 'd',
      kind: 'custom',
      name: 'g',
      arguments: 'x',
    };
    expect(partsOf([user, model(broken, free)], 1, 'gemini-2.5-pro')).toEqual([
      { functionCall: { id: 'c', name: 'f', args: { input: '{"a' } } },
      { functionCall: { id: 'd', name: 'g', args: { input: 'x' } } },
    ]);
  });
});

describe('seals', () => {
  const seal = (signature: string, text = ''): ContentBlock => ({
    type: 'thinking',
    text,
    signature,
  });

  test.each([
    [[{ functionCall: { id: 'c', name: 'f', args: {} }, thoughtSignature: 'AAAA' }]],
    [
      [
        { text: 'Hm', thought: true },
        { functionCall: { id: 'c', name: 'f', args: {} }, thoughtSignature: 'AAAA' },
        { functionCall: { id: 'd', name: 'f', args: {} } },
      ],
    ],
    [[{ text: 'Hello', thoughtSignature: 'AAAA' }]],
    [[{ text: 'Hm', thought: true, thoughtSignature: 'AAAA' }, { text: 'Hello' }]],
    [
      [
        { text: 'Hello', thoughtSignature: 'AAAA' },
        { functionCall: { id: 'c', name: 'f', args: {} }, thoughtSignature: 'BBBB' },
      ],
    ],
  ])('%j is replayed unchanged', (parts) => {
    const messages = format.decodeRequest({ contents: [{ role: 'model', parts }] }, { model: 'm' });
    expect(partsOf(messages.messages, 0)).toEqual(parts);
  });

  test('a seal before the text, as another format places it, still goes on the call', () => {
    const parts = partsOf([model(seal('AAAA', 'Hm'), { type: 'text', text: 'So' }, call('c'))], 0);
    expect(parts).toEqual([
      { text: 'Hm', thought: true },
      { text: 'So' },
      { functionCall: { id: 'c', name: 'look', args: { at: 1 } }, thoughtSignature: 'AAAA' },
    ]);
  });

  test('a seal survives a chat client', () => {
    const answer = format.decodeResponse({
      responseId: 'r1',
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'Where is it?', thought: true },
              { functionCall: { name: 'look', args: { at: 1 } }, thoughtSignature: 'c2VhbA==' },
              { functionCall: { name: 'look', args: { at: 2 } } },
            ],
          },
          finishReason: 'STOP',
        },
      ],
    });
    const reply = { requestId: 'r', provider: 'p', model: 'm', createdAtS: 1, includeUsage: true };
    const [choice] = openaiChat.encodeResponse(answer, reply)['choices'] as {
      message: JsonObject;
    }[];
    const replayed = openaiChat.decodeRequest(
      { model: 'm', messages: [{ role: 'user', content: 'Hi' }, choice?.message] },
      {},
    );
    expect(partsOf(replayed.messages, 1)).toEqual([
      { text: 'Where is it?', thought: true },
      {
        functionCall: { id: 'call_r1_0_0', name: 'look', args: { at: 1 } },
        thoughtSignature: 'c2VhbA==',
      },
      { functionCall: { id: 'call_r1_0_1', name: 'look', args: { at: 2 } } },
    ]);
  });

  test('for newer models the first unsealed call of a turn gets the marker that skips validation', () => {
    const unsealed = { thoughtSignature: 'skip_thought_signature_validator' };
    const [first, second] = partsOf([user, model(call('a'), call('b'))], 1);
    expect(first).toMatchObject(unsealed);
    expect(second).not.toHaveProperty('thoughtSignature');
    for (const name of ['gemini-2.5-flash', 'gemini-2.0-flash', 'gemma-3-27b-it']) {
      expect(partsOf([user, model(call('a'))], 1, name)[0]).not.toHaveProperty('thoughtSignature');
    }
    for (const name of ['gemini-3.1-pro-preview', 'gemini-flash-latest', 'gemini-4-argon']) {
      expect(partsOf([user, model(call('a'))], 1, name)[0]).toMatchObject(unsealed);
    }
  });

  test('seals of other providers return from a client unchanged, redacted thinking included', () => {
    const content: ContentBlock[] = [
      { type: 'thinking', text: 'Hm', signature: 'EqQB+/==', sealedBy: 'anthropic-messages' },
      { type: 'thinking', text: '', redacted: 'c2VjcmV0', sealedBy: 'anthropic-messages' },
      { type: 'text', text: 'So' },
      call('c'),
    ];
    const answer = format.encodeResponse(
      {
        id: '',
        model: '',
        choices: [{ index: 0, content, stopReason: 'stop', rawStopReason: '' }],
      },
      { requestId: 'r', provider: 'p', model: 'm', createdAtS: 1, includeUsage: true },
    );
    const [candidate] = answer['candidates'] as { content: { parts: JsonObject[] } }[];
    expect(decode([candidate?.content])[0]).toEqual(content);
    // One of the vendor's SDKs re-encodes bytes as base64url.
    const parts = candidate?.content.parts.map((part) => {
      const bytes = part['thoughtSignature'];
      return typeof bytes === 'string'
        ? { ...part, thoughtSignature: bytes.replace(/\+/g, '-').replace(/\//g, '_') }
        : part;
    });
    expect(decode([{ role: 'model', parts }])[0]).toEqual(content);
  });
});

describe('media', () => {
  test.each([
    [
      { inlineData: { mimeType: 'image/png', data: 'A-_A' } },
      { type: 'image', url: 'data:image/png;base64,A+/A' },
    ],
    [
      { inlineData: { mimeType: 'audio/mpeg', data: 'AAAA' } },
      { type: 'audio', data: 'AAAA', format: 'mp3' },
    ],
    [
      { inlineData: { mimeType: 'application/pdf', data: 'AAAA', displayName: 'a.pdf' } },
      { type: 'file', data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' },
    ],
    [
      { fileData: { fileUri: 'https://example.com/a.png' } },
      { type: 'image', url: 'https://example.com/a.png' },
    ],
  ])('%j is decoded', (part, block) => {
    expect(decode([{ parts: [part] }])).toEqual([[block]]);
  });

  test.each([
    { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/1', mimeType: 'image/png' },
    { fileUri: 'gs://bucket/a.png', mimeType: 'image/png' },
    { fileUri: 'https://www.youtube.com/watch?v=1' },
    { fileUri: 'https://example.com/a.pdf', mimeType: 'application/pdf' },
  ])('only the vendor can fetch $fileUri', (fileData) => {
    expect(decode([{ parts: [{ fileData }] }])).toMatchObject([
      [{ type: 'other', kind: 'fileData' }],
    ]);
  });

  test.each<[ContentBlock, JsonObject | undefined]>([
    [
      { type: 'image', url: 'https://example.com/a.jpg?x=1' },
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/a.jpg?x=1' } },
    ],
    [{ type: 'image', url: 'ftp://example.com/a.jpg' }, undefined],
    [
      { type: 'audio', data: 'AAAA', format: 'mp3' },
      { inlineData: { mimeType: 'audio/mp3', data: 'AAAA' } },
    ],
    [{ type: 'audio', id: 'audio_1' }, undefined],
    [
      { type: 'file', data: 'AAAA', filename: 'a.pdf' },
      { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
    ],
    [{ type: 'file', fileId: 'file_1' }, undefined],
  ])('%j is encoded', (block, part) => {
    const { contents, dropped } = encode([
      { role: 'user', content: [{ type: 'text', text: 'x' }, block] },
    ]);
    expect(contents[0]?.['parts']).toEqual([{ text: 'x' }, ...(part ? [part] : [])]);
    const named = 'filename' in block ? ['messages[0].file.filename'] : [];
    expect(dropped).toEqual(part ? named : [`messages[0].${block.type}`]);
  });
});

test('an answer that returns as its stream’s pieces is one answer', () => {
  const pieces = [
    { text: 'H', thought: true },
    { text: 'm', thought: true },
    { text: '', thought: true, thoughtSignature: 'AAAA' },
    { text: 'He' },
    { text: 'llo' },
    { functionCall: { id: 'c', name: 'f', args: {} } },
    { text: '' },
  ].map((part) => ({ role: 'model', parts: [part] }));
  const { messages } = format.decodeRequest(
    { contents: [...pieces, { parts: [{ text: 'So?' }] }] },
    { model: 'm' },
  );
  expect(messages).toEqual([
    {
      role: 'assistant',
      path: 'contents[0]',
      content: [
        { type: 'thinking', text: 'Hm', signature: 'AAAA', sealedBy: 'gemini-generate' },
        { type: 'text', text: 'Hello' },
        { type: 'tool_call', id: 'c', kind: 'function', name: 'f', arguments: '{}' },
      ],
    },
    { role: 'user', path: 'contents[7]', content: [{ type: 'text', text: 'So?' }] },
  ]);
});

test('leading system text becomes the instruction, later system text is marked in place', () => {
  const system: NormalisedMessage = { role: 'system', content: [{ type: 'text', text: 'S' }] };
  const developer: NormalisedMessage = {
    role: 'developer',
    content: [{ type: 'text', text: 'D' }],
  };
  expect(encode([system, user, developer])).toEqual({
    systemInstruction: { parts: [{ text: 'S' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'user', parts: [{ text: '<system-message>\nD\n</system-message>' }] },
    ],
    dropped: ['messages[2].role'],
  });
  expect(encode([system])).toEqual({
    contents: [{ role: 'user', parts: [{ text: 'S' }] }],
    dropped: [],
  });
});
