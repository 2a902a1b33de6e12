// What stands within a chat request that only those who speak the format may know: marks on parts of
// messages, fields of tools. Targets of other formats drop it, by its path.

import { addOtherFields, arrayOf, isObject, objectOf, textOf } from '../json';
import type { JsonObject } from '../normalised';

/** The fields that are read, or say nothing that would be missed. */
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

/** A part says what it is, and holds it under that name. */
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
    // What the provider wrote about its own text, handed back.
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
  // Streams that are translated are not obfuscated.
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
