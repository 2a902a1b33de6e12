// Messages of a conversation, decoded and encoded.

import { markMessage } from '../cache-marks';
import type { DropList } from '../drop-list';
import { present } from '../json';
import type {
  AudioBlock,
  ContentBlock,
  FileBlock,
  ImageBlock,
  JsonObject,
  NormalisedMessage,
  RefusalBlock,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultBlock,
} from '../normalised';
import { readToolError, sayToolError } from '../tool-errors';
import { attachedText, SEE_ATTACHED } from '../turn-texts';
import type { Dialect } from './dialects';
import { decodeReplayedThinking, encodeReplayedThinking, placeSeals } from './thinking';
import type { ChatMessage } from './wire';

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** The older `functions` style matches calls by name, so their ids are generated. */
function legacyCallId(name: string): string {
  return `call_${name}`;
}

export function decodeMessage(wire: ChatMessage): NormalisedMessage {
  return markMessage(decodeUnmarked(wire), wire);
}

function decodeUnmarked(wire: ChatMessage): NormalisedMessage {
  switch (wire.role) {
    case 'assistant':
      return { role: 'assistant', ...present({ name: wire.name }), content: decodeAnswer(wire) };
    case 'tool':
      return {
        role: 'tool',
        content: [readToolError(wire.tool_call_id, wire.content)],
      };
    case 'function': {
      const content = wire.content ?? [];
      return { role: 'tool', content: [readToolError(legacyCallId(wire.name), content)] };
    }
    case 'system':
    case 'developer':
    case 'user':
      return { role: wire.role, ...present({ name: wire.name }), content: wire.content };
  }
}

function decodeAnswer(wire: AssistantMessage): ContentBlock[] {
  const thinking = decodeReplayedThinking(wire.thinking_blocks ?? [], wire.reasoning_content);
  const blocks: ContentBlock[] = [...thinking, ...(wire.content ?? [])];
  if (wire.refusal) blocks.push({ type: 'refusal', text: wire.refusal });
  if (wire.audio) blocks.push({ type: 'audio', id: wire.audio.id });
  blocks.push(...(wire.tool_calls ?? []));
  if (wire.function_call) {
    const { name, arguments: args } = wire.function_call;
    const id = legacyCallId(name);
    blocks.push({ type: 'tool_call', id, kind: 'function', name, arguments: args ?? '' });
  }
  return placeSeals(blocks);
}

/** Encodes a message: one message for each tool result in it, then one for the rest. */
export function encodeMessage(
  message: NormalisedMessage,
  dialect: Dialect,
  dropAt: (kind: string) => void,
  attach: Attach,
): JsonObject[] {
  const results = message.content.filter((block) => block.type === 'tool_result');
  const others = message.content.filter((block) => block.type !== 'tool_result');
  const messages = results.map((block) => encodeToolResult(block, dropAt, attach));
  if (message.role === 'assistant') {
    const said = encodeAssistant(message.name, others, dialect, dropAt);
    if (others.length === 0 || !isEmpty(said)) messages.push(said);
  } else if (message.role !== 'tool' && (others.length > 0 || results.length === 0)) {
    const role = message.role === 'developer' && !dialect.developerRole ? 'system' : message.role;
    const content = encodeContent(others, role === 'user' ? USER_PARTS : TEXT_PARTS, dropAt);
    messages.push({ role, ...present({ name: message.name }), content });
  } else if (message.role === 'tool') {
    for (const block of others) dropAt(block.type);
  }
  return messages;
}

/** A provider refuses a message without content. */
function isEmpty({ content, ...others }: JsonObject): boolean {
  return content === null && Object.keys(others).every((name) => SPEAKER.has(name));
}

const SPEAKER: ReadonlySet<string> = new Set(['role', 'name']);

/** The non-text content of a tool result, which goes into a message that can hold it. */
type Attach = (toolCallId: string, parts: JsonObject[]) => void;

/** A tool result can only hold text here; other content is attached to the next message. */
function encodeToolResult(
  block: ToolResultBlock,
  dropAt: (kind: string) => void,
  attach: Attach,
): JsonObject {
  const attached: JsonObject[] = [];
  const texts = sayToolError(block).filter((held) => {
    const part = ATTACHED_PARTS.has(held.type) ? encodePart(held) : undefined;
    if (part !== undefined) attached.push(part);
    return part === undefined;
  });
  const content = encodeContent(texts, TEXT_PARTS, (kind) => {
    dropAt(`tool_result.${kind}`);
  });
  const { toolCallId } = block;
  if (attached.length > 0) attach(toolCallId, attached);
  const said = content === '' && attached.length > 0 ? SEE_ATTACHED : content;
  return { role: 'tool', tool_call_id: toolCallId, content: said };
}

function encodeAssistant(
  name: string | undefined,
  blocks: ContentBlock[],
  dialect: Dialect,
  dropAt: (kind: string) => void,
): JsonObject {
  const spoken: (TextBlock | RefusalBlock)[] = [];
  const calls: ToolCallBlock[] = [];
  const thinking: ThinkingBlock[] = [];
  let audio: JsonObject | undefined;
  for (const block of blocks) {
    if (block.type === 'text' || block.type === 'refusal') spoken.push(block);
    else if (block.type === 'tool_call') calls.push(block);
    else if (block.type === 'audio' && block.id !== undefined) audio = { id: block.id };
    else if (block.type === 'thinking' && dialect.reasoning) thinking.push(block);
    else dropAt(block.type === 'other' ? block.kind : block.type);
  }
  const content = spoken.length > 0 ? encodeContent(spoken, ANSWER_PARTS, dropAt) : null;
  return {
    role: 'assistant',
    ...present({ name }),
    content,
    ...encodeReplayedThinking(thinking, dropAt),
    ...present({ audio }),
    ...(calls.length > 0 ? { tool_calls: calls.map(encodeToolCall) } : {}),
  };
}

export function encodeToolCall(block: ToolCallBlock): JsonObject {
  const { id, kind, name, arguments: text } = block;
  return kind === 'function'
    ? { id, type: 'function', function: { name, arguments: text } }
    : { id, type: 'custom', custom: { name, input: text } };
}

type PartKinds = ReadonlySet<ContentBlock['type']>;
const TEXT_PARTS: PartKinds = new Set(['text']);
const ANSWER_PARTS: PartKinds = new Set(['text', 'refusal']);
const USER_PARTS: PartKinds = new Set(['text', 'image', 'audio', 'file']);
const ATTACHED_PARTS: PartKinds = new Set(['image', 'audio', 'file']);

/** Content that is only text becomes a string, which every server accepts. */
function encodeContent(
  blocks: ContentBlock[],
  kinds: PartKinds,
  dropAt: (kind: string) => void,
): string | JsonObject[] {
  const parts: JsonObject[] = [];
  for (const block of blocks) {
    const part = kinds.has(block.type) ? encodePart(block) : undefined;
    if (block.type === 'text' && block.citations) dropAt('text.citations');
    if (part === undefined) dropAt(block.type === 'other' ? block.kind : block.type);
    else parts.push(part);
  }
  const [first] = parts;
  if (first === undefined) return '';
  return parts.length === 1 && first['type'] === 'text' ? String(first['text']) : parts;
}

function encodePart(block: ContentBlock): JsonObject | undefined {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type === 'refusal') return { type: 'refusal', refusal: block.text };
  if (block.type === 'image') return encodeImage(block);
  if (block.type === 'audio') return encodeAudioInput(block);
  // The format has no field for a file's URL.
  return block.type === 'file' && block.url === undefined ? encodeFile(block) : undefined;
}

export function encodeImage({ url, detail }: ImageBlock): JsonObject {
  return { type: 'image_url', image_url: { url, ...present({ detail }) } };
}

/** The assistant can refer to audio by id, but input audio needs its data. */
function encodeAudioInput({ data, format }: AudioBlock): JsonObject | undefined {
  return data === undefined
    ? undefined
    : { type: 'input_audio', input_audio: { data, ...present({ format }) } };
}

function encodeFile(block: FileBlock): JsonObject {
  const file = present({
    file_data: block.data,
    file_id: block.fileId,
    filename: block.filename,
  });
  return { type: 'file', file };
}

export function encodeMessages(
  messages: NormalisedMessage[],
  dialect: Dialect,
  drops: DropList,
): JsonObject[] {
  const encoded: JsonObject[] = [];
  const names = new Map<string, string>();
  let attachments: JsonObject[] = [];
  // All tool results of a turn come first, then their attachments.
  const flush = (): void => {
    if (attachments.length > 0) encoded.push({ role: 'user', content: attachments });
    attachments = [];
  };
  for (const [index, message] of messages.entries()) {
    const { path = `messages[${index}]`, content } = message;
    for (const block of content) if (block.type === 'tool_call') names.set(block.id, block.name);
    const written = encodeMessage(
      message,
      dialect,
      (kind) => drops.drop(`${path}.${kind}`),
      (id, parts) => {
        attachments.push({ type: 'text', text: attachedText(id, names.get(id)) }, ...parts);
      },
    );
    for (const one of written) {
      if (one['role'] !== 'tool') flush();
      encoded.push(one);
    }
  }
  flush();
  return encoded;
}
