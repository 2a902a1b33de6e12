import { LONG_NUMBERS } from '../formats/json';
import { REQUEST_LIMITS } from './limits';
import { createJsonParser, startThread, type ParsingThread } from './parser';
import type { Parsed } from './thread';

const limits = { ...REQUEST_LIMITS, depth: 64 };
const log = { error: () => undefined };
const parser = createJsonParser({ log, long: LONG_NUMBERS });
afterAll(() => parser.stop());

/** A document of more than a mebibyte, which is parsed on the thread. */
const large = (inside: string): Buffer => Buffer.from(`{"pad":"${'x'.repeat(2 ** 20)}",${inside}}`);

test('a small document is parsed synchronously', () => {
  const bytes = Buffer.from('{"a":[1]}');
  expect(parser.parse(bytes, { limits })).toEqual({ value: { a: [1] }, bytes });
});

test('a large document is parsed by the thread, which returns its bytes', async () => {
  const text = large('"a":[1,"é"]').toString();
  const parsing = parser.parse(Buffer.from(text), { limits });
  expect(parsing).toBeInstanceOf(Promise);
  const { value, bytes } = await parsing;
  expect(value).toMatchObject({ a: [1, 'é'] });
  expect(bytes.toString()).toBe(text);
});

test('long numbers keep their digits', async () => {
  const { value } = await parser.parse(large('"seed":12345678901234567890'), { limits });
  expect(JSON.stringify(value)).toContain('"seed":12345678901234567890');
});

test('with countsOnly, content is left out', async () => {
  const numbers = JSON.stringify(Array.from({ length: 1_000 }, () => 0.5));
  const bytes = large(`"data":[{"embedding":${numbers}}],"usage":{"total_tokens":7}`);
  const { value } = await parser.parse(bytes, { limits, countsOnly: true });
  expect(value).toMatchObject({ data: [{ embedding: [] }], usage: { total_tokens: 7 } });
});

test.each([
  ['small', (text: string) => Buffer.from(`{${text}}`)],
  ['large', large],
])('a document beyond a limit, or not JSON, is refused: %s', async (_, build) => {
  const parse = async (text: string) => parser.parse(build(text), { limits });
  await expect(parse(`"messages":[${'[],'.repeat(70_000)}[]]`)).rejects.toMatchObject({
    excess: { limit: 'containers', field: 'messages' },
  });
  await expect(parse('"a":1,')).rejects.toMatchObject({ name: 'JsonSyntax', empty: false });
});

test('a thread that exits fails its pending work, and the next document starts another', async () => {
  let end: (() => void) | undefined;
  let started = 0;
  const start = (): ParsingThread => {
    started += 1;
    let answer: (parsed: Parsed) => void = () => undefined;
    return {
      on: (event, listener) => {
        if (event === 'exit') end = () => listener(1);
        if (event === 'message') answer = listener;
      },
      postMessage: (question) => {
        if (started > 1 && 'bytes' in question)
          answer({ ...question, value: 'parsed', marked: false });
      },
      terminate: () => Promise.resolve(),
    };
  };
  const fragile = createJsonParser({ log, long: LONG_NUMBERS, start });
  const first = fragile.parse(large('"a":1'), { limits });
  end?.();
  await expect(first).rejects.toMatchObject({ name: 'ParserFailed' });
  await expect(fragile.parse(large('"a":1'), { limits })).resolves.toMatchObject({
    value: 'parsed',
  });
});

test('a value is serialised by the thread', async () => {
  const value = { a: ['é', 1, null], pad: 'x'.repeat(2 ** 20) };
  expect((await parser.write(value)).toString()).toBe(JSON.stringify(value));
});

test('long numbers keep their digits when serialised', async () => {
  const text = '{"id":12345678901234567890}';
  expect((await parser.write(LONG_NUMBERS.parse(text))).toString()).toBe(text);
});

test.each([
  ['one very large document', [5]],
  ['several large documents', [1.5, 1.5, 1.5]],
])('the idle thread ends after %s, and another one continues', async (_, mebibytes) => {
  const ended: string[] = [];
  const own = createJsonParser({
    log,
    long: LONG_NUMBERS,
    start: () => {
      const thread = startThread();
      return {
        on: (event, listener) => thread.on(event, listener),
        postMessage: (question, moved) => thread.postMessage(question, moved),
        terminate: () => {
          ended.push('thread');
          return thread.terminate();
        },
      };
    },
  });
  for (const size of mebibytes) {
    expect(ended).toEqual([]);
    const pad = 'x'.repeat(size * 2 ** 20);
    const { value } = await own.parse(Buffer.from(JSON.stringify({ pad })), { limits });
    expect(value).toEqual({ pad });
  }
  expect(ended).toEqual(['thread']);
  const { value: next } = await own.parse(large('"a":1'), { limits });
  expect(next).toMatchObject({ a: 1 });
  expect((await own.write({ pad: 'é' })).toString()).toBe('{"pad":"é"}');
  await own.stop();
});
