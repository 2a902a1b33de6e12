// The format is protocol buffer JSON: field names may be camel case or snake case, a list of one
// may be its element, and null means absent.

import { gatewayError } from '@tollgate/contracts';
import { z } from 'zod';

import { isObject } from '../json';
import type { JsonObject } from '../normalised';
import { list } from '../schema';

export function camelName(name: string): string {
  if (!name.includes('_')) return name;
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Renames the fields of one message; nested messages stay unchanged. */
export function camelFields(fields: JsonObject): JsonObject {
  let renamed: JsonObject | undefined;
  for (const name in fields) {
    if (!name.includes('_')) continue;
    renamed ??= { ...fields };
    delete renamed[name];
    const camel = camelName(name);
    if (camel !== name && Object.hasOwn(fields, camel)) throw sentTwice(camel, name);
    renamed[camel] = fields[name];
  }
  return renamed ?? fields;
}

/** The gateway would read one of both and the vendor the other. */
function sentTwice(camel: string, snake: string): Error {
  const text = `${snake}: is sent beside ${camel}, which is another spelling of it`;
  return gatewayError('invalid_request', text, { param: snake });
}

/** The value of a field in either spelling. */
export function fieldOf(fields: JsonObject, camel: string): unknown {
  if (Object.hasOwn(fields, camel)) return fields[camel];
  return fields[spellingOf(fields, camel)];
}

/** The spelling of a present field; the vendor's spelling if it is absent. */
export function spellingOf(fields: JsonObject, camel: string): string {
  if (Object.hasOwn(fields, camel)) return camel;
  const snake = SNAKE.get(camel) ?? snakeName(camel);
  return Object.hasOwn(fields, snake) ? snake : camel;
}

/** Cached, because every part looks names up. Only names in the code are added: a few. */
const SNAKE = new Map<string, string>();

function snakeName(camel: string): string {
  const snake = camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  SNAKE.set(camel, snake);
  return snake;
}

/** The fields that are not known, as the client spelled them, without nulls. */
export function otherFields(fields: JsonObject, known: ReadonlySet<string>): JsonObject {
  const others = Object.entries(fields).filter(
    ([name, value]) => value !== null && !known.has(camelName(name)),
  );
  return Object.fromEntries(others);
}

/** Adds the fields that are not known to the extras, by path. Nearly always there are none. */
export function addOtherFields(
  fields: JsonObject,
  known: ReadonlySet<string>,
  path: string,
  extras: JsonObject,
): void {
  for (const name in fields) {
    if (fields[name] === null || known.has(camelName(name))) continue;
    extras[`${path}.${name}`] = fields[name];
  }
}

/** A message with these fields; unknown fields pass through. */
export function message<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.preprocess(
    (value) => (isObject(value) ? camelFields(value) : value),
    z.looseObject(shape),
  );
}

/** A list, or its only element. */
export function listOf<S extends z.ZodType>(item: S, most?: number) {
  return z.preprocess((value) => (isObject(value) ? [value] : value), list(item, most));
}

const NUMBER = /^-?\d+(\.\d+)?$/;

/** Integers may be text, because some exceed the safe range. */
export const number = z.preprocess(
  (value) => (typeof value === 'string' && NUMBER.test(value) ? Number(value) : value),
  z.number(),
);

export const wholeNumber = number.pipe(z.int('must be a whole number'));
