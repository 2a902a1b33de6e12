// Removes reasoning and searches of other providers from a conversation that several providers
// answered, because the vendor refuses them. Removed items are reported as dropped.

import type { DropList } from '../drop-list';
import { isObject } from '../json';
import { isForeignMark } from '../seals';
import { isForeignSearch } from './web-search';

/** Returns the same input if there is nothing to remove, which is nearly always. */
export function withoutForeign(input: unknown, drops: DropList): unknown {
  if (!Array.isArray(input) || !input.some(isForeign)) return input;
  return input.filter((item, at) => {
    if (isForeign(item)) drops.drop(`input[${at}]`);
    return !isForeign(item);
  });
}

function isForeign(item: unknown): boolean {
  if (!isObject(item)) return false;
  if (item['type'] === 'reasoning') return isForeignMark(item['encrypted_content']);
  return isForeignSearch(item);
}
