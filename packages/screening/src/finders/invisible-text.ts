// Characters that people do not see and models read: zero width, direction overrides, and the tag and
// variation characters that smuggle text.

import type { Finder } from '../finder';

// The zero-width joiner and the selectors of emoji (FE0E, FE0F) stay, as do the tags of flags.
const INVISIBLE =
  /[\u200b\u2060-\u2064\u206a-\u206f\u202a-\u202e\u2066-\u2069\u180e\ufff9-\ufffb]+|(?<flag>\u{1f3f4})?[\u{e0000}-\u{e007f}]+|[\u{e0100}-\u{e01ef}]+|(?<=.)\ufeff+/gu;

export function createInvisibleFinder(rule: number): Finder {
  return {
    scan: (text, found) => {
      let lastEnd = 0;
      for (const { 0: run, groups, index } of text.matchAll(INVISIBLE)) {
        if (groups?.['flag'] !== undefined) continue;
        lastEnd = index + run.length;
        found.push({ start: index, end: lastEnd, label: 'INVISIBLE', rule });
      }
      return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;
    },
  };
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
