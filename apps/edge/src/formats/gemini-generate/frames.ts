// Splits a stream into frames: server-sent events of one JSON object each or, for clients that do
// not ask for events, the elements of one JSON array. The bytes may be cut anywhere.

import { createEventSplitter, readEvent, readRawEvent, type RawEvent } from '../sse';

/** A complete event, or a complete array element without the comma before it. */
export interface Frame extends RawEvent {
  form: 'event' | 'element';
}

export interface FrameReader {
  /**
   * Takes bytes and calls `onFrame` for each frame they complete, until it returns false.
   * @throws RangeError when a frame outgrows the limit
   */
  push(chunk: Buffer, onFrame: (frame: Frame) => boolean): void;
  /** The JSON after the last complete frame, if it lacked only its blank line. */
  rest(): string | undefined;
}

const [TAB, LF, CR, SPACE] = [9, 10, 13, 32];
const [QUOTE, COMMA, BRACKET_OPEN, BACKSLASH, BRACKET_CLOSE] = [34, 44, 91, 92, 93];
const [BRACE_OPEN, BRACE_CLOSE] = [123, 125];

/** The first byte of the stream selects the form. */
export function createFrameReader(maxFrameBytes: number): FrameReader {
  let reader: FrameReader | undefined;
  return {
    push(chunk, onFrame) {
      reader ??= readerFor(chunk, maxFrameBytes);
      reader?.push(chunk, onFrame);
    },
    rest: () => reader?.rest(),
  };
}

function readerFor(chunk: Buffer, maxFrameBytes: number): FrameReader | undefined {
  const first = chunk.find((byte) => !isSpace(byte));
  if (first === undefined) return undefined;
  return first === BRACKET_OPEN ? createElementReader(maxFrameBytes) : createEvents(maxFrameBytes);
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === TAB;
}

function createEvents(maxFrameBytes: number): FrameReader {
  const splitter = createEventSplitter(maxFrameBytes);
  return {
    push(chunk, onFrame) {
      splitter.push(chunk, ({ source, start, end, latin1 }) =>
        onFrame({ source, start, end, latin1, form: 'event' }),
      );
    },
    rest: () => readEvent(splitter.rest().toString('utf8')).data,
  };
}

function createElementReader(maxFrameBytes: number): FrameReader {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;

  function hold(chunk: Buffer): void {
    heldBytes += chunk.length;
    if (heldBytes > maxFrameBytes) {
      throw new RangeError(`an element is larger than ${maxFrameBytes} bytes`);
    }
    held.push(chunk);
  }

  /** The offset after the end of the element; -1: not in this chunk. */
  function findEnd(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === BRACE_OPEN || byte === BRACKET_OPEN) depth += 1;
      else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) {
        depth -= 1;
        if (depth <= 0) return at + 1;
      }
    }
    return -1;
  }

  /** Skips brackets of the array, commas and white space between elements. */
  function skipBetween(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length && isBetween(chunk[at] ?? 0)) at += 1;
    return at;
  }

  function take(chunk: Buffer, start: number, end: number): Frame {
    let [source, from, to] = [chunk, start, end];
    if (held.length > 0) {
      hold(chunk.subarray(start, end));
      source = Buffer.concat(held, heldBytes);
      [from, to] = [0, source.length];
    }
    held = [];
    heldBytes = 0;
    depth = 0;
    const latin1 = source.toString('latin1', from, to);
    return { source, start: from, end: to, latin1, form: 'element' };
  }

  return {
    push(chunk, onFrame) {
      let start = heldBytes > 0 ? 0 : skipBetween(chunk, 0);
      while (start < chunk.length) {
        const end = findEnd(chunk, start);
        if (end === -1) {
          hold(chunk.subarray(start));
          return;
        }
        if (!onFrame(take(chunk, start, end))) return;
        start = skipBetween(chunk, end);
      }
    },
    rest: () => undefined,
  };
}

function isBetween(byte: number): boolean {
  return isSpace(byte) || byte === COMMA || byte === BRACKET_OPEN || byte === BRACKET_CLOSE;
}

/** The JSON of a frame; undefined for a comment. */
export function jsonIn(frame: Frame): string | undefined {
  const { source, start, end, form } = frame;
  if (form === 'element') return source.toString('utf8', start, end);
  const { data } = readRawEvent(frame);
  if (data !== undefined) return data === '' ? undefined : data;
  // A failing server may write its error as a plain body.
  const bare = source.toString('utf8', start, end).trim();
  return bare.startsWith('{') ? bare : undefined;
}

/** The terminal event of other formats, which some servers add; ignored here. */
export const FOREIGN_END = '[DONE]';
