// Conversations, decoded: contents with parts, and a separate system instruction.

import { arrayOf, isObject, objectOf, textOf } from '../json';
import type { ContentBlock, JsonObject, MessageRole, NormalisedMessage } from '../normalised';
import { createCallRegister, decodeCall, decodeResult } from './function-calls';
import { decodeFileData, decodeInlineData } from './media';
import { camelFields, otherFields } from './names';
import { addNested } from './nested';
import { decodeSeal, joinPieces, sealBlock, sealIn } from './signatures';
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
    // Clients send a streamed answer back in its pieces.
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
    const beyond = Object.entries(otherFields(part, PART_FIELDS));
    const [first] = beyond;
    if (blocks.length === 0 && first !== undefined) {
      return [{ type: 'other' as const, kind: first[0], raw: part }];
    }
    for (const [name, value] of beyond) extras[`${path}.parts[${at}].${name}`] = value;
    return blocks;
  });
}

function decodePart(part: WirePart, madeUpId: string, register: Register): ContentBlock[] {
  const { functionCall, functionResponse, inlineData, fileData } = part;
  const sealed = sealIn(part);
  const seal = sealed === undefined ? [] : [sealBlock(sealed)];
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

function decodeText(part: WirePart): ContentBlock[] {
  const { text, thought } = part;
  const sealed = sealIn(part);
  const seal = sealed === undefined ? {} : decodeSeal(sealed);
  if (thought === true) {
    return text || sealed !== undefined ? [{ type: 'thinking', text: text ?? '', ...seal }] : [];
  }
  const blocks: ContentBlock[] = text ? [{ type: 'text', text }] : [];
  if (sealed !== undefined) blocks.push({ type: 'thinking', text: '', ...seal });
  return blocks;
}

/** Media of a function result. */
function decodeResultParts(parts: unknown): ContentBlock[] {
  return arrayOf(parts).flatMap((value): ContentBlock[] => {
    if (!isObject(value)) return [];
    const part = camelFields(value);
    const inline = camelFields(objectOf(part['inlineData']) ?? {});
    const file = camelFields(objectOf(part['fileData']) ?? {});
    const uri = textOf(file['fileUri']);
    const picture = uri && decodeFileData(uri, textOf(file['mimeType']));
    if (picture) return [picture];
    const mimeType = textOf(inline['mimeType']);
    const data = textOf(inline['data']);
    if (mimeType === undefined || data === undefined) {
      return [{ type: 'other', kind: Object.keys(part)[0] ?? 'part', raw: part }];
    }
    return [decodeInlineData({ mimeType, data, displayName: textOf(inline['displayName']) })];
  });
}
