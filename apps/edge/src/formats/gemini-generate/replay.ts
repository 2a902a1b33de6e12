// Removes seals of other providers from a conversation that several providers answered, because the
// vendor refuses them. Removed seals are reported as dropped.

import type { DropList } from '../drop-list';
import { arrayOf, isObject } from '../json';
import type { JsonObject } from '../normalised';
import { isForeignMark } from '../seals';
import type { Generation } from './dialects';
import { fieldOf, spellingOf } from './names';
import { UNSEALED } from './signatures';

const SEAL = 'thoughtSignature';

/** Returns the same contents if there is nothing to remove, which is nearly always. */
export function withoutForeign(
  contents: unknown,
  { signedCalls }: Generation,
  drops: DropList,
): unknown {
  const list = isObject(contents) ? [contents] : arrayOf(contents);
  if (!list.some((content) => partsOf(content).some(isForeign))) return contents;
  return list.flatMap((content: unknown, at) => {
    const parts = partsOf(content);
    if (!isObject(content) || !parts.some(isForeign)) return [content];
    const kept = parts.flatMap((part: unknown, index) => {
      if (!isObject(part) || !isForeign(part)) return [part];
      drops.drop(`contents[${at}].parts[${index}].${spellingOf(part, SEAL)}`);
      return withoutSeal(part);
    });
    if (signedCalls) excuseCall(kept);
    return kept.length > 0 ? [{ ...content, parts: kept }] : [];
  });
}

function partsOf(content: unknown): unknown[] {
  const parts = isObject(content) ? content['parts'] : undefined;
  return isObject(parts) ? [parts] : arrayOf(parts);
}

function isForeign(part: unknown): boolean {
  return isObject(part) && isForeignMark(fieldOf(part, SEAL));
}

/** A part that only carries its seal is removed with it. */
function withoutSeal(part: JsonObject): JsonObject[] {
  const { [spellingOf(part, SEAL)]: _, ...rest } = part;
  return rest['text'] === '' ? [] : [rest];
}

/** The vendor refuses a turn whose first call has no seal, and another provider's turn has none. */
function excuseCall(parts: unknown[]): void {
  const at = parts.findIndex((part) => isObject(part) && isObject(fieldOf(part, 'functionCall')));
  const call = parts[at];
  if (!isObject(call) || fieldOf(call, SEAL)) return;
  parts[at] = { ...call, [SEAL]: UNSEALED };
}
