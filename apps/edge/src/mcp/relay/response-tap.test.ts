import fc from 'fast-check';

import { createJsonTap, createSseTap, type ResponseTap } from './response-tap';

function through(tap: ResponseTap, text: string, places: readonly number[] = []) {
  const bytes = Buffer.from(text);
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  for (const [index, from] of [0, ...at].entries()) {
    tap.push(bytes.subarray(from, at[index] ?? bytes.length));
  }
  tap.end();
  return tap.response();
}

const RESULT = { errorCode: undefined, isError: false, resultType: '', protocolVersion: '' };
const answer = (over: object) => JSON.stringify({ jsonrpc: '2.0', id: 7, ...over });

test.each([
  [{ result: { content: [] } }, RESULT],
  [{ result: { content: [], isError: true } }, { ...RESULT, isError: true }],
  [{ result: { resultType: 'input_required' } }, { ...RESULT, resultType: 'input_required' }],
  [{ result: { protocolVersion: '2025-11-25' } }, { ...RESULT, protocolVersion: '2025-11-25' }],
  [{ error: { code: -32_602, message: 'no' } }, { ...RESULT, errorCode: -32_602 }],
  [{ error: { message: 'no code' } }, { ...RESULT, errorCode: -32_603 }],
  [{ error: { code: 1e300 } }, { ...RESULT, errorCode: -32_603 }],
  [{ error: null, result: {} }, RESULT],
  // Fields of the same names deeper in the result say nothing.
  [{ result: { structuredContent: { isError: true, id: 8 } } }, RESULT],
  [{ result: [{ isError: true }] }, RESULT],
])('%j is read wherever it is cut', (over, expected) => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 8 }), (places) => {
      expect(through(createJsonTap(7), answer(over), places)).toEqual(expected);
      const event = `event: message\ndata: ${answer(over)}\n\n`;
      expect(through(createSseTap(7), event, places)).toEqual(expected);
    }),
  );
});

test.each([
  ['another id', answer({ id: 8, result: {} })],
  ['the same id as a text', answer({ id: '7', result: {} })],
  ['a request of the server with the same id', answer({ method: 'ping', result: {} })],
  ['no result', answer({})],
  ['an unfinished body', answer({ result: { a: 1 } }).slice(0, -1)],
  ['garbage', '<html>'],
])('%s is not the response', (_what, text) => {
  expect(through(createJsonTap(7), text)).toBeUndefined();
  expect(through(createSseTap(7), `data: ${text}\n\n`)).toBeUndefined();
});

test('an id that is a text is compared as a text', () => {
  const id = 'a"\\\u{1f600}';
  expect(through(createJsonTap(id), answer({ id, result: {} }))).toEqual(RESULT);
});

const progress = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: {} });
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');

test('a response is found among other events, in any line endings and cuts', () => {
  fc.assert(
    fc.property(lineEnd, fc.array(fc.nat(), { maxLength: 20 }), (end, places) => {
      const pretty = JSON.stringify(JSON.parse(answer({ result: { isError: true } })), null, 1);
      const lines = [
        ': comment with data: in it',
        '',
        'event: message',
        `data:${progress}`,
        '',
        'id: 5',
        'retry: 10',
        ...pretty.split('\n').map((line) => `data: ${line}`),
        '',
        `data: ${progress}`,
        '',
      ];
      const tap = createSseTap(7);
      const text = `\uFEFF${lines.join(end)}${end}`;
      expect(through(tap, text, places)).toEqual({ ...RESULT, isError: true });
      expect(tap.resumable()).toBe(true);
    }),
  );
});

test('an event without its blank line is not a response', () => {
  expect(through(createSseTap(7), `data: ${answer({ result: {} })}\n`)).toBeUndefined();
});

test('a stream without ids cannot be resumed', () => {
  const tap = createSseTap(7);
  through(tap, `: id: 4\ndata: ${progress}\n\n`);
  expect(tap.resumable()).toBe(false);
});

test('a result of ten megabytes is read without keeping it', () => {
  const text = answer({ result: { content: [{ text: 'x"\\'.repeat(2_000_000) }], isError: true } });
  const bytes = Buffer.from(`data: ${text}\n\n`);
  const tap = createSseTap(7);
  for (let at = 0; at < bytes.length; at += 65_536) tap.push(bytes.subarray(at, at + 65_536));
  expect(tap.response()).toEqual({ ...RESULT, isError: true });
});
