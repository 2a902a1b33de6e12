// Reads single values from the header lines of a request.

/**
 * Headers by their lower-case names, each with a value per line, as in `headersDistinct` of Node's
 * requests. The joined form cannot tell two lines from one line with a comma.
 */
export type HeaderLines = Readonly<Record<string, readonly string[] | undefined>>;

export type HeaderValue =
  | { readonly kind: 'absent' }
  | { readonly kind: 'present'; readonly text: string }
  /** Several lines, of which readers choose different ones. */
  | { readonly kind: 'repeated' }
  /** Characters that a field value cannot have. */
  | { readonly kind: 'invalid' };

const FIELD_VALUE = /^[\t\x20-\x7e]*$/;
const SPACE_AROUND = /^[\t ]+|[\t ]+$/g;

/** The name may be in any case. */
export function headerValue(headers: HeaderLines, name: string): HeaderValue {
  const key = name.toLowerCase();
  const lines = Object.hasOwn(headers, key) ? headers[key] : undefined;
  const [line] = lines ?? [];
  if (lines === undefined || line === undefined) return { kind: 'absent' };
  if (lines.length > 1) return { kind: 'repeated' };
  if (!FIELD_VALUE.test(line)) return { kind: 'invalid' };
  return { kind: 'present', text: line.replace(SPACE_AROUND, '') };
}
