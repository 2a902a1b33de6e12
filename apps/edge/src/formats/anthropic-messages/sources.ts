// Images and documents: typed sources of the messages format, and URLs in the hub.

import { objectOf, otherFields, present } from '../json';
import type { ContentBlock, FileBlock, ImageBlock, JsonObject } from '../normalised';
import type { WireBlock } from './wire';

type WireImage = Extract<WireBlock, { type: 'image' }>;
type WireDocument = Extract<WireBlock, { type: 'document' }>;

export function decodeImage(wire: WireImage): ContentBlock {
  const { source } = wire;
  if (source.type === 'base64') return { type: 'image', url: dataUrl(source) };
  if (source.type === 'url') return { type: 'image', url: source.url };
  return { type: 'other', kind: 'image', raw: { ...wire, source: source.raw } };
}

const DOCUMENT_FIELDS: ReadonlySet<string> = new Set(['type', 'source', 'title']);

/** A plain-text document becomes text, in every format. */
export function decodeDocument(
  wire: WireDocument,
  extra: (name: string, value: unknown) => void,
): ContentBlock {
  const { source, title } = wire;
  for (const [name, value] of Object.entries(otherFields(wire, DOCUMENT_FIELDS))) {
    // Disabled citations are the default.
    const unasked = name === 'citations' && objectOf(value)?.['enabled'] === false;
    if (!unasked) extra(name, value);
  }
  const named = title ? { filename: title } : {};
  if (source.type === 'base64') return { type: 'file', data: dataUrl(source), ...named };
  if (source.type === 'url') return { type: 'file', url: source.url, ...named };
  if (source.type === 'file') return { type: 'file', fileId: source.file_id, ...named };
  if (source.type === 'text') {
    if (title) extra('title', title);
    return { type: 'text', text: source.data };
  }
  return { type: 'other', kind: 'document', raw: { ...wire, source: source.raw } };
}

function dataUrl({ media_type: type, data }: { media_type: string; data: string }): string {
  return `data:${type};base64,${data}`;
}

interface InlineData {
  mediaType: string;
  base64: string;
}

/** The content of a data URL, without media type parameters. */
function inlineData(url: string): InlineData | undefined {
  const comma = url.indexOf(',');
  const head = url.slice(0, comma);
  if (comma === -1 || !/^data:[^,]*;base64$/i.test(head)) return undefined;
  const named = head.slice('data:'.length).split(';')[0]?.toLowerCase() ?? '';
  // Not a registered type, but a common one.
  const mediaType = named === 'image/jpg' ? 'image/jpeg' : named;
  return { mediaType, base64: url.slice(comma + 1) };
}

const IMAGE_TYPES: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
]);

/** Undefined for unsupported URLs and image types. */
export function encodeImage({ url }: Pick<ImageBlock, 'url'>): JsonObject | undefined {
  if (/^https?:\/\//i.test(url)) return { type: 'image', source: { type: 'url', url } };
  const inline = inlineData(url);
  return inline && IMAGE_TYPES.has(inline.mediaType) ? imageOf(inline) : undefined;
}

function imageOf({ mediaType, base64 }: InlineData): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } };
}

export function encodeFile({ data, url, fileId, filename }: FileBlock): JsonObject | undefined {
  const title = present({ title: filename });
  if (data === undefined && url !== undefined) {
    if (!/^https?:\/\//i.test(url)) return undefined;
    return { type: 'document', source: { type: 'url', url }, ...title };
  }
  if (data === undefined) {
    if (fileId === undefined) return undefined;
    return { type: 'document', source: { type: 'file', file_id: fileId }, ...title };
  }
  const inline = inlineData(data);
  if (inline === undefined) return undefined;
  const { mediaType, base64 } = inline;
  if (IMAGE_TYPES.has(mediaType)) return imageOf(inline);
  if (mediaType === 'application/pdf') {
    const source = { type: 'base64', media_type: mediaType, data: base64 };
    return { type: 'document', source, ...title };
  }
  if (!isText(mediaType)) return undefined;
  const text = Buffer.from(base64, 'base64').toString('utf8');
  return {
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: text },
    ...title,
  };
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || mediaType === 'application/json';
}
