import * as fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

import { boundedPieces, PIECE_CHARACTERS, RUN_CHARACTERS } from './pieces';

/** Runs that o200k treats as one word, with merging quadratic in their length. */
const WORDS =
  /[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

function longestWord(piece: string): number {
  return Math.max(0, ...(piece.match(WORDS) ?? []).map(({ length }) => length));
}

const count = (text: string) => countTokens(text, { disallowedSpecial: new Set() });
const sum = (pieces: readonly string[]) => pieces.reduce((all, piece) => all + count(piece), 0);

const PROSE =
  'The gateway holds what a request may cost, and settles what it did. It’s 12,345 tokens — or ' +
  'so; naïve café, Größe, привет мир, 你好，世界。今天天气很好。 こんにちは、元気ですか。 if (a === b) {\n\treturn `x`;\n}\n';

test('ordinary text is cut at the tokeniser’s own boundaries, so its count is unchanged', () => {
  const long = PROSE.repeat(Math.ceil((4 * PIECE_CHARACTERS) / PROSE.length));
  const pieces = boundedPieces(long);
  expect(pieces.length).toBeGreaterThan(3);
  expect(pieces.join('')).toBe(long);
  expect(sum(pieces)).toBe(count(long));
});

describe('input that is slow to tokenise is cut small', () => {
  const MANY = 100_000;
  test.each([
    ['one letter', 'a'],
    ['capitals', 'Z'],
    ['spaces', ' '],
    ['line ends', '\n'],
    ['marks', '='],
    ['a script without spaces', '漢'],
    ['accents', '\u0301'],
    ['marks with accents', '=\u0301'],
    ['marks and emoji', '=😀'],
    ['emoji', '😀'],
    ['letters with accents', 'a\u0301'],
    ['lone surrogates', '\ud83d'],
    ['digits', '7'],
    ['letters of all cases', 'aZǅʰª漢'],
  ])('%s by the hundred thousand', (_name, unit) => {
    const text = unit.repeat(MANY / unit.length);
    const pieces = boundedPieces(text);
    expect(pieces.join('')).toBe(text);
    for (const piece of pieces) expect(longestWord(piece)).toBeLessThanOrEqual(RUN_CHARACTERS + 8);
    expect(pieces.length).toBeLessThanOrEqual(Math.ceil(text.length / (RUN_CHARACTERS / 2)));
  });

  test('any text', () => {
    const units = ['a', 'B', ' ', '\n', '=', '/', '7', '漢', '\u0301', '😀', "'s", '\u3000', 'ʰ'];
    const text = fc
      .array(fc.tuple(fc.constantFrom(...units), fc.integer({ min: 1, max: 600 })), {
        maxLength: 12,
      })
      .map((parts) => parts.map(([unit, times]) => unit.repeat(times)).join(''));
    fc.assert(
      fc.property(text, (given) => {
        const pieces = boundedPieces(given);
        expect(pieces.join('')).toBe(given);
        const longest = Math.max(0, ...pieces.map(longestWord));
        // A word may have one mark before it and line breaks after it.
        expect(longest).toBeLessThanOrEqual(2 * RUN_CHARACTERS + 8);
      }),
    );
  });
});

test('digits are cut in threes, and characters stay whole', () => {
  const digits = '1234567890'.repeat(100);
  expect(sum(boundedPieces(digits))).toBe(count(digits));
  for (const piece of boundedPieces('😀'.repeat(1_000))) expect(piece.isWellFormed()).toBe(true);
});
