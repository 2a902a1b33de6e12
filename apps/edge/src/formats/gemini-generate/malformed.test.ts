// Malformed bytes from a broken or hostile upstream: the codec neither throws nor hangs, and never
// takes truncated or corrupt data for an answer.
import { GatewayError } from '@tollgate/contracts';
import fc from 'fast-check';

import { geminiGenerate, geminiGenerateArray } from '.';
import type { StreamEvent } from '../normalised';
import { cutBytes } from '../test-support/arbitraries';

const formats = [geminiGenerate, geminiGenerateArray];
const format = geminiGenerate;
const places = fc.array(fc.nat(), { maxLength: 10 });
const event = (data: string): string => `data: ${data}\n\n`;
/** No piece has a finish reason. */
const pieces = [
  'data: ',
  '\n\n',
  '\r',
  '\uFEFF',
  ': ',
  '[',
  ']',
  ',',
  '{',
  '}',
  '"',
  '\\',
  event('[DONE]'),
  event('{"candidates":[{"content":{"parts":[{"text":"x"}]}}]}'),
  event(
    '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":[]}}]},"index":-1}]}',
  ),
  event('{"candidates":[null,5,{"content":[]},{"content":{"parts":7}}],"usageMetadata":[]}'),
  event('{"candidates":{"finishReason":"STOP"}}'),
  event('{"candidates":[{"finishReason":5}],"usageMetadata":{"promptTokenCount":-1}}'),
  event('{"candidates":[{"finishReason":"FINISH_REASON_UNSPECIFIED"}]}'),
  event('{"error":{"code":"x"}}'),
  event('{"error":null}'),
  'event: error\n',
  '{"candidates":[{"content":{"parts":[{"text":"x"}]}}]}',
];
const noise = fc.oneof(
  fc
    .array(fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constantFrom(...pieces)), {
      maxLength: 12,
    })
    .map((parts) => Buffer.from(parts.join(''))),
  fc
    .array(fc.oneof(fc.json(), fc.constantFrom(...pieces)), { maxLength: 12 })
    .map((parts) => Buffer.from(`[${parts.join(',')}`)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

const isTerminal = ({ type }: StreamEvent): boolean => type === 'end' || type === 'error';

test('noise ends in exactly one error', () => {
  fc.assert(
    fc.property(noise, places, (bytes, places) => {
      const decoder = format.createStreamDecoder();
      const events = cutBytes(bytes, places).flatMap((chunk) => decoder.push(chunk));
      events.push(...decoder.finish(), ...decoder.push(Buffer.from('data: {}\n\n')));
      expect(events.filter(isTerminal)).toHaveLength(1);
      expect(events.at(-1)?.type).toBe('error');
    }),
    { numRuns: 2_000 },
  );
});

test.each(formats)('$name: a tap reports noise as a fault', (format) => {
  fc.assert(
    fc.property(noise, places, fc.boolean(), (bytes, places, stripUsage) => {
      const tap = format.createUsageTap({ stripUsage });
      const out = cutBytes(bytes, places).flatMap((chunk) => tap.push(chunk));
      out.push(...tap.finish());
      expect(tap.report.terminal).toBe(false);
      expect(tap.report.fault).toBeDefined();
      expect(tap.report.error).toBeInstanceOf(GatewayError);
      // The output ends with a whole piece, so that an error can follow.
      const passed = Buffer.concat(out).toString();
      if (format === geminiGenerateArray) {
        const whole = passed === '' ? '[{}]' : `${passed}{}]`;
        expect(JSON.parse(whole)).toBeInstanceOf(Array);
      } else expect(passed === '' || /\n\r?\n$|\r\r$/.test(passed)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

const words = ['Hel', 'lo', ' 🦊 "quoted"', ''];
const stream = words
  .map((text, at) => ({
    candidates: [
      {
        content: { parts: [{ text }], role: 'model' },
        index: 0,
        ...(at === words.length - 1 ? { finishReason: 'STOP' } : {}),
      },
    ],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: at },
  }))
  .map((piece) => JSON.stringify(piece));
const framed = {
  events: stream.map(event).join(''),
  array: `[${stream.join('\n,\r\n')}\n]\n`,
};

test.each(Object.entries(framed))(
  '%s: a stream that is cut before its last piece is not complete',
  (_, text) => {
    const bytes = Buffer.from(text);
    const last = bytes.lastIndexOf('{"candidates"');
    for (let end = 0; end < last; end++) {
      const cut = bytes.subarray(0, end);
      const decoder = format.createStreamDecoder();
      expect([...decoder.push(cut), ...decoder.finish()].at(-1)).toMatchObject({
        type: 'error',
        fault: 'EARLY_END',
      });
      for (const each of formats) {
        const tap = each.createUsageTap({ stripUsage: false });
        tap.push(cut);
        tap.finish();
        expect(tap.report).toMatchObject({ terminal: false, fault: 'EARLY_END' });
      }
    }
  },
);

test('a piece without an end is refused instead of buffered', () => {
  const chunk = Buffer.alloc(1_048_576, 'x');
  for (const beginning of ['data: "', '["']) {
    const decoder = format.createStreamDecoder();
    const events = decoder.push(Buffer.from(beginning));
    for (let count = 0; count < 20; count++) events.push(...decoder.push(chunk));
    expect(events).toMatchObject([{ type: 'error', fault: 'INVALID_RESPONSE' }]);
  }
});

test('a unary answer that is malformed is an upstream_error', () => {
  const wrong = fc.oneof(
    fc.json(),
    fc.string(),
    fc.constantFrom('{"candidates":[]}', '{"candidates":[null]}', '{"promptFeedback":{}}'),
  );
  fc.assert(
    fc.property(wrong, (text) => {
      expect(() => format.inspectResponse(Buffer.from(text))).toThrow(GatewayError);
    }),
    { numRuns: 500 },
  );
});

test('any candidate of a unary answer is decoded', () => {
  const anything = fc.jsonValue() as fc.Arbitrary<unknown>;
  const part = fc.oneof(
    anything,
    fc.record(
      {
        text: anything,
        thought: anything,
        thoughtSignature: anything,
        functionCall: anything,
        inlineData: anything,
      },
      { requiredKeys: [] },
    ),
  );
  const candidate = fc.record(
    {
      content: fc.oneof(anything, fc.record({ parts: fc.oneof(anything, fc.array(part)) })),
      finishReason: anything,
      index: anything,
      groundingMetadata: fc.oneof(
        anything,
        fc.record({ groundingChunks: fc.array(anything), groundingSupports: fc.array(anything) }),
      ),
      citationMetadata: fc.oneof(anything, fc.record({ citationSources: fc.array(anything) })),
      logprobsResult: fc.oneof(anything, fc.record({ chosenCandidates: fc.array(anything) })),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.record({ candidates: fc.array(candidate, { minLength: 1, maxLength: 2 }) }),
      (body) => {
        expect(format.decodeResponse(body).choices).toHaveLength(body.candidates.length);
        const decoder = format.createStreamDecoder();
        const events = decoder.push(Buffer.from(event(JSON.stringify(body))));
        expect([...events, ...decoder.finish()].filter(isTerminal)).toHaveLength(1);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a body from a client is decoded, or refused with invalid_request', () => {
  const anything = fc.oneof(fc.jsonValue(), fc.constantFrom('x', 1, null, [], {}));
  const part = fc.record(
    {
      text: anything,
      inline_data: anything,
      functionCall: anything,
      functionResponse: anything,
      fileData: anything,
    },
    { requiredKeys: [] },
  );
  const content = fc.record({
    role: fc.constantFrom('user', 'model', 'x'),
    parts: fc.oneof(anything, fc.array(part)),
  });
  const body = fc.record(
    {
      contents: fc.oneof(anything, fc.array(content)),
      systemInstruction: fc.oneof(anything, content),
      tools: anything,
      toolConfig: anything,
      generation_config: fc.oneof(
        anything,
        fc.dictionary(fc.constantFrom('topP', 'seed', 'stop_sequences'), anything),
      ),
      labels: anything,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(body, (value) => {
      try {
        format.decodeRequest(value, { model: 'm' });
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayError);
        expect(error).toMatchObject({
          code: 'invalid_request',
          param: expect.any(String) as string,
        });
      }
    }),
    { numRuns: 1_000 },
  );
});

test('any error body of an upstream is decoded', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 300, max: 599 }),
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.json().map((details) => `{"error":{"details":[${details}]}}`),
      ),
      (status, body) => {
        const error = format.decodeError(status, {}, Buffer.from(body));
        expect(error.message).not.toBe('');
        expect([400, 429, 502]).toContain(error.status);
      },
    ),
  );
});
