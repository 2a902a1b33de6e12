import type { FormatName, JsonObject } from '../formats';
import { isRawNumber } from '../formats/json';

// The text of a request that is the same for all requests with the same meaning.

/**
 * Fields at the top of a body that change nothing of the answer: whom the request is for, and how the provider keeps
 * its prompt. Answers of the responses format repeat them, so there they count.
 */
const MEANINGLESS: Readonly<Record<FormatName, ReadonlySet<string>>> = {
  'openai-chat': chatFields(),
  unified: chatFields(),
  'anthropic-messages': new Set(['metadata']),
  'openai-responses': new Set(),
  'gemini-generate': new Set(),
  'gemini-generate-array': new Set(),
};

function chatFields(): ReadonlySet<string> {
  return new Set([
    'metadata',
    'prompt_cache_key',
    'prompt_cache_retention',
    'safety_identifier',
    'user',
  ]);
}

/**
 * JSON without spaces, with the fields of each object sorted, and without the fields of `format` that change nothing.
 * Undefined: it is longer than `most` characters, so it is not worth its hash.
 */
export function canonicalBody(
  format: FormatName,
  body: JsonObject,
  most: number,
): string | undefined {
  const left = { characters: most };
  const text = objectText(body, MEANINGLESS[format], left);
  return left.characters < 0 ? undefined : text;
}

const NONE: ReadonlySet<string> = new Set();

interface Left {
  characters: number;
}

function textOf(value: unknown, left: Left): string {
  if (left.characters < 0) return '';
  if (Array.isArray(value)) {
    const parts: string[] = [];
    for (const one of value) {
      parts.push(textOf(one, left));
      if (left.characters < 0) return '';
    }
    return counted(`[${parts.join(',')}]`, parts.length + 1, left);
  }
  if (typeof value === 'object' && value !== null && !isRawNumber(value)) {
    return objectText(value as JsonObject, NONE, left);
  }
  const text = JSON.stringify(value) ?? 'null';
  return counted(text, text.length, left);
}

function objectText(value: JsonObject, without: ReadonlySet<string>, left: Left): string {
  const parts: string[] = [];
  // The default order is by code units, the same on every machine.
  for (const name of Object.keys(value).toSorted()) {
    if (without.has(name)) continue;
    const part = `${JSON.stringify(name)}:${textOf(value[name], left)}`;
    left.characters -= name.length + 4;
    if (left.characters < 0) return '';
    parts.push(part);
  }
  return `{${parts.join(',')}}`;
}

function counted(text: string, characters: number, left: Left): string {
  left.characters -= characters;
  return text;
}
