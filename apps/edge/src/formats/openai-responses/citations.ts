// Citations. Offsets are relative to a text part in the responses format, and to the whole text in
// the hub.

import { countOf, objectOf, present, textOf } from '../json';
import type { Citation, JsonObject } from '../normalised';

/**
 * Undefined for citations without a URL, such as positions in files; `start` is the part's offset.
 */
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

/** `start` and `end` are the part's offsets within the whole text; clients rely on all fields. */
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
