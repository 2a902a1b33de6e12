// Estimates files, images and videos that content only names, by id or by address: the provider reads them, and their size
// is unknown. For content that no codec decodes; decoded images and files are estimated by their blocks.

import { isObject, textOf } from '../json';
import type { JsonObject } from '../normalised';
import { LARGE_TOKENS } from './image';

export const STORED_FILE_TOKENS = 4_000;
/** A minute of video at the 300 tokens a second that Gemini counts, and its sound. */
const VIDEO_TOKENS = 20_000;

/** By a word that says what is meant: a media type, the type of a part or the name of a field. */
function tokensOf(word: string): number {
  if (/image|screenshot/i.test(word)) return LARGE_TOKENS;
  return /video/i.test(word) ? VIDEO_TOKENS : STORED_FILE_TOKENS;
}

const ADDRESSES: ReadonlySet<string> = new Set([
  'image_url',
  'video_url',
  'audio_url',
  'file_url',
  'document_url',
]);
const GEMINI_FILES: ReadonlySet<string> = new Set(['fileUri', 'file_uri']);

/** The model wrote these, so a file in them is only a name. */
const CALL = /_(?:call|tool_use)$/;
/** These name a file that a tool made, or that a text cites. */
const MENTION = /_output$|citation$|^file_path$/;

/** Parts are nested some ten levels deep. How many values there are is limited by the parser of requests. */
const MOST_DEPTH = 32;

/** The tokens of what a value refers to, at any depth, without those of its own text. */
export function estimateReferences(value: unknown): number {
  return referencesIn(value, '', '', MOST_DEPTH);
}

/** `name` is the field that holds the value, `holder` the word for the object around it. */
function referencesIn(value: unknown, name: string, holder: string, levels: number): number {
  if (typeof value !== 'object' || value === null || levels === 0) return 0;
  let tokens = 0;
  if (Array.isArray(value)) {
    for (const item of value) tokens += referencesIn(item, name, holder, levels - 1);
    return tokens;
  }
  const object = value as JsonObject;
  const type = textOf(object['type']) ?? '';
  if (CALL.test(type)) return 0;
  // The type of a source says where the file is, not what it is.
  const word = name === 'source' ? holder : type || name;
  for (const field in object) {
    const kind = isAddress(object[field]) ? referred(field, name, word, object) : undefined;
    if (kind === undefined) tokens += referencesIn(object[field], field, word, levels - 1);
    else if (!MENTION.test(type)) tokens += tokensOf(kind);
  }
  return tokens;
}

/** The word for what a field refers to; undefined: it refers to nothing. */
function referred(field: string, name: string, word: string, object: JsonObject) {
  if (ADDRESSES.has(field)) return field;
  if (field === 'file_id' || (field === 'url' && name === 'source')) return word;
  if (!GEMINI_FILES.has(field)) return undefined;
  // Without a media type the file may be a video, as those of YouTube are.
  return textOf(object['mimeType']) ?? textOf(object['mime_type']) ?? 'video';
}

/** A data URL is counted as text, so it is no reference. */
function isAddress(value: unknown): boolean {
  const address = textOf(value) ?? (isObject(value) ? textOf(value['url']) : undefined);
  return address !== undefined && !/^data:/i.test(address);
}
