import { canonicalJson, formatUsd, parseUsd } from '@tollgate/contracts';

import type { Kind, Values } from '../kinds/index';

/** Brings the spec of a document and that of the installation to one form, so that they compare. */

const MONEY = /Usd$/;
const INSTANT = /(?:At|From)$/;

export function normalSpec(kind: Kind, spec: Values): Values {
  const parsed = kind.spec.safeParse(spec);
  // What an earlier release stored may break a rule of today; it is compared as it is.
  const full = parsed.success ? (kind.normal?.(parsed.data) ?? parsed.data) : spec;
  return Object.fromEntries(
    Object.entries(full).map(([field, value]) => {
      const normal = normalValue(value, field, field);
      const unordered = kind.sets?.includes(field) === true && Array.isArray(normal);
      return [field, unordered ? sorted(normal) : normal];
    }),
  );
}

const sorted = (list: readonly unknown[]): unknown[] =>
  list.toSorted((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));

function normalValue(value: unknown, name: string, owner: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => normalValue(item, name, owner));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, part]) => part !== undefined)
        .map(([field, part]) => [field, normalValue(part, field, name)]),
    );
  }
  if (typeof value !== 'string') return value;
  // The limit of a quota is text only if it is money.
  if (MONEY.test(name) || MONEY.test(owner) || name === 'limit') return money(value);
  if (INSTANT.test(name) && !Number.isNaN(Date.parse(value))) return new Date(value).toISOString();
  return value;
}

function money(text: string): string {
  try {
    return formatUsd(parseUsd(text));
  } catch {
    return text;
  }
}

export interface FieldChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The differences, by the deepest path that has one. Lists are compared item by item. */
export function changesBetween(before: unknown, after: unknown, path: string): FieldChange[] {
  if (same(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return after.flatMap((item: unknown, index) =>
      changesBetween(before[index], item, `${path}[${String(index)}]`),
    );
  }
  if (isObject(before) && isObject(after)) {
    const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...fields].flatMap((field) =>
      changesBetween(before[field], after[field], `${path}.${field}`),
    );
  }
  return [{ path, before, after }];
}

function same(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonicalJson(a) === canonicalJson(b);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
