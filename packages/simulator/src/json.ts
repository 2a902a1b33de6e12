// Values sent by clients, which may have any type.

export type JsonObject = Record<string, unknown>;

export function objectOf(value: unknown): JsonObject | undefined {
  const is = typeof value === 'object' && value !== null && !Array.isArray(value);
  return is ? (value as JsonObject) : undefined;
}

export function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list; other values become empty objects, so that indices stay. */
export function objectsOf(value: unknown): JsonObject[] {
  return arrayOf(value).map((one) => objectOf(one) ?? {});
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The texts of a list; other values are left out. */
export function textsOf(value: unknown): string[] {
  return arrayOf(value).filter((one) => typeof one === 'string');
}

export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** An integer, which a form sends as text. */
export function countInForm(value: unknown): number | undefined {
  return countOf(typeof value === 'string' && value !== '' ? Number(value) : value);
}

/** All fields except the named ones. */
export function without(body: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}
