// What was typed as the server takes it.

/**
 * A whole number that may be left empty: null. What is none is NaN, which is never sent: the call is
 * refused with what is wrong, by its field.
 */
export function numberOrNull(typed: string): number | null {
  const text = typed.trim();
  if (text === '') return null;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** "Name: value" a line as the names with their values. What has no name is sent as one, to be refused. */
export function headersOf(typed: string): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of typed.split('\n')) {
    const text = line.trim();
    if (text === '') continue;
    const colon = text.indexOf(':');
    const name = colon <= 0 ? text : text.slice(0, colon).trim();
    const value = colon <= 0 ? '' : text.slice(colon + 1).trim();
    // A header given twice is a list, as on the wire.
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

export function headersText(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** A text that may be left empty: null. */
export function textOrNull(typed: string): string | null {
  const text = typed.trim();
  return text === '' ? null : text;
}
