// Measures a JSON document before it is parsed. A parser's memory and time grow with the number of
// values, not of bytes: a mebibyte of `[],` is 350,000 arrays. Imports nothing, because a worker
// thread loads this file.

/** Limits of one document. */
export interface JsonLimits {
  /** All objects and arrays together. */
  containers: number;
  /** All array elements and object fields together. */
  values: number;
  /** Fields of one object. */
  fields: number;
  /** Nesting of objects and arrays. */
  depth: number;
}

/** A limit that the document exceeds. */
export interface JsonExcess {
  limit: keyof JsonLimits | 'longNumbers';
  most: number;
  /** The top-level field where the limit is exceeded; empty: none. */
  field: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const COLON = 0x3a;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;

/** An array with this many elements may be a long list of numbers: an embedding, token ids. */
const LONG_ARRAY = 64;
/** How far the end of such a list is looked for at once. */
const LOOK_AHEAD_BYTES = 16 * 1024;
/** What a look ahead must skip to be worth another one. */
const WORTH_BYTES = 1_024;

/** Strings up to this length are read byte by byte, which is faster than a search for their end. */
const READ_THROUGH_BYTES = 64;
const FIELD_SHOWN_BYTES = 128;

const DEPTH_MOST = 1_024;
/** Per open container: its number of commas, and whether it is an object. */
const commas = new Int32Array(DEPTH_MOST + 2);
const isObject = new Uint8Array(DEPTH_MOST + 2);

/**
 * Returns the first exceeded limit; undefined: none. Reads about a gigabyte per second, in constant
 * memory. The parser checks whether the document is JSON at all.
 */
export function findExcess(bytes: Buffer, limits: JsonLimits): JsonExcess | undefined {
  const { length } = bytes;
  if (limits.depth > DEPTH_MOST) throw new RangeError(`depth: at most ${DEPTH_MOST}`);
  let depth = 0;
  let containers = 0;
  let values = 0;
  let textStart = 0;
  let textEnd = 0;
  let fieldStart = 0;
  let fieldEnd = 0;
  // There are fewer values than bytes.
  const countsValues = length > limits.values;
  let lookAheadFrom = LONG_ARRAY;
  const excess = (limit: keyof JsonLimits): JsonExcess => ({
    limit,
    most: limits[limit],
    field: bytes.toString('utf8', fieldStart, Math.min(fieldEnd, fieldStart + FIELD_SHOWN_BYTES)),
  });

  let at = 0;
  while (at < length) {
    const byte = bytes[at];
    at += 1;
    switch (byte) {
      case QUOTE:
        textStart = at;
        at = endOfText(bytes, at);
        textEnd = at - 1;
        break;
      case COLON:
        if (depth === 1) {
          fieldStart = textStart;
          fieldEnd = textEnd;
        }
        break;
      case COMMA: {
        values += 1;
        if (values > limits.values) return excess('values');
        const before = (commas[depth] ?? 0) + 1;
        commas[depth] = before;
        if (isObject[depth] === 1) {
          if (before >= limits.fields) return excess('fields');
        } else if (!countsValues && before >= lookAheadFrom) {
          const to = endOfNumbers(bytes, at);
          if (to - at < WORTH_BYTES) lookAheadFrom *= 2;
          at = to;
        }
        break;
      }
      case BRACE_OPEN:
      case BRACKET_OPEN:
        depth += 1;
        containers += 1;
        values += 1;
        if (depth > limits.depth) return excess('depth');
        if (containers > limits.containers) return excess('containers');
        if (values > limits.values) return excess('values');
        commas[depth] = 0;
        isObject[depth] = byte === BRACE_OPEN ? 1 : 0;
        break;
      case BRACE_CLOSE:
      case BRACKET_CLOSE:
        if (depth > 0) depth -= 1;
        break;
      default:
    }
  }
  return undefined;
}

/** Where a list of numbers that starts at `from` ends, or as far as it is seen to go on. */
function endOfNumbers(bytes: Buffer, from: number): number {
  let rest = bytes.subarray(from, from + LOOK_AHEAD_BYTES);
  for (const byte of [BRACKET_CLOSE, QUOTE, BRACKET_OPEN, BRACE_OPEN]) {
    const found = rest.indexOf(byte);
    if (found >= 0) rest = rest.subarray(0, found);
  }
  return from + rest.length;
}

/** The offset after the quote that ends a string which starts at `from`. */
function endOfText(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let at = from;
  for (;;) {
    const readTo = Math.min(length, at + READ_THROUGH_BYTES);
    while (at < readTo) {
      const byte = bytes[at];
      at += 1;
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at += 1;
    }
    if (at >= length) return length;
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return length;
    if (!isEscaped(bytes, quote, at)) return quote + 1;
    // Strings with many escapes are read byte by byte.
    at = quote + 1;
  }
}

/** Whether an odd number of backslashes precedes the quote, not counting those before `from`. */
function isEscaped(bytes: Buffer, quote: number, from: number): boolean {
  let backslashes = 0;
  while (quote - 1 - backslashes >= from && bytes[quote - 1 - backslashes] === BACKSLASH) {
    backslashes += 1;
  }
  return backslashes % 2 === 1;
}

/** The place of a syntax error. Counts start at 1, except the position. */
export interface SyntaxPlace {
  position: number;
  line: number;
  column: number;
}

/**
 * Extracts the place from the parser's error, whose message may quote the document. Undefined: it
 * names none.
 */
export function syntaxPlace(text: string, error: unknown): SyntaxPlace | undefined {
  const message = error instanceof Error ? error.message : '';
  const found = /at position (\d+)/.exec(message)?.[1];
  const unfinished = message.includes('end of JSON input');
  if (!unfinished && found === undefined) return undefined;
  const position = unfinished ? text.length : Number(found);
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at < position; at += 1) {
    if (text.charCodeAt(at) !== LINE_FEED) continue;
    line += 1;
    lineStart = at + 1;
  }
  return { position, line, column: position - lineStart + 1 };
}
