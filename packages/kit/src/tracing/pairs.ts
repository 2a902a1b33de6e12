const NAME = /^[\w.!#$%&'*+^`|~-]+$/;

/**
 * Reads `name=value,name=value` with percent-encoded values.
 * @throws RangeError that completes the sentence "NAME …"
 */
export function parsePairs(text: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const [at, part] of text.split(',').entries()) {
    if (part.trim() === '') continue;
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(0, equals)).trim();
    // The text may be a secret, so only the place is told.
    if (!NAME.test(name)) throw new RangeError(`must be name=value,…: entry ${at + 1} is not`);
    try {
      pairs[name] = decodeURIComponent(part.slice(equals + 1).trim());
    } catch {
      throw new RangeError(`must have percent-encoded values: that of entry ${at + 1} is not`);
    }
  }
  return pairs;
}
