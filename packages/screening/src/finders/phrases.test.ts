import fc from 'fast-check';

import type { Hit } from '../finder';
import { createPhraseFinder, type Phrase } from './phrases';

const phrase = (text: string, over: Partial<Phrase> = {}): Phrase => ({
  text,
  rule: 0,
  label: 'KEYWORD',
  caseSensitive: false,
  wholeWord: false,
  ...over,
});

function found(phrases: readonly Phrase[], text: string): string[] {
  const hits: Hit[] = [];
  createPhraseFinder(phrases).scan(text, hits);
  return hits.map(({ end, start }) => text.slice(start, end));
}

test('finds the same as a search for each phrase', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' '), maxLength: 40 });
  const some = fc.uniqueArray(
    fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }),
    {
      minLength: 1,
      maxLength: 6,
    },
  );
  fc.assert(
    fc.property(some, letters, (words, text) => {
      const hits: Hit[] = [];
      const phrases = words.map((word, rule) => phrase(word, { rule }));
      createPhraseFinder(phrases).scan(text, hits);
      for (const [rule, word] of words.entries()) {
        const ends = hits.filter((hit) => hit.rule === rule).map(({ end }) => end);
        const expected: number[] = [];
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
          expected.push(at + word.length);
        }
        expect(ends).toEqual(expected);
      }
    }),
  );
});

test('what may still become a phrase is open', () => {
  const finder = createPhraseFinder([phrase('secret project')]);
  expect(finder.scan('the secret pro', [])).toBe(4);
  expect(finder.scan('the secret prop', [])).toBe(15);
  expect(finder.scan('nothing', [])).toBe(7);
});

test('letters match in any case, and any blank matches a space', () => {
  expect(found([phrase('projekt größe')], 'PROJEKT\nGRÖSSE, Projekt\u00a0GRÖßE')).toEqual([
    'Projekt\u00a0GRÖßE',
  ]);
  expect(found([phrase('Acme', { caseSensitive: true })], 'acme Acme ACME')).toEqual(['Acme']);
});

test('whole words only, in any script', () => {
  const word = { wholeWord: true };
  expect(found([phrase('art', word)], 'art, smart art_ artful état-art')).toEqual(['art', 'art']);
  expect(found([phrase('кот', word)], 'кот который скот')).toEqual(['кот']);
  expect(found([phrase('[/inst]', word)], 'x[/INST]y')).toEqual(['[/INST]']);
});

test('a text whose small letters are longer keeps its offsets', () => {
  expect(found([phrase('istanbul')], 'İİ istanbul')).toEqual(['istanbul']);
});

test('too many different characters are refused', () => {
  const phrases = Array.from({ length: 2_000 }, (_, at) =>
    phrase(
      Array.from({ length: 200 }, (__, n) =>
        String.fromCharCode(0x4e00 + ((at * 200 + n) % 20_000)),
      ).join(''),
    ),
  );
  expect(() => createPhraseFinder(phrases)).toThrow('too many');
});
