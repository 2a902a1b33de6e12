// Reading what the ledger needs out of answers that are passed on as they are.

import { emptyUsage, gatewayError, type TokenUsage } from '@tollgate/contracts';
import { parseJson, type JsonObject } from '../formats';
import { countOf, isObject, objectOf } from '../formats/json';
import { decodeUsage } from '../formats/openai-chat/usage';
import { garbled } from '../upstream/failure';

/** Uncached input and plain output. */
export function inputAndOutput(input: number, output: number): TokenUsage {
  return { ...emptyUsage(), input, output };
}

/** @throws UpstreamFailure when it is not JSON */
export function parseAnswer(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString('utf8'));
  } catch {
    throw garbled("The provider's answer is not JSON.");
  }
}

/** @throws UpstreamFailure when it is not a JSON object */
export function parseObject(bytes: Buffer): JsonObject {
  const value = parseAnswer(bytes);
  if (!isObject(value)) throw garbled("The provider's answer is not a JSON object.");
  return value;
}

/** An answer without what every answer to this question holds. */
export function notAnAnswer(what: string) {
  return gatewayError('upstream_error', `The provider sent an invalid answer: ${what}.`);
}

/**
 * Counts of an answer that is not text: some servers give a total and nothing else. Undefined: it
 * holds none.
 */
export function promptUsage(value: unknown): TokenUsage | undefined {
  const usage = objectOf(value);
  if (!usage) return undefined;
  const input = usage['prompt_tokens'] ?? usage['total_tokens'];
  return decodeUsage({ ...usage, prompt_tokens: input })?.tokens;
}

/** What of the counts is sound. */
type Sound = { input?: boolean; output?: boolean };

/**
 * Counts of pictures and sound, which say `input_tokens` and `output_tokens`. Undefined: it holds
 * none, or counts something else.
 */
export function mediaUsage(value: unknown, sound: Sound = {}): TokenUsage | undefined {
  const usage = objectOf(value);
  const total = countOf(usage?.['input_tokens']);
  const generated = countOf(usage?.['output_tokens']);
  if (!usage || total === undefined || generated === undefined) return undefined;
  const details = objectOf(usage['input_tokens_details'] ?? usage['input_token_details']) ?? {};
  const cacheRead = Math.min(countOf(details['cached_tokens']) ?? 0, total);
  const heard = sound.input ? (countOf(details['audio_tokens']) ?? total) : 0;
  const audioInput = Math.min(heard, total - cacheRead);
  return {
    ...emptyUsage(),
    input: total - cacheRead - audioInput,
    cacheRead,
    audioInput,
    ...(sound.output ? { audioOutput: generated } : { output: generated }),
  };
}

/** Answers of lists of numbers are long, and hold no text that could look like a count. */
const LONG_BYTES = 64 * 1024;
const USAGE = '"usage":';

/**
 * The `usage` of an answer of numbers, found without reading them where there are many.
 * @throws UpstreamFailure when it is not a JSON object
 */
export function usageBesideNumbers(bytes: Buffer): unknown {
  if (bytes.length > LONG_BYTES) {
    const text = bytes.toString('latin1').trim();
    const found = isWholeObject(text) ? objectAfter(text, USAGE) : undefined;
    if (found) return found;
  }
  return parseObject(bytes)['usage'];
}

/**
 * Whether a text that begins as a JSON object comes to its end as one: what was cut off anywhere does not.
 * Looks at brackets and quotes alone, which among numbers are few and far between.
 */
export function isWholeObject(text: string): boolean {
  if (!text.startsWith('{') || !text.endsWith('}')) return false;
  const mark = /["{}[\]]/g;
  const open: string[] = [];
  for (let found = mark.exec(text); found; found = mark.exec(text)) {
    const [character] = found;
    if (character === '"') {
      const end = endOfText(text, mark.lastIndex);
      if (end < 0) return false;
      mark.lastIndex = end;
    } else if (character === '{' || character === '[') {
      open.push(character);
    } else {
      if (open.pop() !== (character === '}' ? '{' : '[')) return false;
      if (open.length === 0) return mark.lastIndex === text.length;
    }
  }
  return false;
}

/** After the quote that ends a text; negative: none does. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  return -1;
}

function objectAfter(text: string, key: string): unknown {
  const at = text.lastIndexOf(key);
  const start = at < 0 ? -1 : text.indexOf('{', at);
  if (start < 0) return undefined;
  let depth = 0;
  for (let end = start; end < text.length; end += 1) {
    if (text[end] === '{') depth += 1;
    if (text[end] === '}') depth -= 1;
    if (depth > 0) continue;
    try {
      return JSON.parse(text.slice(start, end + 1)) as unknown;
    } catch {
      return undefined;
    }
  }
  return undefined;
}
