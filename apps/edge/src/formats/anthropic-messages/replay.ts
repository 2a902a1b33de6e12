// What a conversation that went to several providers brings back to the vendor: reasoning and
// citations that the vendor never wrote, though it was this format that carried them. It refuses
// them, and with them every further turn, so they are left out. Its own blocks stay as they are.

import { arrayOf, isObject } from '../json';
import type { JsonObject } from '../normalised';
import { isUnsealed } from './citations';

/** The same messages where there is nothing to leave out, which is nearly always. */
export function withoutUnsealed(messages: unknown): unknown {
  if (!Array.isArray(messages) || !messages.some(hasUnsealed)) return messages;
  return messages.flatMap((message: unknown) => {
    if (!hasUnsealed(message)) return [message];
    const content = message.content.filter((block) => !isUnsigned(block)).map(withoutForeign);
    return content.length > 0 ? [{ ...message, content }] : [];
  });
}

type Answer = JsonObject & { content: unknown[] };

function hasUnsealed(message: unknown): message is Answer {
  if (!isObject(message) || message['role'] !== 'assistant') return false;
  const { content } = message;
  return Array.isArray(content) && content.some((block) => isUnsigned(block) || isForeign(block));
}

function isUnsigned(block: unknown): boolean {
  return isObject(block) && block['type'] === 'thinking' && !block['signature'];
}

function isForeign(block: unknown): block is JsonObject {
  return (
    isObject(block) && block['type'] === 'text' && arrayOf(block['citations']).some(isUnsealed)
  );
}

function withoutForeign(block: unknown): unknown {
  if (!isForeign(block)) return block;
  const citations = arrayOf(block['citations']).filter((citation) => !isUnsealed(citation));
  return { ...block, citations: citations.length > 0 ? citations : null };
}
