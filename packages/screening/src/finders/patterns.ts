// Patterns that an organisation wrote. RE2 reads a text in linear time whatever the pattern is, so none can
// stop an edge.

import { RE2JS } from 're2js';

import type { Finder } from '../finder';

/** In a stream so much of the text is withheld, because a pattern does not say what may complete it. */
export const PATTERN_WINDOW = 200;

export interface Pattern {
  readonly name: string;
  readonly pattern: string;
}

/** @throws Error that says what is wrong with the pattern */
export function compilePattern(pattern: string, ignoreCase: boolean): RE2JS {
  const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  if (compiled.matcher('').matches()) throw new Error('it matches the empty text');
  return compiled;
}

export function createPatternFinder(
  patterns: readonly Pattern[],
  { ignoreCase, rule }: { ignoreCase: boolean; rule: number },
): Finder {
  const compiled = patterns.map(({ name, pattern }) => ({
    label: name,
    pattern: compilePattern(pattern, ignoreCase),
  }));
  return {
    windowed: true,
    scan: (text, found) => {
      for (const { label, pattern } of compiled) {
        const matcher = pattern.matcher(text);
        while (matcher.find()) {
          const [start, end] = [matcher.start(), matcher.end()];
          if (end > start) found.push({ start, end, label, rule });
        }
      }
      return Math.max(0, text.length - PATTERN_WINDOW);
    },
  };
}
