// Values of ledger entries, checked and cleaned one by one.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Longer texts from outside are truncated. */
const MAX_TEXT = 1_000;

/** Whether a text is a UUID in lower case, as this service writes them. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** An empty text is null. Undefined: not an id. */
export function optionalIdOf(text: string): string | null | undefined {
  return text === '' ? null : isUuid(text) ? text : undefined;
}

/** Nano-USD from decimal digits; an empty text is 0. Undefined: not an amount. */
export function nanoUsdOf(text: string): bigint | undefined {
  return /^\d{1,18}$/.test(text) ? BigInt(text) : text === '' ? 0n : undefined;
}

/** PostgreSQL cannot store NUL, and some upstreams send it. Null: no text is left. */
export function cleanText(value: string, most = MAX_TEXT): string | null {
  const kept = value.replaceAll('\0', '').slice(0, most).toWellFormed();
  return kept === '' ? null : kept;
}
