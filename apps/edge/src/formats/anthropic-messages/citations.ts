// Citations, which the messages format hangs on the block of text that rests on them. Only those
// that lead to an address are known elsewhere.

import { objectOf, present, textOf } from '../json';
import type { Citation, JsonObject } from '../normalised';

/** Undefined for a place in a document that only the request knows. */
export function decodeCitation(value: unknown): Citation | undefined {
  const wire = objectOf(value) ?? {};
  const found =
    wire['type'] === 'search_result_location' ? textOf(wire['source']) : textOf(wire['url']);
  return found === undefined
    ? undefined
    : { url: found, ...present({ title: textOf(wire['title']) }) };
}

/** The seal is what lets the vendor take its own citation back; nobody else can write one. */
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
