// One resource has many URIs: servers resolve dots, put the scheme in lower case, drop tabs and decode
// escapes before they look for it. Here is what a server may read in the URI that it gets.

/**
 * The URI as it is sent; as `new URL(uri).href` writes it, which is what servers on the official SDK read;
 * with its escapes decoded, as servers of files read it; and with the dots and repeated slashes resolved
 * that are left then. Always these four. A text that is no URL has no other spelling but by its escapes.
 */
export function uriReadings(uri: string): readonly string[] {
  const href = hrefOf(uri);
  const decoded = decodeEscapes(href);
  return [uri, href, decoded, hrefOf(withoutEmptySegments(decoded))];
}

/** Makes a beginning that may end within a segment, or with a dot, a URI with something after it. */
const REST = 'x';

/** The same four for the beginning of a URI. One that ends in its host has only the spelling as it is. */
export function prefixReadings(prefix: string): readonly string[] {
  return uriReadings(prefix + REST).map((reading) =>
    reading.endsWith(REST) ? reading.slice(0, -REST.length) : prefix,
  );
}

function hrefOf(text: string): string {
  return URL.canParse(text) ? new URL(text).href : text;
}

const ESCAPES = /(?:%[0-9a-f]{2})+/gi;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Bytes that are no UTF-8 become U+FFFD, so that they do not keep the escapes beside them from decoding. */
function decodeEscapes(text: string): string {
  return text.replace(ESCAPES, (run) => {
    const bytes = run.slice(1).split('%');
    return utf8.decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
  });
}

/** The slashes of the scheme stay. */
function withoutEmptySegments(uri: string): string {
  const start = /^[a-z][a-z0-9+.-]*:\/\//i.exec(uri)?.[0] ?? '';
  return start + uri.slice(start.length).replace(/[/\\]{2,}/g, '/');
}
