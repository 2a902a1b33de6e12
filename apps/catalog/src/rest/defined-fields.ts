/** The defined fields of a patch; undefined ones stay unchanged. */
export function definedFields<T extends object>(
  patch: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const fields = Object.entries(patch).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
