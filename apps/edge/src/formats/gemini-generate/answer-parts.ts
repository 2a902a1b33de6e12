// The parts of an answer, decoded from a whole or partial candidate, and encoded.

import { countOf, isObject, objectOf, textOf } from '../json';
import type { ContentBlock, JsonObject } from '../normalised';
import { decodeCall, parseArguments } from './function-calls';
import { decodeFileData, decodeInlineData, encodeAudio, encodeFile, encodeImage } from './media';
import { decodeSeal, encodeThought, sealBlock } from './signatures';
import type { AnswerTraits } from './stop-reason';

/** Generates ids for calls without one. */
export type NameCall = () => string;

export function createCallNamer(responseId: string, choice: number): NameCall {
  const prefix = responseId === '' ? 'call' : `call_${responseId}`;
  let calls = 0;
  return () => `${prefix}_${choice}_${calls++}`;
}

export function decodeAnswerPart(part: JsonObject, nameCall: NameCall): ContentBlock[] {
  const { text, thought } = part;
  const seal = textOf(part['thoughtSignature']);
  if (typeof text === 'string') {
    if (thought === true) {
      const sealed = seal === undefined ? {} : decodeSeal(seal);
      return text === '' && seal === undefined ? [] : [{ type: 'thinking', text, ...sealed }];
    }
    const spoken: ContentBlock[] = text === '' ? [] : [{ type: 'text', text }];
    return seal === undefined ? spoken : [...spoken, sealBlock(seal, 'text')];
  }
  const call = objectOf(part['functionCall']);
  const name = textOf(call?.['name']);
  if (call !== undefined && name !== undefined) {
    const wire = { id: textOf(call['id']), name, args: objectOf(call['args']) };
    const block = decodeCall(wire, wire.id ?? nameCall());
    return seal === undefined ? [block] : [sealBlock(seal, `call:${block.id}`), block];
  }
  const sealed = seal === undefined ? [] : [sealBlock(seal)];
  // Images within thoughts are not part of the answer.
  const media = thought === true ? undefined : (decodeCode(part) ?? decodeMedia(part));
  return media === undefined ? sealed : [media, ...sealed];
}

/** Code that the vendor ran, and its result: other formats can only hold it as text. */
function decodeCode(part: JsonObject): ContentBlock | undefined {
  const code = objectOf(part['executableCode']);
  const run = objectOf(part['codeExecutionResult']);
  const language = textOf(code?.['language'])?.toLowerCase() ?? '';
  if (code !== undefined) return fenced(textOf(code['code']) ?? '', language);
  return run && fenced(textOf(run['output']) ?? textOf(run['outcome']) ?? '', '');
}

function fenced(text: string, language: string): ContentBlock {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const named = language === 'language_unspecified' ? '' : language;
  const lines = text.endsWith('\n') ? text : `${text}\n`;
  return { type: 'text', text: `\n${fence}${named}\n${lines}${fence}\n` };
}

function decodeMedia(part: JsonObject): ContentBlock | undefined {
  const inline = objectOf(part['inlineData']);
  const mimeType = textOf(inline?.['mimeType']);
  const data = textOf(inline?.['data']);
  if (mimeType !== undefined && data !== undefined) {
    return decodeInlineData({ mimeType, data, displayName: textOf(inline?.['displayName']) });
  }
  const file = objectOf(part['fileData']);
  const fileUri = textOf(file?.['fileUri']);
  const known = fileUri && decodeFileData(fileUri, textOf(file?.['mimeType']));
  if (known) return known;
  const kind = Object.keys(part).find((name) => isObject(part[name]));
  return kind === undefined ? undefined : { type: 'other', kind, raw: part };
}

export interface EncodedAnswer {
  parts: JsonObject[];
  traits: AnswerTraits;
}

export function encodeAnswerParts(content: readonly ContentBlock[]): EncodedAnswer {
  const parts: JsonObject[] = [];
  const traits: AnswerTraits = { refuses: false, malformedCall: false };
  for (const block of content) {
    if (block.type === 'tool_call') {
      const call = encodeCall(block.id, block.name, block.arguments);
      if (call === undefined) traits.malformedCall = true;
      else parts.push(call);
      continue;
    }
    traits.refuses ||= block.type === 'refusal';
    parts.push(...encodeAnswerBlock(block));
  }
  return { parts, traits };
}

/**
 * Undefined if the arguments are not an object: clients would take an invented one for the model's.
 */
export function encodeCall(id: string, name: string, text: string): JsonObject | undefined {
  const args = parseArguments(text);
  return args && { functionCall: { id, name, args } };
}

function encodeAnswerBlock(block: Exclude<ContentBlock, { type: 'tool_call' }>): JsonObject[] {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return block.text === '' ? [] : [{ text: block.text }];
    case 'thinking':
      return [encodeThought(block)];
    case 'image':
      return optional(encodeImage(block.url));
    case 'audio': {
      const said = block.transcript === undefined ? [] : [{ text: block.transcript }];
      return [...said, ...optional(encodeAudio(block))];
    }
    case 'file':
      return optional(encodeFile(block));
    case 'tool_result':
    // A search belongs to the candidate, not to a part.
    case 'web_search':
    case 'other':
      return [];
  }
}

function optional(part: JsonObject | undefined): JsonObject[] {
  return part === undefined ? [] : [part];
}

/** The index of a candidate; the first has none on the wire. */
export function indexOf(candidate: JsonObject): number | undefined {
  return countOf(candidate['index']);
}
