// Content parts of a message or a tool output, decoded and encoded.

import { addOtherFields, arrayOf, present } from '../json';
import type { AudioBlock, ContentBlock, FileBlock, ImageBlock, JsonObject } from '../normalised';
import { decodeCitation, encodeCitation } from './citations';
import type { WirePart } from './wire';

/** Fields of each kind that are decoded. */
const FIELDS: Readonly<Record<WirePart['type'], ReadonlySet<string>>> = {
  input_text: new Set(['type', 'text']),
  // The vendor's annotations of its own text only matter to the vendor.
  output_text: new Set(['type', 'text', 'annotations', 'logprobs']),
  refusal: new Set(['type', 'refusal']),
  input_image: new Set(['type', 'image_url', 'file_id', 'detail']),
  input_file: new Set(['type', 'file_data', 'file_id', 'file_url', 'filename']),
  input_audio: new Set(['type', 'input_audio']),
  unknown: new Set(['type', 'raw']),
};

/** Text or parts; `path` is their position. Fields that only this format has become extras. */
export function decodeContent(
  content: string | readonly WirePart[],
  path: string,
  extras: JsonObject,
): ContentBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content.map((part, at) => {
    addOtherFields(part, FIELDS[part.type], `${path}[${at}]`, extras);
    return decodePart(part);
  });
}

function decodePart(part: WirePart): ContentBlock {
  switch (part.type) {
    case 'input_text':
    case 'output_text': {
      const citations = arrayOf(part.annotations).flatMap((item) => decodeCitation(item, 0) ?? []);
      const { text } = part;
      return { type: 'text', text, ...(citations.length > 0 ? { citations } : {}) };
    }
    case 'refusal':
      return { type: 'refusal', text: part.refusal };
    case 'input_image': {
      const { image_url: url, detail } = part;
      if (!url) return { type: 'other', kind: part.type, raw: part };
      return { type: 'image', url, ...(detail && detail !== 'auto' ? { detail } : {}) };
    }
    case 'input_file': {
      const { file_data: data, file_id: fileId, file_url: url, filename } = part;
      return {
        type: 'file',
        ...present({
          data: data || undefined,
          url: url || undefined,
          fileId: fileId || undefined,
          filename: filename || undefined,
        }),
      };
    }
    case 'input_audio': {
      const { data, format } = part.input_audio;
      return { type: 'audio', data, format };
    }
    case 'unknown':
      return { type: 'other', kind: part.raw.type, raw: part.raw };
  }
}

export type PartKinds = ReadonlySet<ContentBlock['type']>;

/** Content that is only text becomes a string, which every server accepts. */
export function encodeInput(
  blocks: readonly ContentBlock[],
  kinds: PartKinds,
  dropAt: (kind: string) => void,
): string | JsonObject[] {
  const parts: JsonObject[] = [];
  for (const block of blocks) {
    const part = kinds.has(block.type) ? encodeInputPart(block) : undefined;
    if (part === undefined) dropAt(kindOf(block));
    else parts.push(part);
  }
  return plainly(parts);
}

export function kindOf(block: ContentBlock): string {
  return block.type === 'other' ? block.kind : block.type;
}

function plainly(parts: JsonObject[]): string | JsonObject[] {
  const [first] = parts;
  if (first === undefined) return '';
  const plain = parts.length === 1 && first['type'] === 'input_text';
  return plain ? String(first['text']) : parts;
}

function encodeInputPart(block: ContentBlock): JsonObject | undefined {
  if (block.type === 'text') return { type: 'input_text', text: block.text };
  if (block.type === 'image') return encodeImage(block);
  if (block.type === 'audio') return encodeAudio(block);
  return block.type === 'file' ? encodeFile(block) : undefined;
}

function encodeImage({ url, detail }: ImageBlock): JsonObject {
  return { type: 'input_image', image_url: url, detail: detail ?? 'auto' };
}

/** Audio that is known only by its id cannot be input. */
function encodeAudio({ data, format }: AudioBlock): JsonObject | undefined {
  if (data === undefined) return undefined;
  return { type: 'input_audio', input_audio: { data, format: format ?? 'wav' } };
}

function encodeFile({ data, url, fileId, filename }: FileBlock): JsonObject {
  const source = present({ file_data: data, file_url: url, file_id: fileId });
  return { type: 'input_file', ...source, ...present({ filename }) };
}

/** An earlier model turn. Plain text becomes a string, which every server accepts. */
export function encodeSaid(blocks: readonly ContentBlock[]): string | JsonObject[] {
  const [first] = blocks;
  if (blocks.length === 1 && first?.type === 'text' && !first.citations) return first.text;
  return blocks.flatMap((block): JsonObject[] => {
    if (block.type === 'refusal') return [{ type: 'refusal', refusal: block.text }];
    if (block.type !== 'text') return [];
    const { text, citations = [] } = block;
    const annotations = citations.map((citation) => encodeCitation(citation, 0, text.length));
    return [{ type: 'output_text', text, annotations }];
  });
}
