import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';

import type { UpstreamHeaders } from '../formats';
import {
  aborted,
  garbled,
  networkFailure,
  timedOut,
  tooLarge,
  UpstreamFailure,
  type CallStage,
} from './failure';

export interface UpstreamCall {
  dispatcher: Dispatcher;
  origin: string;
  /** Absent: POST. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  headers: Record<string, string>;
  /** Empty: no body is sent. */
  body: string | Buffer | Readable;
  /** Until a connection is available, including the wait for a free one; absent: no limit. */
  connectTimeoutMs?: number | undefined;
  /** 0: no limit. */
  firstByteTimeoutMs: number;
  /** The longest silence within the answer; 0: no limit. */
  idleTimeoutMs: number;
  /** Absent: no limit. */
  totalTimeoutMs?: number;
  /** Limit of the decompressed answer. */
  responseLimitBytes: number;
}

/** Receives the body in chunks. Either `end` or `fail` is called once, and nothing after it. */
export interface BodySink {
  /** False: pause until `resume` is called. */
  data: (chunk: Buffer) => boolean;
  end: () => void;
  fail: (failure: UpstreamFailure) => void;
}

export interface UpstreamAnswer {
  status: number;
  headers: UpstreamHeaders;
  /** Starts the body. Until then the upstream is paused. */
  read: (sink: BodySink) => void;
  resume: () => void;
}

export interface RunningCall {
  /** Rejects with an UpstreamFailure. */
  answer: Promise<UpstreamAnswer>;
  /** Aborts the call at once with this reason, and closes a connection that only this call uses. */
  abort: (reason?: UpstreamFailure) => void;
  /** Whether any of the request was sent, so that the upstream may be working on it. */
  sent: () => boolean;
}

/** Limit of body bytes that arrive before there is a reader. A short answer arrives with its head. */
const EARLY_BYTES = 256 * 1024;

// One HTTP exchange with an upstream. Data is pushed instead of pulled: a chunk costs one function
// call, and backpressure pauses the parser.
export function startCall(call: UpstreamCall): RunningCall {
  // The functions below live as long as the answer. They must not reference `call`, or its body
  // would stay in memory.
  const { responseLimitBytes } = call;
  let controller: Dispatcher.DispatchController | undefined;
  let stopped: UpstreamFailure | undefined;
  let sink: BodySink | undefined;
  let over = false;
  let answering = false;
  let received = 0;
  let settle: { resolve(answer: UpstreamAnswer): void; reject(failure: UpstreamFailure): void };
  let early: (Buffer | UpstreamFailure | 'end')[] | undefined = [];

  const answer = new Promise<UpstreamAnswer>((resolve, reject) => {
    settle = { resolve, reject };
  });

  const stop = (failure: UpstreamFailure): void => {
    if (over) return;
    stopped ??= failure;
    // A call that waits for a socket has no controller yet; it is aborted when it gets one.
    controller?.abort(stopped);
    fail(stopped);
  };
  const totalTimer =
    call.totalTimeoutMs === undefined
      ? undefined
      : setTimeout(() => stop(timedOut('whole answer', { own: true })), call.totalTimeoutMs);
  const connectTimer =
    call.connectTimeoutMs === undefined
      ? undefined
      : setTimeout(() => stop(timedOut('connecting', { sent: false })), call.connectTimeoutMs);

  const fail = (failure: UpstreamFailure): void => {
    if (over) return;
    over = true;
    clearTimeout(totalTimer);
    clearTimeout(connectTimer);
    unpacker?.destroy();
    settle.reject(failure);
    if (sink) sink.fail(failure);
    else early?.push(failure);
  };

  const data = (chunk: Buffer): boolean => {
    // The decompressor may still emit data after an abort.
    if (over) return true;
    received += chunk.length;
    if (received > responseLimitBytes) {
      stop(tooLarge(responseLimitBytes));
      return true;
    }
    if (sink) return sink.data(chunk);
    early?.push(chunk);
    return received < EARLY_BYTES;
  };

  const end = (): void => {
    if (over) return;
    over = true;
    clearTimeout(totalTimer);
    if (sink) sink.end();
    else early?.push('end');
  };

  const read = (reader: BodySink): void => {
    sink = reader;
    const waiting = early ?? [];
    early = undefined;
    let more = true;
    for (const part of waiting) {
      if (part === 'end') reader.end();
      else if (part instanceof UpstreamFailure) reader.fail(part);
      else more = reader.data(part);
    }
    if (more) resume();
  };

  let unpacker: Unpacker | undefined;
  const resume = (): void => {
    if (unpacker) unpacker.resume();
    else controller?.resume();
  };

  const stage = (): CallStage => {
    if (!controller) return 'connecting';
    return answering ? 'answering' : 'sent';
  };

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (started) => {
      controller = started;
      clearTimeout(connectTimer);
      if (stopped) started.abort(stopped);
    },
    onResponseStart: (_started, status, headers) => {
      if (status < 200) return;
      const encoding = String(headers['content-encoding'] ?? 'identity');
      // A 304 has the headers of what the client has already, and no body.
      if (encoding !== 'identity' && status !== 204 && status !== 304) {
        unpacker = createUnpacker(encoding, { data, end, fail: stop });
        if (!unpacker)
          return stop(
            garbled(`The provider's answer has the unsupported content-encoding ${encoding}.`),
          );
      }
      answering = true;
      settle.resolve({ status, headers, read, resume });
    },
    onResponseData: (started, chunk) => {
      // After a pause the parser may emit an empty chunk.
      if (over || stopped || chunk.length === 0) return;
      const more = unpacker ? unpacker.push(chunk, () => started.resume()) : data(chunk);
      if (!more) started.pause();
    },
    onResponseEnd: () => {
      if (unpacker) unpacker.finish();
      else end();
    },
    onResponseError: (_started, error) => {
      fail(stopped ?? networkFailure(error, stage()));
    },
  };

  try {
    call.dispatcher.dispatch(
      {
        origin: call.origin,
        path: call.path,
        method: call.method ?? 'POST',
        headers: call.headers,
        body: call.body === '' ? null : call.body,
        headersTimeout: call.firstByteTimeoutMs,
        bodyTimeout: call.idleTimeoutMs,
      },
      handler,
    );
  } catch (error) {
    fail(networkFailure(error, 'connecting'));
  }
  return {
    answer,
    abort: (reason = aborted()) => stop(reason),
    sent: () => controller !== undefined,
  };
}

/** The same for a call that waits for its credential first. Its own timeouts begin when it has one. */
export function startCallWith(authorised: Promise<UpstreamCall>): RunningCall {
  let running: RunningCall | undefined;
  let stopped: UpstreamFailure | undefined;
  let giveUp: (failure: UpstreamFailure) => void = () => undefined;
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  const started = authorised.then((call) => {
    if (stopped) throw stopped;
    running = startCall(call);
    return running.answer;
  });
  return {
    answer: Promise.race([started, givenUp]),
    abort: (reason = aborted()) => {
      stopped ??= reason;
      giveUp(stopped);
      running?.abort(stopped);
    },
    sent: () => running?.sent() ?? false,
  };
}

interface Unpacker {
  /** False: pause the upstream until `drained` is called. */
  push: (chunk: Buffer, drained: () => void) => boolean;
  finish: () => void;
  resume: () => void;
  destroy: () => void;
}

// Some upstreams, or proxies before them, compress answers unasked.
function createUnpacker(encoding: string, to: BodySink): Unpacker | undefined {
  const stream = unpackingStream(encoding);
  if (!stream) return undefined;
  const output: Readable = stream;
  output.on('data', (chunk: Buffer) => {
    if (!to.data(chunk)) output.pause();
  });
  output.on('end', () => to.end());
  output.on('error', () => to.fail(garbled("The provider's answer could not be decompressed.")));
  return {
    push: (chunk, drained) => {
      if (stream.write(chunk)) return true;
      stream.once('drain', drained);
      return false;
    },
    finish: () => stream.end(),
    resume: () => {
      output.resume();
    },
    destroy: () => stream.destroy(),
  };
}

function unpackingStream(encoding: string) {
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
