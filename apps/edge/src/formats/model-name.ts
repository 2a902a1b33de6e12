// Replaces the model name in answers that are passed on unchanged: the client reads the name it
// asked for. Bytes are searched and spliced, not re-encoded, so that every other field and number
// stays the same.

import type { FormatName } from './normalised';

/** The key paths of the model name, from the root of a body or an event. */
interface Place {
  answer: Path;
  events: Path;
}

interface Path {
  keys: readonly string[];
  /** The last key as it is written; bytes without it hold no name. */
  last: Buffer;
}

const path = (...keys: string[]): Path => ({ keys, last: Buffer.from(`"${keys.at(-1)}"`) });
const MODEL = path('model');
const VERSION = path('modelVersion');
const CHAT: Place = { answer: MODEL, events: MODEL };
const GEMINI: Place = { answer: VERSION, events: VERSION };

const PLACES: Readonly<Record<FormatName, Place>> = {
  'openai-chat': CHAT,
  unified: CHAT,
  'openai-responses': { answer: MODEL, events: path('response', 'model') },
  'anthropic-messages': { answer: MODEL, events: path('message', 'model') },
  'gemini-generate': GEMINI,
  'gemini-generate-array': GEMINI,
};

/** A unary answer. */
export function renameModel(format: FormatName, answer: Buffer, name: string): Buffer {
  return renameAt(answer, PLACES[format].answer, literalOf(name));
}

export type Renamer = (parts: Buffer[]) => Buffer[];

/** For complete events of a stream. */
export function createRenamer(format: FormatName, name: string): Renamer {
  const { events } = PLACES[format];
  const literal = literalOf(name);
  // A chat chunk has the key at its top level only, so it is searched and not parsed.
  const rename =
    events === CHAT.events
      ? (part: Buffer) => renameAnywhere(part, literal)
      : (part: Buffer) => renameAt(part, events, literal);
  return (parts) => parts.map(rename);
}

const ANYWHERE = Buffer.from('"model":');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const COLON = 0x3a;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
/** JSON white space: space, line feed, carriage return, tab. */
const isGap = (byte: number | undefined): boolean =>
  byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * The same for answers that hold no text of others, at any depth. A quote inside a JSON string is
 * escaped, so `"model":` is always a key.
 */
export function renameAnywhere(bytes: Buffer, literal: Buffer): Buffer {
  const edits: Edit[] = [];
  for (let at = bytes.indexOf(ANYWHERE); at !== -1; at = bytes.indexOf(ANYWHERE, at + 1)) {
    let from = at + ANYWHERE.length;
    while (bytes[from] === SPACE) from += 1;
    if (bytes[from] !== QUOTE) continue;
    const to = closingQuote(bytes, from + 1);
    if (to !== -1) edits.push([from, to + 1]);
  }
  return spliced(bytes, edits, literal);
}

/** A name as a JSON string. */
export function literalOf(name: string): Buffer {
  return Buffer.from(JSON.stringify(name));
}

type Edit = readonly [from: number, to: number];

/** The same buffer if every value is the literal already; otherwise a copy, made at once. */
function spliced(bytes: Buffer, all: readonly Edit[], literal: Buffer): Buffer {
  const edits = all.filter(([from, to]) => !isAt(bytes, from, to, literal));
  if (edits.length === 0) return bytes;
  const cut = edits.reduce((sum, [from, to]) => sum + to - from, 0);
  const copy = Buffer.allocUnsafe(bytes.length - cut + edits.length * literal.length);
  let copied = 0;
  let at = 0;
  for (const [from, to] of edits) {
    at += bytes.copy(copy, at, copied, from);
    at += literal.copy(copy, at);
    copied = to;
  }
  bytes.copy(copy, at, copied);
  return copy;
}

function isAt(bytes: Buffer, from: number, to: number, literal: Buffer): boolean {
  return to - from === literal.length && literal.compare(bytes, from, to) === 0;
}

/** Strings up to this length are read byte by byte, which is faster than a search for their end. */
const READ_THROUGH_BYTES = 48;

/** The offset of the quote that ends a string which starts at `from`; -1: it does not end. */
function closingQuote(bytes: Buffer, from: number): number {
  const readTo = Math.min(bytes.length, from + READ_THROUGH_BYTES);
  let start = from;
  while (start < readTo) {
    const byte = bytes[start];
    if (byte === QUOTE) return start;
    start += byte === BACKSLASH ? 2 : 1;
  }
  for (let at = bytes.indexOf(QUOTE, start); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

/** The offset of the value if a colon follows at `from`; -1: the string before was no key. */
function valueAfter(bytes: Buffer, from: number): number {
  let at = from;
  while (isGap(bytes[at])) at += 1;
  if (bytes[at] !== COLON) return -1;
  at += 1;
  while (isGap(bytes[at])) at += 1;
  return at;
}

/**
 * The values at a key path, in each of several adjacent objects. Reads no further than the last
 * place where the key is written, which is near the start of most answers.
 */
function renameAt(bytes: Buffer, { keys, last }: Path, literal: Buffer): Buffer {
  const edits: Edit[] = [];
  /** By depth, whether the last key of the open object is that of the path; arrays do not count. */
  const onPath: boolean[] = [];
  let next = bytes.indexOf(last);
  let depth = 0;
  let at = 0;
  while (next !== -1) {
    const byte = bytes[at];
    if (byte !== QUOTE) {
      if (byte === BRACE_OPEN) depth += 1;
      else if (byte === BRACE_CLOSE) depth -= 1;
      at += 1;
      continue;
    }
    const end = closingQuote(bytes, at + 1);
    if (end === -1) break;
    const value = depth <= keys.length ? valueAfter(bytes, end + 1) : -1;
    if (value === -1) at = end + 1;
    else {
      if (depth > 0) onPath[depth - 1] = isText(bytes, at + 1, end, keys[depth - 1]);
      at = value;
      if (depth === keys.length && bytes[value] === QUOTE) {
        const to = closingQuote(bytes, value + 1);
        if (to === -1) break;
        if (keys.every((_, level) => onPath[level])) edits.push([value, to + 1]);
        at = to + 1;
      }
    }
    if (at > next) next = bytes.indexOf(last, at);
  }
  return spliced(bytes, edits, literal);
}

function isText(bytes: Buffer, from: number, to: number, text: string | undefined): boolean {
  return to - from === text?.length && bytes.toString('latin1', from, to) === text;
}
