// Values of reports, as PostgreSQL stores them.

/** Years after this one (9998) do not fit every column and reader. In milliseconds since 1970. */
const LATEST_MS = 253_370_764_800_000;

/** Whether a number is a time in milliseconds since 1970; 0 stands for none in some fields. */
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
