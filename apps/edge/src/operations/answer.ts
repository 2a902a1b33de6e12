// Reads the ledger's facts from answers that are relayed unchanged.

import { emptyUsage, gatewayError, type TokenUsage } from '@tollgate/contracts';

import type { JsonObject } from '../formats';
import { countOf, isObject, objectOf } from '../formats/json';
import { decodeUsage } from '../formats/openai-chat/usage';
import type { AnswerBody } from '../upstream/answer-body';
import { garbled } from '../upstream/failure';

/** Usage of uncached input and plain output. */
export function inputAndOutput(input: number, output: number): TokenUsage {
  return { ...emptyUsage(), input, output };
}

/** @throws UpstreamFailure if it is not a JSON object */
export function objectIn(answer: AnswerBody): JsonObject {
  const value = answer.json();
  if (!isObject(value)) throw garbled("The provider's answer is not a JSON object.");
  return value;
}

/** The error for an answer that lacks a required part. */
export function notAnAnswer(what: string) {
  return gatewayError('upstream_error', `The provider sent an invalid answer: ${what}.`);
}

/**
 * Usage of an answer that is not text. Some servers report only a total. Undefined: no usage is
 * reported.
 */
export function promptUsage(value: unknown): TokenUsage | undefined {
  const usage = objectOf(value);
  if (!usage) return undefined;
  const input = usage['prompt_tokens'] ?? usage['total_tokens'];
  return decodeUsage({ ...usage, prompt_tokens: input })?.tokens;
}

/** What the counts are of, where the answer does not say it. */
interface Media {
  input?: 'audio';
  output?: 'audio' | 'image';
}

/**
 * Usage of images and audio, in `input_tokens` and `output_tokens`. Undefined: no usage is
 * reported, or it counts something else.
 */
export function mediaUsage(value: unknown, media: Media): TokenUsage | undefined {
  const usage = objectOf(value);
  const total = countOf(usage?.['input_tokens']);
  const generated = countOf(usage?.['output_tokens']);
  if (!usage || total === undefined || generated === undefined) return undefined;
  const details = objectOf(usage['input_tokens_details'] ?? usage['input_token_details']) ?? {};
  const cacheRead = Math.min(countOf(details['cached_tokens']) ?? 0, total);
  const heard = media.input === 'audio' ? (countOf(details['audio_tokens']) ?? total) : 0;
  const audioInput = Math.min(heard, total - cacheRead);
  // No answer says which tokens were cached, so text counts as cached first.
  const seen = countOf(details['image_tokens']) ?? 0;
  const imageInput = Math.min(seen, total - cacheRead - audioInput);
  return {
    ...emptyUsage(),
    input: total - cacheRead - audioInput - imageInput,
    cacheRead,
    audioInput,
    imageInput,
    ...generatedTokens(generated, usage['output_tokens_details'], media.output),
  };
}

function generatedTokens(
  generated: number,
  details: unknown,
  medium: Media['output'],
): Partial<TokenUsage> {
  if (medium === 'audio') return { audioOutput: generated };
  if (medium === undefined) return { output: generated };
  // What is not said to be text is an image: earlier models give no details.
  const output = Math.min(countOf(objectOf(details)?.['text_tokens']) ?? 0, generated);
  return { output, imageOutput: generated - output };
}

/** Larger answers of numbers are not parsed, because their numbers are expensive. */
const LONG_BYTES = 64 * 1024;
const USAGE = Buffer.from('"usage"');

/**
 * The `usage` of an answer of numbers. A large answer is scanned instead of parsed. Only the top level
 * counts: an answer may repeat documents of the request, and these may hold a `usage` of their own.
 * @throws UpstreamFailure if it is not a JSON object
 */
export function usageBesideNumbers(answer: AnswerBody): unknown {
  const { bytes, parsed } = answer;
  if (parsed === undefined && bytes.length > LONG_BYTES) {
    const found = parsedAt(bytes, scanObject(bytes)?.usage);
    if (found) return found;
  }
  return objectIn(answer)['usage'];
}

type Range = readonly [start: number, end: number];

function parsedAt(bytes: Buffer, range: Range | undefined): unknown {
  if (!range) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8', ...range)) as unknown;
  } catch {
    return undefined;
  }
}

/** The text is decoded in windows of this size, because one string of the whole answer is expensive. */
const WINDOW_BYTES = 32 * 1024;

/**
 * One complete JSON object, and where the object under its own key `usage` is. Undefined: it is cut
 * off, or no object. Checks only brackets and quotes, which are rare among numbers.
 */
export function scanObject(bytes: Buffer): { usage: Range | undefined } | undefined {
  const [start, end] = withoutBlanks(bytes);
  if (bytes[start] !== BRACE_OPEN || bytes[end - 1] !== BRACE_CLOSE) return undefined;
  const open: string[] = [];
  let usage: Range | undefined;
  /** Where the value of the last key `usage` begins; negative: it has ended, or there is none. */
  let begun = -1;
  let from = start;
  while (from < end) {
    const text = bytes.toString('latin1', from, Math.min(end, from + WINDOW_BYTES));
    let next = from + text.length;
    const mark = /["{}[\]]/g;
    for (let found = mark.exec(text); found; found = mark.exec(text)) {
      const [character] = found;
      if (character === '"') {
        const quote = from + found.index;
        const after = endOfText(bytes, quote + 1);
        if (after < 0) return undefined;
        const value = open.length === 1 ? usageValue(bytes, quote, after) : -1;
        // As when parsed, the last of several keys counts.
        if (value >= 0) [begun, usage] = [bytes[value] === BRACE_OPEN ? value : -1, undefined];
        if (after >= next) {
          next = after;
          break;
        }
        mark.lastIndex = after - from;
      } else if (character === '{' || character === '[') {
        open.push(character);
      } else {
        if (open.pop() !== (character === '}' ? '{' : '[')) return undefined;
        const after = from + mark.lastIndex;
        if (open.length === 0) return after === end ? { usage } : undefined;
        if (open.length === 1 && begun >= 0) [begun, usage] = [-1, [begun, after]];
      }
    }
    from = next;
  }
  return undefined;
}

/** Where the value begins if the string is the key `usage`; negative: it is another, or no key. */
function usageValue(bytes: Buffer, quote: number, after: number): number {
  if (after - quote !== USAGE.length || USAGE.compare(bytes, quote, after) !== 0) return -1;
  const colon = pastBlanks(bytes, after);
  return bytes[colon] === COLON ? pastBlanks(bytes, colon + 1) : -1;
}

const [QUOTE, BACKSLASH, COLON, BRACE_OPEN, BRACE_CLOSE] = [34, 92, 58, 123, 125];

function withoutBlanks(bytes: Buffer): Range {
  const start = pastBlanks(bytes, 0);
  let end = bytes.length;
  while (end > start && isBlank(bytes[end - 1])) end -= 1;
  return [start, end];
}

function pastBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (isBlank(bytes[at])) at += 1;
  return at;
}

/** JSON whitespace. */
function isBlank(byte: number | undefined): boolean {
  return byte === 32 || byte === 9 || byte === 10 || byte === 13;
}

/** The offset after the quote that ends a string; negative: the string does not end. */
function endOfText(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  return -1;
}
