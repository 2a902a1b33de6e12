// Takes a stream apart into events with JSON, and writes changed ones again.

import type { JsonObject } from '../formats';
import { parseJson } from '../formats/json';
import {
  createEventSplitter,
  MAX_EVENT_BYTES,
  parseEventObject,
  readRawEvent,
  type RawEvent,
} from '../formats/sse';

export interface StreamEvent {
  readonly bytes: Buffer;
  /** Undefined: the event has none, as a comment. */
  readonly json: JsonObject | undefined;
  /** It has JSON that cannot be read. */
  readonly unreadable: boolean;
  /** Writes the event with its JSON as it is now. */
  readonly write: () => Buffer;
}

export interface StreamEvents {
  /** The events that the bytes complete. */
  push: (bytes: Buffer) => StreamEvent[];
  /** What follows the last event. */
  rest: () => Buffer;
}

/** Server-sent events. */
export function createSseEvents(): StreamEvents {
  const splitter = createEventSplitter(MAX_EVENT_BYTES);
  return {
    push: (bytes) => {
      const events: StreamEvent[] = [];
      splitter.push(bytes, (raw) => {
        events.push(sseEvent(raw));
        return true;
      });
      return events;
    },
    rest: () => splitter.rest(),
  };
}

/** The end of a stream of the OpenAI formats. */
const END = '[DONE]';

function sseEvent(raw: RawEvent): StreamEvent {
  const { end, source, start } = raw;
  const bytes = source.subarray(start, end);
  // A reader ignores space around JSON, so what stands behind it is read all the same.
  const data = (readRawEvent(raw).data ?? '').trim();
  const json = data.startsWith('{') ? parseEventObject(data, parseJson) : undefined;
  return {
    bytes,
    json,
    unreadable: json === undefined && data !== '' && data !== END,
    write: () => {
      const lines = bytes.toString('utf8').split(/\r\n|\n|\r/);
      const others = lines.filter((line) => line !== '' && !line.startsWith('data:'));
      return Buffer.from(`${[...others, `data: ${JSON.stringify(json)}`].join('\n')}\n\n`);
    },
  };
}

const [OPEN, CLOSE, QUOTE, BACKSLASH] = [123, 125, 34, 92];

/**
 * The elements of one JSON array. What separates two belongs to the one before it, as it is written with
 * it, so that an error can follow any element.
 */
export function createArrayEvents(): StreamEvents {
  let held: Buffer[] = [];
  let depth = 0;
  let inText = false;
  let escaped = false;

  const ends = (byte: number): boolean => {
    if (inText) {
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) inText = false;
      return false;
    }
    if (byte === QUOTE) inText = true;
    if (byte === OPEN) depth += 1;
    if (byte !== CLOSE) return false;
    depth -= 1;
    return depth === 0;
  };

  return {
    push: (bytes) => {
      const events: StreamEvent[] = [];
      let start = 0;
      for (let at = 0; at < bytes.length; at += 1) {
        if (!ends(bytes[at] ?? 0)) continue;
        const next = bytes.indexOf(OPEN, at + 1);
        const end = next < 0 ? bytes.length : next;
        const whole = Buffer.concat([...held, bytes.subarray(start, end)]);
        events.push(elementEvent(whole, end - at - 1));
        held = [];
        start = end;
        at = end - 1;
      }
      if (start < bytes.length) held.push(bytes.subarray(start));
      return events;
    },
    rest: () => Buffer.concat(held),
  };
}

/** `after`: the bytes that follow the element. */
function elementEvent(bytes: Buffer, after: number): StreamEvent {
  const from = bytes.indexOf(OPEN);
  const to = bytes.length - after;
  const json = parseEventObject(bytes.toString('utf8', from, to), parseJson);
  return {
    bytes,
    json,
    unreadable: json === undefined,
    write: () => {
      const written = Buffer.from(JSON.stringify(json));
      return Buffer.concat([bytes.subarray(0, from), written, bytes.subarray(to)]);
    },
  };
}
