// Tells a chunk that holds only output and usage from one that must be parsed, without parsing either.
// Searching is safe because a quote inside a JSON string is escaped: `"usageMetadata"` is always a
// key.

import type { Frame } from './frames';

export interface ScannedChunk {
  /** Bytes of output, and the JSON around it. */
  bytes: number;
  /** The usage object, as JSON. */
  usage: string | undefined;
}

const DATA = 'data: {';
const CANDIDATES = '"candidates"';
const PARTS = '"parts"';
const ROLE = '"role"';
const INDEX = '"index"';
const USAGE = '"usageMetadata"';
const MODEL = '"modelVersion"';
/** Keys that make parsing necessary. */
const PARSED_KEYS = ['"finishReason"', '"promptFeedback"', '"groundingMetadata"', '"error"'];
/** The JSON around the text of a chunk: `"parts": [{"text": ""}],`. */
const OVERHEAD_BYTES = 22;
const [LF, CR, SPACE, COLON, ZERO, BRACE_CLOSE] = [10, 13, 32, 58, 48, 125];

/** Whether an event is one line that every client of the format can read. */
export function isPlainEvent({ form, latin1: text }: Frame): boolean {
  if (form !== 'event' || !text.startsWith(DATA)) return false;
  const crlf = text.charCodeAt(text.length - 2) === CR;
  const end = text.length - (crlf ? 4 : 2);
  if (text.charCodeAt(end - 1) !== BRACE_CLOSE || text.charCodeAt(text.length - 1) !== LF) {
    return false;
  }
  const carriage = text.indexOf('\r');
  return crlf
    ? carriage === end && text.indexOf('\n') === end + 1
    : carriage === -1 && text.indexOf('\n') === end;
}

/** Undefined: the chunk must be parsed. */
export function scanChunk(frame: Frame): ScannedChunk | undefined {
  const { latin1: text } = frame;
  if (!text.startsWith(CANDIDATES, DATA.length) || !isPlainEvent(frame)) return undefined;
  for (const key of PARSED_KEYS) if (text.includes(key)) return undefined;
  const parts = text.indexOf(PARTS, DATA.length);
  // The scan would miss a second candidate, and knows only the index 0.
  if (parts === -1 || text.includes(PARTS, parts + PARTS.length)) return undefined;
  const index = text.indexOf(INDEX, DATA.length);
  if (index !== -1 && !isZero(text, index + INDEX.length)) return undefined;

  const at = text.indexOf(USAGE, parts);
  const role = text.indexOf(ROLE, parts);
  const ends = [role, index, at, text.length].filter((end) => end > parts);
  const bytes = Math.max(0, Math.min(...ends) - parts - OVERHEAD_BYTES);
  return { bytes, usage: at === -1 ? undefined : countsAfter(text, at + USAGE.length) };
}

function isZero(text: string, from: number): boolean {
  let at = from;
  while (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === COLON) at += 1;
  return text.charCodeAt(at) === ZERO;
}

/** The text of the usage object, which comes before the model or last. */
function countsAfter(text: string, from: number): string {
  const model = text.indexOf(MODEL, from);
  // If it comes last, the closing brace of the chunk follows its own.
  const last = model === -1 ? text.lastIndexOf('}') - 1 : model;
  return text.slice(text.indexOf('{', from), text.lastIndexOf('}', last) + 1);
}
