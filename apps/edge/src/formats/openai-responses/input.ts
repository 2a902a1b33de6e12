// Conversations, decoded and encoded. The format is a flat list of items (messages, calls, outputs,
// reasoning), while other formats have one message per turn.

import type { DropList } from '../drop-list';
import { addOtherFields } from '../json';
import type {
  ContentBlock,
  JsonObject,
  NormalisedMessage,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultBlock,
} from '../normalised';
import { readMark } from '../seals';
import { readToolError, sayToolError } from '../tool-errors';
import type { Dialect } from './dialects';
import { decodeContent, encodeInput, encodeSaid, kindOf, type PartKinds } from './parts';
import { sealedItem } from './seal';
import type { ResponsesRequest, WireItem } from './wire';

type KnownItem = Exclude<WireItem, { type: 'unknown' }>;

/** Fields of each kind that are decoded, or whose loss changes nothing. */
const FIELDS: Readonly<Record<KnownItem['type'], ReadonlySet<string>>> = {
  message: new Set(['type', 'id', 'status', 'role', 'content']),
  function_call: new Set(['type', 'id', 'status', 'call_id', 'name', 'arguments']),
  custom_tool_call: new Set(['type', 'id', 'status', 'call_id', 'name', 'input']),
  function_call_output: new Set(['type', 'id', 'status', 'call_id', 'name', 'output']),
  custom_tool_call_output: new Set(['type', 'id', 'status', 'call_id', 'name', 'output']),
  reasoning: new Set(['type', 'id', 'status', 'summary', 'content', 'encrypted_content']),
};

export function decodeInput(
  { instructions, input }: Pick<ResponsesRequest, 'instructions' | 'input'>,
  extras: JsonObject,
): NormalisedMessage[] {
  const messages: NormalisedMessage[] = [];
  if (instructions) {
    const content: ContentBlock[] = [{ type: 'text', text: instructions }];
    messages.push({ role: 'system', path: 'instructions', content });
  }
  if (typeof input === 'string') {
    messages.push({ role: 'user', path: 'input', content: decodeContent(input, '', extras) });
  } else for (const [at, item] of (input ?? []).entries()) addItem(messages, item, at, extras);
  return messages;
}

function addItem(
  messages: NormalisedMessage[],
  item: WireItem,
  at: number,
  extras: JsonObject,
): void {
  const path = `input[${at}]`;
  if (item.type === 'unknown') {
    extras[`${path}.${item.raw.type}`] = item.raw;
    return;
  }
  addOtherFields(item, FIELDS[item.type], path, extras);
  switch (item.type) {
    case 'message': {
      const content = decodeContent(item.content, `${path}.content`, extras);
      if (item.role === 'assistant') addSaid(messages, path, content);
      else messages.push({ role: item.role, path, content });
      return;
    }
    case 'function_call': {
      const { call_id: id, name, arguments: text } = item;
      addSaid(messages, path, [{ type: 'tool_call', id, kind: 'function', name, arguments: text }]);
      return;
    }
    case 'custom_tool_call': {
      const { call_id: id, name, input: text } = item;
      addSaid(messages, path, [{ type: 'tool_call', id, kind: 'custom', name, arguments: text }]);
      return;
    }
    case 'reasoning':
      addSaid(messages, path, [decodeReasoning(item, path, extras)]);
      return;
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const content = decodeContent(item.output, `${path}.output`, extras);
      const toolCallId = item.call_id ?? '';
      messages.push({ role: 'tool', path, content: [readToolError(toolCallId, content)] });
    }
  }
}

/** All items of one model turn form one message. */
function addSaid(messages: NormalisedMessage[], path: string, content: ContentBlock[]): void {
  const last = messages.at(-1);
  if (last?.role === 'assistant') last.content.push(...content);
  else messages.push({ role: 'assistant', path, content });
}

type WireReasoning = Extract<WireItem, { type: 'reasoning' }>;

/** Only the vendor can read its sealed items, so other targets drop them. */
function decodeReasoning(item: WireReasoning, path: string, extras: JsonObject): ThinkingBlock {
  const text = joinThoughts(item.content ?? [], item.summary ?? []);
  const sealed = item.encrypted_content;
  const foreign = sealed ? readMark(sealed) : undefined;
  if (sealed && foreign === undefined) extras[`${path}.encrypted_content`] = sealed;
  return { type: 'thinking', text, ...foreign };
}

/** The reasoning text takes precedence over its summary. */
export function joinThoughts(
  content: readonly { text: string }[],
  summary: readonly { text: string }[],
): string {
  const thoughts = content.some(({ text }) => text !== '') ? content : summary;
  return thoughts.map(({ text }) => text).join('\n\n');
}

export interface EncodedInput {
  instructions?: string;
  input: JsonObject[];
}

export function encodeMessages(
  messages: readonly NormalisedMessage[],
  dialect: Dialect,
  drops: DropList,
): EncodedInput {
  const [first] = messages;
  const instructions = first && instructionsIn(first);
  const calls = new Map<string, ToolCallBlock['kind']>();
  const input = messages.flatMap((message, at) => {
    if (at === 0 && instructions !== undefined) return [];
    const { path = `messages[${at}]` } = message;
    return encodeMessage(message, {
      dialect,
      calls,
      dropAt: (kind) => drops.drop(`${path}.${kind}`),
    });
  });
  return { ...(instructions === undefined ? {} : { instructions }), input };
}

/** The leading system message, if it is one text. */
function instructionsIn({ role, name, content }: NormalisedMessage): string | undefined {
  const [block] = content;
  if (role !== 'system' || name !== undefined || content.length !== 1) return undefined;
  return block?.type === 'text' ? block.text : undefined;
}

interface Writing {
  dialect: Dialect;
  /** The calls so far: a result has the kind of its call. */
  calls: Map<string, ToolCallBlock['kind']>;
  dropAt: (kind: string) => void;
}

const TEXT_PARTS: PartKinds = new Set(['text']);
const USER_PARTS: PartKinds = new Set(['text', 'image', 'file']);
const USER_PARTS_WITH_SOUND: PartKinds = new Set(['text', 'image', 'file', 'audio']);

function encodeMessage(message: NormalisedMessage, writing: Writing): JsonObject[] {
  const { dialect, dropAt } = writing;
  if (message.name !== undefined) dropAt('name');
  if (message.role === 'assistant') return encodeTurn(message.content, writing);
  const items: JsonObject[] = [];
  const others: ContentBlock[] = [];
  for (const block of message.content) {
    if (block.type === 'tool_result') items.push(encodeResult(block, writing));
    else others.push(block);
  }
  if (message.role === 'tool') {
    for (const block of others) dropAt(kindOf(block));
    return items;
  }
  if (others.length === 0 && items.length > 0) return items;
  const role = message.role === 'developer' && !dialect.developerRole ? 'system' : message.role;
  const userKinds = dialect.audio ? USER_PARTS_WITH_SOUND : USER_PARTS;
  const content = encodeInput(others, role === 'user' ? userKinds : TEXT_PARTS, dropAt);
  return [...items, { type: 'message', role, content }];
}

function encodeResult(block: ToolResultBlock, { calls, dropAt }: Writing): JsonObject {
  const { toolCallId: call_id } = block;
  const custom = calls.get(call_id) === 'custom';
  const output = encodeInput(sayToolError(block), USER_PARTS, (kind) => {
    dropAt(`tool_result.${kind}`);
  });
  return { type: custom ? 'custom_tool_call_output' : 'function_call_output', call_id, output };
}

/** Encodes a model turn, item by item. */
function encodeTurn(blocks: readonly ContentBlock[], writing: Writing): JsonObject[] {
  const items: JsonObject[] = [];
  let said: ContentBlock[] = [];
  const flush = (): void => {
    if (said.length > 0)
      items.push({ type: 'message', role: 'assistant', content: encodeSaid(said) });
    said = [];
  };
  for (const block of blocks) {
    if (block.type === 'text' || block.type === 'refusal') {
      said.push(block);
      continue;
    }
    flush();
    if (block.type === 'tool_call') items.push(encodeCall(block, writing));
    else if (block.type === 'thinking') items.push(...encodeReasoning(block, writing));
    else writing.dropAt(kindOf(block));
  }
  flush();
  return items;
}

function encodeCall(block: ToolCallBlock, { calls }: Writing): JsonObject {
  const { id: call_id, kind, name, arguments: text } = block;
  calls.set(call_id, kind);
  return kind === 'function'
    ? { type: 'function_call', call_id, name, arguments: text }
    : { type: 'custom_tool_call', call_id, name, input: text };
}

/** Providers that seal reasoning refuse it without their own seal. */
function encodeReasoning(block: ThinkingBlock, { dialect, dropAt }: Writing): JsonObject[] {
  const { text, signature, redacted } = block;
  const sealed = sealedItem(block);
  if (dialect.sealed) {
    if (sealed === undefined) {
      dropAt('thinking');
      return [];
    }
    const summary = text === '' ? [] : [{ type: 'summary_text', text }];
    return [{ type: 'reasoning', id: sealed.id, summary, encrypted_content: sealed.encrypted }];
  }
  if (redacted !== undefined) dropAt('thinking');
  else if (signature !== undefined) dropAt('thinking.signature');
  if (text === '') return [];
  return [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] }];
}
