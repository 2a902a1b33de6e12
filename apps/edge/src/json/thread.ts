// Runs in a worker thread: measures, parses and serialises large documents off the event loop. It
// is loaded as a file, so it imports only self-contained modules, by their full file names.

import { parentPort } from 'node:worker_threads';

import { hasLongNumber, LONG_NUMBERS_MOST, markLongNumbers } from './long-numbers.ts';
import {
  findExcess,
  syntaxPlace,
  type JsonExcess,
  type JsonLimits,
  type SyntaxPlace,
} from './scan.ts';

/** A document to parse. Its bytes are moved to the thread, and back with the answer. */
export interface ParseQuestion {
  id: number;
  bytes: Uint8Array<ArrayBuffer>;
  limits: JsonLimits;
  /** Only counts will be read, so long texts and lists of numbers are left out. */
  countsOnly: boolean;
  /** The bytes are not returned. */
  dropBytes: boolean;
  /** The prefix of long numbers, which cannot be cloned between threads. */
  longMark: string;
}

/** A value to serialise as JSON. */
export interface WriteQuestion {
  id: number;
  write: unknown;
}

export type Question = ParseQuestion | WriteQuestion;

export interface Written {
  id: number;
  written: Uint8Array<ArrayBuffer>;
}

export type Parsed = { id: number; bytes: Uint8Array<ArrayBuffer> } &
  /** `marked`: long numbers are strings with the mark as a prefix. */
  (
    | { value: unknown; marked: boolean }
    | { excess: JsonExcess }
    | { syntax: SyntaxPlace | undefined; empty: boolean }
  );

/** Longer strings are content, never a count or a name. */
const TEXT_KEPT = 1024 * 1024;
const NUMBERS_KEPT = 256;

const port = parentPort;

port?.on('message', (question: Question) => {
  if ('write' in question) {
    const written = write(question);
    port.postMessage(written, [written.written.buffer]);
    return;
  }
  const parsed = parse(question);
  const answer = question.dropBytes ? { ...parsed, bytes: new Uint8Array(0) } : parsed;
  port.postMessage(answer, [answer.bytes.buffer]);
});

function write({ id, write: value }: WriteQuestion): Written {
  // Small buffers share memory, which cannot be moved.
  return { id, written: new TextEncoder().encode(JSON.stringify(value)) };
}

function parse({ id, bytes, limits, countsOnly, longMark }: ParseQuestion): Parsed {
  const document = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const excess = findExcess(document, limits);
  if (excess) return { id, bytes, excess };
  const text = document.toString('utf8');
  try {
    const marked = !countsOnly && hasLongNumber(text);
    const value: unknown = JSON.parse(marked ? markLongNumbers(text, longMark) : text);
    return { id, bytes, value: countsOnly ? withoutContent(value) : value, marked };
  } catch (error) {
    if (error instanceof RangeError) return { id, bytes, excess: tooManyLong };
    return { id, bytes, syntax: placeIn(text, error), empty: text.trim() === '' };
  }
}

const tooManyLong: JsonExcess = { limit: 'longNumbers', most: LONG_NUMBERS_MOST, field: '' };

/** The place in the original text, because marks shift everything after them. */
function placeIn(text: string, error: unknown): SyntaxPlace | undefined {
  try {
    JSON.parse(text);
  } catch (own) {
    return syntaxPlace(text, own);
  }
  return syntaxPlace(text, error);
}

/** Depth is limited, so recursion is safe. */
function withoutContent(value: unknown): unknown {
  if (typeof value === 'string') return value.length > TEXT_KEPT ? '' : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    if (value.length > NUMBERS_KEPT && typeof value[0] === 'number') return [];
    return value.map(withoutContent);
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, withoutContent(field)]),
  );
}
