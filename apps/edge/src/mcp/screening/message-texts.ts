// The texts of a JSON-RPC message, of either side.

import type { JsonObject } from '../../formats';
import { isObject } from '../../formats/json';
import { visitTexts, type Leaf } from '../../screening';

/** Parts that have no text of the protocol itself. */
const PARTS = ['params', 'result', 'error'] as const;

/** In the order of the document. Changes go into the message itself. */
export function messageTexts(message: JsonObject): Leaf[] {
  const texts: Leaf[] = [];
  const add = (leaf: Leaf): void => void texts.push(leaf);
  for (const name of PARTS) {
    const part = message[name];
    if (!isObject(part)) continue;
    visitTexts(part, [name], add);
    for (const [field, value] of freeFields(message, part)) {
      // A text of its own has been left out by its name.
      if (typeof value === 'string') add(leafOf(part, name, field, value));
      else visitTexts(value, [name, field], add, true);
    }
  }
  return texts;
}

/** Fields whose names only those know who have filled them, as far as the walk leaves parts of them out. */
function freeFields({ method }: JsonObject, part: JsonObject): [string, unknown][] {
  const { data } = part;
  // A log line, or what an error adds.
  const isData = method === 'notifications/message' || 'code' in part;
  return isData && data !== undefined ? [['data', data]] : [];
}

function leafOf(owner: JsonObject, part: string, field: string, text: string): Leaf {
  const set = (changed: string): void => {
    owner[field] = changed;
  };
  return { text, path: [part, field], set };
}
