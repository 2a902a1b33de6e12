// Values of reports, as PostgreSQL stores them.

/** The largest instant that every column and reader can hold, in milliseconds since 1970. */
const LATEST_MS = 253_370_764_800_000;

/** Whether a number is an instant in milliseconds since 1970. Some fields use 0 for none. */
export function isInstant(ms: number): boolean {
  return Number.isSafeInteger(ms) && ms >= 0 && ms <= LATEST_MS;
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** PostgreSQL stores neither NUL nor unpaired surrogates; clients may send both. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
