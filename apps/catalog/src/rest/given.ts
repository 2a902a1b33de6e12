/** The fields of a change that are there: an absent one stays as it is. */
export function given<T extends object>(patch: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const fields = Object.entries(patch).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
