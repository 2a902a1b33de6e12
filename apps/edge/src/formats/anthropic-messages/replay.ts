// What a conversation that went to several providers brings back to one: reasoning, citations and
// searches that it never wrote, though it was this format that carried them. The vendor refuses them, and with them
// every further turn, so they are left out, by name. Its own blocks stay as they are.

import type { DropList } from '../drop-list';
import { arrayOf, isObject } from '../json';
import type { JsonObject } from '../normalised';
import { isForeignMark } from '../seals';
import { isUnsealed } from './citations';
import type { Dialect } from './dialects';
import { isForeignSearch } from './web-search';

/** The same messages where there is nothing to leave out, which is nearly always. */
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
  // Those who do not seal reasoning take it from anyone.
  const kept = !sealed && block['type'] === 'thinking' && block['thinking'];
  drops.drop(kept ? `${path}.signature` : path);
  return kept ? [{ ...block, signature: '' }] : [];
}
