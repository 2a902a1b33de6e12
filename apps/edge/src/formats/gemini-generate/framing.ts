// Writes the chunks of a stream as server-sent events, or as elements of one JSON array for clients
// that do not ask for events. A separator follows its element, so that an error can end a stream at
// any point.

export interface Framing {
  /** Before the first chunk. */
  open: string;
  /** A chunk that is not the last. */
  more(json: string): string;
  /** The last chunk, and the end. */
  last(json: string): string;
}

function event(json: string): string {
  return `data: ${json}\n\n`;
}

export const EVENTS: Framing = { open: '', more: event, last: event };

export const ARRAY: Framing = {
  open: '[',
  // No blank lines: a client that waits for events would see an empty stream.
  more: (json) => `${json},\n`,
  last: (json) => `${json}]\n`,
};

const LINE_ENDS = /[\u0085\u2028\u2029]/;

/** JSON on one line, also for clients that split lines at other characters than line feeds. */
export function oneLine(value: unknown): string {
  const json = JSON.stringify(value);
  if (!LINE_ENDS.test(json)) return json;
  return json.replace(
    new RegExp(LINE_ENDS, 'g'),
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
