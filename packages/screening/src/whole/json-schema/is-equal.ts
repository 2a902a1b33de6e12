/** Whether two JSON values are equal. Takes no longer than the smaller of both is large. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isContainer(one) || !isContainer(other)) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]));
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
