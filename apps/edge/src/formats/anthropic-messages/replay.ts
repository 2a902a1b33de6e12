// Removes reasoning, citations and searches of other providers from a conversation that several
// providers answered. The vendor would refuse them, and every later turn. Removed blocks are
// reported as dropped; the vendor's own stay unchanged.

import type { DropList } from '../drop-list';
import { arrayOf, isObject } from '../json';
import type { JsonObject } from '../normalised';
import { isForeignMark } from '../seals';
import { isUnsealed } from './citations';
import type { Dialect } from './dialects';
import { isForeignSearch } from './web-search';

/** Returns the same messages if there is nothing to remove, which is nearly always. */
export function withoutForeign(messages: unknown, dialect: Dialect, drops: DropList): unknown {
  if (!Array.isArray(messages)) return messages;
  const isForeign = (block: unknown) => isForeignBlock(block, dialect);
  if (!messages.some((message) => contentOf(message)?.some(isForeign))) return messages;
  return messages.flatMap((message: unknown, at) => {
    const content = contentOf(message);
    if (!isObject(message) || !content?.some(isForeign)) return [message];
    const kept = content.flatMap((block: unknown, index) => {
      if (!isObject(block) || !isForeign(block)) return [block];
      return withoutSeal(block, dialect, `messages[${at}].content[${index}]`, drops);
    });
    return kept.length > 0 ? [{ ...message, content: kept }] : [];
  });
}

function contentOf(message: unknown): unknown[] | undefined {
  if (!isObject(message) || message['role'] !== 'assistant') return undefined;
  const { content } = message;
  return Array.isArray(content) ? content : undefined;
}

function isForeignBlock(block: unknown, { sealed }: Dialect): boolean {
  if (!isObject(block)) return false;
  switch (block['type']) {
    case 'thinking':
      return (sealed && !block['signature']) || isForeignMark(block['signature']);
    case 'redacted_thinking':
      return isForeignMark(block['data']);
    case 'text':
      return sealed && arrayOf(block['citations']).some(isUnsealed);
    default:
      return isForeignSearch(block);
  }
}

function withoutSeal(
  block: JsonObject,
  { sealed }: Dialect,
  path: string,
  drops: DropList,
): JsonObject[] {
  if (block['type'] === 'text') {
    drops.drop(`${path}.citations`);
    const citations = arrayOf(block['citations']).filter((citation) => !isUnsealed(citation));
    return [{ ...block, citations: citations.length > 0 ? citations : null }];
  }
  // Providers that do not seal reasoning accept it from any provider.
  const kept = !sealed && block['type'] === 'thinking' && block['thinking'];
  drops.drop(kept ? `${path}.signature` : path);
  return kept ? [{ ...block, signature: '' }] : [];
}
