// Replaces the model name in answers that are passed on unchanged: the client reads the name it
// asked for. Bytes are searched and spliced, not re-encoded, so that every other field and number
// stays the same.

import type { FormatName } from './normalised';

/** The key paths of the model name, from the root of a body or an event. */
interface Place {
  answer: readonly string[];
  events: readonly string[];
  /** A string that every event with a model name contains. */
  mark: string;
}

const CHAT: Place = { answer: ['model'], events: ['model'], mark: '"model"' };
const GEMINI: Place = {
  answer: ['modelVersion'],
  events: ['modelVersion'],
  mark: '"modelVersion"',
};

const PLACES: Readonly<Record<FormatName, Place>> = {
  'openai-chat': CHAT,
  unified: CHAT,
  'openai-responses': { answer: ['model'], events: ['response', 'model'], mark: '"response"' },
  'anthropic-messages': { answer: ['model'], events: ['message', 'model'], mark: '"message"' },
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
  const { events, mark } = PLACES[format];
  const literal = literalOf(name);
  const marked = Buffer.from(mark);
  // A chat chunk has the key at its top level only, so it is searched and not parsed.
  const rename =
    events === CHAT.events
      ? (part: Buffer) => renameAnywhere(part, literal)
      : (part: Buffer) => (part.includes(marked) ? renameAt(part, events, literal) : part);
  return (parts) => parts.map(rename);
}

const ANYWHERE = Buffer.from('"model":');
const [QUOTE, BACKSLASH, SPACE] = [34, 92, 32];

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

function spliced(bytes: Buffer, edits: readonly Edit[], literal: Buffer): Buffer {
  const parts: Buffer[] = [];
  let copied = 0;
  for (const [from, to] of edits) {
    if (literal.equals(bytes.subarray(from, to))) continue;
    parts.push(bytes.subarray(copied, from), literal);
    copied = to;
  }
  return copied === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(copied)]);
}

function closingQuote(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

const KEY_END = /\s*:\s*/y;

/** The values at a key path, in each of several adjacent objects. */
function renameAt(bytes: Buffer, path: readonly string[], literal: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const marks = /["{}]/g;
  const edits: Edit[] = [];
  /** The last key of each open object; arrays do not count. */
  const keys: string[] = [];
  let depth = 0;
  for (let found = marks.exec(text); found; found = marks.exec(text)) {
    const [mark] = found;
    if (mark === '{') depth += 1;
    if (mark === '}') depth -= 1;
    if (mark !== '"') continue;
    const end = closingQuote(bytes, marks.lastIndex);
    if (end === -1) break;
    KEY_END.lastIndex = end + 1;
    const isKey = depth <= path.length && KEY_END.test(text);
    const value = KEY_END.lastIndex;
    if (isKey) keys[depth - 1] = text.slice(marks.lastIndex, end);
    marks.lastIndex = isKey ? value : end + 1;
    if (!isKey || depth !== path.length || bytes[value] !== QUOTE) continue;
    const to = closingQuote(bytes, value + 1);
    if (to === -1) break;
    if (path.every((key, at) => keys[at] === key)) edits.push([value, to + 1]);
    marks.lastIndex = to + 1;
  }
  return spliced(bytes, edits, literal);
}
