// Pictures, sound and documents: inline data and file addresses of this format, and the hub's blocks.

import { present } from '../json';
import type { AudioBlock, ContentBlock, FileBlock, JsonObject } from '../normalised';

/** Some of the vendor's SDKs write base64 in the alphabet for URLs, which others cannot read. */
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

/** The vendor's names of kinds of sound, and what they are called elsewhere. */
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

/** Sound as models speak it: 16 bits, one channel, 24 000 samples a second. */
const PLAIN_SOUND = 'audio/L16;codec=pcm;rate=24000';
/** How base64 of a file of sound begins. */
const SOUND_SIGNS: readonly (readonly [string, string])[] = [
  ['UklGR', 'audio/wav'],
  ['SUQz', 'audio/mp3'],
  ['//', 'audio/mp3'],
  ['T2dn', 'audio/ogg'],
  ['ZkxhQ', 'audio/flac'],
];

/** Undefined for sound that is known only by its id. */
export function encodeAudio({ data, format }: AudioBlock): JsonObject | undefined {
  if (data === undefined) return undefined;
  return { inlineData: { mimeType: soundType(data, format), data } };
}

function soundType(data: string, format: string | undefined): string {
  if (format === 'pcm16' || format === 'pcm') return PLAIN_SOUND;
  if (format !== undefined) return `audio/${format}`;
  return SOUND_SIGNS.find(([sign]) => data.startsWith(sign))?.[1] ?? PLAIN_SOUND;
}

/** What a file's name says about it, where nothing else does. */
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

/** Files that are kept by the vendor or by its other services, which nobody else can fetch. */
const VENDORS_OWN = /^gs:|^https?:\/\/(?:[^/]*\.)?(?:googleapis\.com|youtube\.com|youtu\.be)\//i;

/** Undefined for a file that only the vendor can fetch, or that is no picture. */
export function decodeFileData(
  fileUri: string,
  mimeType: string | null | undefined,
): ContentBlock | undefined {
  const type = (mimeType ?? typeByName(fileUri) ?? '').toLowerCase();
  if (!type.startsWith('image/') || VENDORS_OWN.test(fileUri)) return undefined;
  return { type: 'image', url: fileUri };
}

/** A picture at an address that the vendor fetches, or inline. */
export function encodeImage(url: string): JsonObject | undefined {
  const inline = inlineDataIn(url);
  if (inline !== undefined) return { inlineData: inline };
  if (!/^(?:https?|gs):\/\//i.test(url)) return undefined;
  return { fileData: { ...present({ mimeType: typeByName(url) }), fileUri: url } };
}

/** Undefined for files kept by another provider, and for data of a kind that is not known. */
export function encodeFile({ data, url, filename }: FileBlock): JsonObject | undefined {
  if (data === undefined) return url === undefined ? undefined : encodeFileAt(url, filename);
  const inline = inlineDataIn(data);
  if (inline !== undefined) return { inlineData: inline };
  const mimeType = typeByName(filename ?? '');
  return mimeType === undefined ? undefined : { inlineData: { mimeType, data } };
}

/** A document at an address: the vendor wants to know of which kind it is. */
function encodeFileAt(fileUri: string, filename: string | undefined): JsonObject | undefined {
  const mimeType = typeByName(filename ?? '') ?? typeByName(fileUri);
  if (mimeType === undefined || !/^https?:\/\//i.test(fileUri)) return undefined;
  return { fileData: { mimeType, fileUri } };
}

/** The content of a data URL. Parameters of its media type are of no use here. */
function inlineDataIn(url: string): JsonObject | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const comma = url.indexOf(',');
  const head = url.slice('data:'.length, comma);
  if (comma === -1 || !/;base64$/i.test(head)) return undefined;
  const named = head.split(';')[0]?.toLowerCase() ?? '';
  // Not a type, but what many call it.
  const mimeType = named === 'image/jpg' ? 'image/jpeg' : named || 'text/plain';
  return { mimeType, data: url.slice(comma + 1) };
}
