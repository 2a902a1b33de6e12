import { geminiGenerateArray as arrayFormat, geminiGenerate as format } from '.';
import type { JsonObject } from '../normalised';

const usage = (output: number, input = 10): JsonObject => ({
  promptTokenCount: input,
  candidatesTokenCount: output,
  totalTokenCount: input + output,
});
/** The vendor's own format, with its spaces and line ends. */
function piece(text: string, fields: JsonObject = {}, finishReason?: string): string {
  const finish = finishReason ? `,"finishReason": "${finishReason}"` : '';
  const rest = JSON.stringify({ ...fields, modelVersion: 'gemini-3', responseId: 'r1' }).slice(1);
  return `data: {"candidates": [{"content": {"parts": [{"text": ${JSON.stringify(text)}}],"role": "model"}${finish},"index": 0}],${rest}\r\n\r\n`;
}
const counted = (text: string, output: number, finish?: string): string =>
  piece(text, { usageMetadata: usage(output) }, finish);

function pass(chunks: string[], tapped = format, stripUsage = false) {
  const tap = tapped.createUsageTap({ stripUsage });
  const out = chunks.flatMap((chunk) => tap.push(Buffer.from(chunk)));
  const live = { ...tap.report };
  out.push(...tap.finish());
  return { text: Buffer.concat(out).toString(), report: tap.report, live };
}

test('the vendor’s bytes are passed on unchanged, and their content is reported', () => {
  const bytes = counted('Hel', 1) + counted('lo', 2) + counted('!', 3, 'STOP');
  const { text, report } = pass([bytes]);
  expect(text).toBe(bytes);
  expect(report).toMatchObject({
    terminal: true,
    outputSeen: true,
    responseId: 'r1',
    model: 'gemini-3',
    stopReason: 'stop',
    rawStopReason: 'STOP',
    usage: { input: 10, output: 3 },
  });
});

test('an interrupted stream reports the usage of its last piece', () => {
  const { report, live } = pass([counted('Hel', 1), counted('lo', 2), counted(' you', 4)]);
  expect(live).toMatchObject({ usage: { input: 10, output: 4 }, terminal: false });
  expect(report).toMatchObject({ fault: 'EARLY_END', usage: { output: 4 } });
});

test('output after the last count invalidates that count', () => {
  const { live } = pass([counted('Hel', 1), piece('lo and behold')]);
  expect(live.usage).toBeUndefined();
  expect(live).toMatchObject({ inputUsage: { input: 10, output: 0 } });
  expect(live.outputTokensEstimate).toBeGreaterThan(2);
});

test('the estimate follows the length of the text', () => {
  const words = Array.from({ length: 50 }, () => piece('words and more words, '));
  const { live } = pass(words);
  const bytes = 50 * 'words and more words, '.length;
  expect(live.outputTokensEstimate).toBeGreaterThanOrEqual(Math.ceil(bytes / 3));
  expect(live.outputTokensEstimate).toBeLessThan(bytes);
});

test.each([
  ['a comment', ': ping\n\n', ''],
  ['the terminal event of another format', 'data: [DONE]\n\n', ''],
  ['a named event', `event: message\n${counted('x', 1)}`, 'data: {"candidates":'],
  ['no space after the colon', counted('x', 1).replace('data: ', 'data:'), 'data: {"candidates":'],
  ['lines in the middle', 'data: {"candidates":\ndata: []}\n\n', 'data: {"candidates":[]}\n\n'],
])('%s, which breaks clients, is not passed on unchanged', (_, bytes, beginning) => {
  const first = counted('a', 1);
  const { text } = pass([first, bytes]);
  expect(text.startsWith(first)).toBe(true);
  const passed = text.slice(first.length);
  if (beginning === '') expect(passed).toBe('');
  expect(passed.startsWith(beginning)).toBe(true);
  expect(passed).not.toMatch(/^event|\ndata:.*\ndata:/);
});

test('an error is withheld, and the relay writes it', () => {
  const first = counted('a', 1);
  const failure = 'data: {"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}\n\n';
  const { text, report } = pass([first + failure + counted('b', 2, 'STOP')]);
  expect(text).toBe(first);
  expect(report).toMatchObject({
    terminal: false,
    fault: 'UPSTREAM_ERROR',
    error: { code: 'upstream_error', message: 'Overloaded' },
  });
});

test('a last piece without its blank line gets one', () => {
  const bytes = counted('a', 1) + counted('b', 2, 'STOP').trimEnd();
  const { text, report } = pass([bytes]);
  expect(report.terminal).toBe(true);
  expect(text.endsWith('\n\n')).toBe(true);
  expect(text).toContain('"STOP"');
});

test('usage is hidden from a client that did not ask for it', () => {
  const { text, report } = pass([counted('a', 1) + counted('b', 2, 'STOP')], format, true);
  expect(text).not.toContain('usageMetadata');
  expect(text).toContain('"text":"b"');
  expect(report).toMatchObject({ terminal: true, usage: { output: 2 } });
});

test('every candidate must stop', () => {
  const both = (finish: JsonObject): string =>
    `data: ${JSON.stringify({
      candidates: [
        { index: 0, ...finish },
        { index: 1, content: { parts: [{ text: 'x' }] } },
      ],
    })}\n\n`;
  const other = `data: ${JSON.stringify({ candidates: [{ index: 1, finishReason: 'MAX_TOKENS' }] })}\n\n`;
  expect(pass([both({ finishReason: 'STOP' })]).report.fault).toBe('EARLY_END');
  expect(pass([both({ finishReason: 'STOP' }), other]).report).toMatchObject({
    terminal: true,
    rawStopReason: 'STOP',
  });
});

describe('as an array', () => {
  const pieces = [counted('Hel', 1), counted('lo', 2), counted('', 2, 'STOP')];
  const read = (text: string): JsonObject[] => JSON.parse(text) as JsonObject[];
  const sent = pieces.map((text) => JSON.parse(text.slice('data: '.length)) as JsonObject);

  test('events become its elements, unknown fields included', () => {
    const { text, report } = pass([pieces.join('')], arrayFormat);
    expect(read(text)).toEqual(sent);
    expect(report).toMatchObject({ terminal: true, usage: { output: 2 } });
  });

  test('a piece is passed on at once, unless it may be the last', () => {
    const tap = arrayFormat.createUsageTap({ stripUsage: false });
    const first = Buffer.concat(tap.push(Buffer.from(pieces[0] ?? ''))).toString();
    expect(first).toMatch(/^\[\{.*\},\s*$/);
    expect(Buffer.concat(tap.push(Buffer.from(pieces[1] ?? ''))).length).toBeGreaterThan(0);
    expect(tap.push(Buffer.from(pieces[2] ?? ''))).toEqual([]);
    expect(Buffer.concat(tap.finish()).toString()).toMatch(/^\{.*\}\]\s*$/);
  });

  test('a piece after a possible last one is kept', () => {
    const late = `data: ${JSON.stringify({ usageMetadata: usage(9) })}\n\n`;
    const { text, report } = pass([...pieces, late], arrayFormat);
    expect(read(text)).toEqual([...sent, { usageMetadata: usage(9) }]);
    expect(report.usage).toMatchObject({ output: 9 });
  });

  test('an upstream’s array stays an array, and becomes events for a client that asks for them', () => {
    const array = `[${sent.map((element) => JSON.stringify(element, undefined, 1)).join('\n,\r\n')}\n]\n`;
    const chunks = array.match(/.{1,7}/gs) ?? [];
    expect(read(pass(chunks, arrayFormat).text)).toEqual(sent);
    const events = pass(chunks).text;
    expect(events).toMatch(/^(data: [^\n]+\n\n){3}$/);
  });

  test('an interrupted array accepts an error as its last element', () => {
    const { text, report } = pass(pieces.slice(0, 2), arrayFormat);
    expect(report.fault).toBe('EARLY_END');
    expect(read(`${text}{"error":{}}]`)).toEqual([...sent.slice(0, 2), { error: {} }]);
  });
});
