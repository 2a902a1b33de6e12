// The ids of output items, by which later requests may refer to them.

import { arrayOf, objectOf, textOf } from '../json';
import type { JsonObject } from '../normalised';

/** Most items of one answer whose ids are kept. */
const MOST_ITEMS = 64;
const ID_CHARACTERS = 256;

/** Adds an item's id to the list, up to its limit. */
export function addItemId(ids: string[], item: unknown): void {
  const id = textOf(objectOf(item)?.['id']) ?? '';
  if (id === '' || id.length > ID_CHARACTERS || ids.length >= MOST_ITEMS) return;
  if (!ids.includes(id)) ids.push(id);
}

/** The ids of a whole answer's items; undefined: it has none. */
export function outputItemIds(response: JsonObject): string[] | undefined {
  const ids: string[] = [];
  for (const item of arrayOf(response['output'])) addItemId(ids, item);
  return ids.length > 0 ? ids : undefined;
}
