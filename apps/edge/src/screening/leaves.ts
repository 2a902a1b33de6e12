// Walks a JSON document and visits its texts. Every text counts, so that a field that is new at a vendor is
// not passed over; left out is only what cannot be a sentence.

import type { JsonObject } from '../formats';
import { isObject, isRawNumber } from '../formats/json';

export interface Leaf {
  readonly text: string;
  /** The fields that lead to the text, without places in lists. */
  readonly path: readonly string[];
  /** Replaces the text in the document. */
  readonly set: (text: string) => void;
}

/** Ids, kinds, media and what only its issuer can read, as far as they are plain texts. */
const NO_TEXT: ReadonlySet<string> = new Set([
  'b64_json',
  'blob',
  'call_id',
  'createTime',
  'cursor',
  'data',
  'encrypted_content',
  'file_data',
  'file_id',
  'finish_reason',
  'finishReason',
  'format',
  'id',
  'item_id',
  'media_type',
  'mime_type',
  'modality',
  'mimeType',
  'model',
  'modelVersion',
  'name',
  'nextCursor',
  'object',
  'obfuscation',
  'progressToken',
  'provider',
  'redacted_data',
  'requestState',
  'response_id',
  'responseId',
  'role',
  'service_tier',
  'signature',
  'status',
  'stop_reason',
  'system_fingerprint',
  'thoughtSignature',
  'thought_signature',
  'tool_call_id',
  'tool_use_id',
  'type',
]);

/** Fields whose objects have names that others than the vendor give, so that all of their texts count. */
const FREE_FORM: ReadonlySet<string> = new Set(['args', 'arguments', 'input', 'metadata']);

function isFreeForm(
  name: string,
  value: unknown,
  path: readonly string[],
  owner: JsonObject,
): boolean {
  // Of a tool, which may be a list.
  if (name === 'structuredContent') return true;
  if (!isObject(value)) return false;
  // What a person has filled into a form of an MCP server.
  if (name === 'content' && typeof owner['action'] === 'string') return true;
  const within = path.at(-1);
  const ofFunction = within === 'functionResponse' || within === 'function_response';
  return FREE_FORM.has(name) || (name === 'response' && ofFunction);
}

/** Tokens, each of which is less than a word. They are dropped where a text is changed. */
const TOKENS: ReadonlySet<string> = new Set(['logprobs', 'logprobsResult']);

/** Fields that hold a URL, which may carry its content. Elsewhere a text that begins like one is a text. */
const URLS: ReadonlySet<string> = new Set([
  'audio_url',
  'fileUri',
  'file_uri',
  'file_url',
  'image_url',
  'src',
  'uri',
  'url',
  'video_url',
]);
const DATA_URL = /^data:[^,]{0,100};base64,[A-Za-z0-9+/=_-]*$/i;

/** Fields that hold a file, of which only one that is a text counts. */
const FILES: ReadonlySet<string> = new Set(['blob', 'data']);

/**
 * A document's depth is limited when it is parsed. `path`: the fields that lead to the value. `free`: no
 * field's name says that it has no text.
 */
export function visitTexts(
  value: unknown,
  path: readonly string[],
  visit: (leaf: Leaf) => void,
  free = false,
): void {
  if (Array.isArray(value)) {
    visitList(value, path, visit, free);
    return;
  }
  if (!isObject(value) || isRawNumber(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== 'string') {
      if (typeof inner !== 'object' || inner === null || (!free && TOKENS.has(name))) continue;
      visitTexts(inner, [...path, name], visit, free || isFreeForm(name, inner, path, value));
      continue;
    }
    const set = (text: string): void => {
      value[name] = text;
    };
    if (!free && FILES.has(name)) {
      visitFile(value, inner, (file) => visit({ ...file, path: [...path, name] }), set);
    } else if ((free || !NO_TEXT.has(name)) && isText(inner, name)) {
      visit({ text: inner, path: [...path, name], set });
    }
  }
}

function visitList(
  list: unknown[],
  path: readonly string[],
  visit: (leaf: Leaf) => void,
  free: boolean,
): void {
  for (const [at, inner] of list.entries()) {
    if (typeof inner === 'string') {
      if (!isText(inner, path.at(-1) ?? '')) continue;
      const set = (text: string): void => {
        list[at] = text;
      };
      visit({ text: inner, path, set });
    } else if (typeof inner === 'object' && inner !== null) visitTexts(inner, path, visit, free);
  }
}

/** The texts of one field, by which the field itself is known too. */
export function visitField(
  owner: JsonObject,
  name: string,
  value: unknown,
  visit: (leaf: Leaf) => void,
): void {
  // Wrapped, so that the field's own name decides whether it has texts.
  visitTexts({ [name]: value }, [], (leaf) => {
    const set = (text: string): void => {
      owner[name] = text;
    };
    visit(typeof value === 'string' ? { ...leaf, set } : leaf);
  });
}

function isText(text: string, name: string): boolean {
  if (text === '') return false;
  return !(URLS.has(name) && text.startsWith('data:') && DATA_URL.test(text));
}

/** A document of text is sent as it is, or in base64. */
function visitFile(
  { type, ...owner }: JsonObject,
  content: string,
  visit: (file: Omit<Leaf, 'path'>) => void,
  set: (text: string) => void,
): void {
  const kind = owner['media_type'] ?? owner['mime_type'] ?? owner['mimeType'];
  const ofText = typeof kind === 'string' && TEXT_KIND.test(kind);
  if (content === '' || (type !== 'text' && !ofText)) return;
  if (type === 'text') {
    visit({ text: content, set });
    return;
  }
  visit({
    text: Buffer.from(content, 'base64').toString('utf8'),
    set: (text) => set(Buffer.from(text).toString('base64')),
  });
}

const TEXT_KIND = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|x-ndjson)\b)/i;
