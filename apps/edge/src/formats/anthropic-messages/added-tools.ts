// The tools that a conversation adds to those of the request: definitions in `tool_addition` blocks, also
// in those that a compacted turn repeats.

import { arrayOf, isObject, objectOf } from '../json';
import type { JsonObject } from '../normalised';

export interface DeclaredTool {
  tool: JsonObject;
  path: string;
}

export function addsTools(messages: unknown): boolean {
  return arrayOf(messages).some((message) => arrayOf(objectOf(message)?.['content']).some(adds));
}

function adds(block: unknown): boolean {
  const { type, tool_changes: changes } = objectOf(block) ?? {};
  return type === 'tool_addition' || arrayOf(changes).length > 0;
}

export function addedTools(messages: unknown): DeclaredTool[] {
  const found: DeclaredTool[] = [];
  changeAddedTools(messages, (tool, path) => {
    found.push({ tool, path });
    return tool;
  });
  return found;
}

type Change = (tool: JsonObject, path: string) => JsonObject;

/** Returns the same messages if they add no tools, which is nearly always. */
export function changeAddedTools(messages: unknown, change: Change): unknown {
  if (!Array.isArray(messages) || !addsTools(messages)) return messages;
  return messages.map((message: unknown, at) => {
    const content = objectOf(message)?.['content'];
    if (!isObject(message) || !Array.isArray(content)) return message;
    return { ...message, content: changeBlocks(content, `messages[${at}].content`, change) };
  });
}

function changeBlocks(blocks: unknown[], path: string, change: Change): unknown[] {
  return blocks.map((block, at) => {
    const own = `${path}[${at}]`;
    if (!isObject(block)) return block;
    const { tool_changes: changes } = block;
    if (Array.isArray(changes)) {
      return { ...block, tool_changes: changeBlocks(changes, `${own}.tool_changes`, change) };
    }
    const tool = block['type'] === 'tool_addition' ? objectOf(block['tool']) : undefined;
    const definition = objectOf(tool?.['definition']);
    if (definition === undefined) return block;
    return {
      ...block,
      tool: { ...tool, definition: change(definition, `${own}.tool.definition`) },
    };
  });
}
