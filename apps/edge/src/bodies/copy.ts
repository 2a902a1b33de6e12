// Copies a document that is kept: media become notes, and fields that hold credentials are replaced whole. The
// copy is bounded, so that a large request costs no more than a small one.

import type { JsonObject } from '../formats';
import { isObject, isRawNumber } from '../formats/json';

/** What stands for the value of a field that holds a credential. */
export const CREDENTIAL = '<CREDENTIAL_0>';

/** Fields whose text is a credential, whatever it looks like. */
const CREDENTIALS =
  /^(?:(?:proxy|x)?[-_]?authori[sz]ation(?:[-_]?token)?|(?:x[-_])?api[-_]?key|pass(?:word|wd|phrase)|(?:client|api)?[-_]?secret(?:[-_]?key)?|(?:access|refresh|id|auth|bearer|session)[-_]?token|(?:set[-_])?cookie|private[-_]?key)$/i;

/** Pieces of texts that masking would not recognise. */
const TOKENS: ReadonlySet<string> = new Set(['logprobs', 'logprobsResult']);

/** Fields that hold a file in base64. */
const FILES: ReadonlySet<string> = new Set(['b64_json', 'blob', 'data', 'file_data']);

/** Longer lists of numbers are vectors, or stand for a text that cannot be read. */
const NUMBERS_MOST = 16;

/** Undefined: it is longer than `most` characters. */
export function copyWithin(value: unknown, most: number): Copied | undefined {
  const left = { characters: most };
  const copy = copyOf(value, '', undefined, left);
  return left.characters < 0 ? undefined : { copy, characters: most - left.characters };
}

interface Copied {
  readonly copy: unknown;
  readonly characters: number;
}

interface Left {
  characters: number;
}

function copyOf(value: unknown, name: string, owner: JsonObject | undefined, left: Left): unknown {
  if (left.characters < 0) return undefined;
  if (typeof value === 'string') {
    const text = CREDENTIALS.test(name) ? CREDENTIAL : withNotes(value, name, owner);
    left.characters -= text.length + 3;
    return text;
  }
  if (Array.isArray(value)) return copyOfList(value, name, left);
  if (isRawNumber(value)) {
    left.characters -= value.rawJSON.length + 1;
    return value;
  }
  if (isObject(value)) return copyOfObject(value, name, left);
  left.characters -= 6;
  return value;
}

function copyOfList(list: readonly unknown[], name: string, left: Left): unknown {
  left.characters -= 2;
  if (list.length >= NUMBERS_MOST && list.every((one) => typeof one === 'number')) {
    return `[${list.length} numbers]`;
  }
  const copy: unknown[] = [];
  for (const one of list) {
    copy.push(copyOf(one, name, undefined, left));
    if (left.characters < 0) break;
  }
  return copy;
}

function copyOfObject(value: JsonObject, within: string, left: Left): JsonObject {
  left.characters -= 2;
  const copy: JsonObject = {};
  const ofHeaders = within === 'headers';
  for (const [name, inner] of Object.entries(value)) {
    left.characters -= name.length + 4;
    if (left.characters < 0) break;
    const isToken = TOKENS.has(name) && typeof inner === 'object' && inner !== null;
    const hidden = ofHeaders && typeof inner === 'string' ? CREDENTIAL : undefined;
    const written = isToken ? '[left out]' : (hidden ?? copyOf(inner, name, value, left));
    // A name such as __proto__ is a field like any other.
    Object.defineProperty(copy, name, {
      value: written,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

const BASE64 = '[A-Za-z0-9+/_-]';
const WHOLE = new RegExp(`^${BASE64}{64,}={0,2}$`);
const DATA_URL = /data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.+-]+)*?;base64,([A-Za-z0-9+/_=-]*)/g;
/** A long run, or the lines of a mail. It begins where a run begins, so that the search is linear. */
const RUN = new RegExp(
  `(?<!${BASE64})(?:(?:${BASE64}{76}\\r?\\n){3,}${BASE64}*|${BASE64}{512,})={0,2}`,
  'g',
);

function withNotes(text: string, name: string, owner: JsonObject | undefined): string {
  if (FILES.has(name) && WHOLE.test(text)) return noteOf(typeIn(owner), text.length);
  return withoutBase64(text);
}

/** The text with notes in place of what is base64. */
export function withoutBase64(text: string): string {
  const urls = text.includes(';base64,')
    ? text.replaceAll(DATA_URL, (_url, type: string | undefined, data: string) =>
        noteOf(type ?? 'base64', data.length),
      )
    : text;
  if (urls.length < 231) return urls;
  return urls.replaceAll(RUN, (run) => noteOf('base64', run.length));
}

function typeIn(owner: JsonObject | undefined): string {
  for (const name of ['media_type', 'mime_type', 'mimeType', 'format']) {
    const type = owner?.[name];
    if (typeof type === 'string' && type.length <= 100) return type;
  }
  return 'base64';
}

/** `characters`: of base64. */
function noteOf(type: string, characters: number): string {
  return sizeNote(type, Math.floor((characters * 3) / 4));
}

export function sizeNote(type: string, bytes: number): string {
  return `[${type}, ${bytes} bytes]`;
}
