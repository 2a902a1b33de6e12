// Malformed bytes from a broken or hostile upstream: the codec neither throws nor hangs, and never
// takes corrupt data for an answer.
import { emptyUsage, gatewayError, GatewayError } from '@tollgate/contracts';
import fc from 'fast-check';

import { openaiResponses as format } from '.';
import type { StreamEvent } from '../normalised';
import { cutBytes } from '../test-support/arbitraries';

const places = fc.array(fc.nat(), { maxLength: 10 });
const event = (type: string, fields = ''): string =>
  `event: ${type}\ndata: {"type":"${type}"${fields}}\n\n`;
const item = (fields: string): string => `,"output_index":0,"item":{${fields}}`;
const pieces = [
  'data: ',
  'event: response.output_text.delta\n',
  '\n\n',
  '\r',
  '\uFEFF',
  ': ',
  'data: [DONE]\n\n',
  event('response.created', ',"response":{"id":"r","model":"m"}'),
  event('response.created', ',"response":7'),
  event('response.output_item.added', item('"type":"message"')),
  event('response.output_item.added', item('"type":"function_call","name":"f","call_id":9')),
  event('response.output_item.added', item('"type":"function_call"')),
  event('response.output_item.done', item('"type":"reasoning","summary":[5],"content":"x"')),
  event('response.output_item.done', item('"type":"message","content":[null,{"type":"refusal"}]')),
  event('response.content_part.added', ',"output_index":0,"part":{"type":"output_text"}'),
  event('response.output_text.delta', ',"output_index":0,"delta":"a\\"b"'),
  event('response.output_text.delta', ',"output_index":-1,"content_index":"x","delta":5'),
  event('response.function_call_arguments.delta', ',"output_index":0,"delta":"{"'),
  event('response.output_text.annotation.added', ',"annotation":null'),
  'event: response.output_text.delta\ndata: {"type":"response.output_te',
  event('response.completed'),
  event('response.completed', ',"response":null'),
  event('response.completed', ',"response":{"status":"failed"}'),
  event('response.failed', ',"response":{"usage":{"input_tokens":-1}}'),
  event('error'),
  event('ping'),
];
const noise = fc.oneof(
  fc
    .array(fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constantFrom(...pieces)), {
      maxLength: 12,
    })
    .map((parts) => Buffer.from(parts.join(''))),
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

const whole = /^(event: [\w.]+\ndata: \{.*\}\n\n)+$/s;

test('events decoded from noise encode to whole events', () => {
  fc.assert(
    fc.property(noise, (bytes) => {
      const decoder = format.createStreamDecoder();
      const encoder = format.createStreamEncoder({
        requestId: 'r',
        provider: 'p',
        model: 'm',
        createdAtS: 1,
        includeUsage: true,
      });
      const events = [...decoder.push(bytes), ...decoder.finish()];
      const text = events.map((each) => encoder.encode(each)).join('');
      expect(text).toMatch(whole);
      expect(text).toMatch(/event: response\.failed\ndata: [^\n]*\n\n$/);
    }),
    { numRuns: 1_000 },
  );
});

test('a tap reports noise as a fault, withholds its error, and can end the stream', () => {
  fc.assert(
    fc.property(noise, places, (bytes, places) => {
      const tap = format.createUsageTap({ stripUsage: false });
      const out = cutBytes(bytes, places).flatMap((chunk) => tap.push(chunk));
      out.push(...tap.finish());
      expect(tap.report.terminal).toBe(false);
      expect(tap.report.fault).toBeDefined();
      expect(tap.report.error).toBeInstanceOf(GatewayError);
      expect(Buffer.concat(out).toString()).not.toContain('"type":"response.failed"');
      expect(tap.ending?.fail(gatewayError('upstream_error'))).toMatch(whole);
      expect(tap.ending?.cut(emptyUsage())).toMatch(whole);
    }),
    { numRuns: 2_000 },
  );
});

test('a unary answer that is malformed is an upstream_error', () => {
  const near = fc.record(
    {
      output: fc.oneof(fc.array(fc.jsonValue(), { minLength: 1 }), fc.constant('x')),
      status: fc.constantFrom('queued', 'in_progress', 'failed', 'cancelled'),
    },
    { requiredKeys: ['status'] },
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.string(),
        near.map((value) => JSON.stringify(value)),
      ),
      (text) => {
        expect(() => format.inspectResponse(Buffer.from(text))).toThrow(
          expect.objectContaining({ code: 'upstream_error' }) as Error,
        );
      },
    ),
    { numRuns: 500 },
  );
});

test('a body from a client is decoded, or refused with a path', () => {
  const anything = fc.oneof(fc.jsonValue(), fc.constantFrom('x', 1, null, [], {}));
  const kind = fc.constantFrom('message', 'reasoning', 'function_call', 'custom_tool_call_output');
  const item = fc.record(
    {
      type: fc.oneof(kind, anything),
      role: fc.oneof(fc.constantFrom('user', 'assistant'), anything),
      content: anything,
      output: anything,
      call_id: anything,
      summary: anything,
    },
    { requiredKeys: [] },
  );
  const body = fc.record(
    {
      model: fc.oneof(fc.constant('m'), anything),
      input: fc.oneof(fc.array(item, { minLength: 1 }), fc.constant('Hi'), anything),
      instructions: anything,
      tools: anything,
      tool_choice: anything,
      text: anything,
      reasoning: anything,
      include: anything,
      metadata: anything,
      stream_options: anything,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(body, (value) => {
      try {
        format.decodeRequest(value, {});
      } catch (error) {
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
      fc.oneof(fc.json(), fc.string(), fc.constantFrom('{"error":"no"}', '{"error":7}')),
      (status, body) => {
        const error = format.decodeError(status, {}, Buffer.from(body));
        expect(error.message).not.toBe('');
        expect([400, 429, 502]).toContain(error.status);
      },
    ),
  );
});
