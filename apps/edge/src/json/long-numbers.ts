// Whole numbers with more digits than a number holds. A parser would round them, and one that shows its source
// text is a hundred times slower, so they are marked in the text first and put back into the value. Imports
// nothing, because a thread of its own loads it as a file.

/** A whole number of this many digits may not fit into a number without loss. */
const LONG_DIGITS = 16;
/** More than any document has that means well. */
export const LONG_NUMBERS_MOST = 65_536;

/**
 * Whether the text may hold a whole number of so many digits. One of its digits is then at a multiple of
 * that count, so only those places are looked at. Digits of fractions and of ids in strings do not count.
 */
export function hasLongNumber(text: string): boolean {
  for (let at = LONG_DIGITS - 1; at < text.length; at += LONG_DIGITS) {
    if (!isDigit(text, at)) continue;
    let start = at;
    let end = at + 1;
    while (isDigit(text, start - 1)) start -= 1;
    while (isDigit(text, end)) end += 1;
    if (end - start >= LONG_DIGITS && standsAlone(text, start, end)) return true;
    at = end;
  }
  return false;
}

function standsAlone(text: string, start: number, end: number): boolean {
  const first = text[start - 1] === '-' ? start - 1 : start;
  return '[:, \t\n\r'.includes(text.charAt(first - 1)) && ',]} \t\n\r'.includes(text.charAt(end));
}

/**
 * The text with each whole number that a number cannot hold in quotes and behind the mark. The mark is a JSON
 * text's inside that nobody else can know.
 * @throws RangeError when there are more of them than `LONG_NUMBERS_MOST`
 */
export function markLongNumbers(text: string, mark: string): string {
  const pieces: string[] = [];
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at + 1);
    else if (code === MINUS || isDigitCode(code)) {
      const end = endOfNumber(text, at);
      const literal = text.slice(at, end);
      if (isInexact(literal) && isValue(text, end)) {
        pieces.push(text.slice(copied, at), `"${mark}${literal}"`);
        if (pieces.length > 2 * LONG_NUMBERS_MOST) throw new RangeError('too many long numbers');
        copied = end;
      }
      at = end;
    } else at += 1;
  }
  pieces.push(text.slice(copied));
  return pieces.join('');
}

/** Puts the numbers back, made by `numberOf` of their digits. Changes the value in its place. */
export function putLongNumbers(
  value: unknown,
  mark: string,
  numberOf: (digits: string) => unknown,
): unknown {
  if (typeof value === 'string') {
    return value.startsWith(mark) ? numberOf(value.slice(mark.length)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    const before = holder[key];
    if (typeof before !== 'string' && typeof before !== 'object') continue;
    const after = putLongNumbers(before, mark, numberOf);
    if (after === before) continue;
    // A field may have any name, even the one that stands for the prototype.
    Object.defineProperty(holder, key, {
      value: after,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return value;
}

const QUOTE = 0x22;
const MINUS = 0x2d;
const BACKSLASH = 0x5c;
const WHOLE = /^-?[1-9]\d*$/;
const IN_NUMBER = /[\d.eE+-]/;
const BLANKS = ' \t\n\r';

function isInexact(literal: string): boolean {
  if (literal.length < LONG_DIGITS || !WHOLE.test(literal)) return false;
  return !Number.isSafeInteger(Number(literal));
}

/** What comes after a value, and not after a name, which cannot be a number. */
function isValue(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && BLANKS.includes(text.charAt(at))) at += 1;
  return at === text.length || ',]}'.includes(text.charAt(at));
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && IN_NUMBER.test(text.charAt(end))) end += 1;
  return end;
}

function endOfText(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    at += code === BACKSLASH ? 2 : 1;
    if (code === QUOTE) return at;
  }
  return text.length;
}

function isDigit(text: string, at: number): boolean {
  return isDigitCode(text.charCodeAt(at));
}

function isDigitCode(code: number): boolean {
  return code >= 48 && code <= 57;
}
