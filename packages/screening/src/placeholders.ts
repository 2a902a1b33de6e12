// Placeholders for masked texts. The same text gets the same one, numbered by first occurrence, so that the
// turns of a conversation keep the same beginning and a provider's prompt cache stays valid.

import type { Finder } from './finder';

export interface Placeholders {
  /** The placeholder of a text. `restored`: an answer that repeats it gets the text back. */
  of: (label: string, text: string, restored: boolean) => string;
  /** Marks placeholders that the client itself wrote, which stay as they are. */
  reserve: (text: string) => void;
  /** Undefined: nobody masked this, or it is not put back. */
  textOf: (placeholder: string) => string | undefined;
  /** Whether an answer may contain something to put back. */
  readonly any: () => boolean;
  /** Replaces texts that an answer got back by their placeholders, also where they are escaped in JSON. */
  readonly hide: Hide;
}

/** Undefined: there are too many texts to look for. `cut`: the text goes on, and may end within one of them. */
export type Hide = (text: string, cut?: boolean) => string | undefined;

/** Looking for more of them in a long text takes too long. */
const MOST_HIDDEN = 256;

const WRITTEN = /<[A-Z][A-Z0-9_]*_\d{1,6}>/g;

/** `from`: numbers begin after it. */
export function createPlaceholders(from = 0): Placeholders {
  const byText = new Map<string, string>();
  const originals = new Map<string, string>();
  const reserved = new Set<string>();
  const counts = new Map<string, number>();
  let looked: LookedFor | undefined;

  const next = (label: string): string => {
    for (;;) {
      const number = (counts.get(label) ?? from) + 1;
      counts.set(label, number);
      const placeholder = `<${label}_${number}>`;
      if (!reserved.has(placeholder)) return placeholder;
    }
  };

  return {
    of: (label, text, restored) => {
      const key = `${label} ${text}`;
      const known = byText.get(key) ?? next(label);
      byText.set(key, known);
      if (restored) originals.set(known, text);
      return known;
    },
    reserve: (text) => {
      for (const [written] of text.matchAll(WRITTEN)) reserved.add(written);
    },
    textOf: (placeholder) => originals.get(placeholder),
    any: () => originals.size > 0,
    hide: (text, cut = false) => {
      if (originals.size === 0) return text;
      if (originals.size > MOST_HIDDEN) return undefined;
      if (looked?.originals !== originals.size) looked = lookFor(originals);
      return hidden(looked, text, cut);
    },
  };
}

interface LookedFor {
  /** How many there were: none is ever taken away. */
  readonly originals: number;
  /** The longest first, as one may be a part of another. */
  readonly written: readonly { readonly placeholder: string; readonly original: string }[];
}

function lookFor(originals: ReadonlyMap<string, string>): LookedFor {
  const written = [...originals].flatMap(([placeholder, original]) => {
    const inJson = JSON.stringify(original).slice(1, -1);
    const plain = { placeholder, original };
    return inJson === original ? [plain] : [plain, { placeholder, original: inJson }];
  });
  written.sort((one, other) => other.original.length - one.original.length);
  return { originals: originals.size, written };
}

function hidden({ written }: LookedFor, text: string, cut: boolean): string {
  let result = text;
  for (const { original, placeholder } of written) {
    result = result.replaceAll(original, () => placeholder);
  }
  const longest = written[0]?.original.length ?? 0;
  return cut ? result.slice(0, Math.max(0, result.length - longest + 1)) : result;
}

/** The label of hits that are placeholders. */
export const PLACEHOLDER = 'PLACEHOLDER';
/** No rule has this place in a list. */
export const NO_RULE = -1;

// A model may write < and > of a JSON text as escapes.
const ANSWERED = /(?:<|\\u003[cC])[A-Z][A-Z0-9_]*_\d{1,6}(?:>|\\u003[eE])/g;
const UNFINISHED =
  /(?:<|\\(?:u(?:0(?:0(?:3(?:[cC])?)?)?)?)?)(?:[A-Z][A-Z0-9_]*)?(?:\\(?:u(?:0(?:0(?:3)?)?)?)?)?$/;

/** Finds placeholders in an answer. */
export function createPlaceholderFinder(): Finder {
  return {
    scan: (text, found) => {
      for (const { 0: written, index } of text.matchAll(ANSWERED)) {
        found.push({
          start: index,
          end: index + written.length,
          label: PLACEHOLDER,
          rule: NO_RULE,
        });
      }
      const from = Math.max(0, text.length - 80);
      const at = text.slice(from).search(UNFINISHED);
      return at < 0 ? text.length : from + at;
    },
  };
}

export function plainPlaceholder(written: string): string {
  return written.replace(/^\\u003[cC]/, '<').replace(/\\u003[eE]$/, '>');
}
