// Splits server-sent events from bytes that may be cut anywhere: inside a line ending, a UTF-8
// sequence, the byte order mark. Events are found by their blank line; bytes are decoded only on
// demand. Line endings may be LF, CRLF or CR.

import { EVENT_LIMITS, MEASURED_FROM_BYTES } from '../json/limits';
import { findExcess } from '../json/scan';
import { isObject } from './json';
import type { JsonObject } from './normalised';

/** The largest event from an upstream: an audio chunk or an image in base64 fits. */
export const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/**
 * The JSON object of an event; undefined: there is none, or it exceeds the limits of one event.
 */
export function parseEventObject(
  data: string,
  parse: (text: string) => unknown = JSON.parse,
): JsonObject | undefined {
  if (data.length > MEASURED_FROM_BYTES && findExcess(Buffer.from(data), EVENT_LIMITS)) {
    return undefined;
  }
  try {
    const value = parse(data);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const LF = 10;
const CR = 13;

/** One whole event: bytes `start` to `end` of `source`, blank line included. */
export interface RawEvent {
  source: Buffer;
  start: number;
  end: number;
  /** The same bytes, one character per byte: cheap to search for ASCII. */
  latin1: string;
}

export interface EventSplitter {
  /**
   * Takes bytes and calls `onEvent` for each event they complete, until it returns false.
   * @throws RangeError when an event outgrows the limit
   */
  push(chunk: Buffer, onEvent: (event: RawEvent) => boolean): void;
  /** The bytes after the last blank line. */
  rest(): Buffer;
}

/** The line state between two chunks. */
interface LineState {
  /** The current line has no byte yet. */
  lineEmpty: boolean;
  /** The last byte was a CR, and an LF may follow. */
  afterCr: boolean;
}

/** The offset just after the next blank line at or after `from`; -1: none in this chunk. */
function findBlankLine(state: LineState, chunk: Buffer, from: number): number {
  for (let at = from; at < chunk.length; at++) {
    const byte = chunk[at];
    if (byte === LF && state.afterCr) {
      // The second half of CRLF: the line ended at the CR.
      state.afterCr = false;
    } else if (byte === LF || byte === CR) {
      state.afterCr = byte === CR;
      if (state.lineEmpty) {
        const crlf = state.afterCr && chunk[at + 1] === LF;
        if (crlf) state.afterCr = false;
        return at + (crlf ? 2 : 1);
      }
      state.lineEmpty = true;
    } else {
      state.afterCr = false;
      state.lineEmpty = false;
    }
  }
  return -1;
}

/** A search for chunks without a CR. */
function findBlankLineLf(state: LineState, chunk: Buffer, latin1: string, from: number): number {
  if (state.lineEmpty && chunk[from] === LF) return from + 1;
  const blank = latin1.indexOf('\n\n', from);
  if (blank !== -1) return blank + 2;
  state.lineEmpty = chunk[chunk.length - 1] === LF;
  return -1;
}

/**
 * A search for chunks with CRs and no doubled line end: in those an empty line is a CR after an LF,
 * with or without CRLF endings.
 */
function findBlankLineCrlf(state: LineState, chunk: Buffer, latin1: string, from: number): number {
  const first = chunk[from];
  // A chunk that starts inside a line ending needs the byte-by-byte scan.
  if (first === CR || first === LF) return findBlankLine(state, chunk, from);
  const blank = latin1.indexOf('\n\r', from);
  if (blank !== -1) {
    const crlf = chunk[blank + 2] === LF;
    state.afterCr = !crlf;
    return blank + (crlf ? 3 : 2);
  }
  const last = chunk[chunk.length - 1];
  state.afterCr = last === CR;
  state.lineEmpty = last === CR || last === LF;
  return -1;
}

/** The fastest search for a chunk. */
function finderFor(state: LineState, latin1: string): typeof findBlankLineLf {
  if (!state.afterCr && !latin1.includes('\r')) return findBlankLineLf;
  const doubled = latin1.includes('\n\n') || latin1.includes('\r\r');
  if (!doubled) return findBlankLineCrlf;
  return (at, chunk, _, from) => findBlankLine(at, chunk, from);
}

export function createEventSplitter(maxEventBytes: number): EventSplitter {
  const state: LineState = { lineEmpty: true, afterCr: false };
  let held: Buffer[] = [];
  let heldBytes = 0;

  function hold(chunk: Buffer): void {
    if (chunk.length === 0) return;
    heldBytes += chunk.length;
    if (heldBytes > maxEventBytes) {
      throw new RangeError(`an event is larger than ${maxEventBytes} bytes`);
    }
    held.push(chunk);
  }

  return {
    push(chunk, onEvent) {
      const latin1 = chunk.toString('latin1');
      const find = finderFor(state, latin1);
      let start = 0;
      while (start < chunk.length) {
        const end = find(state, chunk, latin1, start);
        if (end === -1) {
          hold(chunk.subarray(start));
          return;
        }
        state.lineEmpty = true;
        let event: RawEvent;
        if (held.length === 0) {
          event = { source: chunk, start, end, latin1: latin1.slice(start, end) };
        } else {
          hold(chunk.subarray(start, end));
          const source = Buffer.concat(held, heldBytes);
          held = [];
          heldBytes = 0;
          event = { source, start: 0, end: source.length, latin1: source.toString('latin1') };
        }
        start = end;
        if (!onEvent(event)) return;
      }
    },
    rest: () => Buffer.concat(held, heldBytes),
  };
}

export interface SseEvent {
  /** The value of the `event:` line; empty when there is none. */
  event: string;
  /** The `data:` lines, joined; undefined when there is none, as in a comment. */
  data: string | undefined;
}

/** Reads the lines of one event. */
export function readEvent(text: string): SseEvent {
  let event = '';
  let data: string | undefined;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':');
    // A line that starts with a colon is a comment.
    if (line === '' || colon === 0) continue;
    const name = colon === -1 ? line : line.slice(0, colon);
    const skip = line.charAt(colon + 1) === ' ' ? 2 : 1;
    const value = colon === -1 ? '' : line.slice(colon + skip);
    if (name === 'data') data = data === undefined ? value : `${data}\n${value}`;
    else if (name === 'event') event = value;
  }
  return { event, data };
}

export interface SseReader {
  /** @throws RangeError when an event outgrows the limit */
  push(bytes: Uint8Array, onEvent: (event: SseEvent) => boolean): void;
  /** The unfinished event at the end of the bytes, read as if it had its blank line. */
  rest(): SseEvent;
}

/** Decodes every event; for streams that are translated. */
export function createSseReader(maxEventBytes: number): SseReader {
  const splitter = createEventSplitter(maxEventBytes);
  return {
    push(bytes, onEvent) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      splitter.push(chunk, (raw) => onEvent(readRawEvent(raw)));
    },
    rest: () => readEvent(splitter.rest().toString('utf8')),
  };
}

/** Most events are one `data:` line: those are sliced without splitting lines. */
export function readRawEvent(raw: RawEvent): SseEvent {
  const { source, start, end, latin1 } = raw;
  if (latin1.startsWith('data: ')) {
    const { length } = latin1;
    const [lf, cr] = [latin1.indexOf('\n'), latin1.indexOf('\r')];
    if (lf === length - 2 && cr === -1) {
      return { event: '', data: source.toString('utf8', start + 6, end - 2) };
    }
    if (lf === length - 3 && cr === length - 4 && latin1.endsWith('\r\n\r\n')) {
      return { event: '', data: source.toString('utf8', start + 6, end - 4) };
    }
  }
  return readEvent(source.toString('utf8', start, end));
}
