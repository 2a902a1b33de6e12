// Values of headers that are made of what others wrote. Node throws on a character that a header
// cannot hold, and nothing may throw between the upstream's answer and its client.

/** The longest name in a header: names are to be recognised there, not to be read from there. */
const NAME_CHARACTERS = 256;
/** All names of one list together, as they are written. */
const LIST_CHARACTERS = 2_048;

const PRINTABLE = /^[\x20-\x7e]*$/;

/** A name as a header can hold it: what is not ASCII is percent-encoded, as UTF-8. */
export function headerText(name: string): string {
  const text = PRINTABLE.test(name) ? name : encodeURI(shortened(name).toWellFormed());
  return shortened(text);
}

/** Names separated by commas. Those that do not fit are counted: `a,b,...+3 more`. */
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

/** A header of the upstream's that is passed on: characters that a header cannot hold are left out. */
export function relayedHeader(value: string): string {
  return PRINTABLE.test(value) ? value : value.replace(/[^\x20-\x7e]+/g, '');
}

function shortened(text: string): string {
  return text.length <= NAME_CHARACTERS ? text : `${text.slice(0, NAME_CHARACTERS)}...`;
}
