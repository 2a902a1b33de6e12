import {
  gatewayError,
  isClientTagKey,
  isTagValue,
  MOST_TAGS,
  TAGS_HEADER,
  tagsText,
} from '@tollgate/contracts';

import type { JsonObject } from '../formats';

// Tags as clients send them: in a header, and in the metadata of a body.

const SHOWN = 80;

/**
 * The tags of `x-tollgate-tags: project=blue,tier=gold`, as a record has them. Values are percent-encoded.
 * @throws GatewayError `invalid_request` with the name of the header and the tag
 */
export function readTags(header: string): string {
  if (header.trim() === '') return '';
  const tags = new Map<string, string>();
  for (const part of header.split(',', MOST_TAGS + 1)) {
    const tag = part.trim();
    const equals = tag.indexOf('=');
    if (equals < 0) throw wrong(tag, 'has no "=": write key=value');
    const key = tag.slice(0, equals);
    if (!isClientTagKey(key)) {
      throw wrong(
        tag,
        'has a key other than 1 to 32 of a-z, 0-9, "_", "." and "-", beginning with a letter or digit',
      );
    }
    if (tags.has(key)) throw wrong(tag, 'repeats a key');
    if (tags.size === MOST_TAGS) throw wrong(tag, `is one of more than ${String(MOST_TAGS)}`);
    const value = decoded(tag.slice(equals + 1));
    if (value === undefined || !isTagValue(value)) {
      throw wrong(
        tag,
        'has a value other than 1 to 128 letters, digits, spaces within and "." "_" "/" "@" "+" "-", percent-encoded',
      );
    }
    tags.set(key, value);
  }
  return tagsText(tags);
}

/** The longest value with every byte of its UTF-8 encoded. */
const ENCODED_MOST = 128 * 9;
const PRINTABLE = /^[\x20-\x7e]*$/;

/** Undefined: not percent-encoded UTF-8. */
function decoded(text: string): string | undefined {
  if (text.length > ENCODED_MOST || !PRINTABLE.test(text)) return undefined;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function wrong(tag: string, what: string) {
  const shown = tag.length > SHOWN ? `${tag.slice(0, SHOWN)}…` : tag;
  const message = `${TAGS_HEADER}: the tag "${shown}" ${what}.`;
  return gatewayError('invalid_request', message, { param: TAGS_HEADER });
}

/** OpenAI accepts 16 entries, Gemini 64 labels. */
const METADATA_MOST = 64;

/**
 * The entries of a body's metadata that could be tags, in the same form. Which of them are is decided by the
 * organisation's list of keys; the rest is the client's own affair.
 */
export function tagsOfMetadata(metadata: JsonObject): string {
  let text = '';
  let entries = 0;
  for (const key in metadata) {
    if ((entries += 1) > METADATA_MOST) break;
    const value = metadata[key];
    if (typeof value !== 'string' || !isClientTagKey(key) || !isTagValue(value)) continue;
    text += `${text === '' ? '' : ', '}${key}:${value}`;
  }
  return text;
}
