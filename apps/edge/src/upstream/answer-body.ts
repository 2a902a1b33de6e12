// An answer that was read whole, and the document in it: built within limits, and off the event loop when it
// is large. A tenant's own upstream may answer anything.

import { parseJson } from '../formats/json';
import { ANSWER_LIMITS, MEASURED_FROM_BYTES, OFF_LOOP_FROM_BYTES } from '../json/limits';
import { JsonSyntax, JsonTooLarge, type JsonParser } from '../json/parser';
import { findExcess, type JsonExcess } from '../json/scan';
import { garbled, unfoldsTooFar } from './failure';

export type AnswerBody = {
  /** As the upstream sent it. */
  readonly bytes: Buffer;
  /** The document where it is built already, as that of a large answer is. */
  readonly parsed?: unknown;
  /**
   * The document. A large one of which only counts are read comes without its content.
   * @throws UpstreamFailure when it is not JSON
   */
  json: () => unknown;
};

export type AnswerOptions = {
  contentType: string;
  /** Only counts will be read of it. */
  countsOnly: boolean;
};

const IS_JSON = /\bjson\b/i;

/** @throws UpstreamFailure when the document passes a limit; a promise rejects with it */
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
