// What a conversation that went to several providers brings back to one: reasoning and searches that it
// never made, though it was this format that carried them. It refuses them, so they are left out, by name.

import type { DropList } from '../drop-list';
import { isObject } from '../json';
import { isForeignMark } from '../seals';
import { isForeignSearch } from './web-search';

/** The same input where there is nothing to leave out, which is nearly always. */
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
