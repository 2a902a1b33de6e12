// Estimates the most tokens that a text can count as. Tokenisers differ, so each kind of character
// has a weight above what common tokenisers give for ordinary text of every script; the test in
// this folder holds measured counts. Weights are twelfths of a token, so that sums stay integers.

const UNITS_PER_TOKEN = 12;

/**
 * English has four or more letters per token; languages with long words have little more than two.
 */
const LOWER_CASE = 5;
/** Identifiers split into more tokens. */
const UPPER_CASE = 6;
/** Some tokenisers use one token per digit. */
const DIGIT = 12;
/** A single space belongs to the word after it. */
const BLANK = 2;
const LINE_BREAK = 8;
const PUNCTUATION = 9;
const CONTROL = 12;

function asciiWeight(code: number): number {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return LOWER_CASE;
  if (/[A-Z]/.test(character)) return UPPER_CASE;
  if (/[0-9]/.test(character)) return DIGIT;
  if (character === ' ') return BLANK;
  if (character === '\n' || character === '\r' || character === '\t') return LINE_BREAK;
  return code < 32 || code === 127 ? CONTROL : PUNCTUATION;
}

/**
 * The weight of a UTF-16 unit, by its block of 128: the first row whose `below` is above the block.
 */
const BLOCKS: readonly { below: number; weight: number }[] = [
  { below: 0x0250, weight: 12 }, // Latin with accents
  { below: 0x0370, weight: 12 }, // phonetic letters, combining marks
  { below: 0x0400, weight: 14 }, // Greek
  { below: 0x0500, weight: 9 }, // Cyrillic
  { below: 0x0590, weight: 28 }, // Armenian
  { below: 0x0780, weight: 14 }, // Hebrew, Arabic, Syriac
  { below: 0x0900, weight: 24 },
  { below: 0x0980, weight: 20 }, // Devanagari
  { below: 0x0e00, weight: 30 }, // scripts of South Asia
  { below: 0x0e80, weight: 16 }, // Thai
  { below: 0x1e00, weight: 36 }, // Lao, Tibetan, Burmese, Georgian, Ethiopic, Khmer, Mongolian, …
  { below: 0x1f00, weight: 24 }, // Vietnamese
  { below: 0x2000, weight: 24 }, // polytonic Greek
  { below: 0x3000, weight: 24 }, // punctuation, symbols, box drawing
  { below: 0x3100, weight: 14 }, // kana and punctuation
  { below: 0xa000, weight: 20 }, // Han
  { below: 0xac00, weight: 36 },
  { below: 0xd800, weight: 20 }, // Hangul
  { below: 0xe000, weight: 20 }, // halves of characters beyond the first plane, emoji among them
  { below: 0x10000, weight: 30 },
];

/** Indexed by UTF-16 unit. */
const WEIGHTS = Uint8Array.from({ length: 0x10000 }, (_, code) =>
  code < 128 ? asciiWeight(code) : pageWeight(code - (code % 128)),
);

function pageWeight(first: number): number {
  return BLOCKS.find(({ below }) => first < below)?.weight ?? CONTROL * 3;
}

export function estimateText(text: string): number {
  const units = text.length < COPIED_FROM ? unitsIn(text) : unitsCopied(text);
  return Math.ceil(units / UNITS_PER_TOKEN);
}

function unitsIn(text: string): number {
  let units = 0;
  for (let at = 0; at < text.length; at += 1) units += WEIGHTS[text.charCodeAt(at)] ?? 0;
  return units;
}

const copied = new Uint16Array(8 * 1024);
const copiedBytes = Buffer.from(copied.buffer);
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
/**
 * From this length on, copying the text into a buffer is faster than reading each unit from the
 * string.
 */
const COPIED_FROM = isLittleEndian ? 64 : Infinity;

function unitsCopied(text: string): number {
  let units = 0;
  for (let from = 0; from < text.length; from += copied.length) {
    const length = Math.min(copied.length, text.length - from);
    copiedBytes.write(length === text.length ? text : text.slice(from, from + length), 'utf16le');
    for (let at = 0; at < length; at += 1) units += WEIGHTS[copied[at] ?? 0] ?? 0;
  }
  return units;
}
