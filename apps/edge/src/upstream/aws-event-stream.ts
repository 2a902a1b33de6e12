// Streams of Amazon Bedrock: binary frames with checksums, each with one event of the messages format. They are
// turned into the server-sent events that the format has elsewhere, so that all that follows reads one stream.

import { EventStreamCodec } from '@smithy/eventstream-codec';

import { jsonOf, objectOf, textOf } from '../formats/json';
import type { BodySink, UpstreamAnswer } from './call';
import { garbled } from './failure';

export const AWS_EVENT_STREAM = 'application/vnd.amazon.eventstream';

/** Limit of one frame, which is kept until it is complete. */
const FRAME_BYTES = 256 * 1024;
/** Of a frame without headers and body. */
const LEAST_FRAME_BYTES = 16;
const LENGTH_BYTES = 4;

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

/** The same answer with its frames as server-sent events. */
export function withServerSentEvents(answer: UpstreamAnswer): UpstreamAnswer {
  if (!String(answer.headers['content-type'] ?? '').startsWith(AWS_EVENT_STREAM)) return answer;
  return { ...answer, read: (sink) => answer.read(unframed(sink)) };
}

function unframed(sink: BodySink): BodySink {
  let rest: Buffer = Buffer.alloc(0);
  let broken = false;
  const stop = (text: string): boolean => {
    broken = true;
    rest = Buffer.alloc(0);
    sink.fail(garbled(text));
    return true;
  };

  return {
    data: (chunk) => {
      if (broken) return true;
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const events: string[] = [];
      let fault: string | undefined;
      while (rest.length >= LENGTH_BYTES && fault === undefined) {
        const length = rest.readUInt32BE(0);
        if (length < LEAST_FRAME_BYTES || length > FRAME_BYTES) {
          fault = `The provider's stream has a frame of ${length} bytes.`;
        } else if (rest.length < length) break;
        else {
          const event = eventIn(rest.subarray(0, length));
          if (event === undefined) fault = "The provider's stream has a damaged frame.";
          else events.push(event);
          rest = rest.subarray(length);
        }
      }
      // What came before a damaged frame counts, its usage above all.
      const more = events.length === 0 ? true : sink.data(Buffer.from(events.join('')));
      return fault === undefined ? more : stop(fault);
    },
    // Without the frame that is incomplete the stream lacks its terminal event, which is noticed there.
    end: () => {
      if (!broken) sink.end();
    },
    fail: (failure) => {
      if (!broken) sink.fail(failure);
    },
  };
}

/** The event of a frame; undefined: it is damaged. */
function eventIn(frame: Buffer): string | undefined {
  let message: ReturnType<typeof codec.decode>;
  try {
    message = codec.decode(frame);
  } catch {
    return undefined;
  }
  const header = (name: string): string => String(message.headers[name]?.value ?? '');
  const body = objectOf(jsonOf(Buffer.from(message.body).toString('utf8'))) ?? {};
  switch (header(':message-type')) {
    case 'event':
      return header(':event-type') === 'chunk' ? chunkEvent(textOf(body['bytes']) ?? '') : '';
    case 'exception':
      return errorEvent(header(':exception-type'), textOf(body['message']) ?? '');
    case 'error':
      return errorEvent(header(':error-code'), header(':error-message'));
    default:
      return undefined;
  }
}

function chunkEvent(base64: string): string | undefined {
  // A line break is no part of a text in JSON.
  const data = Buffer.from(base64, 'base64')
    .toString('utf8')
    .replace(/[\r\n]+/g, ' ');
  const type = textOf(objectOf(jsonOf(data))?.['type']) ?? '';
  return /^\w+$/.test(type) ? `event: ${type}\ndata: ${data}\n\n` : undefined;
}

/** The same meanings in the words of the messages format. */
const ERROR_TYPES: Readonly<Record<string, string>> = {
  throttlingException: 'rate_limit_error',
  validationException: 'invalid_request_error',
  modelTimeoutException: 'timeout_error',
  serviceUnavailableException: 'overloaded_error',
};

function errorEvent(code: string, message: string): string {
  const type = Object.hasOwn(ERROR_TYPES, code) ? ERROR_TYPES[code] : 'api_error';
  const event = { type: 'error', error: { type, message: message || code } };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}
