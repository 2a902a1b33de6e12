// The form in which a header carries a value that is no plain ASCII text: `=?base64?…?=` around the
// Base64 of its UTF-8 bytes. The markers are case-sensitive, and a value without both is literal.

const OPENING = '=?base64?';
const CLOSING = '?=';
/** With padding, as RFC 4648 section 4 writes it. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** A text as the value of a header. */
export function encodeSentinel(text: string): string {
  const isPlain = PLAIN.test(text) && !(text.startsWith(OPENING) && text.endsWith(CLOSING));
  return isPlain ? text : `${OPENING}${Buffer.from(text).toString('base64')}${CLOSING}`;
}

/** The value of a header; undefined: it has the markers, but no Base64 of UTF-8 between them. */
export function decodeSentinel(value: string): string | undefined {
  const wrapped = value.startsWith(OPENING) && value.endsWith(CLOSING);
  if (!wrapped || value.length < OPENING.length + CLOSING.length) return value;
  const base64 = value.slice(OPENING.length, -CLOSING.length);
  if (!BASE64.test(base64)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  // Bits beyond the last byte are zero in the one correct spelling.
  if (bytes.toString('base64') !== base64) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
