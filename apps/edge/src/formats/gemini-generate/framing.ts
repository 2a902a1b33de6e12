// How the pieces of a stream are written: as server-sent events, or as the elements of one JSON array,
// which clients get that do not ask for events. What follows an element stands behind it, so that
// whoever takes over a stream that has begun need not know how far it got.

export interface Framing {
  /** Before the first piece. */
  open: string;
  /** A piece that is not the last. */
  more(json: string): string;
  /** The last piece, and the end. */
  last(json: string): string;
}

function event(json: string): string {
  return `data: ${json}\n\n`;
}

export const EVENTS: Framing = { open: '', more: event, last: event };

export const ARRAY: Framing = {
  open: '[',
  // No blank lines, which would make clients that wait for events take it for an empty stream.
  more: (json) => `${json},\n`,
  last: (json) => `${json}]\n`,
};

const LINE_ENDS = /[\u0085\u2028\u2029]/;

/** One line, also to clients that end lines at more than line feeds. */
export function oneLine(value: unknown): string {
  const json = JSON.stringify(value);
  if (!LINE_ENDS.test(json)) return json;
  return json.replace(
    new RegExp(LINE_ENDS, 'g'),
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
