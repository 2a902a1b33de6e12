/** A text that a rule looks for. Offsets are UTF-16. */
export interface Hit {
  start: number;
  end: number;
  /** Its kind, in capital letters: names the placeholder that masks it. */
  label: string;
  /** The rule's place in the list of rules. */
  rule: number;
  /** What masks it, instead of a placeholder. */
  replacement?: string | undefined;
}

/** Looks for the texts of one or several rules. */
export interface Finder {
  /** It withholds a part of every text, as it cannot tell what may complete a hit. */
  readonly windowed?: boolean;
  /**
   * Adds the hits to `found`, each rule's without overlap. The end of the text counts as the end of a word.
   * Returns where a hit may begin that more text would complete or change; the length of the text: nowhere.
   * `from`: where the given text begins in the whole one; 0 unless it comes in pieces.
   */
  scan: (text: string, found: Hit[], from?: number) => number;
}

/** Letters, digits and the underscore, in any script. */
export function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return isAsciiWord(code);
  return WORD.test(characterAround(text, at));
}

const WORD = /^[\p{L}\p{N}\p{M}]/u;

/** The character that has this UTF-16 unit, which may be one half of a pair. */
function characterAround(text: string, at: number): string {
  const unit = text.charCodeAt(at);
  const second = unit >= 0xdc00 && unit <= 0xdfff && at > 0;
  return String.fromCodePoint(text.codePointAt(second ? at - 1 : at) ?? 0);
}

export function isAsciiWord(code: number): boolean {
  return isDigit(code) || isLetter(code) || code === 95;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}
