// Reads JSON from outside: values of any type, nested to any depth.

import { randomUUID } from 'node:crypto';

import { hasLongNumber, markLongNumbers, putLongNumbers } from '../json/long-numbers';
import type { JsonObject } from './normalised';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Equal for names that differ in case only, which is how Go's JSON parser compares them. */
export function foldCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}

/** A number in its source form, which `JSON.stringify` writes digit by digit. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** A language feature that the library types lack. */
interface ExactJson {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}

const exact = JSON as unknown as ExactJson;

/** The prefix of a long number while its document is parsed; no client can write it. */
const LONG_MARK = `long-${randomUUID()}:`;

/**
 * Parses JSON without losing digits: integers beyond the safe range keep their source form.
 * @throws SyntaxError, RangeError when there are too many of them
 */
export function parseJson(text: string): unknown {
  if (!hasLongNumber(text)) return JSON.parse(text);
  try {
    return restoreLongNumbers(JSON.parse(markLongNumbers(text, LONG_MARK)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The error positions must be those of the original text.
    return JSON.parse(text);
  }
}

/** For documents that another parser reads. */
export const LONG_NUMBERS = { parse: parseJson, mark: LONG_MARK, restore: restoreLongNumbers };

/** Restores the long numbers in a value whose text was marked. */
function restoreLongNumbers(value: unknown): unknown {
  return putLongNumbers(value, LONG_MARK, (digits) => exact.rawJSON(digits));
}

export function isRawNumber(value: unknown): value is RawNumber {
  return exact.isRawJSON(value);
}

/** The document in a text; undefined: it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function objectOf(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

export function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Non-empty text; absent, null and '' are undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A non-negative count; anything else is undefined. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** The fields that are neither undefined nor null, so that optional ones stay absent. */
export function present<T extends object>(fields: T): Present<T> {
  const kept: Present<T> = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined && value !== null) kept[key] = value;
  }
  return kept;
}

/** The fields of a payload that are not known, without nulls. */
export function otherFields(body: JsonObject, known: ReadonlySet<string>): JsonObject {
  const others = Object.entries(body).filter(([name, value]) => !known.has(name) && value !== null);
  return Object.fromEntries(others);
}

/** Adds the fields that are not known to the extras, by path. Nearly always there are none. */
export function addOtherFields(
  body: JsonObject,
  known: ReadonlySet<string>,
  path: string,
  extras: JsonObject,
): void {
  for (const name in body) {
    if (known.has(name) || body[name] === null) continue;
    extras[`${path}.${name}`] = body[name];
  }
}
