// Citations, which the messages format attaches to a block of text. Other formats only have those
// with a URL.

import { objectOf, present, textOf } from '../json';
import type { Citation, JsonObject } from '../normalised';

/** Undefined for a position in a document that only the request has. */
export function decodeCitation(value: unknown): Citation | undefined {
  const wire = objectOf(value) ?? {};
  const found =
    wire['type'] === 'search_result_location' ? textOf(wire['source']) : textOf(wire['url']);
  return found === undefined
    ? undefined
    : { url: found, ...present({ title: textOf(wire['title']) }) };
}

/** The vendor accepts only citations with this seal, which only it can write. */
const SEAL = 'encrypted_index';

export function encodeCitation({ url, title }: Citation): JsonObject {
  return {
    type: 'web_search_result_location',
    url,
    title: title ?? null,
    cited_text: '',
    [SEAL]: '',
  };
}

/** Whether a citation is one that `encodeCitation` wrote. */
export function isUnsealed(value: unknown): boolean {
  return objectOf(value)?.[SEAL] === '';
}
