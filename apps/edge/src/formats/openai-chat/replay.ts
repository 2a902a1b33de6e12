// Removes reasoning that another provider sealed from a conversation that several providers
// answered. Removed blocks are reported as dropped.

import type { DropList } from '../drop-list';
import { isObject } from '../json';
import type { JsonObject } from '../normalised';
import type { Dialect } from './dialects';
import { isForeignBlock } from './thinking';

const BLOCKS = 'thinking_blocks';

/** Returns the same messages if there is nothing to remove, which is nearly always. */
export function withoutForeign(messages: unknown, dialect: Dialect, drops: DropList): unknown {
  if (!Array.isArray(messages)) return messages;
  // A provider that takes no reasoning back has sealed none of the blocks.
  const isForeign = (block: unknown) => !dialect.reasoning || isForeignBlock(block);
  if (!messages.some((message) => blocksOf(message)?.some(isForeign))) return messages;
  return messages.map((message: unknown, at) => {
    const blocks = blocksOf(message);
    if (!isObject(message) || !blocks?.some(isForeign)) return message;
    for (const [index, block] of blocks.entries()) {
      if (isForeign(block)) drops.drop(`messages[${at}].${BLOCKS}[${index}]`);
    }
    return withBlocks(
      message,
      blocks.filter((block) => !isForeign(block)),
    );
  });
}

function blocksOf(message: unknown): unknown[] | undefined {
  const blocks = isObject(message) ? message[BLOCKS] : undefined;
  return Array.isArray(blocks) ? blocks : undefined;
}

function withBlocks(message: JsonObject, blocks: unknown[]): JsonObject {
  const { [BLOCKS]: _, ...rest } = message;
  return blocks.length > 0 ? { ...rest, [BLOCKS]: blocks } : rest;
}
