// Events of a message stream on the wire: a name, and JSON that repeats it.

import { isObject } from '../json';
import type { JsonObject } from '../normalised';
import { parseEventObject, readRawEvent, type RawEvent, type SseEvent } from '../sse';

export const TERMINAL = 'message_stop';

const EVENT = 'event: ';
const DATA = 'data: ';

/** Nearly all events are a name and one data line: those are sliced without splitting lines. */
export function readNamedEvent(raw: RawEvent): SseEvent {
  const { source, start, end, latin1 } = raw;
  if (latin1.startsWith(EVENT)) {
    const data = latin1.indexOf('\n') + 1 + DATA.length;
    const single = latin1.startsWith(DATA, data - DATA.length);
    if (single && latin1.indexOf('\n', data) === latin1.length - 2 && !latin1.includes('\r')) {
      const event = latin1.slice(EVENT.length, data - DATA.length - 1);
      return { event, data: source.toString('utf8', start + data, end - 2) };
    }
  }
  return readRawEvent(raw);
}

/** Undefined for data without meaning here: none, or another format's terminal event. */
export function dataIn({ data }: SseEvent): string | undefined {
  return data === '' || data === '[DONE]' ? undefined : data;
}

export function isErrorEvent(name: string, wire: JsonObject): boolean {
  const { type } = wire;
  return name === 'error' || type === 'error' || (type === undefined && isObject(wire['error']));
}

/** Whether the rest of a stream is its terminal event without the blank line. */
export function isTerminal({ data = '' }: SseEvent): boolean {
  return data !== '' && parseEventObject(data)?.['type'] === TERMINAL;
}

/** Writes an event; its fields follow its type. */
export function writeEvent(type: string, fields: JsonObject = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
