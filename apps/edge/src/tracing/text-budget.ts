// Bounds the texts of one attribute of a span.

import type { Screening } from '@tollgate/screening';

export interface TextBudget {
  /** What is written of a text. One that does not fit ends with a mark. */
  readonly take: (text: string, more?: boolean) => string;
  /** Room for something beside its texts. False: there is none, and it is left out. */
  readonly open: () => boolean;
  /** Something was left out. */
  readonly cut: () => boolean;
  /** A text cannot be written, as it may have what a rule has masked. */
  readonly masked: () => boolean;
}

/** What a message or a part of one counts for beside its texts. */
const PART_CHARACTERS = 32;

/** Longer than what a rule masks. */
const MARGIN_CHARACTERS = 4_096;

/** `hide`: masks again what answers got back. */
export function createTextBudget(
  characters: number,
  hide: Screening['hide'] | undefined,
): TextBudget {
  let left = characters;
  let cut = false;
  let masked = false;
  return {
    open: () => {
      if (left < PART_CHARACTERS) {
        cut = true;
        return false;
      }
      left -= PART_CHARACTERS;
      return true;
    },
    // `more`: the text goes on where it ends.
    take: (text, more = false) => {
      const near = text.slice(0, left + MARGIN_CHARACTERS);
      const shown = hide ? hide(near, more || near.length < text.length) : near;
      if (shown === undefined) masked = true;
      if (shown === undefined) return '';
      if (shown.length <= left && near.length === text.length && !more) {
        left -= shown.length;
        return shown;
      }
      cut = true;
      const kept = whole(shown.slice(0, left));
      left -= kept.length;
      return `${kept}${CUT_MARK}`;
    },
    cut: () => cut,
    masked: () => masked,
  };
}

export const CUT_MARK = '… [cut]';

/** Without the first half of a character that takes two. */
function whole(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
