// Nested fields of a chat request that only this format knows: marks on message parts, fields of
// tools. Other targets drop them and report their paths.

import { addOtherFields, arrayOf, isObject, objectOf, textOf } from '../json';
import type { JsonObject } from '../normalised';

/** Fields that are decoded, or whose loss changes nothing. */
const MESSAGE: ReadonlySet<string> = new Set([
  'role',
  'name',
  'content',
  'content_blocks',
  'refusal',
  'audio',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'reasoning_content',
  'thinking_blocks',
  'annotations',
]);
const FUNCTION: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'strict']);
const CUSTOM: ReadonlySet<string> = new Set(['name', 'description', 'format']);
const STREAM_OPTIONS: ReadonlySet<string> = new Set(['include_usage']);

/** A part has a type, and its payload in the field of that name. */
const PARTS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries([
  ...['text', 'image_url', 'input_audio', 'audio', 'file', 'refusal'].map(
    (kind) => [kind, new Set(['type', kind])] as const,
  ),
  ['thinking', new Set(['type', 'thinking', 'signature'])],
  ['redacted_thinking', new Set(['type', 'data'])],
]);

export function addNested(body: JsonObject, extras: JsonObject): void {
  for (const [at, message] of arrayOf(body['messages']).entries()) {
    if (!isObject(message)) continue;
    addOtherFields(message, MESSAGE, `messages[${at}]`, extras);
    // The provider's annotations of its own text, sent back.
    const notes = message['annotations'];
    if (arrayOf(notes).length > 0) extras[`messages[${at}].annotations`] = notes;
    addParts(message, 'content', `messages[${at}]`, extras);
    addParts(message, 'content_blocks', `messages[${at}]`, extras);
  }
  for (const [at, tool] of arrayOf(body['tools']).entries()) {
    if (!isObject(tool)) continue;
    const kind = textOf(tool['type']);
    if (kind !== 'function' && kind !== 'custom') continue;
    addOtherFields(tool, new Set(['type', kind]), `tools[${at}]`, extras);
    const fields = kind === 'function' ? FUNCTION : CUSTOM;
    addOtherFields(objectOf(tool[kind]) ?? {}, fields, `tools[${at}].${kind}`, extras);
  }
  const options = { ...objectOf(body['stream_options']) };
  // Translated streams are not obfuscated.
  if (options['include_obfuscation'] === false) delete options['include_obfuscation'];
  addOtherFields(options, STREAM_OPTIONS, 'stream_options', extras);
}

function addParts(message: JsonObject, list: string, path: string, extras: JsonObject): void {
  for (const [at, part] of arrayOf(message[list]).entries()) {
    const kind = isObject(part) ? textOf(part['type']) : undefined;
    if (!isObject(part) || kind === undefined || !Object.hasOwn(PARTS, kind)) continue;
    addOtherFields(part, PARTS[kind] ?? new Set(), `${path}.${list}[${at}]`, extras);
  }
}
