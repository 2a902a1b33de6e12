/** The deepest nesting that is written, the same as that of request bodies at the edge. */
const DEPTH_MAX = 128;

/**
 * JSON in the canonical form of RFC 8785, whose text is equal for equal values: members sorted by
 * the UTF-16 code units of their names, no white space, numbers and strings as ECMAScript writes
 * them. The RFC gives lone surrogates no form; they are written as escapes here, so that every
 * parsed document has a form.
 *
 * @throws RangeError for a value that JSON does not have, and for one nested deeper than 128
 */
export function canonicalJson(value: unknown): string {
  return written(value, 0);
}

function written(value: unknown, depth: number): string {
  if (depth > DEPTH_MAX) throw new RangeError(`nested deeper than ${DEPTH_MAX}`);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') {
    return JSON.stringify(value);
  }
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value !== 'object') throw new RangeError(`not a JSON value: ${typeof value}`);
  if (Array.isArray(value)) {
    return `[${value.map((item) => written(item, depth + 1)).join(',')}]`;
  }
  const members = Object.entries(value).toSorted(byName);
  const texts = members.map(
    ([name, item]) => `${JSON.stringify(name)}:${written(item, depth + 1)}`,
  );
  return `{${texts.join(',')}}`;
}

// Strings compare by code units, which is the order that the RFC asks for.
function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
