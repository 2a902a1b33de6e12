// Integers with more digits than a JavaScript number holds. JSON.parse would round them, and a
// reviver with source access is a hundred times slower. So they are marked in the text first and
// restored in the value. Imports nothing, because a worker thread loads this file.

/** An integer with this many digits may lose precision as a number. */
const LONG_DIGITS = 16;
/** Limit of long numbers in one document. */
export const LONG_NUMBERS_MOST = 65_536;

/**
 * Whether the text may hold an integer with this many digits. One of its digits would be at a
 * multiple of that length, so only those positions are checked. Digits in fractions and in strings
 * do not count.
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
 * The text with each long integer in quotes and prefixed with the mark. The mark must not occur in
 * the document, so it is random.
 * @throws RangeError for more than `LONG_NUMBERS_MOST` of them
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

/** Restores the numbers, each made by `numberOf` from its digits. Modifies the value in place. */
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
    // A field may have any name, including `__proto__`.
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

/** Checks what follows: a property name is not a number. */
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
