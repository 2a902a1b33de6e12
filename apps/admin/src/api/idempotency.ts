const BYTES = 16;

/** A new Idempotency-Key. `randomUUID` is missing in browsers on plain HTTP. */
export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
