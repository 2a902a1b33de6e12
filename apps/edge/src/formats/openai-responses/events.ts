// Events of a responses stream on the wire: each has its type in an `event:` line and in its data,
// and a sequence number.

import { objectOf, textOf } from '../json';
import type { JsonObject } from '../normalised';
import type { SseEvent } from '../sse';

export const TEXT_DELTA = 'response.output_text.delta';

/** Terminal events. */
export const TERMINAL_TYPES: readonly string[] = [
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
];
const TERMINAL: ReadonlySet<string> = new Set(TERMINAL_TYPES);

export function isTerminal(type: string): boolean {
  return TERMINAL.has(type);
}

/**
 * The response of the terminal event. Its status is that of the event's type, unless the response
 * says that it failed.
 */
export function lastResponse(type: string, wire: JsonObject): JsonObject | undefined {
  const response = objectOf(wire['response']);
  if (response === undefined || response['status'] === 'failed') return response;
  return { ...response, status: type.slice('response.'.length) };
}

/** The terminal event of other formats; ignored here. */
export const FOREIGN_END = '[DONE]';

export function typeOf({ event }: SseEvent, wire: JsonObject): string {
  return textOf(wire['type']) ?? event;
}

export interface EventWriter {
  /** `fields` are the other fields, as JSON without the outer braces. */
  write(type: string, fields: string): string;
}

export function createEventWriter(firstNumber: number): EventWriter {
  let number = firstNumber;
  return {
    write: (type, fields) =>
      `event: ${type}\ndata: {"type":"${type}","sequence_number":${number++},${fields}}\n\n`,
  };
}
