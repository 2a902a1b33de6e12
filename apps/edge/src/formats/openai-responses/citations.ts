// Citations, which the responses format counts within the part of text that rests on them, and the
// hub within the whole text of the answer.

import { countOf, objectOf, present, textOf } from '../json';
import type { Citation, JsonObject } from '../normalised';

/** Undefined for what leads to no address, as places in files do; `start` is where the part begins. */
export function decodeCitation(value: unknown, start: number): Citation | undefined {
  const wire = objectOf(value);
  const url = textOf(wire?.['url']);
  if (wire === undefined || url === undefined) return undefined;
  return {
    url,
    ...present({
      title: textOf(wire['title']),
      startIndex: shifted(countOf(wire['start_index']), start),
      endIndex: shifted(countOf(wire['end_index']), start),
    }),
  };
}

function shifted(index: number | undefined, start: number): number | undefined {
  return index === undefined ? undefined : index + start;
}

/** `start` and `end` are where the part of text lies within the whole; clients rely on all fields. */
export function encodeCitation(citation: Citation, start: number, end: number): JsonObject {
  const { url, title = '', startIndex = start, endIndex = end } = citation;
  return {
    type: 'url_citation',
    url,
    title,
    start_index: Math.max(0, startIndex - start),
    end_index: Math.max(0, endIndex - start),
  };
}
