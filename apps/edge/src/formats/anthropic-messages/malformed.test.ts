// Malformed bytes from a broken or hostile upstream: the codec neither throws nor hangs, and never
// takes corrupt data for an answer.
import { GatewayError } from '@tollgate/contracts';
import fc from 'fast-check';

import { anthropicMessages as format } from '.';
import type { StreamEvent } from '../normalised';
import { cutBytes } from '../test-support/arbitraries';

const places = fc.array(fc.nat(), { maxLength: 10 });
const event = (name: string, data: string): string => `event: ${name}\ndata: ${data}\n\n`;
const pieces = [
  'data: ',
  'event: content_block_delta\n',
  '\n\n',
  '\r',
  '\uFEFF',
  ': ',
  'data: [DONE]\n\n',
  event(
    'message_start',
    '{"type":"message_start","message":{"id":"m","usage":{"input_tokens":1}}}',
  ),
  event('message_start', '{"type":"message_start","message":7}'),
  event('content_block_start', '{"type":"content_block_start","index":-1,"content_block":null}'),
  event(
    'content_block_start',
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"f","input":9}}',
  ),
  event(
    'content_block_delta',
    '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{"}}',
  ),
  event(
    'content_block_delta',
    '{"type":"content_block_delta","index":"x","delta":{"type":"text_delta","text":5}}',
  ),
  event('content_block_delta', '{"delta":{"type":"text_delta'),
  event('content_block_stop', '{"type":"content_block_stop"}'),
  event('message_delta', '{"type":"message_delta","delta":[],"usage":{"output_tokens":-1}}'),
  event('error', '{"type":"error"}'),
  event('ping', 'null'),
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
      expect(text).toMatch(/event: error\ndata: .*\n\n$/);
      for (const part of text.split('\n\n').slice(0, -1)) {
        expect(part).toMatch(/^event: \w+\ndata: \{.*\}$/s);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('a tap reports noise as a fault and withholds its error', () => {
  fc.assert(
    fc.property(noise, places, (bytes, places) => {
      const tap = format.createUsageTap({ stripUsage: false });
      const out = cutBytes(bytes, places).flatMap((chunk) => tap.push(chunk));
      out.push(...tap.finish());
      expect(tap.report.terminal).toBe(false);
      expect(tap.report.fault).toBeDefined();
      expect(tap.report.error).toBeInstanceOf(GatewayError);
      const text = Buffer.concat(out).toString();
      expect(text).not.toContain('"type":"error"');
    }),
    { numRuns: 2_000 },
  );
});

test('a unary answer that is not a message is an upstream_error', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      expect(() => format.inspectResponse(Buffer.from(text))).toThrow(
        expect.objectContaining({ code: 'upstream_error' }) as Error,
      );
    }),
    { numRuns: 500 },
  );
});

test('a body from a client is decoded, or refused with a path', () => {
  const anything = fc.oneof(fc.jsonValue(), fc.constantFrom('x', 1, null, [], {}));
  const kind = fc.constantFrom('text', 'image', 'document', 'tool_use', 'tool_result', 'thinking');
  const block = fc.record(
    { type: fc.oneof(kind, anything), text: anything, source: anything, content: anything },
    { requiredKeys: ['type'] },
  );
  const message = fc.record({
    role: fc.oneof(fc.constantFrom('user', 'assistant'), anything),
    content: fc.oneof(fc.array(block), anything),
  });
  const body = fc.record(
    {
      model: fc.oneof(fc.constant('m'), anything),
      max_tokens: fc.oneof(fc.constant(5), anything),
      messages: fc.oneof(fc.array(message, { minLength: 1 }), anything),
      system: anything,
      tools: anything,
      tool_choice: anything,
      thinking: anything,
      output_config: anything,
      metadata: anything,
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
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.constantFrom('{"error":"no"}', '{"error":{"details":7}}'),
      ),
      (status, body) => {
        const error = format.decodeError(status, {}, Buffer.from(body));
        expect(error.message).not.toBe('');
        expect([400, 429, 502]).toContain(error.status);
      },
    ),
  );
});
