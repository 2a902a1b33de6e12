// Converts typed text into request values.

/**
 * A whole number; null when empty. Other text is NaN, which is never sent: the call fails with an
 * error at its field.
 */
export function numberOrNull(typed: string): number | null {
  const text = typed.trim();
  if (text === '') return null;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** Parses one "Name: value" per line. A line without a name is sent, for the server to refuse. */
export function headersOf(typed: string): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of typed.split('\n')) {
    const text = line.trim();
    if (text === '') continue;
    const colon = text.indexOf(':');
    const name = colon <= 0 ? text : text.slice(0, colon).trim();
    const value = colon <= 0 ? '' : text.slice(colon + 1).trim();
    // Repeated headers become a list, as in HTTP.
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

/** The trimmed text; null when empty. */
export function textOrNull(typed: string): string | null {
  const text = typed.trim();
  return text === '' ? null : text;
}

/** The lines that have text, without spaces around them. */
export function linesOf(typed: string): string[] {
  return typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Names of regions, separated by commas or spaces. The server refuses those that are no names. */
export function regionsOf(typed: string): string[] {
  return [...new Set(typed.split(/[\s,]+/).filter((name) => name !== ''))];
}

export function regionsText(names: readonly string[]): string {
  return names.join(', ');
}
