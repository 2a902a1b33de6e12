// Cuts a text so that the tokeniser's work is bounded. Merging is quadratic in the length of one
// word, and a word may be a megabyte of one letter.

/**
 * Limit of a run of UTF-16 characters of one kind (letters, blanks, marks) that is counted as one.
 * Digits are counted in threes, so the limit is a multiple of three.
 */
export const RUN_CHARACTERS = 240;
/** The approximate size of a piece. */
export const PIECE_CHARACTERS = 16 * 1024;

/**
 * Pieces that together are the text. Text with words is cut only between words, where the tokeniser
 * cuts too, so its count does not change. A longer run than any word is cut anyway.
 */
export function boundedPieces(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let runKind: number = NONE;
  let run = 0;
  for (let at = 0; at < text.length; at += 1) {
    const kind = kindAt(text, at);
    const goesOn = kind === runKind || kind === OTHER || runKind === OTHER;
    run = goesOn ? run + 1 : 1;
    if (kind !== OTHER || !goesOn) runKind = kind;
    const tooLong = run > RUN_CHARACTERS && !isLowSurrogate(text, at);
    if (tooLong || (at - start >= PIECE_CHARACTERS && isBetweenWords(text, at))) {
      pieces.push(text.slice(start, at));
      start = at;
      run = 1;
      runKind = kind;
    }
  }
  if (start < text.length) pieces.push(text.slice(start));
  return pieces;
}

const [NONE, SPACE, LETTER, DIGIT, MARK, OTHER] = [0, 1, 2, 3, 4, 5] as const;

/** The kind of each UTF-16 unit, filled on first use, because the lookup by Unicode property is slow. */
const KINDS = new Uint8Array(0x1_0000);

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (Number.isNaN(code)) return NONE;
  return KINDS[code] || (KINDS[code] = kindOf(text.charAt(at)));
}

function kindOf(character: string): number {
  if (/\s/.test(character)) return SPACE;
  if (/\p{L}/u.test(character)) return LETTER;
  if (/\p{N}/u.test(character)) return DIGIT;
  // Combining marks and surrogates continue any run.
  return /[\p{M}\p{Cs}]/u.test(character) ? OTHER : MARK;
}

/** A single blank between two letters starts a word in any context. */
function isBetweenWords(text: string, at: number): boolean {
  return (
    text.charCodeAt(at) === BLANK &&
    kindAt(text, at - 1) === LETTER &&
    kindAt(text, at + 1) === LETTER
  );
}

const BLANK = 32;

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code < 0xe000;
}
