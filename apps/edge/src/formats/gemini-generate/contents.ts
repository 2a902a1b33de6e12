// A conversation: contents made of parts, with the system's instruction apart, from this format and
// back.

import type { DropList } from '../drop-list';
import { arrayOf, isObject, objectOf, textOf } from '../json';
import type {
  ContentBlock,
  JsonObject,
  MessageRole,
  NormalisedMessage,
  ToolResultBlock,
} from '../normalised';
import type { Generation } from './dialects';
import {
  createCallRegister,
  decodeCall,
  decodeResult,
  encodeResult,
  replayCall,
} from './function-calls';
import { decodeFileData, decodeInlineData, encodeAudio, encodeFile, encodeImage } from './media';
import { camelFields, fieldsBeyond } from './names';
import { addNested } from './nested';
import { createSealPlacer, decodeSeal, isOwnSeal, joinPieces, sealBlock } from './signatures';
import { PART_FIELDS, type WireContent, type WirePart } from './wire';

export interface WireConversation {
  contents: WireContent[];
  systemInstruction?: WireContent | null | undefined;
}

export function decodeConversation(
  { contents, systemInstruction }: WireConversation,
  extras: JsonObject,
): NormalisedMessage[] {
  const register = createCallRegister();
  const messages: NormalisedMessage[] = [];
  if (systemInstruction) {
    const path = 'systemInstruction';
    const content = decodeParts(systemInstruction, path, 0, register, extras);
    if (content.length > 0) messages.push({ role: 'system', path, content });
  }
  for (const [at, wire] of contents.entries()) {
    const path = `contents[${at}]`;
    const content = decodeParts(wire, path, at, register, extras);
    const role = roleOf(wire, content);
    const last = messages.at(-1);
    // A streamed answer is handed back in its pieces.
    if (role === 'assistant' && last?.role === 'assistant') last.content.push(...content);
    else messages.push({ role, path, content });
  }
  return messages.map((message) =>
    message.role === 'assistant' ? { ...message, content: joinPieces(message.content) } : message,
  );
}

function roleOf({ role }: WireContent, content: ContentBlock[]): MessageRole {
  if (role === 'model') return 'assistant';
  if (role === 'system') return 'system';
  const results = content.length > 0 && content.every(({ type }) => type === 'tool_result');
  return results ? 'tool' : 'user';
}

type Register = ReturnType<typeof createCallRegister>;

function decodeParts(
  content: WireContent,
  path: string,
  turn: number,
  register: Register,
  extras: JsonObject,
): ContentBlock[] {
  addNested(content, path, extras);
  return (content.parts ?? []).flatMap((part, at) => {
    const blocks = decodePart(part, `call_${turn}_${at}`, register);
    const beyond = Object.entries(fieldsBeyond(part, PART_FIELDS));
    const [first] = beyond;
    if (blocks.length === 0 && first !== undefined) {
      return [{ type: 'other' as const, kind: first[0], raw: part }];
    }
    for (const [name, value] of beyond) extras[`${path}.parts[${at}].${name}`] = value;
    return blocks;
  });
}

function decodePart(part: WirePart, madeUpId: string, register: Register): ContentBlock[] {
  const { thoughtSignature, functionCall, functionResponse, inlineData, fileData } = part;
  const seal = thoughtSignature ? [sealBlock(thoughtSignature)] : [];
  if (functionCall) {
    const call = decodeCall(functionCall, madeUpId);
    register.called(call.id, call.name);
    return [...seal, call];
  }
  if (functionResponse) {
    const { id, name, response, parts } = functionResponse;
    const toolCallId = register.answered(id, name);
    const { text, isError } = decodeResult(response);
    const content: ContentBlock[] = [{ type: 'text', text }, ...decodeResultParts(parts)];
    const failed = isError ? { isError } : {};
    return [{ type: 'tool_result', toolCallId, content, ...failed }, ...seal];
  }
  if (inlineData) return [decodeInlineData(inlineData), ...seal];
  if (fileData) {
    const block = decodeFileData(fileData.fileUri, fileData.mimeType);
    return [block ?? { type: 'other', kind: 'fileData', raw: part }, ...seal];
  }
  return decodeText(part);
}

function decodeText({ text, thought, thoughtSignature }: WirePart): ContentBlock[] {
  const seal = thoughtSignature ? decodeSeal(thoughtSignature) : {};
  if (thought === true) {
    return text || thoughtSignature ? [{ type: 'thinking', text: text ?? '', ...seal }] : [];
  }
  const blocks: ContentBlock[] = text ? [{ type: 'text', text }] : [];
  if (thoughtSignature) blocks.push({ type: 'thinking', text: '', ...seal });
  return blocks;
}

/** Pictures and the like beside what a function gave back. */
function decodeResultParts(parts: unknown): ContentBlock[] {
  return arrayOf(parts).flatMap((value): ContentBlock[] => {
    if (!isObject(value)) return [];
    const part = camelFields(value);
    const inline = camelFields(objectOf(part['inlineData']) ?? {});
    const mimeType = textOf(inline['mimeType']);
    const data = textOf(inline['data']);
    if (mimeType === undefined || data === undefined) {
      return [{ type: 'other', kind: Object.keys(part)[0] ?? 'part', raw: part }];
    }
    return [decodeInlineData({ mimeType, data, displayName: textOf(inline['displayName']) })];
  });
}

export interface EncodedConversation {
  systemInstruction?: JsonObject;
  contents: JsonObject[];
}

interface Turn {
  kind: 'user' | 'model' | 'results';
  parts: JsonObject[];
}

/** What the model takes, and how closely it is asked to look at every picture. */
export type Listener = Generation & { detail?: string | undefined };

export function encodeConversation(
  messages: readonly NormalisedMessage[],
  listener: Listener,
  drops: DropList,
): EncodedConversation {
  const system: JsonObject[] = [];
  const turns: Turn[] = [];
  const names = new Map<string, string>();
  for (const [at, { role, name, path = `messages[${at}]`, content }] of messages.entries()) {
    const dropAt = (kind: string): void => drops.drop(`${path}.${kind}`);
    if (name !== undefined) dropAt('name');
    if (role === 'system' || role === 'developer') {
      system.push(...encodeSystem(content, dropAt));
      continue;
    }
    const parts =
      role === 'assistant'
        ? encodeModelParts(content, listener, names, dropAt)
        : content.flatMap((block) => encodeUserBlock(block, listener, names, dropAt));
    const kind = role === 'assistant' ? 'model' : role === 'tool' ? 'results' : 'user';
    const last = turns.at(-1);
    // The results of parallel calls stand together, as the calls did.
    if (kind === 'results' && last?.kind === 'results') last.parts.push(...parts);
    else if (parts.length > 0) turns.push({ kind, parts });
  }
  // A prompt alone is what the model is asked, whatever it was called.
  if (turns.length === 0) return { contents: [{ role: 'user', parts: system }] };
  return {
    ...(system.length > 0 ? { systemInstruction: { parts: system } } : {}),
    contents: turns.map(({ kind, parts }) => ({
      role: kind === 'model' ? 'model' : 'user',
      parts,
    })),
  };
}

type DropAt = (kind: string) => void;

function kindOf(block: ContentBlock): string {
  return block.type === 'other' ? block.kind : block.type;
}

function encodeSystem(content: ContentBlock[], dropAt: DropAt): JsonObject[] {
  return content.flatMap((block) => {
    if (block.type === 'text') return block.text === '' ? [] : [{ text: block.text }];
    dropAt(kindOf(block));
    return [];
  });
}

function encodeModelParts(
  content: ContentBlock[],
  listener: Listener,
  names: Map<string, string>,
  dropAt: DropAt,
): JsonObject[] {
  const parts: JsonObject[] = [];
  const seals = createSealPlacer(content, listener.signedCalls);
  for (const block of content) {
    if (block.type === 'thinking') {
      if (block.redacted !== undefined) dropAt('thinking');
      else if (block.signature !== undefined && !isOwnSeal(block)) dropAt('thinking.signature');
      const part = block.text === '' ? undefined : { text: block.text, thought: true };
      if (part !== undefined) parts.push(part);
      seals.hold(block, parts.at(-1));
    } else if (block.type === 'tool_call') {
      names.set(block.id, block.name);
      const part = replayCall(block);
      seals.sealCall(part, block.id);
      parts.push(part);
    } else {
      const part = encodeMedia(block, listener, dropAt);
      if (part !== undefined) parts.push(part);
    }
  }
  seals.finish(parts);
  return parts;
}

function encodeUserBlock(
  block: ContentBlock,
  listener: Listener,
  names: ReadonlyMap<string, string>,
  dropAt: DropAt,
): JsonObject[] {
  if (block.type === 'tool_result') return encodeToolResult(block, listener, names, dropAt);
  const part = encodeMedia(block, listener, dropAt);
  return part === undefined ? [] : [part];
}

/** What anyone may say. */
function encodeMedia(
  block: ContentBlock,
  { detail }: Listener,
  dropAt: DropAt,
): JsonObject | undefined {
  if (block.type === 'text' || block.type === 'refusal') {
    if (block.type === 'text' && block.citations) dropAt('text.citations');
    return block.text === '' ? undefined : { text: block.text };
  }
  let part: JsonObject | undefined;
  if (block.type === 'image') {
    part = encodeImage(block.url);
    const asked = block.detail ?? 'auto';
    if (asked !== 'auto' && asked !== detail) dropAt('image.detail');
  } else if (block.type === 'audio') part = encodeAudio(block);
  else if (block.type === 'file') {
    part = encodeFile(block);
    // The vendor's interface has no name for a file.
    if (part !== undefined && block.filename !== undefined) dropAt('file.filename');
  }
  if (part === undefined) dropAt(kindOf(block));
  return part;
}

function encodeToolResult(
  { toolCallId: id, content, isError = false }: ToolResultBlock,
  listener: Listener,
  names: ReadonlyMap<string, string>,
  dropAt: DropAt,
): JsonObject[] {
  const { mediaResults } = listener;
  const texts: string[] = [];
  const media: JsonObject[] = [];
  for (const block of content) {
    if (block.type === 'text') texts.push(block.text);
    else {
      const part = encodeMedia(block, listener, (kind) => dropAt(`tool_result.${kind}`));
      if (part !== undefined) media.push(part);
    }
  }
  const response = encodeResult({ text: texts.join('\n'), isError });
  const inside = mediaResults && media.length > 0 ? { parts: media } : {};
  const result = { functionResponse: { id, name: names.get(id) ?? id, response, ...inside } };
  // Older models see pictures only beside the result.
  return mediaResults ? [result] : [result, ...media];
}
