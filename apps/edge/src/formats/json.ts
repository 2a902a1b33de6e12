// Reading JSON that others wrote: values that may be of any type, nested any deep.

import { gatewayError } from '@tollgate/contracts';
import type { JsonObject } from './normalised';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A number as it was written, which `JSON.stringify` writes again digit by digit. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** What the language has, and its library's types do not have yet. */
interface ExactJson {
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}

const exact = JSON as unknown as ExactJson;

/**
 * Reads JSON without losing a digit: whole numbers that a number cannot hold stay as they were written.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  if (!hasLongNumber(text)) return JSON.parse(text);
  return exact.parse(text, (_, value, { source }) =>
    isInexact(value) && source !== undefined && WHOLE.test(source) ? exact.rawJSON(source) : value,
  );
}

/** So many digits that a number may not hold them. */
const LONG = 16;

/**
 * Whether there may be a whole number of so many digits: one of them is then at a multiple of their
 * number. Those of a fraction, or of an id in a string, are common and do not count.
 */
function hasLongNumber(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isDigit(text, at)) continue;
    let start = at;
    let end = at + 1;
    while (isDigit(text, start - 1)) start -= 1;
    while (isDigit(text, end)) end += 1;
    if (end - start >= LONG && standsAlone(text, start, end)) return true;
    at = end;
  }
  return false;
}

function standsAlone(text: string, start: number, end: number): boolean {
  const first = text[start - 1] === '-' ? start - 1 : start;
  return '[:, \t\n\r'.includes(text.charAt(first - 1)) && ',]} \t\n\r'.includes(text.charAt(end));
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

const WHOLE = /^-?\d+$/;

function isInexact(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value);
}

export function isRawNumber(value: unknown): value is RawNumber {
  return exact.isRawJSON(value);
}

export function objectOf(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

export function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Text that says something: absent, null and '' are all undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A count of something; anything else, negative numbers included, is undefined. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** The fields that have a value: neither undefined nor null, so that optional ones stay absent. */
export function present<T extends object>(fields: T): Present<T> {
  const kept: Present<T> = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined && value !== null) kept[key] = value;
  }
  return kept;
}

/** The fields of a payload other than those known, nulls left out. */
export function fieldsBeside(body: JsonObject, known: ReadonlySet<string>): JsonObject {
  const beside = Object.entries(body).filter(([name, value]) => !known.has(name) && value !== null);
  return Object.fromEntries(beside);
}

/** Adds them to the extras by their path. Nearly always there are none. */
export function addBeside(
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

/**
 * Refuses a value nested deeper than `maxDepth`, naming where. Walks with a list, not by recursion,
 * since what it guards against is a value that overflows the stack.
 */
export function checkDepth(value: unknown, maxDepth: number): void {
  let level: { value: unknown; top: string }[] = [{ value, top: '' }];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) {
      const param = level[0]?.top ?? '';
      throw gatewayError('invalid_request', `The body is nested more than ${maxDepth} deep.`, {
        param,
      });
    }
    const next: typeof level = [];
    for (const node of level) {
      for (const [key, child] of entriesOf(node.value)) {
        if (typeof child === 'object' && child !== null) {
          next.push({ value: child, top: node.top || key });
        }
      }
    }
    level = next;
  }
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
