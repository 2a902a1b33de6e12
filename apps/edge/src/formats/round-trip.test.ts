// Encoding then decoding returns the same value, for every format.
import fc from 'fast-check';

import { foldStream, FORMATS } from '.';
import type { Format, ReplyContext } from './format';
import type { NormalisedRequest, StreamEvent } from './normalised';
import { cutBytes, response, sharedRequest, streamOf } from './test-support/arbitraries';

// The other formats carry fewer or more fields, and have tests in their own folders.
const formats = Object.values(FORMATS).filter(({ streamsAs }) => streamsAs === 'openai-chat');
const context: ReplyContext = {
  requestId: 'r',
  provider: 'provider_a',
  model: 'm',
  createdAtS: 1,
  includeUsage: true,
};

/** The content of a request, without the fields that depend on its arrival. */
function meaning(request: NormalisedRequest): object {
  return { ...request, format: undefined, raw: undefined };
}

/**
 * The request as if decoded from another format, so that it is encoded anew instead of passed on.
 */
function foreign(request: NormalisedRequest): NormalisedRequest {
  return { ...request, format: 'unified' };
}

test.each(formats)('$name: a request survives encoding and decoding', (format) => {
  fc.assert(
    fc.property(sharedRequest, (request) => {
      const { body, dropped } = format.encodeRequest(foreign(request), {
        providerType: 'PROVIDER_D',
        model: request.model,
        strict: true,
      });
      expect(dropped).toEqual([]);
      const sent: unknown = JSON.parse(JSON.stringify(body));
      const read = format.decodeRequest(sent as Record<string, unknown>, {});
      expect(meaning(read)).toEqual(meaning(request));
    }),
    { numRuns: 300 },
  );
});

test.each(formats)('$name: an answer survives encoding and decoding', (format) => {
  fc.assert(
    fc.property(response(1), (answer) => {
      const [read] = format.decodeResponse(
        format.encodeResponse(answer, { ...context, model: answer.model }),
      ).choices;
      expect(read).toEqual(answer.choices[0]);
    }),
    { numRuns: 300 },
  );
});

function decodeAll(format: Format, chunks: Buffer[]): StreamEvent[] {
  const decoder = format.createStreamDecoder();
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.finish()];
}

const places = fc.array(fc.nat(), { maxLength: 20 });

test.each(formats)('$name: a stream survives, wherever its bytes are cut', (format) => {
  fc.assert(
    fc.property(response(2), fc.integer({ min: 1, max: 5 }), places, (answer, size, places) => {
      const cut = (text: string): string[] => {
        const points = Array.from(text);
        const pieces: string[] = [];
        for (let at = 0; at < points.length; at += size) {
          pieces.push(points.slice(at, at + size).join(''));
        }
        return pieces;
      };
      const encoder = format.createStreamEncoder({ ...context, model: answer.model });
      const text = streamOf(answer, cut)
        .map((event) => encoder.encode(event))
        .join('');
      const events = decodeAll(format, cutBytes(Buffer.from(text), places));
      expect(events.at(-1)).toEqual({ type: 'end' });
      // UTF-8 has no lone surrogates; JSON escapes carry them.
      expect(foldStream(events)).toEqual(answer);

      const whole = decodeAll(format, [Buffer.from(text)]);
      expect(foldStream(whole)).toEqual(answer);
    }),
    { numRuns: 300 },
  );
});

test.each(formats)(
  '$name: a tap passes a stream on unchanged and reports what it says',
  (format) => {
    fc.assert(
      fc.property(response(2), places, (answer, places) => {
        const encoder = format.createStreamEncoder({ ...context, model: answer.model });
        const text = streamOf(answer, Array.from)
          .map((event) => encoder.encode(event))
          .join('');
        const tap = format.createUsageTap({ stripUsage: false });
        const out = cutBytes(Buffer.from(text), places).flatMap((chunk) => tap.push(chunk));
        out.push(...tap.finish());
        expect(Buffer.concat(out).toString()).toBe(text);
        expect(tap.report).toMatchObject({
          terminal: true,
          usage: answer.usage?.tokens,
          responseId: answer.id,
          model: answer.model,
          stopReason: answer.choices[0]?.stopReason,
          outputSeen: answer.choices.some(({ content }) => content.length > 0),
        });
        expect(tap.report).not.toHaveProperty('fault');
      }),
      { numRuns: 300 },
    );
  },
);
