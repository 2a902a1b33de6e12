// Finds the delta in an event without parsing it. Searching is safe because a quote inside a JSON
// string is escaped: `"delta":` is always a key.

const EVENT = 'event: response.';
const DELTA_NAME = '.delta';
const DATA = 'data: {';
const DELTA = '"delta":';
const NUMBER = /"sequence_number":\s*(\d+)/;

const [QUOTE, SPACE, BACKSLASH, BRACE_CLOSE] = [34, 32, 92, 125];

/** The inside of the delta's JSON string; undefined: the event must be parsed. */
export function scanDelta(latin1: string): string | undefined {
  if (!latin1.startsWith(EVENT)) return undefined;
  const line = latin1.indexOf('\n');
  if (!latin1.startsWith(DELTA_NAME, line - DELTA_NAME.length)) return undefined;
  if (!latin1.startsWith(DATA, line + 1)) return undefined;
  const end = latin1.length - 2;
  if (latin1.indexOf('\n', line + 1) !== end) return undefined;
  if (latin1.charCodeAt(end - 1) !== BRACE_CLOSE) return undefined;
  const key = latin1.indexOf(DELTA, line);
  if (key === -1) return undefined;
  let from = key + DELTA.length;
  if (latin1.charCodeAt(from) === SPACE) from += 1;
  if (latin1.charCodeAt(from) !== QUOTE) return undefined;
  const to = closingQuote(latin1, from + 1);
  return to === -1 ? undefined : latin1.slice(from + 1, to);
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

/** The sequence number of an event; undefined for servers that send none. */
export function numberOf(latin1: string): number | undefined {
  const found = NUMBER.exec(latin1);
  return found === null ? undefined : Number(found[1]);
}
