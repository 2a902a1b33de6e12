// Unwraps answers whose schema was wrapped in an object, because the target requires an object at
// the root: `{"value": [1, 2]}` becomes `[1, 2]`, piece by piece in a stream.

/** The one property around the client's schema. */
export const WRAPPED_PROPERTY = 'value';

/** The text before the value. White space is allowed between tokens. */
const OPENING: readonly string[] = ['{', `"${WRAPPED_PROPERTY}"`, ':'];
/** A longer opening is not recognised. */
const OPENING_CHARACTERS = 256;

export interface Unwrapper {
  /** Takes a piece of text and returns the part that belongs to the value. */
  push(text: string): string;
  /** The text has ended: returns held text that was not part of the wrapper. */
  finish(): string;
  /** The number of characters removed before the value. */
  readonly removed: number;
}

type State = 'before' | 'within' | 'after' | 'bare';

/** Text that is not wrapped passes through unchanged. The buffered text is bounded. */
export function createUnwrapper(): Unwrapper {
  let state: State = 'before';
  let held = '';
  let removed = 0;
  let closing = 0;
  let scan = createValueScan();

  function open(): string {
    const rest = afterOpening(held);
    if (rest === 'more' && held.length <= OPENING_CHARACTERS) return '';
    const text = held;
    held = '';
    if (typeof rest !== 'number') {
      state = 'bare';
      return text;
    }
    state = 'within';
    removed += closing + rest;
    closing = 0;
    scan = createValueScan();
    return take(text.slice(rest));
  }

  function take(text: string): string {
    if (text === '') return '';
    if (state === 'bare') return text;
    if (state === 'before') {
      held += text;
      return open();
    }
    if (state === 'within') {
      const end = scan.endIn(text);
      if (end === undefined) return text;
      state = 'after';
      return text.slice(0, end) + take(text.slice(end));
    }
    return close(text);
  }

  /** Only the end of the object follows the value. Another answer may come after it. */
  function close(text: string): string {
    const at = text.search(/[^\s]/);
    if (at === -1) {
      closing += text.length;
      return '';
    }
    if (text[at] !== '}') {
      state = 'bare';
      return text;
    }
    closing += at + 1;
    state = 'before';
    return take(text.slice(at + 1));
  }

  return {
    push: take,
    finish() {
      const text = held.trim() === '' ? '' : held;
      held = '';
      return text;
    },
    get removed() {
      return removed;
    },
  };
}

/** The offset of the value; `more` if undecided, `none` if there is no opening. */
function afterOpening(text: string): number | 'more' | 'none' {
  let at = 0;
  const skipSpace = (): void => {
    while (at < text.length && /\s/.test(text[at] ?? '')) at += 1;
  };
  for (const token of OPENING) {
    skipSpace();
    const found = text.slice(at, at + token.length);
    if (!token.startsWith(found)) return 'none';
    if (found.length < token.length) return 'more';
    at += token.length;
  }
  skipSpace();
  return at < text.length ? at : 'more';
}

/** Follows one JSON value through pieces of text to find its end. */
function createValueScan() {
  let depth = 0;
  let inString = false;
  let escaped = false;

  /** Undefined while the value continues; otherwise its end, exclusive. */
  function endIn(text: string): number | undefined {
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at] ?? '';
      if (inString) {
        if (escaped) escaped = false;
        else if (character === '\\') escaped = true;
        else if (character === '"') {
          inString = false;
          if (depth === 0) return at + 1;
        }
      } else if (character === '"') inString = true;
      else if (character === '{' || character === '[') depth += 1;
      else if (character === '}' || character === ']') {
        // The end of the object around a number or a literal.
        if (depth === 0) return at;
        depth -= 1;
        if (depth === 0) return at + 1;
      } else if (depth === 0 && /\s/.test(character)) return at;
    }
    return undefined;
  }

  return { endIn };
}
