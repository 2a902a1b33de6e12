// Header values that contain text from outside. Node throws on characters that a header cannot
// hold, and nothing may throw between the upstream's answer and the client.

/** Limit of a name in a header: it identifies the name and need not be complete. */
const NAME_CHARACTERS = 256;
/** Limit of all names in one list, as written. */
const LIST_CHARACTERS = 2_048;

const PRINTABLE = /^[\x20-\x7e]*$/;

/** Encodes a name for a header: non-ASCII characters are percent-encoded as UTF-8. */
export function headerText(name: string): string {
  const text = PRINTABLE.test(name) ? name : encodeURI(shortened(name).toWellFormed());
  return shortened(text);
}

/** Names separated by commas. Names that do not fit are counted: `a,b,...+3 more`. */
export function headerList(names: readonly string[]): string {
  let text = '';
  let listed = 0;
  for (const name of names) {
    const next = headerText(name);
    if (text.length + next.length >= LIST_CHARACTERS) break;
    text += listed === 0 ? next : `,${next}`;
    listed += 1;
  }
  const more = names.length - listed;
  return more === 0 ? text : `${text},...+${more} more`;
}

/** A forwarded upstream header without the characters that a header cannot hold. */
export function relayedHeader(value: string): string {
  return PRINTABLE.test(value) ? value : value.replace(/[^\x20-\x7e]+/g, '');
}

function shortened(text: string): string {
  return text.length <= NAME_CHARACTERS ? text : `${text.slice(0, NAME_CHARACTERS)}...`;
}
