// Copies a document that is kept: media become notes, and fields that hold credentials are replaced whole. What is
// read is bounded, because it runs before the upstream is called: a larger document is not kept.

import type { JsonObject } from '../formats';
import { isObject, isRawNumber } from '../formats/json';
import { CREDENTIAL, HEADERS, isCredential } from './credentials';

/** Pieces of texts that masking would not recognise. */
const PIECES: ReadonlySet<string> = new Set(['logprobs', 'logprobsResult']);

/** Fields that hold a file in base64. */
const FILES: ReadonlySet<string> = new Set(['b64_json', 'blob', 'data', 'file_data']);

/** Longer lists of numbers are vectors, or stand for a text that cannot be read. */
const NUMBERS_MOST = 16;

/** How much is read for what is kept: media take room that their notes do not. */
const READ_FOR_KEPT = 8;

/** Undefined: it is longer than `most` characters, or much more would have to be read. */
export function copyWithin(value: unknown, most: number): Copied | undefined {
  const left = { characters: most, read: READ_FOR_KEPT * most };
  const copy = copyOf(value, { name: '', hides: false }, left);
  return left.characters < 0 ? undefined : { copy, characters: most - left.characters };
}

interface Copied {
  readonly copy: unknown;
  readonly characters: number;
}

interface Left {
  characters: number;
  /** Of texts. */
  read: number;
}

interface Place {
  readonly name: string;
  /** Texts and numbers are credentials, whatever they look like. */
  readonly hides: boolean;
  readonly owner?: JsonObject;
}

function copyOf(value: unknown, place: Place, left: Left): unknown {
  if (left.characters < 0) return undefined;
  if (Array.isArray(value)) return copyOfList(value, place, left);
  if (isObject(value) && !isRawNumber(value)) return copyOfObject(value, place, left);
  const written = scalarOf(value, place, left);
  left.characters -= lengthOf(written);
  return written;
}

function scalarOf(value: unknown, { hides, name, owner }: Place, left: Left): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (hides || isCredential(name)) return CREDENTIAL;
  return typeof value === 'string' ? withNotes(value, name, owner, left) : value;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 3;
  return isRawNumber(value) ? value.rawJSON.length + 1 : 6;
}

function copyOfList(list: readonly unknown[], place: Place, left: Left): unknown {
  left.characters -= 2;
  if (list.length >= NUMBERS_MOST && list.every((one) => typeof one === 'number')) {
    return `[${list.length} numbers]`;
  }
  const copy: unknown[] = [];
  for (const one of list) {
    copy.push(copyOf(one, { name: place.name, hides: place.hides }, left));
    if (left.characters < 0) break;
  }
  return copy;
}

function copyOfObject(value: JsonObject, place: Place, left: Left): JsonObject {
  left.characters -= 2;
  const copy: JsonObject = {};
  const hides = place.hides || place.name === HEADERS;
  for (const [name, inner] of Object.entries(value)) {
    left.characters -= name.length + 4;
    if (left.characters < 0) break;
    const written = isPieces(name, inner, value)
      ? '[left out]'
      : copyOf(inner, { name, hides, owner: value }, left);
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

/** Whether a field repeats a text in pieces: those of a transcription are beside it, or ids of its tokens. */
function isPieces(name: string, value: unknown, { text }: JsonObject): boolean {
  if (PIECES.has(name)) return typeof value === 'object' && value !== null;
  if (!Array.isArray(value)) return false;
  const [first]: unknown[] = value;
  if (name === 'tokens') return typeof first === 'number';
  if (typeof text !== 'string' || !isObject(first)) return false;
  return (name === 'words' && 'word' in first) || (name === 'segments' && 'text' in first);
}

const BASE64 = '[A-Za-z0-9+/_-]';
/** So many characters show that a field or a data URL holds a file. */
const SEEN = 1_024;
const WHOLE = new RegExp(`^${BASE64}{64,}={0,2}$`);
const BASE64_ONLY = new RegExp(`^${BASE64}*$`);
const FILE_URL = /^data:([\w.+-]{1,100}\/[\w.+-]{1,100})?(?:;[\w=.+-]{1,100}){0,4};base64,/;
const DATA_URL = /data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.+-]+)*?;base64,([A-Za-z0-9+/_=-]*)/g;

function withNotes(text: string, name: string, owner: JsonObject | undefined, left: Left): string {
  // Nothing of a file is kept, so what comes later in it need not be read.
  if (FILES.has(name) && WHOLE.test(text.slice(0, SEEN))) return noteOf(typeIn(owner), text.length);
  const [start = '', type] = FILE_URL.exec(text.slice(0, SEEN)) ?? [];
  if (start !== '' && text.length > SEEN && BASE64_ONLY.test(text.slice(start.length, SEEN))) {
    return noteOf(type ?? 'base64', text.length - start.length);
  }
  left.read -= text.length;
  if (left.read < 0) {
    left.characters = -1;
    return '';
  }
  return withoutBase64(text);
}

/** The text with notes in place of what is base64. */
export function withoutBase64(text: string): string {
  const urls = text.includes(';base64,')
    ? text.replaceAll(DATA_URL, (_url, type: string | undefined, data: string) =>
        noteOf(type ?? 'base64', data.length),
      )
    : text;
  return urls.length < SHORTEST_MAIL ? urls : withoutRuns(urls);
}

/** A line of base64 in a mail, and how many show that it is one. */
const MAIL_LINE = 76;
const MAIL_LINES = 3;
const SHORTEST_MAIL = MAIL_LINES * (MAIL_LINE + 1);
/** A longer run is no word. */
const LONG_RUN = 512;

const IS_BASE64 = new Uint8Array(128);
for (const one of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-') {
  IS_BASE64[one.charCodeAt(0)] = 1;
}
const isBase64 = (text: string, at: number): boolean => IS_BASE64[text.charCodeAt(at)] === 1;

/** Each character is looked at once. */
function withoutRuns(text: string): string {
  const pieces: string[] = [];
  let kept = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (!isBase64(text, at)) continue;
    const run = runAt(text, at);
    if (run.isFile) {
      pieces.push(text.slice(kept, at), noteOf('base64', run.end - at));
      kept = run.end;
    }
    at = run.end - 1;
  }
  return pieces.length === 0 ? text : `${pieces.join('')}${text.slice(kept)}`;
}

/** A long run, or the lines of a mail. */
function runAt(text: string, from: number): { readonly end: number; readonly isFile: boolean } {
  let [at, lines, line] = [from, 0, from];
  for (;;) {
    while (isBase64(text, at)) at += 1;
    const breakLength = text[at] === '\n' ? 1 : text.startsWith('\r\n', at) ? 2 : 0;
    if (breakLength === 0 || at - line !== MAIL_LINE) break;
    at += breakLength;
    line = at;
    lines += 1;
  }
  const isFile = lines >= MAIL_LINES || at - line >= LONG_RUN;
  const [padding = ''] = isFile ? (/^={0,2}/.exec(text.slice(at, at + 2)) ?? []) : [];
  return { end: at + padding.length, isFile };
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
