// Images, audio and documents: inline data and file URLs of this format, and the hub's blocks.

import { present } from '../json';
import type { AudioBlock, ContentBlock, FileBlock, JsonObject } from '../normalised';

/** Some of the vendor's SDKs write URL-safe base64, which other vendors cannot read. */
export function standardBase64(data: string): string {
  return /[-_]/.test(data) ? data.replace(/-/g, '+').replace(/_/g, '/') : data;
}

export interface InlineData {
  mimeType: string;
  data: string;
  displayName?: string | null | undefined;
}

export function decodeInlineData({ mimeType, data, displayName }: InlineData): ContentBlock {
  const base64 = standardBase64(data);
  const type = mimeType.toLowerCase();
  if (type.startsWith('audio/')) return { type: 'audio', data: base64, format: soundFormat(type) };
  const url = `data:${mimeType};base64,${base64}`;
  if (type.startsWith('image/')) return { type: 'image', url };
  return { type: 'file', data: url, ...present({ filename: displayName }) };
}

/** The vendor's media types of audio, and the hub's names. */
const SOUND_FORMATS: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/x-m4a': 'm4a',
  'audio/l16': 'pcm16',
  'audio/pcm': 'pcm16',
};

function soundFormat(mimeType: string): string {
  const [type = ''] = mimeType.split(';');
  return SOUND_FORMATS[type] ?? type.slice('audio/'.length);
}

/** The audio of the vendor's models: 16 bits, one channel, 24,000 samples per second. */
const PLAIN_SOUND = 'audio/L16;codec=pcm;rate=24000';
/** The start of an audio file in base64. */
const SOUND_SIGNS: readonly (readonly [string, string])[] = [
  ['UklGR', 'audio/wav'],
  ['SUQz', 'audio/mp3'],
  ['//', 'audio/mp3'],
  ['T2dn', 'audio/ogg'],
  ['ZkxhQ', 'audio/flac'],
];

/** Undefined for audio that is known only by its id. */
export function encodeAudio({ data, format }: AudioBlock): JsonObject | undefined {
  if (data === undefined) return undefined;
  return { inlineData: { mimeType: soundType(data, format), data } };
}

function soundType(data: string, format: string | undefined): string {
  if (format === 'pcm16' || format === 'pcm') return PLAIN_SOUND;
  if (format !== undefined) return `audio/${format}`;
  return SOUND_SIGNS.find(([sign]) => data.startsWith(sign))?.[1] ?? PLAIN_SOUND;
}

/** The media type by file extension, used if nothing else states it. */
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
};

function typeByName(name: string): string | undefined {
  const extension = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(name)?.[1];
  return extension === undefined ? undefined : TYPES[extension.toLowerCase()];
}

/** Files in the vendor's own storage, which no other provider can fetch. */
const VENDORS_OWN = /^gs:|^https?:\/\/(?:[^/]*\.)?(?:googleapis\.com|youtube\.com|youtu\.be)\//i;

/** Undefined for a file that only the vendor can fetch, or that is not an image. */
export function decodeFileData(
  fileUri: string,
  mimeType: string | null | undefined,
): ContentBlock | undefined {
  const type = (mimeType ?? typeByName(fileUri) ?? '').toLowerCase();
  if (!type.startsWith('image/') || VENDORS_OWN.test(fileUri)) return undefined;
  return { type: 'image', url: fileUri };
}

/** An image by URL, or inline. */
export function encodeImage(url: string): JsonObject | undefined {
  const inline = inlineDataIn(url);
  if (inline !== undefined) return { inlineData: inline };
  if (!/^(?:https?|gs):\/\//i.test(url)) return undefined;
  return { fileData: { ...present({ mimeType: typeByName(url) }), fileUri: url } };
}

/** Undefined for files of another provider, and for data of an unknown type. */
export function encodeFile({ data, url, filename }: FileBlock): JsonObject | undefined {
  if (data === undefined) return url === undefined ? undefined : encodeFileAt(url, filename);
  const inline = inlineDataIn(data);
  if (inline !== undefined) return { inlineData: inline };
  const mimeType = typeByName(filename ?? '');
  return mimeType === undefined ? undefined : { inlineData: { mimeType, data } };
}

/** A document by URL: the vendor requires its media type. */
function encodeFileAt(fileUri: string, filename: string | undefined): JsonObject | undefined {
  const mimeType = typeByName(filename ?? '') ?? typeByName(fileUri);
  if (mimeType === undefined || !/^https?:\/\//i.test(fileUri)) return undefined;
  return { fileData: { mimeType, fileUri } };
}

/** The content of a data URL, without media type parameters. */
function inlineDataIn(url: string): JsonObject | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const comma = url.indexOf(',');
  const head = url.slice('data:'.length, comma);
  if (comma === -1 || !/;base64$/i.test(head)) return undefined;
  const named = head.split(';')[0]?.toLowerCase() ?? '';
  // Not a registered type, but a common one.
  const mimeType = named === 'image/jpg' ? 'image/jpeg' : named || 'text/plain';
  return { mimeType, data: url.slice(comma + 1) };
}
