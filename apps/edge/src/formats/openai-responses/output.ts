// The items of an answer, decoded and encoded.

import { arrayOf, objectOf, present, textOf } from '../json';
import type {
  ContentBlock,
  ImageBlock,
  JsonObject,
  RefusalBlock,
  Seal,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
} from '../normalised';
import { readMark, writeSeal } from '../seals';
import { invalidAnswer } from '../upstream-error';
import { decodeCitation, encodeCitation } from './citations';
import { joinThoughts } from './input';
import { itemSeal, sealedItem, SEALER } from './seal';
import { decodeSearch, FOREIGN_ID, searchItem } from './web-search';

export interface DecodedOutput {
  content: ContentBlock[];
  logprobs?: JsonObject;
}

export function decodeOutput(items: readonly unknown[]): DecodedOutput {
  const content: ContentBlock[] = [];
  const logprobs: unknown[] = [];
  let length = 0;
  for (const value of items) {
    const item = objectOf(value);
    const kind = textOf(item?.['type']);
    if (item === undefined || kind === undefined) throw invalidAnswer('its output has no type');
    if (kind !== 'message') {
      content.push(decodeItem(kind, item));
      continue;
    }
    for (const part of arrayOf(item['content'])) {
      const block = decodePart(objectOf(part) ?? {}, length);
      if (block === undefined) continue;
      if (block.type === 'text') length += block.text.length;
      logprobs.push(...arrayOf(objectOf(part)?.['logprobs']));
      content.push(block);
    }
  }
  return { content, ...(logprobs.length > 0 ? { logprobs: { content: logprobs } } : {}) };
}

/** `start` is the offset of a text within the whole. */
function decodePart(part: JsonObject, start: number): TextBlock | RefusalBlock | undefined {
  if (part['type'] === 'refusal') return { type: 'refusal', text: textOf(part['refusal']) ?? '' };
  if (part['type'] !== 'output_text') return undefined;
  const found = arrayOf(part['annotations']).flatMap((item) => decodeCitation(item, start) ?? []);
  const citations = found.length > 0 ? { citations: found } : {};
  return { type: 'text', text: textOf(part['text']) ?? '', ...citations };
}

function decodeItem(kind: string, item: JsonObject): ContentBlock {
  switch (kind) {
    case 'function_call':
    case 'custom_tool_call':
      return decodeCall(item);
    case 'reasoning':
      return decodeReasoning(item);
    case 'image_generation_call': {
      const url = imageOf(item);
      return url === undefined ? { type: 'other', kind, raw: item } : { type: 'image', url };
    }
    default: {
      const search = decodeSearch(item);
      return search ? { type: 'web_search', ...search } : { type: 'other', kind, raw: item };
    }
  }
}

export function decodeCall(item: JsonObject): ToolCallBlock {
  const name = textOf(item['name']);
  if (name === undefined) throw invalidAnswer('a tool call names no tool');
  const custom = item['type'] === 'custom_tool_call';
  return {
    type: 'tool_call',
    id: textOf(item['call_id']) ?? textOf(item['id']) ?? `call_${name}`,
    kind: custom ? 'custom' : 'function',
    name,
    arguments: textOf(custom ? item['input'] : item['arguments']) ?? '',
  };
}

function decodeReasoning(item: JsonObject): ThinkingBlock {
  const text = joinThoughts(thoughts(item['content']), thoughts(item['summary']));
  return { type: 'thinking', text, ...sealIn(item) };
}

function thoughts(value: unknown): { text: string }[] {
  return arrayOf(value).map((part) => ({ text: textOf(objectOf(part)?.['text']) ?? '' }));
}

/** The seal of a reasoning item, which is sent back with it. */
export function sealIn(item: JsonObject): Seal {
  const encrypted = textOf(item['encrypted_content']);
  if (encrypted === undefined) return {};
  return readMark(encrypted) ?? itemSeal(textOf(item['id']) ?? '', encrypted);
}

/** The finished image, as a data URL. */
export function imageOf(item: JsonObject): string | undefined {
  const data = textOf(item['result']);
  const format = textOf(item['output_format']) ?? 'png';
  return data === undefined ? undefined : `data:image/${format};base64,${data}`;
}

/** Generates ids for the items of one answer, by position. */
export type ItemIds = (prefix: string, index: number) => string;

export function createItemIds(requestId: string): ItemIds {
  const answer = requestId.replaceAll('-', '');
  return (prefix, index) => `${prefix}_${answer}_${index}`;
}

/** The status of an item. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export function encodeOutput(
  content: readonly ContentBlock[],
  ids: ItemIds,
  status: ItemStatus,
  { logprobs, showsSources }: { logprobs: unknown[]; showsSources: boolean },
): JsonObject[] {
  const items: JsonObject[] = [];
  let parts: JsonObject[] | undefined;
  let length = 0;
  for (const block of content) {
    if (block.type === 'text' || block.type === 'refusal') {
      if (parts === undefined) {
        parts = [];
        items.push(messageItem(ids('msg', items.length), status, parts));
      }
      // Log probabilities are known for the whole text only.
      const own = length === 0 && block.type === 'text' ? logprobs : [];
      parts.push(block.type === 'text' ? textPart(block, length, own) : refusalPart(block.text));
      if (block.type === 'text') length += block.text.length;
      continue;
    }
    const item =
      block.type === 'web_search'
        ? searchItem(ids(FOREIGN_ID, items.length), block, showsSources)
        : encodeItem(block, ids, items.length, status);
    if (item === undefined) continue;
    parts = undefined;
    items.push(item);
  }
  return items;
}

function encodeItem(
  block: Exclude<ContentBlock, TextBlock | RefusalBlock>,
  ids: ItemIds,
  at: number,
  status: ItemStatus,
): JsonObject | undefined {
  switch (block.type) {
    case 'thinking':
      return reasoningItem(ids('rs', at), block);
    case 'tool_call':
      return callItem(ids(callPrefix(block.kind), at), block, status);
    case 'image':
      return imageItem(ids, at, block, status);
    case 'audio':
      // A transcript is better than nothing.
      return block.transcript === undefined
        ? undefined
        : messageItem(ids('msg', at), status, [textPart({ text: block.transcript }, 0, [])]);
    default:
      return undefined;
  }
}

export function messageItem(id: string, status: ItemStatus, content: JsonObject[]): JsonObject {
  return { id, type: 'message', status, role: 'assistant', content };
}

type Said = Pick<TextBlock, 'text' | 'citations'>;

export function textPart({ text, citations = [] }: Said, start: number, logprobs: unknown[]) {
  const annotations = citations.map((citation) => {
    return encodeCitation(citation, start, start + text.length);
  });
  return { type: 'output_text', annotations, logprobs: logprobs.map(encodeLogprob), text };
}

export function refusalPart(refusal: string): JsonObject {
  return { type: 'refusal', refusal };
}

/** Every token has its bytes here; other formats may lack them. */
export function encodeLogprob(value: unknown): JsonObject {
  const { token = '', logprob = 0, bytes, top_logprobs: top } = objectOf(value) ?? {};
  const alternatives = arrayOf(top).map((item) => {
    const other = objectOf(item) ?? {};
    const { token = '', logprob = 0 } = other;
    return { token, bytes: arrayOf(other['bytes']), logprob };
  });
  return { token, bytes: arrayOf(bytes), logprob, top_logprobs: alternatives };
}

export function reasoningItem(id: string, block: Omit<ThinkingBlock, 'type'>): JsonObject {
  const { text } = block;
  const encrypted = sealedItem(block)?.encrypted ?? writeSeal(block, SEALER);
  return {
    id,
    type: 'reasoning',
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    ...present({ encrypted_content: encrypted }),
  };
}

export function callPrefix(kind: ToolCallBlock['kind']): string {
  return kind === 'function' ? 'fc' : 'ctc';
}

export function callItem(
  id: string,
  block: Omit<ToolCallBlock, 'type'>,
  status: ItemStatus,
): JsonObject {
  const { id: call_id, kind, name, arguments: text } = block;
  return kind === 'function'
    ? { id, type: 'function_call', status, arguments: text, call_id, name }
    : { id, type: 'custom_tool_call', call_id, input: text, name };
}

const DATA_IMAGE = /^data:image\/([a-z+.-]+);base64,/i;
const IMAGE_FORMATS: ReadonlySet<string> = new Set(['png', 'webp', 'jpeg', 'gif']);

/** An image by URL can only be text here. */
export function imageItem(
  ids: ItemIds,
  at: number,
  { url }: Pick<ImageBlock, 'url'>,
  status: ItemStatus,
): JsonObject {
  const found = DATA_IMAGE.exec(url);
  if (found === null) return messageItem(ids('msg', at), status, [textPart({ text: url }, 0, [])]);
  const format = found[1] ?? '';
  return {
    id: ids('ig', at),
    type: 'image_generation_call',
    status: 'completed',
    ...(IMAGE_FORMATS.has(format) ? { output_format: format } : {}),
    result: url.slice(found[0].length),
  };
}
