import fc from 'fast-check';

import { editPieces } from './edit-pieces';
import type { Hit } from './finder';
import { decodedText } from './json-text';

/** Replaces each hit by its label. */
const onHits = (hits: readonly Hit[]) =>
  hits.map(({ end, label, start }) => ({ start, end, text: label }));

function cut(text: string, cuts: readonly number[]): string[] {
  const ends = [...cuts.map((at) => at % (text.length + 1)), text.length].toSorted((a, b) => a - b);
  return ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end));
}

test('an edited text is the same in however many pieces it is', () => {
  const words = fc.array(fc.constantFrom('Bob', ' ', '"', '\\', '\n', 'é', '🙂', 'x'), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(words, fc.array(fc.nat(), { maxLength: 8 }), fc.boolean(), (parts, cuts, json) => {
      const plain = parts.join('');
      const written = json ? JSON.stringify(plain).slice(1, -1) : plain;
      expect(decodedText(written, json)).toBe(plain);
      const found = [...plain.matchAll(/Bob/g)].map(({ index }) => ({
        start: index,
        end: index + 3,
        label: 'NAME',
        rule: 0,
      }));
      const pieces = cut(written, cuts);
      const edited = editPieces({ pieces, json, found, finders: [], onHits });
      expect(edited).toHaveLength(pieces.length);
      const together = edited.join('');
      const read: unknown = json ? JSON.parse(`"${together}"`) : together;
      expect(read).toBe(plain.replaceAll('Bob', 'NAME'));
    }),
  );
});
