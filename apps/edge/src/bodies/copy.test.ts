import { parseJson } from '../formats/json';
import { copyWithin, withoutBase64 } from './copy';

const MOST = 10_000;
const copyOf = (value: unknown): unknown => copyWithin(value, MOST)?.copy;
const base64 = (bytes: number): string => Buffer.alloc(bytes, 'media').toString('base64');

test('media become notes of their type and size', () => {
  const document = {
    messages: [
      {
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${base64(900)}` } },
          { type: 'input_audio', input_audio: { data: base64(300), format: 'wav' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: base64(90) } },
          { type: 'text', text: `see ${base64(900)} here` },
        ],
      },
    ],
    b64_json: base64(3_000),
    embedding: Array.from({ length: 1_536 }, () => 0.25),
  };
  expect(copyOf(document)).toEqual({
    messages: [
      {
        content: [
          { type: 'image_url', image_url: { url: '[image/png, 900 bytes]' } },
          { type: 'input_audio', input_audio: { data: '[wav, 300 bytes]', format: 'wav' } },
          {
            type: 'image',
            source: { type: 'base64', media_type: 'image/webp', data: '[image/webp, 90 bytes]' },
          },
          { type: 'text', text: 'see [base64, 900 bytes] here' },
        ],
      },
    ],
    b64_json: '[base64, 3000 bytes]',
    embedding: '[1536 numbers]',
  });
});

test('base64 in lines, as mails have it, is a note too', () => {
  const lines = base64(3_000).replaceAll(/.{76}/g, '$&\r\n');
  expect(withoutBase64(`before ${lines} after`)).toMatch(/^before \[base64, \d+ bytes\] after$/);
});

test('what is no base64 stays', () => {
  const text =
    'a sentence with a hash 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
  expect(withoutBase64(text.repeat(20))).toBe(text.repeat(20));
});

test('fields that hold credentials are replaced, whatever is in them', () => {
  const tool = {
    type: 'mcp',
    authorization: 'short',
    headers: { 'X-Team': 'blue', Authorization: 'Bearer abc' },
    authorization_token: 'one',
    api_key: 'two',
    apiKey: 'three',
    client_secret: 'four',
    password: 'five',
    max_tokens: 5,
    properties: { password: { type: 'string' } },
  };
  const hidden = '<CREDENTIAL_0>';
  expect(copyOf(tool)).toEqual({
    type: 'mcp',
    authorization: hidden,
    headers: { 'X-Team': hidden, Authorization: hidden },
    authorization_token: hidden,
    api_key: hidden,
    apiKey: hidden,
    client_secret: hidden,
    password: hidden,
    max_tokens: 5,
    properties: { password: { type: 'string' } },
  });
});

test('tokens beside a text are left out, as they repeat it in pieces', () => {
  expect(copyOf({ text: 'a', logprobs: { content: [{ token: 'sk-' }] } })).toEqual({
    text: 'a',
    logprobs: '[left out]',
  });
});

test('a document of more characters is not copied, and the copy stops there', () => {
  const visited: string[] = [];
  const document = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`field${String(at)}`, 'x'.repeat(200)]),
  );
  const watched = new Proxy(document, {
    get: (target, name) => {
      visited.push(String(name));
      return Reflect.get(target, name) as unknown;
    },
  });
  expect(copyWithin([watched], 1_000)).toBeUndefined();
  expect(visited.length).toBeLessThan(200);
});

test('the copy shares nothing with the document, and keeps names and long numbers', () => {
  const text = '{"a":[{"b":1}],"__proto__":{"c":2},"n":12345678901234567890}';
  const document = parseJson(text);
  const copied = copyOf(document);
  expect(JSON.stringify(copied)).toBe(text);
  expect(copied).not.toBe(document);
});

test('a file of any size is a note, and of a long text no more is read than could be kept', () => {
  expect(copyOf({ data: base64(1_000_000) })).toEqual({ data: '[base64, 1000002 bytes]' });
  const url = `data:image/png;base64,${base64(1_000_000)}`;
  expect(copyOf({ url })).toEqual({ url: '[image/png, 1000002 bytes]' });
  const within = (bytes: number) => copyOf({ text: `see ${base64(bytes)}` });
  expect(within(9_000)).toEqual({ text: 'see [base64, 9000 bytes]' });
  // Its note would be short, but it would have to be read.
  expect(within(9 * MOST)).toBeUndefined();
});

test('pieces of a transcription are left out, as its text has them', () => {
  const words = [
    { word: '4111', start: 0 },
    { word: '1111', start: 1 },
  ];
  const segments = [
    { id: 0, text: 'a card', tokens: [50_364, 257] },
    { id: 1, text: '4111' },
  ];
  const left = '[left out]';
  expect(copyOf({ text: 'a', words, segments })).toEqual({
    text: 'a',
    words: left,
    segments: left,
  });
  expect(copyOf({ words: ['a'], segments: [{ text: 'b', tokens: [1, 2] }] })).toEqual({
    words: ['a'],
    segments: [{ text: 'b', tokens: left }],
  });
});

test('what stands after a short data URL stays', () => {
  const text = 'data:image/png;base64,iVBORw0KGgo= What is in this picture?';
  expect(copyOf({ text })).toEqual({ text: '[image/png, 9 bytes] What is in this picture?' });
  const long = `${text} ${'word '.repeat(400)}`;
  expect(copyOf({ text: long })).toEqual({
    text: long.replace(/^\S+/, '[image/png, 9 bytes]'),
  });
});

test('every value of headers is a credential, and numbers of credentials are too', () => {
  const hidden = '<CREDENTIAL_0>';
  const document = { password: 12_345, headers: { 'X-Key': ['abcsecret'], deep: { n: 77 } } };
  expect(copyOf(document)).toEqual({
    password: hidden,
    headers: { 'X-Key': [hidden], deep: { n: hidden } },
  });
});
