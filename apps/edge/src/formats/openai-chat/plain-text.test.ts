import { createStreamDecoder } from './stream-decoder';

const chunk = (content: string, more = '', after = 'null') =>
  `data: {"id":"c","choices":[{"index":1,"delta":{"content":${content}${more}},"finish_reason":${after}}]}\n\n`;

function decode(events: readonly string[], pieces = 1): unknown[] {
  const decoder = createStreamDecoder();
  const bytes = Buffer.from(events.join(''));
  const size = Math.ceil(bytes.length / pieces);
  const parts = Array.from({ length: pieces }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
  return [...parts.flatMap((part) => decoder.push(part)), ...decoder.finish()];
}

/** Decodes one event after an unlike chunk, so the shortcut for similar chunks does not apply. */
function alone(event: string): unknown[] {
  return decode([chunk('"x"', ',"role":"assistant"'), event]).slice(2, -1);
}

test.each([
  ['text', '"more"'],
  ['text with an escape', '"a \\"quote\\" and \\u00e9"'],
  ['text of many bytes', '"né ∑ 🙂"'],
  ['no text', '""'],
  ['null', 'null'],
  ['something after it', '"a"', ',"reasoning_content":"b"'],
  ['a call beside it', '"a"', ',"tool_calls":[{"index":0,"function":{"name":"f"}}]'],
  ['a field in its text', '"a\\",\\"refusal\\":\\"b"'],
  ['text that looks like its end', '"}}]}"'],
])('a chunk like the one before but with %s decodes as if alone', (_what, content, more = '') => {
  const event = chunk(content, more);
  const events = decode([chunk('"one"'), chunk('"two"'), event]);
  expect(events.slice(3, -1)).toEqual(alone(event));
  expect(decode([chunk('"one"'), chunk('"two"'), event], 7)).toEqual(events);
});

test.each([
  ['a line break in its text', chunk('"a\u0007b"')],
  ['unterminated text', 'data: {"id":"c","choices":[{"index":1,"delta":{"content":"a}]}\n\n'],
  ['malformed JSON after it', chunk('"a"').replace('null', 'nul')],
])('a chunk with %s is a fault', (_what, event) => {
  expect(decode([chunk('"one"'), chunk('"two"'), event]).at(-1)).toMatchObject({
    type: 'error',
    fault: 'INVALID_RESPONSE',
  });
});

test('a finish reason is not skipped', () => {
  const end = chunk('"z"', '', '"length"');
  const events = decode([chunk('"one"'), chunk('"two"'), end, 'data: [DONE]\n\n']);
  expect(events.slice(-3)).toMatchObject([
    { type: 'text', choice: 1, text: 'z' },
    { type: 'stop', choice: 1, rawReason: 'length' },
    { type: 'end' },
  ]);
});
