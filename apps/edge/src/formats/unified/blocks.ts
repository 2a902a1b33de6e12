// Content blocks and tool calls of the gateway's own format, in requests and answers.

import { present } from '../json';
import type { ContentBlock, JsonObject } from '../normalised';
import { encodeToolCall } from '../openai-chat/messages';
import { encodeCitation } from '../openai-chat/response';
import { encodeThinking } from '../openai-chat/thinking';

export type UnifiedBlock = Exclude<
  ContentBlock,
  { type: 'tool_call' | 'tool_result' | 'web_search' | 'other' }
>;

/** Block types with a field of their own, or without any. */
const APART: ReadonlySet<ContentBlock['type']> = new Set([
  'tool_call',
  'tool_result',
  'web_search',
  'other',
]);

export function isBlock(block: ContentBlock): block is UnifiedBlock {
  return !APART.has(block.type);
}

export function textIn(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

export function encodeBlock(block: UnifiedBlock): JsonObject {
  switch (block.type) {
    case 'text': {
      const annotations = block.citations?.map(encodeCitation);
      return { type: 'text', text: block.text, ...present({ annotations }) };
    }
    case 'image': {
      const { url, detail } = block;
      return { type: 'image_url', image_url: { url, ...present({ detail }) } };
    }
    case 'audio': {
      const { data, format, id, transcript, expiresAtS: expires_at } = block;
      return { type: 'audio', audio: present({ data, format, id, transcript, expires_at }) };
    }
    case 'file': {
      const { data: file_data, fileId: file_id, filename } = block;
      return { type: 'file', file: present({ file_data, file_id, filename }) };
    }
    case 'refusal':
      return { type: 'refusal', refusal: block.text };
    case 'thinking':
      return encodeThinking(block);
  }
}

export function encodeToolCalls(blocks: readonly ContentBlock[]): { tool_calls?: JsonObject[] } {
  const calls = blocks.filter((block) => block.type === 'tool_call');
  return calls.length > 0 ? { tool_calls: calls.map(encodeToolCall) } : {};
}
