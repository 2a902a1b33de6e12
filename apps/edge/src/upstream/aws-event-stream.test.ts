import { exceptionFrame, frameOf } from '@tollgate/simulator';

import { AWS_EVENT_STREAM, withServerSentEvents } from './aws-event-stream';
import type { BodySink, UpstreamAnswer } from './call';
import type { UpstreamFailure } from './failure';

/** What is read from a stream that arrives in these pieces. */
function read(pieces: readonly Buffer[]) {
  const seen = { text: '', ended: false, failure: undefined as UpstreamFailure | undefined };
  const answer: UpstreamAnswer = {
    status: 200,
    headers: { 'content-type': AWS_EVENT_STREAM },
    read: (sink: BodySink) => {
      for (const piece of pieces) sink.data(piece);
      sink.end();
    },
    resume: () => undefined,
  };
  withServerSentEvents(answer).read({
    data: (chunk) => {
      seen.text += chunk.toString('utf8');
      return true;
    },
    end: () => (seen.ended = true),
    fail: (failure) => (seen.failure = failure),
  });
  return seen;
}

function chunk(event: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(event)).toString('base64');
  const headers = { ':event-type': 'chunk', ':message-type': 'event' };
  return frameOf(headers, Buffer.from(JSON.stringify({ bytes, p: 'abcd' })));
}

const START = { type: 'message_start', message: { id: 'msg_1', text: 'größer' } };
const STOP = { type: 'message_stop' };
const WHOLE = `event: message_start\ndata: ${JSON.stringify(START)}\n\nevent: message_stop\ndata: ${JSON.stringify(STOP)}\n\n`;

test('frames are events, however they are cut on the way', () => {
  const bytes = Buffer.concat([chunk(START), chunk(STOP)]);
  for (let at = 0; at <= bytes.length; at += 1) {
    const seen = read([bytes.subarray(0, at), bytes.subarray(at)]);
    expect(seen).toEqual({ text: WHOLE, ended: true, failure: undefined });
  }
  expect(read([...bytes].map((byte) => Buffer.of(byte))).text).toBe(WHOLE);
});

test('a byte that was changed on the way is noticed, wherever it is', () => {
  const bytes = chunk(START);
  for (let at = 0; at < bytes.length; at += 1) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    const seen = read([damaged]);
    expect(seen.text).toBe('');
    // A longer length makes the frame incomplete, and the stream ends early.
    expect(seen.failure?.outcome ?? 'incomplete').toMatch(/^INVALID_RESPONSE$|^incomplete$/);
  }
});

test.each([
  ['throttlingException', 'rate_limit_error'],
  ['serviceUnavailableException', 'overloaded_error'],
  ['modelTimeoutException', 'timeout_error'],
  ['validationException', 'invalid_request_error'],
  ['modelStreamErrorException', 'api_error'],
  ['toString', 'api_error'],
])('%s ends the stream as %s', (exception, type) => {
  const { text } = read([chunk(START), exceptionFrame(exception, 'Too many tokens')]);
  const error = JSON.stringify({ type: 'error', error: { type, message: 'Too many tokens' } });
  expect(text.endsWith(`event: error\ndata: ${error}\n\n`)).toBe(true);
});

test('what comes before a damaged frame in one piece is read', () => {
  const seen = read([Buffer.concat([chunk(START), chunk(STOP), Buffer.alloc(8)])]);
  expect(seen).toMatchObject({ text: WHOLE, failure: { outcome: 'INVALID_RESPONSE' } });
});

test('an error without a type of its own has its code as the message', () => {
  const headers = {
    ':message-type': 'error',
    ':error-code': 'InternalFailure',
    ':error-message': '',
  };
  expect(read([frameOf(headers, Buffer.alloc(0))]).text).toContain('"message":"InternalFailure"');
});

test('a frame is not kept beyond its limit, and nothing follows a refused one', () => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(256 * 1024 + 1);
  const seen = read([length, chunk(START)]);
  expect(seen).toMatchObject({ text: '', ended: false, failure: { outcome: 'INVALID_RESPONSE' } });
});

test('an answer that is no stream of frames is left alone', () => {
  const plain = { status: 403, headers: { 'content-type': 'application/json' } };
  const answer = { ...plain, read: () => undefined, resume: () => undefined };
  expect(withServerSentEvents(answer)).toBe(answer);
});
