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

/** Content that is carried in a URL. */
const DATA_URL = /^data:[^,]{0,100};base64,/i;

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
    if ((!free && NO_TEXT.has(name)) || !isText(inner)) continue;
    const set = (text: string): void => {
      value[name] = text;
    };
    visit({ text: inner, path: [...path, name], set });
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
      if (!isText(inner)) continue;
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

function isText(text: string): boolean {
  return text !== '' && !(text.startsWith('data:') && DATA_URL.test(text));
}
