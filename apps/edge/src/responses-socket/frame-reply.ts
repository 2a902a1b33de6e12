import { Writable } from 'node:stream';
import { ERROR_CODE_HEADER } from '@tollgate/contracts';

import type { ClientReply } from '../client-reply';
import type { JsonObject } from '../formats';
import { objectOf } from '../formats/json';
import { isTerminal, TERMINAL_TYPES } from '../formats/openai-responses/events';
import { createEventSplitter, parseEventObject, readRawEvent } from '../formats/sse';
import { markStream, refusalFrame, refusedField, responseNotFoundFrame } from './frames';

/** Sends one text frame. `sent` is called when the socket has taken it, or cannot. */
export type SendFrame = (text: string, sent: (error?: Error | null) => void) => void;

export interface FrameReplyOptions {
  send: SendFrame;
  streamId: string | undefined;
  /** The response that the message continues; empty: none. */
  previousResponseId: string;
  /** Whether the response is needed when it has ended. */
  keepsEnd: boolean;
  /** Limit of one event. */
  eventBytes: number;
}

/** A whole response, and the bytes of the event that had it. */
export interface EndedResponse {
  response: JsonObject;
  bytes: number;
}

/** Bytes that may wait for a slow client before the upstream is paused. */
const WAITING_BYTES = 64 * 1024;
const EVENT_STREAM = 'text/event-stream';

/** One answer of the pipeline as frames: an event each, or one refusal. */
export class FrameReply extends Writable implements ClientReply {
  headersSent = false;
  /** 0 until the pipeline has answered. */
  status = 0;
  /** The response of the last event. Undefined: it has not ended as a response does, or is not needed. */
  ended: EndedResponse | undefined;
  readonly #options: FrameReplyOptions;
  readonly #headers: Record<string, string> = {};
  readonly #splitter;
  readonly #body: Buffer[] = [];
  #streams = false;

  constructor(options: FrameReplyOptions) {
    super({ highWaterMark: WAITING_BYTES });
    this.#options = options;
    this.#splitter = createEventSplitter(options.eventBytes);
    // The end of the connection is told by `close`.
    this.on('error', () => undefined);
  }

  setHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }

  writeHead(status: number, headers: Readonly<Record<string, string | number>>): void {
    for (const [name, value] of Object.entries(headers)) this.#headers[name] = String(value);
    this.status = status;
    this.headersSent = true;
    this.#streams = this.#headers['content-type']?.startsWith(EVENT_STREAM) ?? false;
  }

  flushHeaders(): void {
    // A socket has no headers; events follow as they come.
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    if (!this.#streams) {
      this.#body.push(chunk);
      return done();
    }
    const frames: string[] = [];
    try {
      this.#splitter.push(chunk, (raw) => {
        const { data } = readRawEvent(raw);
        // Comments only keep an HTTP connection alive.
        if (data) frames.push(this.#frameOf(data));
        return true;
      });
    } catch (error) {
      return done(error instanceof Error ? error : new Error(String(error)));
    }
    return this.#sendAll(frames, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#streams || this.#body.length === 0) return done();
    const body = Buffer.concat(this.#body).toString('utf8');
    return this.#sendAll([markStream(this.#refusal(body), this.#options.streamId)], done);
  }

  #frameOf(data: string): string {
    // Only the last event of a response has it whole.
    if (this.#options.keepsEnd && LAST_EVENT.test(data.slice(0, LAST_EVENT_CHARACTERS))) {
      const event = parseEventObject(data);
      const type = event?.['type'];
      const response = objectOf(event?.['response']);
      if (typeof type === 'string' && isTerminal(type) && response) {
        this.ended = { response, bytes: data.length };
      }
    }
    return markStream(data, this.#options.streamId);
  }

  #refusal(body: string): string {
    const { previousResponseId } = this.#options;
    const headers = this.#headers;
    // A dry run is no refusal: its frame is the body of its answer.
    if (this.status < 400) return body;
    const ours = OWN_CODES.has(headers[ERROR_CODE_HEADER] ?? '');
    const unknown = ours && refusedField(body) === 'previous_response_id';
    return unknown && previousResponseId !== ''
      ? responseNotFoundFrame(previousResponseId, headers)
      : refusalFrame({ status: this.status, headers, body });
  }

  #sendAll(frames: readonly string[], done: (error?: Error | null) => void): void {
    const last = frames.length - 1;
    if (last < 0) return done();
    for (const [at, frame] of frames.entries()) {
      this.#options.send(frame, at === last ? done : () => undefined);
    }
  }
}

/** Codes of a response that cannot be continued here. A provider's own refusal keeps its words. */
const OWN_CODES: ReadonlySet<string> = new Set(['invalid_request', 'stored_object_not_found']);

/** The type stands near the beginning of an event. */
const LAST_EVENT_CHARACTERS = 256;
const LAST_EVENT = new RegExp(`"(?:${TERMINAL_TYPES.join('|').replaceAll('.', String.raw`\.`)})"`);
