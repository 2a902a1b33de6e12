// Checks of Redis replies. Written by hand instead of with a schema because they run for every
// request. A reply of another shape is a bug and throws.

export type Row = readonly unknown[];

export function asRow(value: unknown): Row {
  if (!Array.isArray(value)) throw new TypeError(`redis answered ${typeof value} for a list`);
  return value;
}

export function asText(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`redis answered ${typeof value} for a string`);
  return value;
}

/** A count or an instant: a safe integer, printed by a script or replied as a number. */
export function asNumber(value: unknown): number {
  const number = typeof value === 'number' ? value : Number(asText(value));
  if (!Number.isSafeInteger(number))
    throw new TypeError(`redis answered ${String(value)} for a number`);
  return number;
}

/** An amount: printed by a script, or replied as a number where a double is exact. */
export function asAmount(value: unknown): bigint {
  return BigInt(typeof value === 'number' ? asNumber(value) : asText(value));
}

export function asTexts(value: unknown): string[] {
  return asRow(value).map(asText);
}

/** A flat list of names and values, as HGETALL and streams reply. */
export function asFields(value: unknown): Map<string, string> {
  const row = asRow(value);
  const fields = new Map<string, string>();
  for (let i = 0; i + 1 < row.length; i += 2) fields.set(asText(row[i]), asText(row[i + 1]));
  return fields;
}

export function field(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name);
  if (value === undefined) throw new TypeError(`the field ${name} is missing`);
  return value;
}

/** Maps positions (1, 2, …) in a script's arguments to limit ids. */
export function named(places: unknown, given: readonly { limitId: string }[]): string[] {
  return asRow(places).map((place) => {
    const one = given[asNumber(place) - 1];
    if (one === undefined) throw new TypeError(`redis named a counter that was not asked for`);
    return one.limitId;
  });
}
