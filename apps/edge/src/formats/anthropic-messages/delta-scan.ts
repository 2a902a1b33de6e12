// Finds the output of a delta event without parsing it. Searching is safe because a quote inside a JSON
// string is escaped: `"delta":` is always a key.

const DELTA = 'event: content_block_delta\ndata: {';
const KIND = '"delta":{"type":"';
const COMPACTION = 'compaction';
const [QUOTE, LETTER_S, BRACE_CLOSE] = [34, 115, 125];

/** The inside of the delta's JSON string; undefined: the event must be parsed. */
export function scanDelta(text: string): string | undefined {
  if (!text.startsWith(DELTA)) return undefined;
  const end = text.length - 2;
  if (text.indexOf('\n', DELTA.length) !== end || text.charCodeAt(end - 1) !== BRACE_CLOSE) {
    return undefined;
  }
  const kind = text.indexOf(KIND, DELTA.length);
  if (kind === -1) return undefined;
  // A compaction has more than one text, and only the first is output.
  if (text.startsWith(COMPACTION, kind + KIND.length)) return undefined;
  // In `{"type":"text_delta","text":"…"}}` the value follows the type. A citation delta has an object
  // there, which is not output.
  const value = text.indexOf(':', kind + KIND.length) + 1;
  if (value === 0) return undefined;
  if (text.charCodeAt(value) !== QUOTE) return '';
  // A signature is not output.
  if (text.charCodeAt(kind + KIND.length) === LETTER_S) return '';
  return text.slice(value + 1, text.lastIndexOf('"'));
}
