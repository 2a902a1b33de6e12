// Malformed bytes from a broken or hostile upstream: the codec neither throws nor hangs, and never
// takes truncated or corrupt data for an answer.
import { GatewayError } from '@tollgate/contracts';
import fc from 'fast-check';

import { FORMATS } from '.';
import type { ReplyContext } from './format';
import type { StreamEvent } from './normalised';
import { cutBytes, response, streamOf } from './test-support/arbitraries';

// The other formats carry fewer or more fields, and have tests in their own folders.
const formats = Object.values(FORMATS).filter(({ streamsAs }) => streamsAs === 'openai-chat');
const context: ReplyContext = {
  requestId: 'r',
  provider: 'provider_a',
  model: 'm',
  createdAtS: 1,
  includeUsage: true,
};
const places = fc.array(fc.nat(), { maxLength: 10 });
const fragments = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.constantFrom(
        'data: ',
        '\n\n',
        '\r',
        '[DONE]',
        'event: error\n',
        '{"choices":',
        '"delta":',
      ),
      fc.constantFrom('{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}'),
      fc.constantFrom('{"error":{"message":"no"}}', '"usage":{"prompt_tokens":-1}', '\uFEFF', ': '),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.from(parts.join('')));
const noise = fc.oneof(
  fragments,
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

function isTerminal(event: StreamEvent): boolean {
  return event.type === 'end' || event.type === 'error';
}

test.each(formats)('$name: noise ends in exactly one end or error', (format) => {
  fc.assert(
    fc.property(noise, places, (bytes, places) => {
      const decoder = format.createStreamDecoder();
      const events = cutBytes(bytes, places).flatMap((chunk) => decoder.push(chunk));
      events.push(...decoder.finish(), ...decoder.push(Buffer.from('data: {}\n\n')));
      expect(events.filter(isTerminal)).toHaveLength(1);
      expect(isTerminal(events.at(-1) ?? { type: 'end' })).toBe(true);
      if (!bytes.includes('[DONE]')) expect(events.at(-1)?.type).toBe('error');
    }),
    { numRuns: 1_000 },
  );
});

test.each(formats)('$name: a tap reports either completion or a fault', (format) => {
  fc.assert(
    fc.property(noise, places, fc.boolean(), (bytes, places, stripUsage) => {
      const tap = format.createUsageTap({ stripUsage });
      const out = cutBytes(bytes, places).flatMap((chunk) => tap.push(chunk));
      out.push(...tap.finish());
      expect(tap.report.terminal).toBe(tap.report.fault === undefined);
      expect(tap.report.error === undefined).toBe(tap.report.fault === undefined);
      if (!bytes.includes('[DONE]')) expect(tap.report.terminal).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});

test.each(formats)('$name: a stream cut anywhere is not complete', (format) => {
  fc.assert(
    fc.property(response(1), fc.nat(), (answer, place) => {
      const encoder = format.createStreamEncoder(context);
      const events = streamOf(answer, Array.from);
      const text = events.map((event) => encoder.encode(event)).join('');
      const bytes = Buffer.from(text);
      // The cut falls before the last event, because a missing blank line after it is accepted.
      const cut = bytes.subarray(0, place % (bytes.length - 'data: [DONE]\n\n'.length + 1));

      const decoder = format.createStreamDecoder();
      expect([...decoder.push(cut), ...decoder.finish()].at(-1)).toMatchObject({
        type: 'error',
        fault: 'EARLY_END',
      });
      const tap = format.createUsageTap({ stripUsage: false });
      const passed = Buffer.concat([...tap.push(cut), ...tap.finish()]).toString();
      expect(tap.report).toMatchObject({ terminal: false, fault: 'EARLY_END' });
      // The output ends with a whole event, so that an error event can follow.
      expect(passed === '' || passed.endsWith('\n\n')).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test.each(formats)('$name: a unary answer that is malformed is an upstream_error', (format) => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      let failure: unknown;
      try {
        format.inspectResponse(Buffer.from(text));
      } catch (error) {
        failure = error;
      }
      expect(failure).toBeInstanceOf(GatewayError);
      expect(failure).toMatchObject({ code: 'upstream_error' });
    }),
    { numRuns: 500 },
  );
});

test.each(formats)(
  '$name: a body from a client is read or refused with invalid_request',
  (format) => {
    const anything = fc.oneof(fc.jsonValue(), fc.constantFrom('x', 1, null, [], {}));
    const body = fc.record(
      {
        model: fc.oneof(fc.constant('m'), anything),
        messages: fc.oneof(
          fc.array(fc.oneof(anything, fc.record({ role: anything, content: anything }))),
          anything,
        ),
        tools: anything,
        tool_choice: anything,
        response_format: anything,
        stop: anything,
        stream_options: anything,
        content_blocks: anything,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(body, (value) => {
        try {
          format.decodeRequest(value, {});
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
  },
);

test.each(formats)('$name: any error body of an upstream is decoded', (format) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 300, max: 599 }),
      fc.oneof(fc.json(), fc.string(), fc.constant('{"error":"no"}')),
      (status, body) => {
        const error = format.decodeError(status, {}, Buffer.from(body));
        expect(error.message).not.toBe('');
        expect([400, 429, 502]).toContain(error.status);
      },
    ),
  );
});
