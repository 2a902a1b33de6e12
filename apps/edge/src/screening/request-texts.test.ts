import type { JsonObject } from '../formats';
import { requestTexts } from './request-texts';

const read = (body: JsonObject): unknown[] =>
  requestTexts(body).map(({ text, kind: { fresh, place, role } }) => [text, place, role, fresh]);

const asked = (message: JsonObject): unknown[] => read({ messages: [message] });

describe('a text that looks like something else', () => {
  const DATA = 'data:a;base64, my card 4111 1111 1111 1111';

  test.each([
    { role: 'user', content: DATA },
    { role: 'user', content: [{ type: 'text', text: DATA }] },
  ])('a message that begins like a data URL is read: %j', (message) => {
    expect(asked(message)).toEqual([[DATA, 'INPUT', 'user', true]]);
  });

  test('a list of inputs is read, and so is a URL that carries words', () => {
    expect(read({ input: [DATA] })).toEqual([[DATA, 'INPUT', 'user', true]]);
    const url = 'data:text/plain;base64,not base64 at all!';
    const part = { type: 'image_url', image_url: { url } };
    expect(asked({ role: 'user', content: [part] })).toEqual([[url, 'INPUT', 'user', true]]);
  });

  test('a picture in a URL is not read', () => {
    const part = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    expect(asked({ role: 'user', content: [part] })).toEqual([]);
  });

  test.each([
    { role: 'user', content: 'mine', functionResponse: null },
    { role: 'user', content: 'mine', functionResponse: {} },
    { role: 'user', content: 'mine', type: 'x_output' },
    { role: 'user', content: 'mine', type: 'function_call_output' },
    { role: 'user', content: 'mine', type: 'x_call' },
    { role: 'user', content: [{ type: 'tool_result', text: 'mine' }] },
    { role: 'user', content: [{ text: 'mine', functionResponse: {} }] },
  ])('a user’s text stays the user’s whatever other fields say: %j', (message) => {
    expect(asked(message)).toEqual([['mine', 'INPUT', 'user', true]]);
  });

  test('results of tools are still results', () => {
    const result = { type: 'tool_result', tool_use_id: 't', content: 'found' };
    expect(asked({ role: 'user', content: [result] })).toEqual([
      ['found', 'TOOL_RESULTS', 'user', true],
    ]);
    const output = { type: 'function_call_output', call_id: 'c', output: 'found' };
    expect(read({ input: [output] })).toEqual([['found', 'TOOL_RESULTS', 'user', true]]);
    const part = { functionResponse: { name: 'f', response: { result: 'found' } } };
    expect(read({ contents: [{ role: 'user', parts: [part] }] })).toEqual([
      ['found', 'TOOL_RESULTS', 'user', true],
    ]);
  });
});

describe('documents of text', () => {
  test('of the messages format', () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'a secret plan' };
    expect(asked({ role: 'user', content: [{ type: 'document', source }] })).toEqual([
      ['a secret plan', 'INPUT', 'user', true],
    ]);
  });

  test('in base64 they are read, and written back so', () => {
    const inlineData = { mimeType: 'text/plain', data: 'YSBzZWNyZXQgcGxhbg==' };
    const body = { contents: [{ role: 'user', parts: [{ inlineData }] }] };
    const [text] = requestTexts(body);
    expect(text).toMatchObject({ text: 'a secret plan' });
    text?.set('a <KEYWORD_1> plan');
    expect(Buffer.from(inlineData.data, 'base64').toString()).toBe('a <KEYWORD_1> plan');
  });

  test('pictures are not', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
    expect(asked({ role: 'user', content: [{ type: 'image', source }] })).toEqual([]);
  });
});
