// A deleted object keeps its row for records that name it. Its id is put behind its name, which is then free again.

export function freedName(name: string, id: string): string {
  return `${name}~${id}`;
}

/** A name as people know it, without the id of a deletion. */
export function shownName(name: string, id: string | null): string {
  const suffix = freedName('', id ?? '');
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}
