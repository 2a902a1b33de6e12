// Fields that hold credentials, by their name: in documents, and in JSON that is no document, such as one that was cut
// off or stands within a sentence.

/** What stands for the value of a field that holds a credential. */
export const CREDENTIAL = '<CREDENTIAL_0>';

/** Every value within such an object is a credential. */
export const HEADERS = 'headers';

const NAMES =
  '(?:proxy|x)?[-_]?authori[sz]ation(?:[-_]?token)?|(?:x[-_])?api[-_]?key|pass(?:word|wd|phrase)|(?:client|api)?[-_]?secret(?:[-_]?key)?|(?:access|refresh|id|auth|bearer|session)[-_]?token|(?:set[-_])?cookie|private[-_]?key';
const NAME = new RegExp(`^(?:${NAMES})$`, 'i');

/** Whether the text of such a field is a credential, whatever it looks like. */
export const isCredential = (name: string): boolean => NAME.test(name);

/**
 * The name of such a field, also where quotes are escaped, as in a document within a text of a document. It begins at
 * the first of a run of backslashes, so that each is looked at once.
 */
const FIELD = new RegExp(`(?<!\\\\)(\\\\*)"(${NAMES}|${HEADERS})\\1"\\s*:\\s*`, 'gi');

/** A text with the credentials replaced of JSON in it that cannot be parsed. Takes time in proportion to its length. */
export function withoutCredentials(text: string): string {
  if (!text.includes('"')) return text;
  const pieces: string[] = [];
  let kept = 0;
  for (const field of text.matchAll(FIELD)) {
    const [whole, slashes = '', name = ''] = field;
    // Within a value that is replaced already.
    if (field.index < kept) continue;
    const from = field.index + whole.length;
    const end = valueEnd(text, from, name.toLowerCase() === HEADERS);
    if (end === from) continue;
    const quote = `${slashes}"`;
    pieces.push(text.slice(kept, from), quote, CREDENTIAL, quote);
    kept = end;
  }
  return pieces.length === 0 ? text : `${pieces.join('')}${text.slice(kept)}`;
}

const NUMBER = /-?\d[\d.eE+-]*/y;

/** Where the value ends that begins there, at the latest with the text; the same place if it is none to replace. */
function valueEnd(text: string, from: number, isHeaders: boolean): number {
  const first = text[from];
  if (first === '[' || (first === '{' && isHeaders)) return bracketsEnd(text, from);
  // Fields of an object have their own names.
  if (first === '{' || isHeaders) return from;
  if (first === '"' || first === '\\') return stringEnd(text, from);
  NUMBER.lastIndex = from;
  return NUMBER.test(text) ? NUMBER.lastIndex : from;
}

/** Where the list or object ends. Brackets within strings do not count. */
function bracketsEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const one = text[at];
    if (one === '[' || one === '{') depth += 1;
    else if (one === ']' || one === '}') depth -= 1;
    else if (one === '"' || one === '\\') {
      const quote = at + slashesAt(text, at);
      at = (text[quote] === '"' ? stringEnd(text, at) : quote) - 1;
    }
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/**
 * Where the string ends. A quote of a document has no backslash, one of a document within it has one, then three, and
 * so on; in their strings a quote has more of them. One with fewer ends the document, and so the string.
 */
function stringEnd(text: string, from: number): number {
  const slashes = slashesAt(text, from);
  let at = from + slashes + 1;
  if (text[at - 1] !== '"') return from;
  while (at < text.length) {
    const run = slashesAt(text, at);
    at += run;
    if (text[at] === '"') {
      if (run < slashes) return at - run;
      if (run % (2 * (slashes + 1)) === slashes) return at + 1;
    }
    at += 1;
  }
  return text.length;
}

function slashesAt(text: string, from: number): number {
  let at = from;
  while (text[at] === '\\') at += 1;
  return at - from;
}
