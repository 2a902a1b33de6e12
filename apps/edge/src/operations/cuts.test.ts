// An answer that is cut off at any byte is not accepted, in any format.

import fc from 'fast-check';

import { FORMATS, type FormatName } from '../formats';
import { answerOf } from '../upstream/answer-body';
import { scanObject, usageBesideNumbers } from './answer';

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const TRICKY = 'a "quoted}" one\\ {"usage": {"prompt_tokens": 1}} and a line\n\u00e9';

/** One answer per format, with text that looks like its end before the end. */
const ANSWERS: Readonly<Record<FormatName, object>> = {
  'openai-chat': {
    id: 'c',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: TRICKY,
          tool_calls: [
            { id: 't', type: 'function', function: { name: 'f', arguments: '{"a":{"b":1}}' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { ...usage, prompt_tokens_details: { cached_tokens: 2 } },
  },
  'openai-responses': {
    id: 'r',
    object: 'response',
    status: 'completed',
    output: [
      {
        id: 'i',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: TRICKY, annotations: [] }],
      },
    ],
    usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
  },
  'anthropic-messages': {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [
      { type: 'text', text: TRICKY },
      { type: 'tool_use', id: 't', name: 'f', input: { a: { b: 1 } } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 7, output_tokens: 3 },
  },
  'gemini-generate': {
    candidates: [{ content: { parts: [{ text: TRICKY }], role: 'model' }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
  },
  'gemini-generate-array': {
    candidates: [{ content: { parts: [{ text: TRICKY }], role: 'model' }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
  },
  unified: { model: 'm', content: TRICKY, input_tokens: 7, output_tokens: 3 },
};

test.each(Object.entries(ANSWERS))('%s: a truncated answer is never accepted', (name, wire) => {
  const format = FORMATS[name as FormatName];
  const whole = Buffer.from(JSON.stringify(wire));
  const tokens = format.inspectResponse(whole).usage;
  expect(tokens).toMatchObject({ output: 3 });
  const taken: number[] = [];
  for (let bytes = 0; bytes < whole.length; bytes += 1) {
    const part = whole.subarray(0, bytes);
    // Both relayed and translated.
    for (const read of [
      (cut: Buffer) => format.inspectResponse(cut),
      (cut: Buffer) => format.decodeResponse(answerOf(cut).json()),
    ]) {
      if (accepts(() => read(part))) taken.push(bytes);
    }
  }
  expect(taken).toEqual([]);
});

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

describe('an answer of many numbers', () => {
  const numbers = JSON.stringify(Array.from({ length: 9_000 }, (_, n) => n / 7));
  const USAGE = '{"prompt_tokens":7,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":2}}';

  test.each([
    ['its counts last', `{"data":[{"embedding":${numbers}}],"usage":${USAGE}}`],
    ['its counts first', `{"usage":${USAGE},"data":[{"embedding":${numbers},"note":{"a":[{}]}}]}`],
    [
      'text after its counts',
      `{"data":[${numbers}],"usage":${USAGE},"model":"m}\\"}]","x":{"y":{}}}\n`,
    ],
  ])('with %s is not accepted if truncated', (_what, text) => {
    const whole = Buffer.from(text);
    expect(usageBesideNumbers(answerOf(whole))).toMatchObject({ total_tokens: 7 });
    const cuts = [...ends(text), ...Array.from({ length: 100 }, (_, n) => n * 601)];
    const taken = cuts.filter((bytes) =>
      accepts(() => usageBesideNumbers(answerOf(whole.subarray(0, bytes)))),
    );
    expect(taken).toEqual([]);
  });

  /** Positions among the numbers are equivalent, so a few suffice. */
  function ends(text: string): number[] {
    const from = text.indexOf(numbers);
    const around = Array.from({ length: from }, (_, n) => n);
    const rest = text.trimEnd().length - from - numbers.length;
    return [...around, ...Array.from({ length: rest }, (_, n) => from + numbers.length + n)];
  }

  // The scanner reads windows of 32 KiB, and quotes and backslashes may straddle a boundary.
  test.each(Array.from({ length: 12 }, (_, shift) => shift))(
    'is recognised as complete wherever the scanner’s windows meet, shift %i',
    (shift) => {
      const edge = 32 * 1024;
      const text = `{"a":"${'x'.repeat(edge - 12 + shift)}\\\\\\"}","b":[{"c":"]"}]}`;
      const near = Array.from({ length: 32 }, (_, n) => edge - 16 + n);
      const parts = [...near, ...Array.from({ length: 20 }, (_, n) => text.length - 1 - n)];
      expect(isWhole(Buffer.from(` ${text}\n`))).toBe(true);
      for (const end of parts) expect(isWhole(Buffer.from(text.slice(0, end)))).toBe(false);
      expect(isWhole(Buffer.from(`${text}]`))).toBe(false);
      expect(isWhole(Buffer.from(`${text}{}`))).toBe(false);
    },
  );

  function isWhole(bytes: Buffer): boolean {
    return scanObject(bytes) !== undefined;
  }

  test('is recognised as complete by its brackets and quotes', () => {
    const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = JSON.stringify(value);
      expect(isWhole(Buffer.from(text))).toBe(true);
      for (let end = 0; end < text.length; end += 1) {
        if (isWhole(Buffer.from(text.slice(0, end))))
          throw new Error(`taken for whole: ${text.slice(0, end)}`);
      }
    });
    fc.assert(property, { numRuns: 300 });
  });

  test.each([
    ['in a document before them', `{"usage":${USAGE},"results":[{"usage":{"total_tokens":1}}]`],
    ['in a document after them', `{"results":[{"usage":{"total_tokens":1}}],"usage":${USAGE}`],
    ['in their own details', `{"usage":{"usage":{"total_tokens":1},"total_tokens":7}`],
    ['as the value of another key', `{"usage" :\n${USAGE},"object":"usage"`],
    ['as an earlier key', `{"usage":{"total_tokens":1},"usage":${USAGE}`],
  ])('has its own counts, whatever is named usage %s', (_what, text) => {
    for (const whole of [`${text},"data":${numbers}}`, `{"data":${numbers},${text.slice(1)}}`]) {
      expect(usageBesideNumbers(answerOf(Buffer.from(whole)))).toMatchObject({ total_tokens: 7 });
    }
  });

  test('has the counts that it would have if it were parsed, at any depth of another usage', () => {
    const key = fc.oneof(fc.constantFrom('usage', 'data', '"usage":'), fc.string());
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(1, null, '"usage":{', 'usage'),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    const blanks = fc.constantFrom(undefined, 1);
    const property = fc.property(fc.dictionary(key, tree), blanks, (value, indent) => {
      const text = JSON.stringify({ ...value, padding: 'x'.repeat(66_000) }, null, indent);
      const { usage: own } = JSON.parse(text) as { usage?: unknown };
      expect(usageBesideNumbers(answerOf(Buffer.from(text)))).toEqual(own);
    });
    fc.assert(property, { numRuns: 300 });
  });
});
