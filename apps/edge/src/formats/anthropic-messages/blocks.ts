// Content blocks of a message or a tool result, decoded and encoded.

import { writeCacheMark } from '../cache-marks';
import { isObject, otherFields, parseJson } from '../json';
import type {
  ContentBlock,
  JsonObject,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultBlock,
} from '../normalised';
import { isOwn, readSeal } from '../seals';
import { decodeCitation } from './citations';
import type { Dialect } from './dialects';
import { SEALER } from './seal';
import { decodeDocument, decodeImage, encodeFile, encodeImage } from './sources';
import type { WireBlock } from './wire';

/** Fields of each kind that are decoded, or whose loss changes nothing. */
const FIELDS: Readonly<Record<WireBlock['type'], ReadonlySet<string>>> = {
  text: new Set(['type', 'text', 'citations']),
  image: new Set(['type', 'source']),
  document: new Set(['type', 'source', 'title', 'context', 'citations']),
  search_result: new Set(['type', 'source', 'title', 'content']),
  thinking: new Set(['type', 'thinking', 'signature']),
  redacted_thinking: new Set(['type', 'data']),
  tool_use: new Set(['type', 'id', 'name', 'input']),
  tool_result: new Set(['type', 'tool_use_id', 'content', 'is_error']),
  unknown: new Set(['type', 'raw']),
};

/** Decodes a block; fields that only this format has become extras, by path. */
export function decodeBlock(wire: WireBlock, path: string, extras: JsonObject): ContentBlock[] {
  for (const [name, value] of Object.entries(otherFields(wire, FIELDS[wire.type]))) {
    if (!isDirectCall(name, value)) extras[`${path}.${name}`] = value;
  }
  switch (wire.type) {
    case 'text': {
      const citations = (wire.citations ?? []).flatMap((item) => decodeCitation(item) ?? []);
      const cited = citations.length > 0 ? { citations } : {};
      return wire.text === '' ? [] : [{ type: 'text', text: wire.text, ...cited }];
    }
    case 'image':
      return [decodeImage(wire)];
    case 'document':
      return [decodeDocument(wire, (name, value) => (extras[`${path}.${name}`] = value))];
    case 'search_result': {
      const said = wire.content.map(({ text }) => text);
      return [{ type: 'text', text: [wire.title, wire.source, ...said].join('\n') }];
    }
    case 'thinking': {
      const { thinking: text, signature } = wire;
      return [{ type: 'thinking', text, ...(signature ? readSeal(signature, SEALER) : {}) }];
    }
    case 'redacted_thinking':
      return [{ type: 'thinking', text: '', ...readSeal(wire.data, SEALER, 'redacted') }];
    case 'tool_use': {
      const { id, name, input } = wire;
      return [{ type: 'tool_call', id, kind: 'function', name, arguments: JSON.stringify(input) }];
    }
    case 'tool_result':
      return [decodeToolResult(wire, path, extras)];
    case 'unknown':
      return [{ type: 'other', kind: wire.raw.type, raw: wire.raw }];
  }
}

/** A direct caller is the default of every format. */
function isDirectCall(name: string, value: unknown): boolean {
  return name === 'caller' && isObject(value) && value['type'] === 'direct';
}

type WireToolResult = Extract<WireBlock, { type: 'tool_result' }>;

function decodeToolResult(wire: WireToolResult, path: string, extras: JsonObject): ToolResultBlock {
  const { tool_use_id: toolCallId, content, is_error: isError } = wire;
  return {
    type: 'tool_result',
    toolCallId,
    content: decodeContent(content ?? [], path, extras),
    ...(isError === true ? { isError } : {}),
  };
}

/** Text or blocks; `path` is their position. */
export function decodeContent(
  content: string | readonly WireBlock[],
  path: string,
  extras: JsonObject,
): ContentBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content.flatMap((block, at) => decodeBlock(block, `${path}.content[${at}]`, extras));
}

/** Encodes the blocks of one turn. */
export function encodeBlocks(
  content: readonly ContentBlock[],
  speaker: 'user' | 'assistant',
  dialect: Dialect,
  dropAt: (kind: string) => void,
): JsonObject[] {
  const blocks: JsonObject[] = [];
  for (const block of content) {
    const encoded = encodeBlock(block, speaker, dialect, dropAt);
    if (encoded === undefined) continue;
    blocks.push(block.type === 'thinking' ? encoded : { ...encoded, ...writeCacheMark(block) });
  }
  return blocks;
}

/** Blank text, which the vendor refuses. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

function encodeBlock(
  block: ContentBlock,
  speaker: 'user' | 'assistant',
  dialect: Dialect,
  dropAt: (kind: string) => void,
): JsonObject | undefined {
  const drop = (kind: string): undefined => {
    dropAt(kind);
    return undefined;
  };
  switch (block.type) {
    case 'text':
      // The vendor seals its own citations and accepts no others.
      if (block.citations) drop('text.citations');
      return isBlank(block.text) ? undefined : { type: 'text', text: block.text };
    case 'refusal':
      return isBlank(block.text) ? undefined : { type: 'text', text: block.text };
    case 'image':
      if (block.detail !== undefined && block.detail !== 'auto') drop('image.detail');
      return encodeImage(block) ?? drop('image');
    case 'file':
      return encodeFile(block) ?? drop('file');
    case 'audio':
      drop('audio');
      // A transcript is better than nothing.
      return block.transcript ? { type: 'text', text: block.transcript } : undefined;
    case 'thinking':
      return speaker === 'assistant' ? encodeThinking(block, dialect, drop) : drop('thinking');
    case 'tool_call':
      return speaker === 'assistant' ? encodeToolCall(block) : drop('tool_call');
    case 'tool_result':
      return speaker === 'user' ? encodeToolResult(block, dialect, dropAt) : drop('tool_result');
    case 'web_search':
      return drop(block.type);
    case 'other':
      return drop(block.kind);
  }
}

/** Providers that seal reasoning refuse it without their own seal. */
function encodeThinking(
  block: ThinkingBlock,
  { sealed }: Dialect,
  drop: (kind: string) => undefined,
): JsonObject | undefined {
  const { text: thinking, signature, redacted: data } = block;
  const own = isOwn(block, SEALER);
  if (own && data !== undefined) return { type: 'redacted_thinking', data };
  if (own && signature !== undefined) return { type: 'thinking', thinking, signature };
  if (sealed || thinking === '') return drop('thinking');
  if (!own) drop('thinking.signature');
  return { type: 'thinking', thinking, signature: '' };
}

/** Ids here allow fewer characters than in other formats. */
function idOf(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'toolu';
}

function encodeToolCall({ id, kind, name, arguments: text }: ToolCallBlock): JsonObject {
  const input = (kind === 'function' ? parseInput(text) : undefined) ?? { input: text };
  return { type: 'tool_use', id: idOf(id), name, input };
}

/** The input object of a call; undefined if its text is not a JSON object. */
export function parseInput(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  try {
    const input = parseJson(text);
    return isObject(input) ? input : undefined;
  } catch {
    return undefined;
  }
}

function encodeToolResult(
  { toolCallId, content, isError }: ToolResultBlock,
  dialect: Dialect,
  dropAt: (kind: string) => void,
): JsonObject {
  const blocks = encodeBlocks(content, 'user', dialect, (kind) => dropAt(`tool_result.${kind}`));
  return {
    type: 'tool_result',
    tool_use_id: idOf(toolCallId),
    ...(blocks.length > 0 ? { content: plainly(blocks) } : {}),
    ...(isError === true ? { is_error: true } : {}),
  };
}

/** Content that is only text becomes a string, which every server accepts. */
export function plainly(blocks: JsonObject[]): string | JsonObject[] {
  const [first] = blocks;
  const bare = first?.['type'] === 'text' && Object.keys(first).length === 2;
  return blocks.length === 1 && bare ? String(first['text']) : blocks;
}
