// Turns the bytes of a body into a JSON object, or into an error that the client can correct.

import { gatewayError, type GatewayError } from '@tollgate/contracts';

import type { JsonObject } from '../formats';
import { isObject, parseJson } from '../formats/json';
import { REQUEST_LIMITS } from '../json/limits';
import {
  JsonSyntax,
  JsonTooLarge,
  ParserFailed,
  type JsonDocument,
  type JsonParser,
} from '../json/parser';
import { findExcess, syntaxPlace, type JsonExcess, type SyntaxPlace } from '../json/scan';

export interface JsonBody {
  json: JsonObject;
  bytes: Buffer;
  /** The body is large, so the upstream body is serialised off the event loop. */
  offLoop: boolean;
}

/**
 * The body as a JSON object, with its bytes. A large body's bytes are moved, so the returned ones
 * replace those given; dropped bytes are empty.
 * @throws GatewayError `invalid_request` naming the place of a syntax error or the exceeded limit;
 * `overloaded`
 */
export function parseBody(
  parser: Pick<JsonParser, 'parse'>,
  bytes: Buffer,
  { maxDepth, dropBytes }: { maxDepth: number; dropBytes: boolean },
): JsonBody | Promise<JsonBody> {
  try {
    const parsed = parser.parse(bytes, { limits: limitsFor(maxDepth), dropBytes });
    return parsed instanceof Promise ? parsed.then(bodyOf, refuse) : bodyOf(parsed);
  } catch (error) {
    return refuse(error);
  }
}

/** The same for a body with a few fields that is known to be small. */
export function parseSmallBody(bytes: Buffer, maxDepth: number): JsonObject {
  const excess = findExcess(bytes, limitsFor(maxDepth));
  if (excess) throw tooMuch(excess);
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw notJson(syntaxPlace(text, error), text.trim() === '', error);
  }
  return bodyOf({ value, bytes }).json;
}

/** The root object itself is not counted. */
function limitsFor(maxDepth: number) {
  return { ...REQUEST_LIMITS, depth: maxDepth + 1 };
}

function bodyOf({ value, bytes, offLoop = false }: JsonDocument): JsonBody {
  if (!isObject(value)) {
    throw gatewayError('invalid_request', 'The body must be a JSON object.');
  }
  return { json: value, bytes, offLoop };
}

function refuse(error: unknown): never {
  if (error instanceof JsonTooLarge) throw tooMuch(error.excess);
  if (error instanceof JsonSyntax) throw notJson(error.place, error.empty, error);
  if (error instanceof ParserFailed) {
    throw gatewayError('overloaded', undefined, { cause: error, retryAfterMs: RETRY_AFTER_MS });
  }
  throw error;
}

const RETRY_AFTER_MS = 1_000;

const TOO_MUCH: Readonly<Record<JsonExcess['limit'], (most: number) => string>> = {
  containers: (most) => `holds more than ${most} objects and lists`,
  values: (most) => `holds more than ${most} values`,
  fields: (most) => `has an object with more than ${most} fields`,
  longNumbers: (most) => `holds more than ${most} numbers of more than 15 digits`,
  depth: (most) => `is nested more than ${most - 1} deep`,
};

function tooMuch({ limit, most, field }: JsonExcess): GatewayError {
  const what = TOO_MUCH[limit](most);
  const text = field === '' ? `The body ${what}.` : `${field}: the body ${what}`;
  return gatewayError('invalid_request', text, {
    ...(field === '' ? {} : { param: field }),
    details: { limit, most: limit === 'depth' ? most - 1 : most },
  });
}

function notJson(place: SyntaxPlace | undefined, empty: boolean, cause: unknown): GatewayError {
  const told = (text: string): GatewayError => gatewayError('invalid_request', text, { cause });
  if (empty) return told('The body is empty; a JSON object is expected.');
  if (!place) return told('The body is not valid JSON.');
  const { position, line, column } = place;
  return told(
    `The body is not valid JSON at position ${position} (line ${line}, column ${column}).`,
  );
}
