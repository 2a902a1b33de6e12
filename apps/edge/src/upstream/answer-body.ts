// An answer that was read whole, and its JSON document. The document is parsed within limits, and
// off the event loop if it is large, because a tenant's own upstream may send anything.

import { parseJson } from '../formats/json';
import { ANSWER_LIMITS, MEASURED_FROM_BYTES, OFF_LOOP_FROM_BYTES } from '../json/limits';
import { JsonSyntax, JsonTooLarge, type JsonParser } from '../json/parser';
import { findExcess, type JsonExcess } from '../json/scan';
import { garbled, unfoldsTooFar } from './failure';

export interface AnswerBody {
  /** The bytes that the upstream sent. */
  readonly bytes: Buffer;
  /** The parsed document, if it exists already, as for a large answer. */
  readonly parsed?: unknown;
  /**
   * The document. A large one of which only counts are read is parsed without its content.
   * @throws UpstreamFailure if it is not JSON
   */
  json: () => unknown;
}

export interface AnswerOptions {
  contentType: string;
  /** Only counts are read from it. */
  countsOnly: boolean;
}

const IS_JSON = /\bjson\b/i;

/** @throws UpstreamFailure if the document exceeds a limit; a promise rejects with it */
export function openAnswer(
  parser: Pick<JsonParser, 'parse'>,
  bytes: Buffer,
  { contentType, countsOnly }: AnswerOptions,
): AnswerBody | Promise<AnswerBody> {
  if (bytes.length <= MEASURED_FROM_BYTES || !IS_JSON.test(contentType)) return answerOf(bytes);
  if (bytes.length <= OFF_LOOP_FROM_BYTES) {
    const excess = findExcess(bytes, ANSWER_LIMITS);
    if (excess) throw tooMuch(excess);
    return answerOf(bytes);
  }
  return parseThere(parser, bytes, countsOnly);
}

/** An answer that is known to be small. */
export function answerOf(bytes: Buffer): AnswerBody {
  let parsed: { value: unknown } | undefined;
  return {
    bytes,
    json: () => {
      parsed ??= { value: parse(bytes) };
      return parsed.value;
    },
  };
}

async function parseThere(
  parser: Pick<JsonParser, 'parse'>,
  bytes: Buffer,
  countsOnly: boolean,
): Promise<AnswerBody> {
  try {
    const parsed = await parser.parse(bytes, { limits: ANSWER_LIMITS, countsOnly });
    return { bytes: parsed.bytes, parsed: parsed.value, json: () => parsed.value };
  } catch (error) {
    if (error instanceof JsonTooLarge) throw tooMuch(error.excess);
    if (error instanceof JsonSyntax) throw notJson();
    throw error;
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString('utf8'));
  } catch {
    throw notJson();
  }
}

function notJson() {
  return garbled("The provider's answer is not JSON.");
}

const WHAT: Readonly<Record<JsonExcess['limit'], string>> = {
  containers: 'objects and lists',
  values: 'values',
  fields: 'fields in one object',
  depth: 'levels of nesting',
  longNumbers: 'numbers of more than 15 digits',
};

function tooMuch({ limit, most }: JsonExcess) {
  return unfoldsTooFar(`more than ${most} ${WHAT[limit]}`);
}
