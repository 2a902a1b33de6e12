// What was typed as the server takes it. What is no number is sent as none, so that the server says
// what is wrong with it.

/** A whole number that may be left empty: null. */
export function numberOrNull(typed: string): number | null {
  const text = typed.trim();
  if (text === '') return null;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}
