import { edited, type Edit } from './channel';
import type { Finder, Hit } from './finder';
import { readJsonText } from './json-text';

export interface PiecesToEdit {
  readonly pieces: readonly string[];
  readonly json: boolean;
  /** Hits in the decoded text of all pieces together. */
  readonly found: Hit[];
  /** Add their hits. */
  readonly finders: readonly Finder[];
  readonly onHits: (hits: readonly Hit[], text: string) => readonly Edit[];
}

/** Edits a text that is complete, but is in pieces that stay apart. */
export function editPieces({ finders, found, json, onHits, pieces }: PiecesToEdit): string[] {
  const whole = pieces.join('');
  const { text, units } = decoded(whole, json);
  for (const finder of finders) finder.scan(text, found);
  if (found.length === 0) return [...pieces];
  found.sort((one, other) => one.start - other.start || other.end - one.end);
  const edits = onHits(found, text);
  if (edits.length === 0) return [...pieces];
  const ends = endsOf(pieces, units);
  let start = 0;
  return pieces.map((piece, at) => {
    const end = ends[at] ?? start;
    const result = edited({ text: piece, start, end, units: units?.slice(start, end) }, edits);
    start = end;
    return result;
  });
}

function decoded(whole: string, json: boolean): { text: string; units?: readonly string[] } {
  if (!json) return { text: whole };
  const { rest, text, units } = readJsonText(whole);
  // An escape that nothing completes stays as it is.
  return { text: text + rest, units: [...units, ...rest.split('')] };
}

/** Where pieces end in the decoded text. An escape in two pieces belongs to the second. */
function endsOf(pieces: readonly string[], units: readonly string[] | undefined): number[] {
  const ends: number[] = [];
  let written = 0;
  let unit = 0;
  let unitEnd = 0;
  for (const piece of pieces) {
    written += piece.length;
    if (units === undefined) unit = written;
    else {
      for (;;) {
        const next = units[unit];
        if (next === undefined || unitEnd + next.length > written) break;
        unitEnd += next.length;
        unit += 1;
      }
    }
    ends.push(unit);
  }
  return ends;
}
