// Decodes the values of web search options. The limits of the body bound their size.

import { arrayOf, isObject, objectOf, otherFields, textOf } from './json';
import type { JsonObject } from './normalised';
import { callBound } from './server-tools';

/** A list of domains; undefined if absent or invalid. */
export function domainsIn(value: unknown): string[] | undefined {
  const domains = arrayOf(value).flatMap((domain) => textOf(domain) ?? []);
  return domains.length > 0 ? domains : undefined;
}

/** A bound on calls; undefined if absent or invalid. */
export function boundIn(value: unknown): number | undefined {
  return callBound(value) || undefined;
}

const PLACE = ['city', 'region', 'country', 'timezone'] as const;

/** The user's location. */
export function placeIn(value: unknown): JsonObject | undefined {
  const wire = objectOf(value) ?? {};
  const place = PLACE.flatMap((name) => {
    const said = textOf(wire[name]);
    return said === undefined ? [] : [[name, said] as const];
  });
  return place.length > 0 ? Object.fromEntries(place) : undefined;
}

export function encodePlace(place: JsonObject): JsonObject {
  return { type: 'approximate', ...place };
}

/** A value with its path; undefined if absent. */
export function optionAt<T>(
  value: T | undefined,
  path: string,
): { value: T; path: string } | undefined {
  return value === undefined ? undefined : { value, path };
}

/** Paths of unknown fields. */
export function othersIn(fields: unknown, known: ReadonlySet<string>, path: string): string[] {
  if (!isObject(fields)) return [];
  return Object.keys(otherFields(fields, known)).map((name) => `${path}.${name}`);
}
